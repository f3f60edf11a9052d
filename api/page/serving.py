"""Serves the page: its files as they are, and headers that let it load nothing from elsewhere."""

from __future__ import annotations

from pathlib import Path

from fastapi import FastAPI
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import Message, Receive, Scope, Send

STATIC = Path(__file__).parent / "static"
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; style-src-attr 'unsafe-inline'; "
    "img-src 'self' data: blob:; connect-src 'self'; manifest-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'"
)


class Files(StaticFiles):
    """Files that a browser keeps, and asks for again only whether they are still the same."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer with a file."""

        async def kept(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], (b"cache-control", b"no-cache")]
            await send(message)

        await super().__call__(scope, receive, kept)


async def index(request: Request) -> Response:
    """The page."""
    headers = {"Content-Security-Policy": POLICY, "Cache-Control": "no-cache"}
    return FileResponse(STATIC / "index.html", headers=headers)


def install(app: FastAPI) -> None:
    """Add the page to an application."""
    app.router.routes.append(Route("/", index, methods=["GET"], name="page"))
    files = GZipMiddleware(Files(directory=STATIC), minimum_size=1000)
    app.router.routes.append(Mount("/page", files, name="page-files"))
