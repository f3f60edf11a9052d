"""Errors as the clients of chat completions read them: the service's problems in another shape, on those routes."""

from __future__ import annotations

import json

from pydantic import BaseModel, Field
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.http.problems import TYPE

ROUTES = ("/v1/chat/", "/v1/models")
_KINDS = {
    "unauthenticated": "authentication_error",
    "forbidden": "permission_error",
    "too-many-requests": "rate_limit_error",
}
_SERVER = frozenset({"unrecorded", "unavailable", "stopping", "fault"})


class ErrorBody(BaseModel):
    """What went wrong: `code` is the service's own (docs/http.md), `param` the part of the request."""

    message: str
    type: str = Field(examples=["invalid_request_error"])
    param: str | None = None
    code: str = Field(examples=["bad-request"])


class ErrorOut(BaseModel):
    """An error."""

    error: ErrorBody


def error_of(code: str, message: str, param: str | None = None) -> dict[str, object]:
    """A problem in the other shape."""
    kind = "server_error" if code in _SERVER else _KINDS.get(code, "invalid_request_error")
    return {"error": {"message": message, "type": kind, "param": param, "code": code}}


class OpenAIErrors:
    """Wraps the application: a problem that leaves one of the routes is told in the other shape.

    Outside everything else, so that whatever refuses a request does it in the same way.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on."""
        if scope["type"] != "http" or not scope["path"].startswith(ROUTES):
            await self._app(scope, receive, send)
            return
        begun: Message | None = None
        body = b""

        async def answering(message: Message) -> None:
            nonlocal begun, body
            if message["type"] == "http.response.start" and _is_problem(message):
                begun = message
            elif begun is None:
                await send(message)
            else:
                body += message.get("body", b"")
                if not message.get("more_body", False):
                    for part in _told(begun, body):
                        await send(part)

        await self._app(scope, receive, answering)


def _is_problem(start: Message) -> bool:
    return any(
        name.lower() == b"content-type" and value.startswith(TYPE.encode())
        for name, value in start["headers"]
    )


def _told(start: Message, body: bytes) -> tuple[Message, Message]:
    problem = json.loads(body)
    words = f"{problem['title']}: {problem['detail']}" if problem["detail"] else problem["title"]
    text = json.dumps(
        error_of(problem["code"], words, problem.get("where")), ensure_ascii=False
    ).encode()
    named = {b"content-type": b"application/json", b"content-length": str(len(text)).encode()}
    kept = [(name, value) for name, value in start["headers"] if name.lower() not in named]
    status = 400 if start["status"] == 422 else start["status"]
    return (
        {**start, "status": status, "headers": [*kept, *named.items()]},
        {"type": "http.response.body", "body": text, "more_body": False},
    )
