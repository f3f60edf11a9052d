"""A way to the service that breaks: it closes a connection in the middle of the first stream that passes."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from urllib.parse import urlsplit

EVENT = b"event: "


class Cutting:
    """Passes bytes on, both ways; of the first answer to a turn only so many events, then it closes."""

    def __init__(self, url: str, after: int) -> None:
        self._to, self._after, self.cut = urlsplit(url), after, 0
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listening.getsockname()[1]}"
        threading.Thread(target=self._serve, daemon=True).start()

    def close(self) -> None:
        """Let nobody in any more."""
        self._listening.close()

    def _serve(self) -> None:
        with suppress(OSError):
            while True:
                near = self._listening.accept()[0]
                far = socket.create_connection((self._to.hostname, self._to.port))
                way = _Way(near, far)
                threading.Thread(target=self._asked, args=(way,), daemon=True).start()
                threading.Thread(target=self._answered, args=(way,), daemon=True).start()

    def _asked(self, way: _Way) -> None:
        with suppress(OSError):
            while data := way.near.recv(65536):
                if (
                    data.startswith(b"POST")
                    and b"/turns HTTP" in data.partition(b"\r\n")[0]
                    and not self.cut
                ):
                    way.streams = True
                way.far.sendall(data)
        way.close()

    def _answered(self, way: _Way) -> None:
        seen = b""
        with suppress(OSError):
            while data := way.far.recv(65536):
                if way.streams:
                    seen += data
                    if seen.count(EVENT) > self._after:
                        keep = (
                            len(EVENT.join(seen.split(EVENT)[: self._after + 1]))
                            - len(seen)
                            + len(data)
                        )
                        way.near.sendall(data[: max(keep, 0)])
                        time.sleep(0.3)  # what was sent is read before it ends
                        self.cut += 1
                        break
                way.near.sendall(data)
        way.close()


class _Way:
    """One connection, from the browser and to the service."""

    def __init__(self, near: socket.socket, far: socket.socket) -> None:
        self.near, self.far, self.streams = near, far, False

    def close(self) -> None:
        for end in (self.near, self.far):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()


@contextmanager
def cutting(url: str, after: int) -> Iterator[Cutting]:
    """A way to a service that breaks once, after so many events."""
    found = Cutting(url, after)
    try:
        yield found
    finally:
        found.close()
