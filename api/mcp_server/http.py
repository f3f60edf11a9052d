"""MCP over HTTP, at /mcp of the service: the same users, the same limits. Each request stands by itself."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from fastapi import APIRouter, FastAPI
from fastapi.security import SecurityScopes
from mcp.server.mcpserver import Context
from mcp.server.transport_security import TransportSecuritySettings
from starlette.requests import Request
from starlette.types import Receive, Scope, Send

from api.http import problems
from api.http.caller import caller
from api.http.problems import Problem
from api.http.service import Service
from api.identity import Principal
from api.mcp_server.tools import server

PATH = "/mcp"


class Guarded:
    """Passes on what a user sends; anybody else is told the problem."""

    def __init__(self, service: Service) -> None:
        made = server(service, asking)
        # Whom a request comes from, and whether a page may send it, is decided by `caller`, as everywhere.
        made.streamable_http_app(
            json_response=True,
            stateless_http=True,
            transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
        )
        self.manager = made.session_manager

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request."""
        request = Request(scope, receive)
        try:
            if request.method != "POST":
                allowed = {"Allow": "POST"}
                raise Problem("method-not-allowed", "requests are posted here", headers=allowed)
            await caller(request, SecurityScopes(["user"]))
        except Problem as problem:
            told = problems.response(problem, str(request.state.request_id))
            await told(scope, receive, send)
            return
        await self.manager.handle_request(scope, receive, send)


def asking(ctx: Context[Any, Any]) -> Principal:
    """Who asks: whoever `caller` found behind the request that a message came with."""
    request = ctx.request_context.request
    assert isinstance(request, Request)
    found = request.state.who
    assert isinstance(found, Principal)
    return found


def mounted(service: Service) -> APIRouter:
    """The route, which lives as long as the application."""
    guarded = Guarded(service)

    @asynccontextmanager
    async def life(_app: FastAPI) -> AsyncIterator[None]:
        async with guarded.manager.run():
            yield

    router = APIRouter(lifespan=life)
    router.add_route(PATH, guarded, include_in_schema=False)  # type: ignore[arg-type]
    return router
