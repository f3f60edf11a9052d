"""Old sessions move into a sealed file, the chain stays whole; a backup is a copy of one moment."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from dialogue.ledger import Archived, Ledger, LedgerError, Selection
from dialogue.ledger.archiving import archive, backup
from dialogue.ledger.stores import SQLiteReader
from dialogue.ledger.verifying import verify
from tests.ledger.conftest import Hands, Open, turn


@pytest.fixture
def ledger(opened: Open, clock: Hands) -> Ledger:
    """Two sessions of one day, one of the next that also has a turn of the first."""
    ledger = opened(seal_every=3600)
    for session in ("s1", "s2", "s3"):
        turn(ledger, session, f"{session}-1")
        clock.later(hours=1)
    clock.later(days=1)
    turn(ledger, "s3", "s3-2")
    return ledger


def test_old_sessions_move_and_everything_still_holds(ledger: Ledger, tmp_path: Path) -> None:
    file = tmp_path / "old.sqlite"
    head = ledger.seals.seal()
    made, count = archive(ledger, "2026-11-30", file, "auditor")
    assert count == 2
    assert made.body["before"] == "2026-11-30"
    assert [entry.intent.turn_id for entry in ledger.entries()] == ["s3-1", "s3-2"]
    report = verify(ledger.store, head=str(head))
    assert (report.faults, report.archived) == ([], 2)
    assert report.notes == ["2 sealed heads lie in archives: verify them with --archive FILE"]
    together = verify(ledger.store, archives=[SQLiteReader(file)], head=str(head))
    assert together.faults == []
    assert together.turns == 4
    alone = verify(SQLiteReader(file))
    assert (alone.faults, alone.turns, alone.sessions) == ([], 2, 3)


def test_an_archived_session_is_closed(ledger: Ledger, tmp_path: Path) -> None:
    archive(ledger, "2026-11-30", tmp_path / "old.sqlite", "auditor")
    assert ledger.standing("s1").state is None
    with pytest.raises(Archived, match="session s1 was archived"):
        turn(ledger, "s1", "s1-2")


def test_an_archive_takes_nothing_in(ledger: Ledger, tmp_path: Path) -> None:
    file = tmp_path / "old.sqlite"
    archive(ledger, "2026-11-30", file, "auditor")
    with sqlite3.connect(file) as connection, pytest.raises(sqlite3.Error, match="only grows"):
        connection.execute("INSERT INTO records SELECT * FROM records")
    connection.close()


def test_an_archive_is_no_ledger_to_go_on_with(
    ledger: Ledger, tmp_path: Path, clock: Hands
) -> None:
    file = tmp_path / "old.sqlite"
    archive(ledger, "2026-11-30", file, "auditor")
    with pytest.raises(LedgerError, match=r"old\.sqlite is a sealed archive"):
        Ledger.at(file, clock)


def test_a_changed_or_wrong_archive_is_told(ledger: Ledger, tmp_path: Path) -> None:
    file = tmp_path / "old.sqlite"
    archive(ledger, "2026-11-30", file, "auditor")
    with sqlite3.connect(file) as connection:
        connection.execute("DROP TRIGGER keep_contents_update")
        connection.execute("UPDATE contents SET data = CAST('x' AS BLOB) WHERE rowid = 1")
    connection.close()
    told = [str(fault) for fault in verify(ledger.store, archives=[SQLiteReader(file)]).faults]
    assert (
        told[0] == "record 1 of session s1 (intent of turn s1-1): its content request was changed"
    )
    assert "the file: its digest is not the one in old.sqlite.sha256" in told
    file.with_name("old.sqlite.sha256").unlink()
    with sqlite3.connect(file) as connection:
        for name in ("keep_records_delete", "keep_contents_delete"):
            connection.execute(f"DROP TRIGGER {name}")
        connection.execute("DELETE FROM records WHERE session_id = 's2'")
        connection.execute("DELETE FROM contents WHERE session_id = 's2'")
    connection.close()
    told = [str(fault) for fault in verify(SQLiteReader(file)).faults]
    assert "record 2 of session s2: should be in this archive" in told


def test_nothing_to_move_or_a_file_in_the_way_is_told(ledger: Ledger, tmp_path: Path) -> None:
    file = tmp_path / "old.sqlite"
    with pytest.raises(LedgerError, match="no session ended before 2026-01-01"):
        archive(ledger, "2026-01-01", file, "auditor")
    assert not file.exists()
    file.touch()
    with pytest.raises(LedgerError, match="is there already"):
        archive(ledger, "2026-11-30", file, "auditor")


def test_a_backup_of_one_moment_holds_to_the_last_byte(tmp_path: Path, clock: Hands) -> None:
    ledger = Ledger.at(tmp_path / "ledger.sqlite", clock)
    turn(ledger, "s1", "t1")
    file = tmp_path / "backup.sqlite"
    backup(ledger, file, "operator")
    turn(ledger, "s1", "t2")
    report = verify(SQLiteReader(file))
    assert (report.faults, report.turns) == ([], 1)
    data = bytearray(file.read_bytes())
    data[43] ^= 1  # the number of the schema: it holds nothing of the ledger
    file.write_bytes(data)
    assert [str(fault) for fault in verify(SQLiteReader(file)).faults] == [
        "the file: its digest is not the one in backup.sqlite.sha256",
        "page 1 of the file (its header and the list of tables): is not as it was when the file was closed",
    ]
    with pytest.raises(LedgerError, match="there is no folder"):
        backup(ledger, tmp_path / "nowhere" / "b.sqlite", "operator")


def test_who_read_what_is_recorded(opened: Open) -> None:
    ledger = opened()
    turn(ledger, "s1", "t1")
    entries = list(ledger.read(Selection(turn="t1"), "auditor", "replay"))
    assert len(entries) == 1
    with ledger.store.snapshot() as run:
        ((text,),) = run("SELECT record FROM records WHERE kind = 'read' AND turn_id = 't1'")
    assert '"body":{"how":"replay","what":{"turn":"t1"},"who":"auditor"}' in str(text)
    assert verify(ledger.store).faults == []
