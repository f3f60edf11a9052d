"""A real server of the service, on a port of its own."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import structlog
import uvicorn
from fastapi import FastAPI

from api.http.app import create_app
from api.http.service import Service, open_service
from api.http.settings import Settings


@dataclass(frozen=True)
class Served:
    """A server that runs, and its service behind it."""

    url: str
    service: Service
    app: FastAPI

    def client(self, key: str = "", **headers: str) -> httpx.Client:
        """A client of it, with a key."""
        known = {"Authorization": f"Bearer {key}"} if key else {}
        return httpx.Client(base_url=self.url, headers={**known, **headers}, timeout=60)

    def session(self, client: httpx.Client) -> str:
        """A new session."""
        made = client.post("/v1/sessions")
        assert made.status_code == 201, made.text
        return str(made.json()["session_id"])


def quiet() -> None:
    """Send what is logged to Python's own loggers, where tests look for it."""
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            structlog.contextvars.merge_contextvars,
            structlog.stdlib.render_to_log_kwargs,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=False,
    )


@contextmanager
def serving(home: Path, database: Path, **given: Any) -> Iterator[Served]:
    """A server over a database, its files in a home of its own."""
    home.mkdir(parents=True, exist_ok=True)
    settings = Settings(home=home, warehouse=database, **{"rate": "", "port": 0, **given})
    quiet()
    service = open_service(settings)
    app = create_app(service)
    config = uvicorn.Config(app, port=0, log_config=None, access_log=False)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    until = time.monotonic() + 30
    while not server.started:
        assert thread.is_alive()
        assert time.monotonic() < until
        time.sleep(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    try:
        yield Served(f"http://127.0.0.1:{port}", service, app)
    finally:
        server.should_exit = True
        thread.join(30)


def ask(client: httpx.Client, session: str, *said: str | dict[str, Any]) -> list[dict[str, Any]]:
    """Turns of a session, one after the other."""
    found = []
    for one in said:
        body = {"question": one} if isinstance(one, str) else one
        answer = client.post(f"/v1/sessions/{session}/turns", json=body)
        assert answer.status_code == 200, answer.text
        found.append(answer.json())
    return found


def events(lines: Iterator[str]) -> Iterator[tuple[int, str, Any]]:
    """The events of a stream: number, name, data."""
    number, name = 0, ""
    for line in lines:
        field, _, value = line.partition(": ")
        if field == "id":
            number = int(value)
        elif field == "event":
            name = value
        elif field == "data":
            yield number, name, json.loads(value)
