"""A ledger of the first version is brought up to date, and nothing is lost."""

from __future__ import annotations

import gzip
import json
import sqlite3
from pathlib import Path

import pytest
from alembic import command
from alembic.config import Config

from dialogue.ledger import Ledger, Selection
from dialogue.ledger.stores import SQLiteReader
from dialogue.ledger.verifying import verify
from dialogue.record import record_of
from dialogue.turn import Request
from semantic_layer.protocols import LOCAL
from tests.ledger.conftest import Hands, Open, turn

DUMP = Path(__file__).parent / "ledger-0001.sql.gz"  # of `wenshu ask` when that was the version
ASKED = [
    "8月张江的收缴率",
    "临港呢",
    "张江",
    "今年欠费最多的3家租户；张江8月的应收呢",
    "利润率呢",
]


@pytest.fixture
def old(tmp_path: Path) -> Path:
    file = tmp_path / "ledger.sqlite"
    with sqlite3.connect(file) as connection:
        connection.executescript(gzip.decompress(DUMP.read_bytes()).decode())
    connection.close()
    return file


def test_nothing_is_lost(old: Path, clock: Hands) -> None:
    with sqlite3.connect(old) as connection:
        connection.execute(
            "INSERT INTO intents SELECT 'broken', session_id, 7, at, body FROM intents WHERE seq = 6"
        )
        before = connection.execute(
            "SELECT i.body, o.body, o.state, o.record_hash FROM outcomes o "
            "JOIN intents i USING (turn_id) ORDER BY i.seq"
        ).fetchall()
        layers = connection.execute("SELECT hash, text FROM layers").fetchall()
    connection.close()
    ledger = Ledger.at(old, clock)
    *entries, broken = ledger.entries()
    records = [record_of(entry) for entry in entries]
    assert [record.request for record in records] == [Request(text) for text in ASKED]
    for entry, record, (_, body, state, digest) in zip(entries, records, before, strict=True):
        told = json.loads(body)
        assert entry.part("after") == state
        assert record.was == digest
        assert entry.outcome is not None
        assert entry.outcome.body["held"] is True
        assert record.asker is not None
        assert (record.asker.user, record.asker.policy) == (LOCAL, None)
        assert record.outcome == told["outcome"]
        assert record.steps is not None
        assert [(s.slots, s.sql, s.digest, s.rows) for s in record.steps] == [
            (s["slots"], s["sql"], s["digest"], s["rows"]) for s in told["steps"]
        ]
        assert record.steps[-1].text == told["text"]
        assert record.steps[-1].reason == told["reason"]
    assert broken.outcome is None
    assert [(digest, ledger.layer_text(digest)) for digest, _ in layers] == layers
    assert ledger.standing(records[0].session_id).state == before[-1][2]
    turn(ledger, records[0].session_id, "next", state=before[-1][2])
    ledger.close()
    assert verify(SQLiteReader(old)).faults == []


def test_a_chain_that_was_broken_before_is_told(old: Path, clock: Hands) -> None:
    with sqlite3.connect(old) as connection:
        connection.execute(
            "UPDATE outcomes SET state = replace(state, 'P001', 'P002') WHERE seq = 3"
        )
    connection.close()
    held = [
        entry.outcome.body["held"] for entry in Ledger.at(old, clock).entries() if entry.outcome
    ]
    assert held == [True, True, False, True, True]


def test_both_ways_to_todays_version_give_the_same_tables(
    old: Path, tmp_path: Path, clock: Hands
) -> None:
    def tables(file: Path) -> list[tuple[str, str]]:
        with sqlite3.connect(file) as connection:
            return connection.execute(
                "SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY name"
            ).fetchall()

    Ledger.at(old, clock).close()
    new = tmp_path / "new.sqlite"
    Ledger.at(new, clock).close()
    assert tables(old) == tables(new)


def test_an_upgrade_that_fails_leaves_the_old_ledger(old: Path, clock: Hands) -> None:
    with sqlite3.connect(old) as connection:
        connection.execute("UPDATE intents SET body = 'no JSON' WHERE seq = 6")
        before = connection.execute("SELECT * FROM outcomes ORDER BY turn_id").fetchall()
    connection.close()
    with pytest.raises(ValueError, match="Expecting value"):
        Ledger.at(old, clock)
    with sqlite3.connect(old) as connection:
        assert connection.execute("SELECT * FROM outcomes ORDER BY turn_id").fetchall() == before


@pytest.mark.parametrize("url", ["postgresql"], indirect=True)
def test_postgresql_is_migrated_too(url: str, opened: Open) -> None:
    from sqlalchemy import create_engine, text

    from dialogue.ledger.stores import driver

    engine = create_engine(driver(url))
    with engine.begin() as connection:
        config = Config()
        config.set_main_option("script_location", "dialogue.ledger:migrations")
        config.attributes["connection"] = connection
        command.upgrade(config, "0001")
        with sqlite3.connect(":memory:") as old:
            old.executescript(gzip.decompress(DUMP.read_bytes()).decode())
            for table in ("layers", "intents", "outcomes"):
                for row in old.execute(f"SELECT * FROM {table}"):
                    names = [f"v{index}" for index in range(len(row))]
                    connection.execute(
                        text(f"INSERT INTO {table} VALUES ({', '.join(f':{n}' for n in names)})"),
                        dict(zip(names, row, strict=True)),
                    )
    engine.dispose()
    ledger = opened()
    requests = [record_of(entry).request for entry in ledger.entries(Selection())]
    assert requests == [Request(text) for text in ASKED]
    assert verify(ledger.store).faults == []
