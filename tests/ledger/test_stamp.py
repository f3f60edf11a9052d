"""A closed file carries a stamp; writing takes it off, and what wrote behind its back is found."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from dialogue.ledger import Ledger, stamp
from dialogue.ledger.archiving import archive, backup
from dialogue.ledger.erasing import Which, erase, targets
from dialogue.ledger.stamp import PRIME, Stamp, stamp_in, summed, which
from dialogue.ledger.stores import SQLiteReader, SQLiteStore
from dialogue.ledger.verifying import Report, verify
from tests.ledger.conftest import Hands, turn
from tests.ledger.test_verify import talk, told


def walked(path: Path) -> Report:
    return verify(SQLiteReader(path))


def stamped(path: Path) -> bool:
    return bool(stamp_in(path.read_bytes()))


@pytest.fixture
def ledger(tmp_path: Path, clock: Hands) -> Ledger:
    made = Ledger.at(tmp_path / "ledger.sqlite", clock)
    talk(made)
    return made


def test_closing_puts_it_on_and_writing_takes_it_off(tmp_path: Path, clock: Hands) -> None:
    file = tmp_path / "ledger.sqlite"
    for number in range(3):
        ledger = Ledger.at(file, clock)
        turn(ledger, f"s{number}", f"t{number}")
        with sqlite3.connect(file) as looking:
            assert looking.execute("PRAGMA user_version").fetchone() == (0,)
        looking.close()
        ledger.close()
        assert stamped(file)
        report = walked(file)
        assert (report.faults, report.notes) == ([], [])


def test_of_two_that_have_it_open_the_last_to_write_leaves_its_own(
    ledger: Ledger, tmp_path: Path, clock: Hands
) -> None:
    file = tmp_path / "ledger.sqlite"
    other = Ledger.at(file, clock)
    ledger.close()  # with a stamp, while the other one goes on
    turn(other, "s0", "t900")
    other.close()
    assert (stamped(file), walked(file).faults, walked(file).notes) == (True, [], [])


def test_closing_waits_for_nobody(ledger: Ledger, tmp_path: Path) -> None:
    writing = sqlite3.connect(tmp_path / "ledger.sqlite", isolation_level=None)
    writing.execute("BEGIN IMMEDIATE")
    ledger.close()
    writing.execute("COMMIT")
    writing.close()
    report = walked(tmp_path / "ledger.sqlite")
    assert report.faults == []
    assert "has no stamp (its last process was killed, or it is large): " in report.notes[0]


def test_a_killed_process_leaves_none_and_the_next_one_puts_it_on(
    tmp_path: Path, clock: Hands
) -> None:
    file = tmp_path / "ledger.sqlite"
    Ledger.at(file, clock).close()
    code = (
        "import os, sys; from pathlib import Path; from dialogue.ledger import Ledger;"
        "from tests.ledger.conftest import Hands, turn;"
        "ledger = Ledger.at(Path(sys.argv[1]), Hands());"
        "turn(ledger, 's1', 't1'); os.kill(os.getpid(), 9)"
    )
    done = subprocess.run([sys.executable, "-c", code, str(file)], check=False, env=os.environ)
    assert done.returncode == -9
    assert "is in use" in walked(file).notes[0]  # its log stands beside it
    alone = shutil.copy(file, tmp_path / "copy.sqlite")  # without the log: as it was before
    assert (walked(alone).faults, walked(alone).turns) == ([], 0)
    with sqlite3.connect(file) as looking:  # some other program reads, and takes the log in
        looking.execute("SELECT count(*) FROM records").fetchone()
    looking.close()
    report = walked(file)
    assert (report.faults, report.turns, len(report.notes)) == ([], 1, 1)
    Ledger.at(file, clock).close()
    assert (walked(file).faults, walked(file).notes, walked(file).turns) == ([], [], 1)


def test_what_writes_behind_its_back_is_found(ledger: Ledger, tmp_path: Path) -> None:
    ledger.close()
    file = tmp_path / "ledger.sqlite"
    with sqlite3.connect(file) as behind:
        behind.execute("REINDEX")
    behind.close()
    assert told(walked(file)) == [
        "the file: some pages are not as they were when the file was closed"
    ]


def test_backups_archives_and_erasures_leave_stamped_files(
    ledger: Ledger, tmp_path: Path, clock: Hands
) -> None:
    copy, old = tmp_path / "copy.sqlite", tmp_path / "old.sqlite"
    backup(ledger, copy, "officer")
    clock.later(days=1)
    turn(ledger, "new", "t901", "陈小明")
    archive(ledger, "2026-11-30", old, "officer")
    assert (stamped(copy), stamped(old)) == (True, True)
    assert (walked(copy).faults, walked(copy).notes) == ([], [])
    store, gone = SQLiteStore(old), Which(turn="t001")
    with store.snapshot() as run:
        found = targets(run, gone)
    erase(ledger, found, "officer", "asked to", gone, store)
    store.close()
    ledger.close()
    file = tmp_path / "ledger.sqlite"
    report = verify(SQLiteReader(file), archives=[SQLiteReader(old)])
    assert (report.faults, [one for one in report.notes if "stamp" in one]) == ([], [])


def test_pages_that_became_free_are_stamped_too(tmp_path: Path, clock: Hands) -> None:
    """The list of open heads shrinks with every checkpoint."""
    file = tmp_path / "ledger.sqlite"
    ledger = Ledger.at(file, clock, seal_every=1e9)
    for number in range(120):
        turn(ledger, f"session-{number:03}" * 4, f"t{number}")
    ledger.seals.seal()
    ledger.close()
    data = bytearray(file.read_bytes())
    trunk = int.from_bytes(data[32:36], "big")
    assert trunk > 0
    assert (walked(file).faults, walked(file).notes) == ([], [])
    at = trunk * 4096 - 7
    data[at] ^= 4
    file.write_bytes(data)
    assert told(walked(file)) == [
        f"page {trunk} of the file (the free list): is not as it was when the file was closed"
    ]


def test_a_large_file_is_not_stamped_and_told(
    ledger: Ledger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stamp, "LARGEST", 1_000_000)
    ledger.close()
    report = walked(tmp_path / "ledger.sqlite")
    assert report.faults == []
    (note,) = report.notes
    assert note.endswith("bytes that hold nothing were not looked at")
    assert 10_000 < int(note.split()[-9]) < 40_000


def test_two_sums_tell_which_page_is_another() -> None:
    data = bytearray(b"".join(bytes([number]) * 512 for number in range(1, 10)))
    data[16:18] = (512).to_bytes(2, "big")
    pages = (1, 3, 4, 8)
    made = summed(data, pages)
    assert 0 < made.first <= PRIME
    assert which(made, made, pages) == 0
    data[3 * 512 + 9] ^= 1
    assert which(made, summed(data, pages), pages) == 4
    data[2 * 512] ^= 1
    assert which(made, summed(data, pages), pages) is None  # two pages
    data[60] ^= 1  # the stamp itself is in no sum
    data[24] ^= 1
    data[2 * 512] ^= 1
    data[3 * 512 + 9] ^= 1
    assert summed(data, pages) == made
    assert which(Stamp(made.first, made.second + 1), made, pages) == 0
