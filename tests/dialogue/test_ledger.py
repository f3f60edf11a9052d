"""The ledger: intent before, outcome after, chained; replay gives the same slots, SQL and rows, or says why not."""

from __future__ import annotations

import json
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import datetime
from itertools import count
from pathlib import Path

import duckdb
import pytest

from dialogue.engine import Moment
from dialogue.ledger import Ledger, chained
from dialogue.replay import replay
from dialogue.session import Sessions
from dialogue.turn import Request
from dialogue.world import World
from nl2sql.reading import RuleReader
from nl2sql.warehouse import DuckDBWarehouse
from semantic_layer.load import load
from semantic_layer.protocols import LOCAL
from semantic_layer.values import build_index

MOMENT = Moment(datetime(2026, 9, 28), datetime(2026, 11, 29, 10))
VERSIONS = (("wenshu", "test"),)
SAID = [
    "8月张江的收缴率",
    "临港呢",
    "1号楼的出租率",
    "张江",
    "今年欠费最多的3家租户",
    "它们的应收",
    "利润率呢",
    "撤销",
]


@pytest.fixture
def ledger_file(tmp_path: Path) -> Path:
    return tmp_path / "ledger.sqlite"


def converse(world: World, file: Path, said: list[str]) -> str:
    numbers = count()
    ledger = Ledger.at(file)
    sessions = Sessions(world, ledger, lambda: f"id-{next(numbers):04}", VERSIONS)
    session = sessions.open()
    for text in said:
        sessions.take(session, Request(text), LOCAL, MOMENT)
    ledger.close()
    return session


def test_every_turn_replays_the_same(world: World, ledger_file: Path) -> None:
    converse(world, ledger_file, SAID)
    verdicts = [replay(world, record, VERSIONS) for record in Ledger.at(ledger_file).records()]
    assert len(verdicts) == len(SAID)
    assert all(verdict.same and not verdict.changed for verdict in verdicts)


def test_a_session_goes_on_from_the_ledger(world: World, ledger_file: Path) -> None:
    session = converse(world, ledger_file, ["8月张江的收缴率"])
    again = Sessions(world, Ledger.at(ledger_file), lambda: "next", VERSIONS)
    turn = again.take(session, Request("临港呢"), LOCAL, MOMENT)
    assert turn.outcome == "answer"
    assert turn.seq == 2
    assert "filters.park_id" in turn.changes.set


def test_records_are_chained(world: World, ledger_file: Path) -> None:
    converse(world, ledger_file, SAID[:3])
    rows = (
        sqlite3.connect(ledger_file)
        .execute(
            "select turn_id, seq, body, state, previous_hash, record_hash from outcomes order by seq"
        )
        .fetchall()
    )
    previous = ""
    for turn_id, seq, body, state, before, digest in rows:
        assert before == previous
        assert digest == chained(previous, turn_id, seq, body, state)
        previous = digest


def test_an_intent_stands_before_anything_runs(world: World, ledger_file: Path) -> None:
    class Broken:
        dialect, engine, data_version = (
            "duckdb",
            world.warehouse.engine,
            world.warehouse.data_version,
        )

        def run(self, sql: str, *, limit: int | None = None) -> object:
            found = (
                sqlite3.connect(ledger_file).execute("select count(*) from intents").fetchone()[0]
            )
            raise RuntimeError(f"{found} intents")

    broken = replace(world, warehouse=Broken(), _extents={})  # type: ignore[arg-type]
    sessions = Sessions(broken, Ledger.at(ledger_file), iter(["s", "t"]).__next__, VERSIONS)
    turn = sessions.take(sessions.open(), Request("8月张江的收缴率"), LOCAL, MOMENT)
    assert turn.outcome == "error"
    assert "1 intents" in turn.reason
    body = json.loads(
        sqlite3.connect(ledger_file).execute("select body from outcomes").fetchone()[0]
    )
    assert body["outcome"] == "error"


def test_changed_data_are_named(
    world: World, park_database: Path, ledger_file: Path, tmp_path: Path
) -> None:
    converse(world, ledger_file, ["8月张江的收缴率", "8月临港的收缴率"])
    changed = tmp_path / "changed.duckdb"
    changed.write_bytes(park_database.read_bytes())
    with duckdb.connect(str(changed)) as connection:
        connection.execute(
            "update fact_payment set amount = amount + 1 where bill_id in "
            "(select bill_id from fact_bill where park_id = 'P001' and bill_month = date '2026-08-01')"
        )
    warehouse = DuckDBWarehouse(changed)
    today = replace(world, warehouse=warehouse, _extents={})
    zhangjiang, lingang = [
        replay(today, record, VERSIONS) for record in Ledger.at(ledger_file).records()
    ]
    assert not zhangjiang.same
    assert zhangjiang.same_statement
    assert zhangjiang.changed == ("data",)
    assert [item.what for item in zhangjiang.differences] == ["rows"]
    assert lingang.same
    assert lingang.changed == ("data",)


@pytest.mark.parametrize("scheme", ["sqlite", "sqlite+pysqlite"])  # by hand, and by SQLAlchemy
def test_both_hands_keep_the_same_ledger(scheme: str, ledger_file: Path) -> None:
    ledger = Ledger(f"{scheme}:///{ledger_file}")
    ledger.layer("h", "text")
    ledger.layer("h", "text")
    for turn, session, seq in [("aa1", "s1", 1), ("aa2", "s1", 2), ("b1", "s2", 1)]:
        ledger.intend(turn, session, seq, f"2026-11-29T10:00:0{seq}", {"q": "问"})
        ledger.conclude(turn, session, seq, f"2026-11-29T10:00:0{seq}", {"a": 1}, f"state {seq}")
    with pytest.raises(Exception, match=r"(?i)unique"):
        ledger.intend("aa1", "s1", 3, "", {})
    ledger.close()
    again = Ledger(f"sqlite:///{ledger_file}")
    assert [(item.turn_id, item.seq) for item in again.records()] == [
        ("aa1", 1),
        ("aa2", 2),
        ("b1", 1),
    ]
    assert (again.state("s1"), again.state("s3")) == ("state 2", None)
    assert again.newest() == "aa2"
    first = again.record("b")
    assert first is not None
    assert (first.intent, first.outcome, first.state) == ({"q": "问"}, {"a": 1}, "state 1")
    assert first.record_hash == chained("", "b1", 1, '{"a":1}', "state 1")
    assert again.record("aa") is None  # two turns begin like this
    following = [item.record_hash for item in again.records(("aa1", "aa2"))]
    assert following[1] == chained(following[0], "aa2", 2, '{"a":1}', "state 2")


def test_turns_of_many_threads_are_all_recorded(ledger_file: Path) -> None:
    ledger = Ledger.at(ledger_file)

    def take(number: int) -> None:
        session = f"s{number % 4}"
        ledger.intend(f"t{number:03}", session, number, "now", {})
        ledger.conclude(f"t{number:03}", session, number, "now", {}, "")

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(take, range(80)))
    assert sorted(item.turn_id for item in ledger.records()) == [f"t{n:03}" for n in range(80)]


def test_a_changed_definition_is_named(world: World, ledger_file: Path, tmp_path: Path) -> None:
    converse(world, ledger_file, ["8月张江的收缴率", "8月张江的应收"])
    for file in Path("fixtures/park/layer").glob("*.yaml"):
        text = file.read_text(encoding="utf-8")
        if file.name == "bill.yaml":
            text = text.replace(
                "formula: received_amount / receivable_amount",
                "formula: received_amount / (receivable_amount + 1)",
            )
        (tmp_path / file.name).write_text(text, encoding="utf-8")
    layer = load(tmp_path)
    values = build_index(layer, world.warehouse)
    today = World(layer, RuleReader(layer, values), values, world.warehouse)
    rate, amount = [replay(today, record, VERSIONS) for record in Ledger.at(ledger_file).records()]
    assert rate.changed == ("definition",)
    assert {item.what for item in rate.differences} == {"sql", "rows"}
    assert amount.same
    assert amount.changed == ("definition",)
