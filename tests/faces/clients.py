"""The clients of others, pointed at a server; and what they send."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import anyio
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client
from mcp_types import CallToolResult
from openai import OpenAI

from tests.http.served import Served

T = TypeVar("T")
Message = dict[str, Any]


def chat(served: Served, key: str = "none", **given: Any) -> OpenAI:
    """The official client."""
    return OpenAI(base_url=f"{served.url}/v1", api_key=key, **given)


def user(*said: Any) -> list[Message]:
    """What a user said, without what was answered."""
    return [{"role": "user", "content": one} for one in said]


def say(client: OpenAI, messages: list[Message], **given: Any) -> dict[str, Any]:
    """Ask; the turn that came with the answer."""
    found = client.chat.completions.create(model="wenshu", messages=messages, **given)  # type: ignore[call-overload]
    turn = found.model_extra["wenshu"]
    assert found.id == f"chatcmpl-{turn['turn_id']}"
    return dict(turn)


def hold(client: OpenAI, *said: str) -> list[tuple[str, dict[str, Any]]]:
    """A conversation as chat clients hold it: everything is sent each time. Texts and turns."""
    messages: list[Message] = []
    found = []
    for one in said:
        messages.append({"role": "user", "content": one})
        answer = client.chat.completions.create(model="wenshu", messages=messages)  # type: ignore[arg-type]
        assert answer.model_extra is not None
        text = answer.choices[0].message.content or ""
        messages.append({"role": "assistant", "content": text})
        found.append((text, answer.model_extra["wenshu"]))
    return found


def with_mcp(server: Any, do: Callable[[Client], Awaitable[T]], **given: Any) -> T:
    """Something done with a client of MCP."""

    async def run() -> T:
        async with Client(server, **given) as client:
            return await do(client)

    return anyio.run(run)


def over_http(
    served: Served, do: Callable[[Client], Awaitable[T]], key: str = "", **given: Any
) -> T:
    """The same over HTTP, with a key."""

    async def run() -> T:
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        async with create_mcp_http_client(headers=headers) as http:
            transport = streamable_http_client(f"{served.url}/mcp", http_client=http)
            async with Client(transport, **given) as client:
                return await do(client)

    return anyio.run(run)


def text_of(result: CallToolResult) -> str:
    """What is to be read of a result."""
    (content,) = result.content
    return str(content.text)  # type: ignore[union-attr]


def data_of(result: CallToolResult) -> dict[str, Any]:
    """The whole object of a result."""
    assert result.structured_content is not None
    return dict(result.structured_content)
