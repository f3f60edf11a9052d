"""What every request passes through: an id, a bound on its body, headers against misuse, one line in the log.

Plain ASGI: a wrapper that reads responses whole would break streams and hide clients that went away.
"""

from __future__ import annotations

import re
import secrets
import time

import structlog
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.http import problems
from api.http.problems import Problem
from api.http.service import Service

_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
_HEADERS = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"x-frame-options", b"DENY"),
)
_SENT_WHOLE = {"/v1/chat/completions": 16}  # times the bound of a body: it holds a conversation
_QUIET = frozenset({"/healthz", "/readyz", "/metrics"})
EVALUATIONS = "/v1/evaluations"  # where bodies are whole question sets
log = structlog.get_logger("wenshu.http")


class TooLarge(Exception):
    """A body is larger than may be."""


class Passage:
    """Wraps the application."""

    def __init__(self, app: ASGIApp, service: Service) -> None:
        self._app, self._settings = app, service.settings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        settings = self._settings
        sets = scope["path"] == EVALUATIONS
        most = settings.sets_bytes if sets else settings.body_bytes
        most *= _SENT_WHOLE.get(scope["path"], 1)
        request_id = _given(scope) or secrets.token_hex(8)
        scope.setdefault("state", {})["request_id"] = request_id
        start, status, begun, over = time.perf_counter(), 500, False, False

        async def answering(message: Message) -> None:
            nonlocal status, begun
            if over and not begun:
                return  # whatever was made of a body that was cut off
            if message["type"] == "http.response.start":
                status, begun = message["status"], True
                named = {name.lower() for name, _ in message["headers"]}
                also = [(name, value) for name, value in _HEADERS if name not in named]
                if b"content-security-policy" in named:  # which says who may frame it
                    also = [item for item in also if item[0] != b"x-frame-options"]
                if b"cache-control" not in named:
                    also.append((b"cache-control", b"no-store"))
                message["headers"] = [
                    *message["headers"],
                    *also,
                    (b"x-request-id", request_id.encode()),
                ]
            await send(message)

        read = 0

        async def bounded() -> Message:
            nonlocal read, over
            message = await receive()
            if message["type"] == "http.request":
                read += len(message.get("body", b""))
                if read > most:
                    over = True
                    raise TooLarge
            return message

        async def refuse() -> None:
            nonlocal over
            over = False
            problem = Problem("too-large", f"a body has {most} bytes at most")
            await problems.response(problem, request_id)(scope, receive, answering)

        with structlog.contextvars.bound_contextvars(request_id=request_id):
            try:
                if _length(scope) > most:
                    raise TooLarge
                await self._app(scope, bounded, answering)
                if over and not begun:
                    await refuse()
            except TooLarge:
                await refuse()
            except Exception:
                log.exception("fault", path=_route(scope))
                if not begun:
                    problem = Problem(
                        "fault", "a fault of the service; the log has it by its request_id"
                    )
                    await problems.response(problem, request_id)(scope, receive, answering)
            finally:
                told = log.debug if scope["path"] in _QUIET else log.info
                told(
                    "request",
                    method=scope["method"],
                    route=_route(scope),
                    status=status,
                    ms=round((time.perf_counter() - start) * 1000, 1),
                )


def _given(scope: Scope) -> str | None:
    """The id that a client or a proxy gave, where it is one."""
    for name, value in scope["headers"]:
        if name == b"x-request-id":
            text = value.decode("latin-1")
            return text if _ID.fullmatch(text) else None
    return None


def _length(scope: Scope) -> int:
    for name, value in scope["headers"]:
        if name == b"content-length" and value.isdigit() and len(value) < 20:
            return int(value)
    return 0


def _route(scope: Scope) -> str:
    """The pattern of the route, which holds no ids and nothing that a user typed."""
    return str(getattr(scope.get("route"), "path", "-"))
