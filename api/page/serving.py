"""Serves the page: its files as they are, and headers that let it load nothing from elsewhere.

Three addresses beside the files: `/` is the page, `/embed` the page as it stands within another one, `/embed.js`
the script that puts it there.
"""

from __future__ import annotations

from pathlib import Path

from fastapi import FastAPI
from starlette.concurrency import run_in_threadpool
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import Message, Receive, Scope, Send

from api.clock import epoch
from api.http.service import Service
from api.identity.keys import key_file

STATIC = Path(__file__).parent / "static"
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; style-src-attr 'unsafe-inline'; "
    "img-src 'self' data: blob:; connect-src 'self'; manifest-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors "
)
ALONE = f"{POLICY}'none'"
KEPT = "no-cache"  # a browser keeps it, and asks each time whether it is still the same


class Files(StaticFiles):
    """Files that a browser keeps, and asks for again only whether they are still the same."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer with a file."""

        async def kept(message: Message) -> None:
            if message["type"] == "http.response.start":
                also = [
                    (b"cache-control", KEPT.encode()),
                    (b"content-security-policy", ALONE.encode()),
                ]
                message["headers"] = [*message["headers"], *also]
            await send(message)

        await super().__call__(scope, receive, kept)


def _page(file: str, policy: str) -> Response:
    headers = {"Content-Security-Policy": policy, "Cache-Control": KEPT}
    return FileResponse(STATIC / file, headers=headers)


async def index(request: Request) -> Response:
    """The page."""
    found = _page("index.html", ALONE)
    found.headers["X-Frame-Options"] = "DENY"  # for browsers that do not know frame-ancestors
    return found


async def embedded(request: Request) -> Response:
    """The page within another one, which the sites of keys for that may put it into, and nobody else."""
    service: Service = request.app.state.service
    keys = service.identity.keys

    def sites() -> list[str]:
        return sorted(key_file(keys).origins(epoch(), embedding=True)) if keys else []

    found = await run_in_threadpool(sites)
    return _page("embedded.html", POLICY + (" ".join(found) or "'none'"))


async def script(request: Request) -> Response:
    """The script that puts the page into another one."""
    return FileResponse(STATIC / "embed.js", headers={"Cache-Control": KEPT})


def install(app: FastAPI) -> None:
    """Add the page to an application."""
    pages = {"/": index, "/embed": embedded, "/embed.js": script}
    for path, answer in pages.items():
        app.router.routes.append(Route(path, answer, methods=["GET"], name=f"page:{path}"))
    files = GZipMiddleware(Files(directory=STATIC), minimum_size=1000)
    app.router.routes.append(Mount("/page", files, name="page-files"))
