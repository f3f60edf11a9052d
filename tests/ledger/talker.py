"""Takes turns until it is killed, and says each one that it answered: `python -m tests.ledger.talker HOME`."""

from __future__ import annotations

import sys
from itertools import cycle
from pathlib import Path

from api.settings import Places
from api.wiring import open_app
from dialogue.turn import Request
from semantic_layer.protocols import LOCAL

SAID = (
    "8月张江的收缴率",
    "临港呢",
    "各楼栋的空置面积",
    "只看1号楼",
    "今年欠费最多的3家租户",
    "它们的应收",
)
A_SESSION = 10


def main(home: Path, turns: int) -> None:
    """Take turns, some in a session, and print each turn's id once it is answered."""
    app = open_app(
        Places(
            home, Places.find().layer, home / "park.duckdb", f"sqlite:///{home}/ledger.sqlite", True
        )
    )
    print("ready", flush=True)
    session = ""
    for number, text in zip(range(turns), cycle(SAID), strict=False):
        if number % A_SESSION == 0:
            session = app.sessions.open()
        turn = app.sessions.take(session, Request(text), LOCAL, app.moment())
        print(turn.turn_id, turn.record_hash, flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
