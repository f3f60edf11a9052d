"""The other faces of the service: chat completions, and MCP where its library is installed."""

from __future__ import annotations

from importlib.util import find_spec

from fastapi import FastAPI

from api.http.openai_errors import OpenAIErrors
from api.http.routes import completions
from api.http.service import Service


def install(app: FastAPI, service: Service) -> None:
    """Add them to an application, around everything that it has already."""
    app.include_router(completions.router)
    if find_spec("mcp") is not None:
        from api.mcp_server.http import mounted

        app.include_router(mounted(service))
    app.add_middleware(OpenAIErrors)
