"""The OpenAPI document: what each route does, with an example of each body and answer, and one shape for problems."""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import Any

import yaml
from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute

from api.http import problems

_NEVER_SENT = ("HTTPValidationError", "ValidationError")  # what FastAPI would describe


def operation_id(route: APIRoute) -> str:
    """The name of a route for clients that are generated: `turns.ask`."""
    return ".".join((*map(str, route.tags[:1]), route.name))


def described(app: FastAPI) -> dict[str, Any]:
    """The document of an application, made once."""
    if app.openapi_schema is not None:
        return app.openapi_schema
    found = get_openapi(
        title=app.title, version=app.version, description=app.description, routes=app.routes
    )
    parts = found.setdefault("components", {}).setdefault("schemas", {})
    parts["Problem"] = problems.ProblemModel.model_json_schema(
        ref_template="#/components/schemas/{model}"
    )
    for name in _NEVER_SENT:
        parts.pop(name, None)
    for path in found["paths"].values():
        for operation in path.values():
            _complete(operation)
    app.openapi_schema = found
    return found


def _complete(operation: dict[str, Any]) -> None:
    """The first sentence as summary, and the examples."""
    said = " ".join(str(operation.get("description", "")).split())
    operation["description"] = said
    operation["summary"] = said.partition(". ")[0].partition(": ")[0].rstrip(".")
    known = _examples().get(operation.get("operationId", ""), {})
    body = operation.get("requestBody", {}).get("content", {})
    for media in body.values():
        if "body" in known and "examples" not in media:
            media["example"] = known["body"]
    for status, answers in known.items():
        content = operation["responses"].get(status, {}).get("content", {})
        for kind, example in answers.items() if status != "body" else ():
            if kind in content:
                content[kind]["example"] = example


@cache
def _examples() -> dict[str, Any]:
    text = resources.files("api.http").joinpath("examples.yaml").read_text("utf-8")
    found: dict[str, Any] = yaml.safe_load(text)
    return found
