"""What is erased from the ledger stays nowhere: not in the list of sessions, nor in a service that runs."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path
from typing import Any

import httpx
import pytest
import redis

from api.clock import SystemClock
from api.commands.books import erase
from dialogue.ledger import Ledger
from dialogue.ledger.erasing import Which
from dialogue.ledger.stores import SQLiteReader
from dialogue.ledger.verifying import verify
from dialogue.memory import MemoryLost
from tests.http.served import ask, serving
from tests.http.services import redis_server

FIRST, SECOND = "8月张江的应收", "只看租金"


def test_the_title_of_an_erased_session_goes(http_database: Path, tmp_path: Path) -> None:
    with serving(tmp_path, http_database) as served, served.client() as client:
        one, two = served.session(client), served.session(client)
        ask(client, one, "8月张江的应收")
        ask(client, two, "8月临港的应收")
    ledger = Ledger.at(tmp_path / "ledger.sqlite", SystemClock("UTC"))
    assert erase(ledger, Which(session=one), "asked to", None, "ann", True, True) == 0
    ledger.close()
    with serving(tmp_path, http_database) as served, served.client() as client:
        listed = client.get("/v1/sessions").json()["sessions"]
        titles = {item["session_id"]: item["title"] for item in listed}
    assert titles == {one: "", two: "8月临港的应收"}


def shown(client: httpx.Client, session: str, turn_id: str, key: str) -> list[tuple[int, str]]:
    """Every way in which a turn may be seen again."""
    place = f"/v1/turns/{turn_id}"
    again = {"question": FIRST}
    answers = [
        client.get(place),
        client.get(f"{place}/events"),
        client.get(f"{place}/events", headers={"Last-Event-ID": "1"}),
        client.get(f"{place}/rows"),
        client.get(f"{place}/options"),
        client.get(f"/v1/sessions/{session}"),
        client.post(f"/v1/sessions/{session}/turns", json=again, headers={"Idempotency-Key": key}),
    ]
    hide = re.compile(r'"request_id": "\w+"')
    return [(answer.status_code, hide.sub("", answer.text)) for answer in answers]


def taken(client: httpx.Client, session: str, key: str) -> dict[str, Any]:
    """The first turn of a session, with a key."""
    place = f"/v1/sessions/{session}/turns"
    answer = client.post(place, json={"question": FIRST}, headers={"Idempotency-Key": key})
    assert answer.json()["outcome"] == "answer"
    return dict(answer.json())


def erased(home: Path, **which: str) -> None:
    """As `wenshu audit erase` does, in a process of its own."""
    ledger = Ledger.at(home / "ledger.sqlite", SystemClock("UTC"))
    assert erase(ledger, Which(**which), "asked to", None, "ann", True, True) == 0
    ledger.close()


@pytest.fixture
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("api.http.erased.EVERY", 0.1)


def gone(client: httpx.Client, session: str, turn: dict[str, Any], key: str) -> Any:
    """What is shown of a turn once nothing of it is; within seconds."""
    until = time.monotonic() + 5
    while True:
        found = shown(client, session, turn["turn_id"], key)
        if FIRST not in str(found):
            return found
        assert time.monotonic() < until, "it is shown still"
        time.sleep(0.05)


def test_a_running_service_shows_an_erased_turn_as_a_new_one_does(
    http_database: Path, tmp_path: Path, soon: None
) -> None:
    with serving(tmp_path, http_database) as served, served.client() as client:
        session = served.session(client)
        turn = taken(client, session, "one")
        ask(client, session, SECOND)
        before = shown(client, session, turn["turn_id"], "one")
        assert [FIRST in text for _, text in before] == [True, True, True, False, False, True, True]
        erased(tmp_path, turn=turn["turn_id"])
        found = gone(client, session, turn, "one")
        assert SECOND in found[5][1]  # what was not erased stays
        assert json.loads(found[5][1])["turns"] == 2
        with serving(tmp_path, http_database) as fresh, fresh.client() as other:
            assert shown(other, session, turn["turn_id"], "one") == found


def test_nothing_goes_on_from_an_erased_turn_from_the_first_moment_on(
    http_database: Path, tmp_path: Path
) -> None:
    with serving(tmp_path, http_database) as served, served.client() as client:
        session = served.session(client)
        turn = taken(client, session, "one")
        erased(tmp_path, turn=turn["turn_id"])
        said = ("临港呢", "临港9月的应收", SECOND)
        (bare, whole, on) = ask(client, session, *said)
        assert (bare["seq"], bare["clarification"]["about"]) == (1, "metric")  # of what, is asked
        assert whole["slots"]["filters"] == {"park_id": ["P002"]}
        assert on["slots"]["filters"] == {"park_id": ["P002"], "fee_type": ["RENT"]}
        history = client.get(f"/v1/sessions/{session}").json()["history"]
        assert [item["question"] for item in history] == ["", *said]
    assert verify(SQLiteReader(tmp_path / "ledger.sqlite")).holds


def test_what_was_asked_about_goes_with_its_turn(http_database: Path, tmp_path: Path) -> None:
    """An answer to a question back that was erased is read as if there had been none."""
    with serving(tmp_path, http_database) as served, served.client() as client:
        session = served.session(client)
        (asked,) = ask(client, session, "收费情况怎么样")
        assert asked["outcome"] == "clarify"
        erased(tmp_path, session=session)
        (turn,) = ask(client, session, {"choose": "received_amount"})
        assert (turn["outcome"], turn["reason"]) == ("decline", "no-pending")


def test_every_worker_and_the_redis_they_share(
    http_database: Path, tmp_path: Path, soon: None
) -> None:
    with redis_server(tmp_path) as server:
        home, memory = tmp_path / "home", server.url
        with (
            serving(home, http_database, memory=memory) as one,
            serving(home, http_database, memory=memory) as two,
            one.client() as client,
            two.client() as other,
        ):
            session = one.session(client)
            turn = taken(client, session, "one")
            (second,) = ask(other, session, SECOND)
            assert second["slots"]["filters"] == {"park_id": ["P001"], "fee_type": ["RENT"]}
            erased(home, session=session)
            for each in (client, other):
                found = gone(each, session, turn, "one")
                assert SECOND not in str(found)
            store = redis.Redis(port=server.port)
            until = time.monotonic() + 5
            while any(b"turns" in name or b"state" in name for name in store.scan_iter()):
                assert time.monotonic() < until
                time.sleep(0.05)
            (third,) = ask(other, session, "8月应收")
            assert third["slots"]["filters"] == {}


def test_a_redis_that_held_it_while_nobody_served(http_database: Path, tmp_path: Path) -> None:
    with redis_server(tmp_path) as server:
        home, memory = tmp_path / "home", server.url
        with serving(home, http_database, memory=memory) as served, served.client() as client:
            session = served.session(client)
            turn = taken(client, session, "one")
        erased(home, session=session)
        with serving(home, http_database, memory=memory) as served, served.client() as client:
            assert FIRST not in str(shown(client, session, turn["turn_id"], "one"))
            assert [*redis.Redis(port=server.port).scan_iter()] == []


def test_a_turn_that_runs_while_its_state_is_erased_is_not_recorded(
    http_database: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(tmp_path, http_database) as served, served.client() as client:
        session = served.session(client)
        turn = taken(client, session, "one")
        inner = served.service.live._current.opened.world.warehouse
        run = inner.run

        def while_it_runs(sql: str, **given: Any) -> Any:
            monkeypatch.setattr(inner, "run", run)
            erased(tmp_path, turn=turn["turn_id"])
            return run(sql, **given)

        monkeypatch.setattr(inner, "run", while_it_runs)
        answer = client.post(f"/v1/sessions/{session}/turns", json={"question": "临港呢"})
        assert (answer.status_code, answer.json()["code"]) == (409, "conflict")
        (again,) = ask(client, session, "8月应收")
        assert (again["slots"]["filters"], again["seq"]) == ({}, 1)
    assert verify(SQLiteReader(tmp_path / "ledger.sqlite")).holds


def test_a_database_that_is_away_is_asked_again(
    http_database: Path, tmp_path: Path, soon: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(tmp_path, http_database) as served, served.client() as client:
        session = served.session(client)
        turn = taken(client, session, "one")
        forget, tries = served.service.memory.forget, []

        def failing(key: str) -> None:
            tries.append(key)
            if len(tries) < 3:
                raise MemoryLost("away")
            forget(key)

        monkeypatch.setattr(served.service.memory, "forget", failing)
        erased(tmp_path, turn=turn["turn_id"])
        gone(
            client, session, turn, "one"
        )  # its kept turn goes at the first look, the rest as soon as it can
        until = time.monotonic() + 5
        while len(tries) < 3:
            assert time.monotonic() < until
            time.sleep(0.05)
        assert tries[:3] == [session] * 3
