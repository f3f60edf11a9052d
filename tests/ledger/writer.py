"""Writes turns of sessions of its own: `python -m tests.ledger.writer URL NAME`."""

from __future__ import annotations

import sys

from dialogue.ledger import Ledger
from tests.ledger.conftest import Hands, turn

TURNS, SESSIONS = 40, 4

if __name__ == "__main__":
    url, name = sys.argv[1:]
    clock = Hands()
    ledger = Ledger(url, clock, seal_every=20)
    print("ready", flush=True)
    sys.stdin.readline()
    for number in range(TURNS):
        turn(ledger, f"{name}-{number % SESSIONS}", f"{name}-{number:03}")
        clock.later(seconds=5)
    ledger.close()
