"""The application: routes, problems, and what every request passes through."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from fastapi import FastAPI, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.middleware.cors import CORSMiddleware
from starlette.responses import Response

from api.http import faces, problems, stopping
from api.http.caller import denied_as
from api.http.description import described, operation_id
from api.http.erased import Erased
from api.http.passage import Passage
from api.http.routes import catalogue, evaluations, operations, rows, sessions, turns
from api.http.service import Service
from api.identity import Denied
from api.page import serving
from dialogue.ledger import Unreachable
from nl2sql.errors import Stopped, WarehouseError

ABOUT = (
    "People ask their data in plain Chinese or English, turn after turn. Every answer tells how it was "
    "understood, and every turn can be replayed."
)


def create_app(service: Service, ended: Callable[[], None] = lambda: None) -> FastAPI:
    """The application over an open service, which is closed with it."""

    @asynccontextmanager
    async def life(app: FastAPI) -> AsyncIterator[None]:
        service.turns.ended.append(operations.observed(service))
        service.live.start()
        erased = Erased(service)
        await (
            erased.look()
        )  # a memory that others share may hold what was erased while nobody served
        watching = (
            asyncio.create_task(stopping.watch(service.turns, service.settings.drain)),
            asyncio.create_task(erased.watch()),
        )
        yield
        for task in watching:
            task.cancel()
        await service.turns.drain(service.settings.drain)
        service.close()
        ended()

    app = FastAPI(
        title="wenshu 问数",
        version=dict(service.sessions.versions)["wenshu"],
        description=ABOUT,
        lifespan=life,
        generate_unique_id_function=operation_id,
        redoc_url=None,
        docs_url=None,  # its page would be loaded from elsewhere; /openapi.json is here
    )
    app.state.service = service
    problems.install(app)

    @app.exception_handler(Denied)
    async def _denied(request: Request, error: Denied) -> Response:
        problem = await run_in_threadpool(denied_as, service, error, request)
        return problems.response(problem, str(request.state.request_id))

    @app.exception_handler(Unreachable)
    async def _unreachable(request: Request, error: Unreachable) -> Response:
        return problems.response(problems.unavailable(error), str(request.state.request_id))

    @app.exception_handler(WarehouseError)
    async def _stopped(request: Request, error: WarehouseError) -> Response:
        problem = problems.Problem(
            "unavailable", str(error) if isinstance(error, Stopped) else "", retry_after=5
        )
        return problems.response(problem, str(request.state.request_id))

    for module in (sessions, turns, rows, catalogue, evaluations, operations):
        app.include_router(module.router)
    if service.settings.origins:
        app.add_middleware(
            CORSMiddleware,
            allow_origins=list(service.settings.origins),
            allow_methods=["GET", "POST", "PATCH", "DELETE"],
            allow_headers=[
                "Authorization",
                "Content-Type",
                "Idempotency-Key",
                "Last-Event-ID",
                "X-Session-Id",
            ],
            expose_headers=["Location", "Retry-After", "X-Request-ID"],
        )
    app.add_middleware(Passage, service=service)
    faces.install(app, service)
    serving.install(app)
    app.openapi = lambda: described(app)  # type: ignore[method-assign]
    return app
