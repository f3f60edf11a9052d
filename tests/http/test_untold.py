"""What an exception says is for whoever looks after the service: nobody who asks is told it, on any face."""

from __future__ import annotations

import io
import json
import logging
import re
import zipfile
from pathlib import Path
from typing import Any

import httpx
import pytest

from api.clock import SystemClock
from api.commands import faults
from dialogue.ledger import Ledger, Selection
from dialogue.record import record_of
from nl2sql.errors import GuardError, ReadBackError, WarehouseError
from tests.faces.clients import chat, data_of, over_http, say, text_of, user
from tests.http.served import Served, ask, events

SECRET = "no table rent_2019 at db.internal:5432"
QUESTION = "8月各园区的应收"
KINDS = [
    (RuntimeError(SECRET), "fault", "服务内部出错"),
    (WarehouseError(SECRET), "warehouse", "数据库没有完成这次查询"),
    (ReadBackError(SECRET), "read-back", "生成的查询与理解不一致"),
    (GuardError(SECRET), "guard", "生成的查询没有通过安全检查"),
]


@pytest.fixture
def broken(served: Served, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Makes every statement raise."""

    def breaks(error: Exception) -> None:
        def run(sql: str, **given: Any) -> Any:
            raise error

        inner = served.service.live._current.opened.world.warehouse
        monkeypatch.setattr(inner, "run", run)

    return breaks


def code_in(text: str) -> str:
    (found,) = re.findall(r"故障码 ([0-9a-f]{8}) 告诉管理员", text)
    return str(found)


@pytest.mark.parametrize(("error", "reason", "words"), KINDS)
def test_a_fault_is_a_sentence_with_a_code(
    served: Served, client: httpx.Client, broken: Any, error: Exception, reason: str, words: str
) -> None:
    broken(error)
    (turn,) = ask(client, served.session(client), QUESTION)
    assert (turn["outcome"], turn["reason"]) == ("error", reason)
    assert turn["text"].startswith(words)
    assert code_in(turn["text"])
    assert SECRET not in json.dumps(turn, ensure_ascii=False)
    (again,) = ask(client, served.session(client), QUESTION)
    assert again["text"] == turn["text"]  # one code for one fault


def test_no_face_tells_more(served: Served, client: httpx.Client, broken: Any) -> None:
    broken(RuntimeError(SECRET))
    place = f"/v1/sessions/{served.session(client)}/turns"
    headers = {"Accept": "text/event-stream"}
    with client.stream("POST", place, json={"question": QUESTION}, headers=headers) as got:
        told = list(events(got.iter_lines()))
    turn_id = told[-1][2]["turn_id"]
    seen = json.dumps(told, ensure_ascii=False)
    seen += client.get(f"/v1/turns/{turn_id}").text
    seen += client.get(f"/v1/turns/{turn_id}/events").text
    seen += client.get(place.removesuffix("/turns")).text
    seen += json.dumps(say(chat(served), user(QUESTION)), ensure_ascii=False)

    async def called(mcp: Any) -> Any:
        asked = await mcp.call_tool("ask", {"question": QUESTION})
        return asked, await mcp.call_tool("replay", {"turn_id": turn_id})

    for result in over_http(served, called):
        seen += text_of(result) + json.dumps(data_of(result), ensure_ascii=False)
    answer = client.get(f"/v1/turns/{turn_id}/export")
    with zipfile.ZipFile(io.BytesIO(answer.content)) as bundle:
        files = {name: bundle.read(name).decode() for name in bundle.namelist()}
    seen += "".join(files.values())
    assert "RuntimeError" not in seen
    assert SECRET not in seen
    assert seen.count("故障码") >= 8


def test_the_replay_of_an_answer_tells_no_more(
    served: Served, client: httpx.Client, broken: Any
) -> None:
    (turn,) = ask(client, served.session(client), QUESTION)
    broken(WarehouseError(SECRET))
    verdict = client.post(f"/v1/turns/{turn['turn_id']}/replay").json()
    shown = json.dumps(verdict, ensure_ascii=False)
    assert "the statement fails: fault " in shown
    assert SECRET not in shown


def test_the_ledger_has_all_of_it_and_the_log_where(
    served: Served,
    client: httpx.Client,
    broken: Any,
    caplog: pytest.LogCaptureFixture,
    capsys: pytest.CaptureFixture[str],
) -> None:
    broken(RuntimeError(SECRET))
    caplog.set_level(logging.ERROR, "wenshu.http")
    (turn,) = ask(client, served.session(client), QUESTION)
    code = code_in(turn["text"])
    (line,) = [one for one in caplog.records if one.msg == "fault"]
    assert vars(line)["turn_id"] == turn["turn_id"]
    assert vars(line)["fault"] == code
    assert vars(line)["what"] == "RuntimeError in nl2sql.warehouses.wrapped"
    (entry,) = served.service.ledger.entries(Selection(turn=turn["turn_id"]))
    (fault,) = record_of(entry).faults or ()
    assert (fault.code, fault.what) == (code, "RuntimeError in nl2sql.warehouses.wrapped")
    assert fault.detail.startswith("Traceback (most recent call last):")
    assert fault.detail.endswith(f"RuntimeError: {SECRET}\n")
    assert SECRET not in (entry.part("steps") or "")
    ledger = Ledger.at(Path(served.service.settings.home) / "ledger.sqlite", SystemClock("UTC"))
    assert faults.run(ledger, code, Selection(session=turn["session_id"]), None, True) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["turn_id"], told["fault"], told["detail"]) == (turn["turn_id"], code, fault.detail)
    assert faults.run(ledger, "00000000", Selection(), None, True) == 1
    assert ledger.notes()[-1].body["how"] == "faults"  # looking was recorded
    ledger.close()


def test_where_the_ledger_is_is_not_told(served: Served, client: httpx.Client) -> None:
    session = served.session(client)
    (turn,) = ask(client, session, QUESTION)
    store = served.service.ledger.store
    path = store.path  # type: ignore[attr-defined]
    store.path = path.parent  # type: ignore[attr-defined]
    try:
        place = f"/v1/turns/{turn['turn_id']}/export"
        answer = client.get(place)
    finally:
        store.path = path  # type: ignore[attr-defined]
    assert (answer.status_code, answer.json()["code"]) == (503, "unavailable")
    assert answer.json()["detail"] == "ask again in a moment"
