"""A page of another site that the chat is put into: a small server under the name localhost."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

HEAD = (
    '<!doctype html><html lang="zh-CN"><head><meta charset="utf-8">'
    '<meta name="viewport" content="width=device-width"><title>门户</title></head><body>'
)
POLICY = "default-src 'none'; script-src http://127.0.0.1:*; frame-src http://127.0.0.1:*"


@dataclass
class Site:
    """A site, whose pages are set by their paths."""

    origin: str
    pages: dict[str, str] = field(default_factory=dict)

    def put(self, path: str, body: str) -> str:
        """Put a page there; gives its address."""
        self.pages[path] = f"{HEAD}{body}</body></html>"
        return f"{self.origin}{path}"


@contextmanager
def site() -> Iterator[Site]:
    """A site that stands on a port of its own."""
    found = Site("")

    class Pages(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            text = found.pages.get(self.path)
            self.send_response(404 if text is None else 200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            # As strict as a site may be that lets the service in: no style elements, no inline scripts.
            self.send_header("Content-Security-Policy", POLICY)
            self.end_headers()
            self.wfile.write((text or "").encode())

        def log_message(self, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Pages)
    found.origin = f"http://localhost:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield found
    finally:
        server.shutdown()
        server.server_close()
