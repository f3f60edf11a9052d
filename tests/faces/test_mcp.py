"""MCP: the official client holds a conversation over stdio and over HTTP."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp.shared.exceptions import MCPError
from mcp_types import CallToolResult

from api.commands.demo import CHAIN
from api.http.service import open_service
from api.http.settings import Settings
from api.identity import OPEN
from api.mcp_server.tools import server
from tests.faces.clients import data_of, over_http, text_of, with_mcp
from tests.faces.conftest import Users
from tests.http.served import Served, ask

ROOT = Path(__file__).parents[2]
TOOLS = ["ask", "choose", "explain", "replay", "catalogue"]


@pytest.fixture(scope="module")
def stdio(faces_database: Path, tmp_path_factory: pytest.TempPathFactory) -> StdioServerParameters:
    """`wenshu mcp`, as a client starts it."""
    home = tmp_path_factory.mktemp("stdio")
    return StdioServerParameters(
        command=sys.executable,
        args=["-m", "api.main", "mcp", "--warehouse", str(faces_database)],
        env={"PYTHONPATH": str(ROOT), "WENSHU_HOME": str(home)},
        cwd=home,
    )


async def chain(client: Client) -> list[dict[str, Any]]:
    """The chain, each answer in the session of the one before."""
    turns: list[dict[str, Any]] = []
    for question in CHAIN:
        session = {"session": turns[-1]["session_id"]} if turns else {}
        result = await client.call_tool("ask", {"question": question, **session})
        assert not result.is_error
        turns.append(data_of(result))
    return turns


async def picked(client: Client, option: str) -> tuple[CallToolResult, CallToolResult]:
    """A question that is asked back about, and the answer to an option."""
    asked = await client.call_tool("ask", {"question": "收费情况怎么样"})
    session = data_of(asked)["session_id"]
    return asked, await client.call_tool("choose", {"session": session, "option": option})


def held(turns: list[dict[str, Any]]) -> None:
    """The chain was understood."""
    assert [turn["outcome"] for turn in turns] == ["answer"] * 5 + ["explain"]
    assert [turn["seq"] for turn in turns] == [1, 2, 3, 4, 5, 6]
    assert turns[3]["slots"]["metrics"] == ["vacant_count", "vacant_area"]
    assert turns[3]["slots"]["filters"] == {"park_id": ["P001"], "building_no": ["1号楼"]}
    assert turns[4]["switch"]["rule"] == "object"


def test_the_chain_over_stdio(stdio: StdioServerParameters) -> None:
    async def both(client: Client) -> tuple[list[dict[str, Any]], CallToolResult]:
        return await chain(client), (await picked(client, "received_amount"))[1]

    turns, answer = with_mcp(stdio, both)
    held(turns)
    assert data_of(answer)["slots"]["metrics"] == ["received_amount"]


def test_nothing_but_messages_on_standard_output(stdio: StdioServerParameters) -> None:
    hello = {
        "jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"},
        },
    }  # fmt: skip
    calls = [
        hello,
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call",
         "params": {"name": "ask", "arguments": {"question": "8月应收"}}},
    ]  # fmt: skip
    with subprocess.Popen(
        [stdio.command, *stdio.args], env=stdio.env, cwd=stdio.cwd, text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    ) as process:  # fmt: skip
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write("".join(json.dumps(call) + "\n" for call in calls))
        process.stdin.flush()
        answers = [json.loads(process.stdout.readline()) for _ in range(2)]
        process.stdin.close()
        assert process.stdout.read() == ""
        assert process.wait(30) == 0
    assert [answer["id"] for answer in answers] == [1, 2]
    assert answers[1]["result"]["structuredContent"]["outcome"] == "answer"


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_the_chain_over_http(served: Served, mode: str) -> None:
    held(over_http(served, chain, mode=mode))


@pytest.mark.parametrize("option", ["received_amount", "2", "实收"])
def test_an_option_is_picked(served: Served, option: str) -> None:
    asked, answer = over_http(served, lambda client: picked(client, option))
    assert text_of(asked).startswith("您想看哪个指标？  \n1. 应收  \n2. 实收  \n3. 收缴率\n")
    turn = data_of(answer)
    assert (turn["outcome"], turn["slots"]["metrics"]) == ("answer", ["received_amount"])
    assert turn["provenance"]["metrics"]["source"] == "clarified"
    assert f"`会话 {turn['session_id']}`" in text_of(answer)


def test_the_tools_say_that_they_only_read(served: Served) -> None:
    tools = over_http(served, lambda client: client.list_tools()).tools
    assert [tool.name for tool in tools] == TOOLS
    for tool in tools:
        assert tool.annotations is not None
        assert tool.annotations.read_only_hint is True
        assert tool.annotations.destructive_hint is False
        assert tool.description
        assert tool.output_schema is not None
        assert tool.output_schema["type"] == "object"
        assert all("description" in item for item in tool.input_schema["properties"].values())


def test_explain_replay_and_catalogue(served: Served) -> None:
    async def look(client: Client) -> list[CallToolResult]:
        turn = data_of(await client.call_tool("ask", {"question": "8月各园区应收"}))
        return [
            await client.call_tool("explain", {"session": turn["session_id"]}),
            await client.call_tool("explain", {"metric": "collection_rate"}),
            await client.call_tool("explain", {"metric": "collection rate", "lang": "en"}),
            await client.call_tool("replay", {"turn_id": turn["turn_id"]}),
            await client.call_tool("catalogue", {"lang": "en"}),
        ]

    number, metric, english, verdict, catalogue = over_http(served, look)
    assert data_of(number)["outcome"] == "explain"
    assert "```sql" in text_of(number)
    assert text_of(metric).startswith("收缴率：收缴率 = 实收 ÷ 应收")
    assert text_of(english).startswith("collection rate")
    assert data_of(verdict)["verdict"] == ["same"]
    assert text_of(verdict) == "重放结果一致：口径、SQL 和数据都没有变化。"
    assert "collection_rate" in {item["id"] for item in data_of(catalogue)["metrics"]}
    assert "collection rate" in text_of(catalogue)


@pytest.mark.parametrize(
    ("tool", "given", "code"),
    [
        ("ask", {"question": "8月应收", "session": "none"}, "not-found"),
        ("choose", {"session": "none", "option": "2"}, "not-found"),
        ("explain", {}, "bad-request"),
        ("explain", {"session": "a", "metric": "b"}, "bad-request"),
        ("replay", {"turn_id": "none"}, "not-found"),
    ],
)
def test_errors_have_a_code(served: Served, tool: str, given: dict[str, str], code: str) -> None:
    result = over_http(served, lambda client: client.call_tool(tool, given))
    assert result.is_error
    assert data_of(result)["code"] == code
    assert text_of(result)


def test_what_is_no_call_is_told(served: Served) -> None:
    async def wrong(client: Client) -> list[CallToolResult]:
        return [
            await client.call_tool("ask", {"question": "x" * 20_001}),
            await client.call_tool("ask", {}),
        ]

    async def larger(client: Client) -> int:
        with pytest.raises(MCPError) as told:
            await client.call_tool("ask", {"question": "x" * 70_000})
        return told.value.error.code

    long, nothing = over_http(served, wrong)
    assert long.is_error
    assert "20000" in text_of(long)
    assert nothing.is_error
    assert over_http(served, larger) < 0
    with served.client() as http:
        assert http.post("/mcp", content=b"x" * 70_000).status_code == 413
        half = b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "ask", '
        half += b'"arguments": {"question": "\\ud800"}}}'
        headers = {
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
        }
        answer = http.post("/mcp", content=half, headers=headers)
        assert answer.status_code in (200, 400), answer.text
        assert "error" in answer.json() or answer.json()["result"]["isError"]
        assert http.get("/mcp").json()["code"] == "method-not-allowed"


def test_a_declined_question_is_an_answer(served: Served) -> None:
    result = over_http(
        served, lambda client: client.call_tool("ask", {"question": "把所有账单都删掉"})
    )
    assert not result.is_error
    assert data_of(result)["outcome"] == "decline"


def test_two_users_are_apart(users: Users) -> None:
    served = users.served

    async def bills(client: Client) -> dict[str, Any]:
        return data_of(await client.call_tool("ask", {"question": "8月各园区应收"}))

    mine, theirs = (over_http(served, bills, key) for key in (users.ann, users.bob))
    assert mine["result"]["row_count"] == 6
    assert [row[0] for row in theirs["result"]["rows"]] == ["P002"]

    async def pry(client: Client) -> list[CallToolResult]:
        session, turn = mine["session_id"], mine["turn_id"]
        return [
            await client.call_tool("ask", {"question": "临港呢", "session": session}),
            await client.call_tool("choose", {"option": "1", "session": session}),
            await client.call_tool("explain", {"session": session}),
            await client.call_tool("replay", {"turn_id": turn}),
        ]

    found = over_http(served, pry, users.bob)
    assert [data_of(one)["code"] for one in found] == ["not-found"] * 4
    with served.client(users.ann) as http:
        on = ask(http, mine["session_id"], "临港呢")  # the same session, on another face
    assert on[0]["seq"] == 2


def test_who_is_unknown_is_not_served(users: Users) -> None:
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    with users.served.client() as nobody:
        answer = nobody.post("/mcp", json=body)
    assert (answer.status_code, answer.json()["code"]) == (401, "unauthenticated")
    assert answer.headers["www-authenticate"] == "Bearer"


@pytest.mark.parametrize("origin", ["https://evil.example", "null"])
def test_pages_of_other_sites_are_not_served(served: Served, origin: str) -> None:
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    with served.client(Origin=origin) as page:
        assert page.post("/mcp", json=body).status_code == 401


def test_a_call_that_nobody_waits_for_is_interrupted(faces_database: Path, tmp_path: Path) -> None:
    service = open_service(Settings(home=tmp_path, warehouse=faces_database))
    inner = service.live._current.opened.world.warehouse
    run = inner.run

    def slowly(sql: str, **given: Any) -> Any:
        return run("SELECT count(*) FROM range(100000000) a, range(1000) b", **given)

    inner.run = slowly  # type: ignore[method-assign]

    async def give_up() -> int:
        async with Client(server(service, lambda _: OPEN)) as client:
            with anyio.move_on_after(1) as waiting:
                await client.call_tool("ask", {"question": "6月各园区应收"})
            assert waiting.cancelled_caught
            with anyio.fail_after(15):
                while service.turns.active:
                    await anyio.sleep(0.05)
        await service.turns.drain(1)
        return len(service.turns._running)

    try:
        assert anyio.run(give_up) == 1
    finally:
        service.close()
