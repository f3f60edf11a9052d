"""`wenshu audit …`, as an auditor meets it: whole processes, exit codes, JSON."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

QUESTIONS = ("8月张江的收缴率", "临港呢")


def run(
    home: Path, *args: str | Path, text: str = "", **env: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "api.main", *map(str, args)],
        capture_output=True,
        text=True,
        env={**os.environ, "WENSHU_HOME": str(home), "PYTHONUTF8": "1", **env},
        timeout=120,
        check=False,
        input=text,
    )


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory, park_database: Path) -> Path:
    path = tmp_path_factory.mktemp("home")
    (path / "park.duckdb").symlink_to(park_database)
    return path


@pytest.fixture
def ledger(home: Path, tmp_path: Path) -> Path:
    """A ledger of two turns."""
    file = tmp_path / "ledger.sqlite"
    done = run(home, "ask", "--json", "--ledger", file, *QUESTIONS)
    assert done.returncode == 0, done.stderr
    assert [found.name for found in tmp_path.iterdir()] == ["ledger.sqlite"]  # whole by itself
    return file


def test_head_then_verify_then_a_changed_byte(home: Path, ledger: Path) -> None:
    kept = run(home, "audit", "head", "--ledger", ledger).stdout.strip()
    assert kept.startswith("2:")  # the first record was sealed at once
    done = run(home, "audit", "verify", "--ledger", ledger, "--head", kept)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        "4 records in 1 chains, 2 turns (0 interrupted), 9 contents, 0 erased, 0 sessions archived, "
        "2 checkpoints, 0 sessions with records after the last one",
        f"everything holds; head {kept}",
    ]
    data = ledger.read_bytes()
    at = data.index("临港呢".encode())
    ledger.write_bytes(data[:at] + b"x" + data[at + 1 :])
    done = run(home, "audit", "verify", "--ledger", ledger, "--json")
    assert done.returncode == 1
    found = json.loads(done.stdout)
    assert not found["holds"]
    told = [(fault["what"], fault["where"][:8]) for fault in found["faults"]]
    # the question stands in what was asked (record 3) and in how it was taken (4): the first in the file
    assert told in (
        [("its content request was changed", "record 3")],
        [("its content steps was changed", "record 4")],
    )


def test_what_cannot_be_verified_is_2(home: Path, tmp_path: Path) -> None:
    done = run(home, "audit", "verify", "--ledger", tmp_path / "none.sqlite")
    assert (done.returncode, done.stdout) == (2, "")
    assert "there is no ledger at" in done.stderr
    assert run(home, "audit", "head", "--ledger", tmp_path / "none.sqlite").returncode == 2
    (tmp_path / "other.sqlite").write_bytes(b"")
    done = run(home, "audit", "verify", "--ledger", tmp_path / "other.sqlite")
    assert (done.returncode, done.stdout) == (2, "")
    assert "is no ledger of this version" in done.stderr
    done = run(home, "ask", "x", "--ledger", "mysql://host/ledger")
    assert done.returncode == 2
    assert "SQLite file or in PostgreSQL" in done.stderr


def test_erasing_lists_asks_and_is_told_by_replay(home: Path, ledger: Path) -> None:
    what = ("audit", "erase", "--ledger", ledger, "--containing", "临港呢", "--why", "told to")
    listed = run(home, *what)
    assert listed.returncode == 1
    assert "request, 86 bytes: record 3 of session" in listed.stdout
    assert "nothing was erased: say --yes" in listed.stderr
    done = run(home, *what, "--yes", "--who", "officer", "--json")
    assert done.returncode == 0, done.stderr
    assert {item["part"] for item in json.loads(done.stdout)["erased"]} == {"request", "steps"}
    assert "临港呢".encode() not in ledger.read_bytes()
    assert run(home, *what, "--yes").returncode == 1  # nothing is left of it
    verified = run(home, "audit", "verify", "--ledger", ledger, "--json")
    assert verified.returncode == 0, verified.stdout
    replayed = run(home, "replay", "--all", "--json", "--ledger", ledger)
    told = json.loads(replayed.stdout)
    assert (replayed.returncode, told["turns"], told["same"]) == (1, 2, 1)
    assert told["different"][0]["verdict"] == ["erased"]  # it cannot be taken again
    log = run(home, "audit", "log", "--ledger", ledger).stdout
    assert "erasure  officer  told to" in log


def test_a_reading_is_in_the_log(home: Path, ledger: Path) -> None:
    assert run(home, "replay", "--all", "--ledger", ledger).returncode == 0
    (told,) = run(home, "audit", "log", "--json", "--ledger", ledger).stdout.splitlines()
    found = json.loads(told)
    assert (found["kind"], found["how"], found["what"]) == ("read", "replay", {})


def test_archive_and_backup(home: Path, ledger: Path, tmp_path: Path) -> None:
    old, copy = tmp_path / "old.sqlite", tmp_path / "backup.sqlite"
    assert run(home, "audit", "backup", copy, "--ledger", ledger).returncode == 0
    assert run(home, "audit", "verify", "--ledger", copy).returncode == 0
    early = run(home, "audit", "archive", "--before", "2001-01-01", old, "--ledger", ledger)
    assert (early.returncode, early.stderr) == (2, "no session ended before 2001-01-01\n")
    moved = run(home, "audit", "archive", "--before", "2999-01-01", old, "--ledger", ledger)
    assert moved.returncode == 0, moved.stderr
    both = run(home, "audit", "verify", "--ledger", ledger, "--archive", old, "--json")
    assert both.returncode == 0, both.stdout
    assert json.loads(both.stdout)["turns"] == 2
    with sqlite3.connect(old) as connection:
        ((session,),) = connection.execute(
            "SELECT DISTINCT session_id FROM records WHERE turn_id > ''"
        )
    connection.close()
    chat = run(home, "chat", "--session", session, "--ledger", ledger, text="临港呢\n/quit\n")
    assert (chat.returncode, "was archived and is closed" in chat.stdout) == (0, True)


def test_rows_are_kept_where_they_are_wanted(home: Path, tmp_path: Path) -> None:
    import duckdb

    from dialogue.ledger import Ledger
    from dialogue.record import record_of
    from tests.ledger.conftest import Hands

    file = tmp_path / "ledger.sqlite"
    asked = ("ask", "--json", "--ledger", file, "8月各园区的应收")
    done = run(home, *asked, WENSHU_LEDGER_ROWS="1")
    assert done.returncode == 0, done.stderr
    (entry,) = Ledger.at(file, Hands()).entries()
    (table,) = record_of(entry).tables
    (tmp_path / "rows.parquet").write_bytes(table)
    rows = duckdb.sql(f"SELECT * FROM '{tmp_path / 'rows.parquet'}'").fetchall()
    shown = json.loads(done.stdout)["result"]
    assert [[str(cell) for cell in row] for row in rows] == shown["rows"]
