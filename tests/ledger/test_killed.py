"""kill -9 in the middle of turns: the chain holds, every answered turn is there, the interrupted one is told.

WENSHU_KILLS=20 WENSHU_TURNS=500 is the long run (docs/ledger.md); here it is a short one.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from pathlib import Path

from dialogue.ledger import Ledger
from dialogue.ledger.stores import SQLiteReader
from dialogue.ledger.verifying import verify
from tests.ledger.conftest import Hands

KILLS, TURNS = int(os.environ.get("WENSHU_KILLS", "3")), int(os.environ.get("WENSHU_TURNS", "60"))
TALKER = (sys.executable, "-u", "-m", "tests.ledger.talker")


def test_nothing_answered_is_lost_and_nothing_interrupted_is_hidden(
    tmp_path: Path, park_database: Path, clock: Hands
) -> None:
    (tmp_path / "park.duckdb").symlink_to(park_database)
    file, chance = tmp_path / "ledger.sqlite", random.Random(9)
    answered: dict[str, str] = {}
    interrupted: set[str] = set()
    killed_at: list[int] = []
    for _ in range(KILLS):
        heard = talk_and_kill(tmp_path, chance)
        answered |= heard
        killed_at.append(len(heard))
        ledger = Ledger.at(file, clock)  # restart
        found = {entry.intent.turn_id: entry.outcome for entry in ledger.entries()}
        ledger.close()
        assert {
            turn: link.hash for turn, link in found.items() if link and turn in answered
        } == answered
        open_now = {turn for turn, link in found.items() if link is None}
        assert interrupted <= open_now
        assert len(open_now - interrupted) <= 1
        interrupted = open_now
        report = verify(SQLiteReader(file))
        assert report.faults == []
        assert set(report.interrupted) == interrupted
    print(f"killed after {killed_at} of {TURNS} turns, {len(interrupted)} of them inside a turn")


def talk_and_kill(home: Path, chance: random.Random) -> dict[str, str]:
    """Take turns in a process, and kill it at a random point; gives the turns that it said it answered."""
    process = subprocess.Popen([*TALKER, str(home), str(TURNS)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    lines: list[str] = []
    wanted = chance.randrange(1, TURNS)
    while len(lines) < wanted:
        lines.append(process.stdout.readline())
    delay = chance.random() * 0.05  # somewhere inside the next turns
    try:
        process.wait(delay)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGKILL)
    rest, _ = process.communicate()
    assert process.returncode in (0, -signal.SIGKILL)
    whole = [*lines, *rest.splitlines()]
    pairs = [line.split() for line in whole]
    return {pair[0]: pair[1] for pair in pairs if len(pair) == 2 and len(pair[1]) == 64}
