"""`verify` finds what does not hold, and names it."""

from __future__ import annotations

import random
import re
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from dialogue.ledger import Ledger
from dialogue.ledger.pages import Region, loose, regions
from dialogue.ledger.schema import GROWN
from dialogue.ledger.stores import SQLiteReader
from dialogue.ledger.verifying import Report, verify
from dialogue.ledger.verifying.file import blind, row_owner, trees
from tests.ledger.conftest import Hands, Open, turn

TRIALS = 200


def talk(ledger: Ledger, turns: int = 60, sessions: int = 7) -> None:
    """Turns of some sessions with texts of all lengths."""
    chance = random.Random(6)
    ledger.layer("2c70e12b7a0646f92279f427c7b38e7334d8e5389cff167a1dc30e73f826b683", "key")
    for number in range(turns):
        said = "问" * chance.randint(1, 900)
        turn(ledger, f"s{number % sessions}", f"t{number:03}", said, "s" * chance.randint(9, 9000))
        ledger.clock.later(seconds=40)  # type: ignore[attr-defined]


@pytest.fixture
def file(tmp_path: Path, clock: Hands) -> Path:
    """A ledger of some sessions, closed."""
    path = tmp_path / "ledger.sqlite"
    ledger = Ledger.at(path, clock)
    talk(ledger)
    ledger.close()
    return path


def walked(path: Path, head: str | None = None) -> Report:
    return verify(SQLiteReader(path), head=head)


def told(report: Report) -> list[str]:
    return [str(fault) for fault in report.faults]


def test_a_whole_ledger_holds(opened: Open) -> None:
    ledger = opened()
    talk(ledger)
    ledger.append("s0", "intent", "broken", "2026-11-29T10:00:00", {"seq": 9}, {"request": "x"})
    report = verify(ledger.store)
    assert told(report) == []
    assert (report.records, report.sessions, report.turns) == (121, 7, 61)
    assert report.interrupted == ["broken"]
    assert report.checkpoints == 8  # each 300 seconds
    head = ledger.seals.seal()
    assert verify(ledger.store, head=str(head)).holds
    assert told(verify(ledger.store, head="9:00")) == [
        "checkpoint 9: is not the one that was kept elsewhere (9:00)"
    ]
    assert told(verify(ledger.store, head="10:00")) == [
        "checkpoint 10: was kept elsewhere, and is not there: the end was cut off"
    ]


def test_looking_changes_nothing(file: Path) -> None:
    before = file.read_bytes()
    assert walked(file).holds
    assert file.read_bytes() == before
    assert list(file.parent.iterdir()) == [file]


Change = Callable[[sqlite3.Connection], object]


def run(*statements: str) -> Change:
    return lambda connection: [connection.execute(statement) for statement in statements]


RECORD = "session_id = 's1' AND number = 4"


@pytest.mark.parametrize(
    ("change", "first"),
    [
        (
            run(f"UPDATE records SET record = replace(record, 'answer', 'decline') WHERE {RECORD}"),
            "record 4 of session s1: was changed: it does not give the hash beside it",
        ),
        (
            run(f"UPDATE records SET turn_id = 't000' WHERE {RECORD}"),
            "record 4 of session s1 (outcome of turn t008): stands in a row that says otherwise",
        ),
        (
            run(f"DELETE FROM records WHERE {RECORD}"),
            "record 5 of session s1 (intent of turn t015): record 4 should stand there: "
            "one is missing, or was put in",
        ),
        (
            run("DELETE FROM records WHERE session_id = 's1' AND number > 15"),
            "record 16 of session s1: is missing: checkpoint 8 seals it",
        ),
        (
            run(
                "DELETE FROM records WHERE session_id = 's3'",
                "DELETE FROM contents WHERE session_id = 's3'",
            ),
            "record 2 of session s3: is missing: checkpoint 2 seals it",
        ),
        (
            run(
                "DELETE FROM contents WHERE data = CAST('s' AS BLOB)",
                "DELETE FROM contents WHERE rowid = 1",
            ),
            "record 1 of session s0 (intent of turn t000): its content request is missing, and no erasure names it",
        ),
        (
            run("UPDATE contents SET data = CAST('x' AS BLOB) WHERE rowid = 2"),
            "record 1 of session s0 (intent of turn t000): its content asker was changed",
        ),
        (
            run("INSERT INTO contents SELECT 'd', session_id, salt, data FROM contents LIMIT 1"),
            "the contents: 1 belong to no record",
        ),
        (
            run("UPDATE checkpoints SET record = replace(record, 's1', 's2') WHERE number = 2"),
            "checkpoint 2: was changed: it does not give the hash beside it",
        ),
        (
            run("DELETE FROM checkpoints WHERE number = 2"),
            "checkpoint 3: checkpoint 2 should stand there",
        ),
        (
            run("DELETE FROM open_heads"),
            "record 18 of session s0: is sealed by nothing: what follows was cut off",
        ),
        (
            run("UPDATE layers SET text = 'other'"),
            "layer 2c70e12b7a0646f92279f427c7b38e7334d8e5389cff167a1dc30e73f826b683: "
            "was changed: it does not give its hash",
        ),
    ],
    ids=lambda value: value[:40] if isinstance(value, str) else "",
)
def test_the_first_broken_link_is_named(file: Path, change: Change, first: str) -> None:
    with sqlite3.connect(file) as connection:
        guards = connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'")
        for (name,) in guards.fetchall():
            connection.execute(f"DROP TRIGGER {name}")
        change(connection)
    connection.close()
    report = walked(file)
    assert told(report)[0] == first
    assert (
        "the file: keep_records_delete is missing: nothing guards the ledger in its place"
        in told(report)
    )


def bytes_of(path: Path) -> tuple[bytes, list[Region], frozenset[str]]:
    """A file's bytes, what each belongs to, and the trees that only grow."""
    data = path.read_bytes()
    with SQLiteReader(path).snapshot() as run:
        roots, grown = trees(run)
    return data, list(regions(data, roots)), grown


def test_one_changed_byte_of_a_row_is_found_and_its_record_named(
    file: Path, tmp_path: Path
) -> None:
    data, found, _ = bytes_of(file)
    rows = [one for one in found if one.kind == "row" and one.owner in ("records", "contents")]
    chance, copy = random.Random(8), tmp_path / "copy.sqlite"
    sizes = [one.end - one.start for one in rows]
    with SQLiteReader(file).snapshot() as run:
        for region in chance.choices(rows, sizes, k=TRIALS):
            at = chance.randrange(region.start, region.end)
            changed = bytearray(data)
            changed[at] ^= chance.randrange(1, 256)
            copy.write_bytes(changed)
            name = row_owner(run, region.owner, region.rowid)
            wheres = [fault.where for fault in walked(copy).faults]
            assert any(name.startswith(where) or where.startswith(name) for where in wheres), (
                at,
                name,
                wheres,
            )


def changed(data: bytes, at: int, by: int, copy: Path) -> Report:
    """What is found in a copy of which one byte is another."""
    other = bytearray(data)
    other[at] ^= by
    copy.write_bytes(other)
    return walked(copy)


def place(one: Region, at: int) -> str:
    """How the place of a byte is told: a part of the ledger by its name, or a page."""
    page = rf"page {at // 4096 + 1}\b"
    header = r"|the file's header|freelist"
    # a changed list of tables, on the same page as the header, may leave nothing that can be read
    rest = header if one.kind == "header" else "|the file" if one.owner == "sqlite_master" else ""
    return rf"^(record|checkpoint|layer|session) |row \d+ of |{page}{rest}"


def test_one_changed_byte_anywhere_is_found_and_its_place_named(file: Path, tmp_path: Path) -> None:
    data, found, _ = bytes_of(file)
    assert sum(one.end - one.start for one in found) == len(data)  # each is known for what it is
    chance, copy = random.Random(9), tmp_path / "copy.sqlite"
    for _ in range(TRIALS):
        at = chance.randrange(len(data))
        report = changed(data, at, chance.randrange(1, 256), copy)
        owner = next(one for one in found if one.start <= at < one.end)
        assert any(re.search(place(owner, at), fault) for fault in told(report)), (
            at,
            owner,
            told(report),
        )


def test_a_name_in_an_index_that_is_no_text_is_a_fault(file: Path, tmp_path: Path) -> None:
    data, found, _ = bytes_of(file)
    entries = [one for one in found if one.owner == "sqlite_autoindex_records_1"]
    at = next(data.index(b"s3", one.start) for one in entries if b"s3" in data[one.start : one.end])
    report = changed(data, at, 0x80, tmp_path / "copy.sqlite")
    assert told(report)[0].startswith("session \\udcf33: an index names it, and it has no record")
    assert f"page {at // 4096 + 1} of the file" in " ".join(told(report))


def test_every_byte_of_the_header_is_looked_at(file: Path, tmp_path: Path) -> None:
    data, copy = file.read_bytes(), tmp_path / "copy.sqlite"
    for at in range(100):
        report = changed(data, at, 1 << at % 8, copy)
        assert any(re.search("header|freelist", fault) for fault in told(report)), (
            at,
            told(report),
        )


def test_every_byte_that_holds_nothing_and_is_not_kept_zero_is_stamped(file: Path) -> None:
    data, found, grown = bytes_of(file)
    with SQLiteReader(file).snapshot() as run:
        roots, _ = trees(run)
    pages = {page for page, _ in loose(data, {"sqlite_master": 1, **roots}, GROWN)}
    unkept = [one for one in found if blind(one, grown)]
    assert {one.start // 4096 + 1 for one in unkept} <= pages
    assert 0 < sum(one.end - one.start for one in unkept) < len(data) * 0.05
    assert any(any(data[one.start : one.end]) for one in unkept)  # what stood there was left
