"""The ledger: intent before, outcome after, chained; replay gives the same slots, SQL and rows, or says why not."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from datetime import datetime
from decimal import Decimal
from itertools import count
from pathlib import Path

import pytest

from api.clock import FrozenClock
from dialogue.answer import digest
from dialogue.engine import Moment
from dialogue.ledger import Ledger
from dialogue.record import Asker, Origin, Total, record_of
from dialogue.session import Sessions
from dialogue.state import EMPTY
from dialogue.turn import Request
from dialogue.world import World
from semantic_layer.protocols import LOCAL

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


def ledger_at(file: Path) -> Ledger:
    return Ledger.at(file, FrozenClock(MOMENT.now))


def converse(world: World, file: Path, said: list[str]) -> str:
    numbers = count()
    ledger = ledger_at(file)
    sessions = Sessions(world, ledger, lambda: f"id-{next(numbers):04}", VERSIONS)
    session = sessions.open()
    for text in said:
        sessions.take(session, Request(text), LOCAL, MOMENT)
    ledger.close()
    return session


def test_a_session_goes_on_from_the_ledger(world: World, ledger_file: Path) -> None:
    session = converse(world, ledger_file, ["8月张江的收缴率"])
    again = Sessions(world, ledger_at(ledger_file), lambda: "next", VERSIONS)
    turn = again.take(session, Request("临港呢"), LOCAL, MOMENT)
    assert turn.outcome == "answer"
    assert turn.seq == 2
    assert "filters.park_id" in turn.changes.set


def test_an_intent_stands_before_anything_runs(world: World, ledger_file: Path) -> None:
    class Broken:
        dialect, engine, data_version = (
            "duckdb",
            world.warehouse.engine,
            world.warehouse.data_version,
        )

        def run(self, sql: str, *, limit: int | None = None, halt: object = None) -> object:
            found = (
                sqlite3.connect(ledger_file).execute("select count(*) from records").fetchone()[0]
            )
            raise RuntimeError(f"{found} intents")

    broken = replace(world, warehouse=Broken(), _extents={})  # type: ignore[arg-type]
    sessions = Sessions(broken, ledger_at(ledger_file), iter(["s", "t"]).__next__, VERSIONS)
    turn = sessions.take(sessions.open(), Request("8月张江的收缴率"), LOCAL, MOMENT)
    assert (turn.outcome, turn.reason) == ("error", "fault")
    (entry,) = ledger_at(ledger_file).entries()
    record = record_of(entry)
    assert record.outcome == "error"
    assert [fault.detail.splitlines()[-1] for fault in record.faults or ()] == [
        "RuntimeError: 1 intents"
    ]


def test_a_record_holds_all_of_a_turn(world: World, ledger_file: Path) -> None:
    converse(world, ledger_file, ["8月各园区的应收", "张江和临港呢"])
    first, second = [record_of(entry) for entry in ledger_at(ledger_file).entries()]
    assert first.origin == Origin(
        MOMENT.clock,
        MOMENT.now,
        "Asia/Shanghai",
        world.layer.hash,
        world.warehouse.data_version,
        world.warehouse.engine,
        VERSIONS,
    )
    assert first.request == Request("8月各园区的应收")
    assert first.asker == Asker(LOCAL, ())
    assert (first.before, second.before) == (EMPTY, first.after)
    assert first.steps is not None
    assert second.steps is not None
    (step,) = first.steps
    rows = world.warehouse.run(step.sql).rows
    amounts = [row[2] for row in rows if isinstance(row[2], Decimal)]
    assert (step.rows, step.digest) == (len(rows), digest(rows))
    assert step.totals == (
        Total("receivable_amount", sum(amounts, Decimal()), min(amounts), max(amounts)),
    )
    assert [column.id for column in step.columns][:1] == ["park_id"]
    (step,) = second.steps
    assert step.heard is not None
    assert [(one.key, one.name) for one in step.heard.values] == [
        ("P001", "张江科技园"),
        ("P002", "临港智造园"),
    ]
    assert [edit.slot for edit in step.heard.edits] == ["filters"]
    assert {"P001", "P002"} <= {
        name for found in step.heard.places for row in found.rows for name in row
    }
    assert first.timings_us is not None
    assert first.timings_us["running"] > 0


def test_a_session_that_went_on_elsewhere_is_read_anew(world: World, ledger_file: Path) -> None:
    session = converse(world, ledger_file, ["8月张江的收缴率"])
    here, there = (
        Sessions(world, ledger_at(ledger_file), iter(ids).__next__, VERSIONS)
        for ids in (["a", "b", "c"], ["d", "e"])
    )
    there.take(session, Request("苏州呢"), LOCAL, MOMENT)
    here.take(session, Request("临港呢"), LOCAL, MOMENT)
    turn = there.take(
        session, Request("那应收呢"), LOCAL, MOMENT
    )  # not upon 苏州, which it remembers
    assert turn.slots is not None
    assert turn.slots.pinned("park_id") == "P002"
    assert turn.seq == 4
