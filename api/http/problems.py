"""Problem details (RFC 9457): every error that leaves the service has this one shape."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import structlog
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from fastapi.routing import iter_route_contexts
from pydantic import BaseModel, ConfigDict, Field
from starlette.exceptions import HTTPException

from dialogue.ledger import LedgerError, Unreachable

TYPE = "application/problem+json"
log = structlog.get_logger("wenshu.http")

# What can go wrong: a code that never changes its meaning, its status, and what it says (docs/http.md).
CODES: Mapping[str, tuple[int, str]] = {
    "bad-request": (422, "The request has not the shape of one"),
    "bad-json": (400, "The body is no JSON"),
    "too-large": (413, "The body is too large"),
    "unauthenticated": (401, "Say who you are"),
    "forbidden": (403, "Your key does not allow this"),
    "not-found": (404, "There is no such thing, or it is not yours"),
    "method-not-allowed": (405, "This address does not take that method"),
    "busy": (409, "A turn of this session is being taken"),
    "conflict": (409, "The session went on elsewhere"),
    "key-reused": (422, "The Idempotency-Key was used with another request"),
    "interrupted": (409, "The turn of this Idempotency-Key was interrupted"),
    "rows-changed": (409, "The data are no longer those of the turn"),
    "archived": (410, "The session was archived"),
    "too-many-requests": (429, "Too many requests"),
    "unrecorded": (503, "The turn could not be recorded"),
    "unavailable": (503, "A part of the service cannot be reached"),
    "evaluating": (409, "An evaluation is running"),
    "stopping": (503, "The service is stopping"),
    "fault": (500, "A fault of the service"),
}


# What any route can give whatever it does: a body that is none, or that is too large.
BODY = ("bad-json", "too-large")
_WAIT = {"Retry-After": {"description": "Seconds to wait", "schema": {"type": "integer"}}}
_HEADERS: Mapping[int, Mapping[str, object]] = {
    401: {"WWW-Authenticate": {"description": "`Bearer`", "schema": {"type": "string"}}},
    429: _WAIT,
    503: _WAIT,
}


@dataclass(eq=False)  # not frozen: Python sets the traceback of an error while it is on its way
class Problem(Exception):
    """Something that is told to the client: what was wrong, where, and what to do."""

    code: str
    detail: str = ""
    where: str = ""
    retry_after: float | None = None
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def status(self) -> int:
        """The HTTP status."""
        return CODES[self.code][0]


class ProblemModel(BaseModel):
    """Problem details (RFC 9457)."""

    model_config = ConfigDict(title="Problem")

    type: str = Field(description="`about:blank#` and the code", examples=["about:blank#busy"])
    title: str = Field(examples=["A turn of this session is being taken"])
    status: int = Field(examples=[409])
    code: str = Field(description="Never changes its meaning (docs/http.md)", examples=["busy"])
    detail: str = ""
    where: str | None = Field(None, description="The part of the request that is meant")
    request_id: str = ""


def unavailable(error: LedgerError) -> Problem:
    """What the ledger refuses, as it is told; of one that cannot be asked, where it is and what its driver says is
    in the log alone."""
    if not isinstance(error, Unreachable):
        return Problem("unavailable", str(error), retry_after=5)
    log.warning("unreachable", reason=str(error))
    return Problem("unavailable", "ask again in a moment", retry_after=5)


def body_of(problem: Problem, request_id: str = "") -> dict[str, object]:
    """The problem as it is sent."""
    status, title = CODES[problem.code]
    told: dict[str, object] = {
        "type": f"about:blank#{problem.code}",
        "title": title,
        "status": status,
        "code": problem.code,
        "detail": problem.detail,
        "request_id": request_id,
    }
    return told | ({"where": problem.where} if problem.where else {})


def response(problem: Problem, request_id: str = "") -> Response:
    """The answer that tells a problem."""
    headers = dict(problem.headers)
    if problem.retry_after is not None:
        headers["Retry-After"] = str(max(1, round(problem.retry_after)))
    text = json.dumps(body_of(problem, request_id), ensure_ascii=False)
    return Response(text, problem.status, headers, TYPE)


def responses(*codes: str) -> dict[int | str, dict[str, Any]]:
    """The problems of a route, for its description."""
    return described(
        "unauthenticated", "forbidden", "too-many-requests", "bad-request", *BODY, *codes
    )


def described(*codes: str) -> dict[int | str, dict[str, Any]]:
    """These problems, each with an example, for the description of a route; one status may stand for several."""
    found: dict[int | str, dict[str, Any]] = {}
    for code in codes:
        status, title = CODES[code]
        ref = {"$ref": "#/components/schemas/Problem"}
        new = {"description": title, "content": {TYPE: {"schema": ref, "examples": {}}}}
        told = found.setdefault(status, new)
        if title not in told["description"]:
            told["description"] += f"; {title}"
        example = {"summary": title, "value": body_of(Problem(code), "4f1c0a9be2d83b57")}
        told["content"][TYPE]["examples"][code] = example
        headers = _HEADERS.get(status, {})
        if headers:
            told["headers"] = headers
    return found


def install(app: FastAPI) -> None:
    """Make every error of an application a problem."""

    @app.exception_handler(Problem)
    async def _problem(request: Request, error: Problem) -> Response:
        return response(error, _id(request))

    @app.exception_handler(RequestValidationError)
    async def _shape(request: Request, error: RequestValidationError) -> Response:
        return response(_told(list(error.errors())), _id(request))

    @app.exception_handler(HTTPException)
    async def _http(request: Request, error: HTTPException) -> Response:
        code = {404: "not-found", 405: "method-not-allowed", 413: "too-large", 400: "bad-json"}
        found = code.get(error.status_code, "bad-request" if error.status_code < 500 else "fault")
        headers = dict(error.headers or {})
        if found == "method-not-allowed":
            headers["Allow"] = ", ".join(_methods(request))
        return response(Problem(found, str(error.detail), headers=headers), _id(request))


# What says only that a body is none of several forms, not what is wrong with the one that was meant.
_OTHER_FORM = frozenset({"missing", "extra_forbidden"})


def _told(errors: list[dict[str, Any]]) -> Problem:
    """Of what is wrong with a request, the one thing that says most."""
    for one in errors:
        if one["type"] == "json_invalid":
            return Problem("bad-json", str(one.get("ctx", {}).get("error", "")))
        if one["type"] == "model_attributes_type" and len(one["loc"]) <= 2:
            return Problem(
                "bad-request", "a JSON object is needed, as Content-Type: application/json"
            )
    meant = [one for one in errors if one["type"] not in _OTHER_FORM]
    forms = {one["loc"][1] for one in errors if one["loc"][0] == "body" and len(one["loc"]) > 2}
    if not meant and len(forms) > 1:
        return Problem(
            "bad-request", f"the body has one of these forms: {', '.join(sorted(forms))}"
        )
    first = (meant or errors)[0]
    where = [str(part) for part in first["loc"] if part != "body"]
    if where and where[0] in forms and len(where) > 1:  # the name of a form, which nobody sent
        del where[0]
    return Problem("bad-request", first["msg"], ".".join(where))


def _methods(request: Request) -> list[str]:
    """What an address takes, by every route of it: the router names those of the first alone."""
    found: set[str] = set()
    for route in iter_route_contexts(request.app.routes):
        if route.methods and route.path_regex.match(request.scope["path"]):
            found |= route.methods
    return sorted(found)


def _id(request: Request) -> str:
    return str(request.scope.get("state", {}).get("request_id", ""))
