"""Who calls: from the headers to a principal with the scope that a route needs, counted and, if denied, noted."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.security import HTTPBearer, SecurityScopes

from api.http.problems import Problem
from api.http.service import Service
from api.identity import Denied, Hidden, Principal, Scope, Unauthenticated, authenticate

BEARER = HTTPBearer(
    auto_error=False,
    description="An API key (`wenshu_…`) or a JWT. In open mode, on this machine alone, none is needed.",
)


def service_of(request: Request) -> Service:
    """The service behind the application."""
    found = request.app.state.service
    assert isinstance(found, Service)
    return found


async def _at(request: Request) -> Service:
    """The same, as a dependency: FastAPI would call a plain function in a thread."""
    return service_of(request)


def route_of(request: Request) -> str:
    """The route that was asked for, as its pattern: no ids."""
    found = request.scope.get("route")
    return f"{request.method} {getattr(found, 'path', '?')}"


async def caller(request: Request, needs: SecurityScopes) -> Principal:
    """Who calls. Raises `Problem` where that is not known, they may not, or they ask too often."""
    service = service_of(request)
    peer = request.client.host if request.client is not None else None
    try:
        who = authenticate(request.headers, peer, service.identity)
        if service.rates is not None:
            wait = await run_in_threadpool(service.rates.take, who.user.id)
            if wait:
                raise Problem("too-many-requests", "ask again later", retry_after=wait)
        for scope in needs.scopes:
            who.require(scope)  # type: ignore[arg-type]
    except Denied as denied:
        raise await run_in_threadpool(denied_as, service, denied, request) from denied
    request.state.who = who
    return who


def denied_as(service: Service, denied: Denied, request: Request) -> Problem:
    """Note that access was denied; what the client is told."""
    return denied_by(service, denied, route_of(request))


def denied_by(service: Service, denied: Denied, route: str) -> Problem:
    """The same, by the name of what was asked for."""
    service.denials.note(denied, route)
    if isinstance(denied, Unauthenticated):
        return Problem("unauthenticated", denied.detail, headers={"WWW-Authenticate": "Bearer"})
    if isinstance(denied, Hidden):
        return Problem("not-found")  # the same whether it is another's or is not there
    return Problem("forbidden", denied.detail)


def needs(scope: Scope) -> object:
    """What a route depends on: a caller with a scope, whose key the description asks for."""
    from fastapi import Security

    return Security(caller, scopes=[scope])


async def named(who: Annotated[Principal, Depends(caller)]) -> Principal:
    """Who calls, unless it is a visitor of another page. Raises `Forbidden`."""
    who.require_named()
    return who


At = Annotated[Service, Depends(_at)]
AsUser = Annotated[Principal, needs("user")]
AsAuditor = Annotated[Principal, needs("auditor")]
AsAnalyst = Annotated[Principal, needs("analyst")]
AsVisitor = Annotated[Principal, needs("embed")]
AsNamed = Annotated[Principal, Depends(named)]
AsAnyone = Annotated[Principal, Depends(caller)]
