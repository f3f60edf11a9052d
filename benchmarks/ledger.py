"""`python -m benchmarks ledger`: what recording a turn costs, durably, and how fast a ledger is verified."""

from __future__ import annotations

import statistics
import tempfile
import time
from datetime import datetime
from pathlib import Path

from api.clock import FrozenClock
from api.settings import Places
from api.wiring import App, new_id, open_app, versions
from dialogue.engine import Moment
from dialogue.ledger import Ledger
from dialogue.ledger.stores import SQLiteReader
from dialogue.ledger.verifying import verify
from dialogue.session import Sessions
from dialogue.turn import Request
from semantic_layer.protocols import LOCAL

TURNS = 600
SAID = (
    "8月张江的收缴率",
    "临港呢",
    "各楼栋的空置面积",
    "只看1号楼",
    "今年欠费最多的3家租户",
    "它们的应收",
)
A_SESSION = 12


def main() -> None:
    """Measure and print; the folder of the ledger decides what a durable write costs."""
    app = open_app(Places.find(), record=False)
    moment = Moment(app.clock.now(), datetime(2026, 11, 29))
    with tempfile.TemporaryDirectory(dir=app.places.home) as folder:
        file = Path(folder) / "ledger.sqlite"
        bare = talk(app, moment, None)
        ledger = Ledger.at(file, FrozenClock(moment.now))
        recorded = talk(app, moment, ledger)
        ledger.close()
        empty = Ledger.at(Path(folder) / "bare.sqlite", FrozenClock(moment.now))
        alone = [writing(empty, number) for number in range(TURNS)]
        print(f"{TURNS} turns in sessions of {A_SESSION}; milliseconds by the clock\n")
        row("a turn, not recorded", bare)
        row("a turn, recorded", recorded)
        row("two records of 1 and 5 kB, written durably", alone)
        size = file.stat().st_size
        start = time.perf_counter()
        report = verify(SQLiteReader(file))
        took = time.perf_counter() - start
        assert report.holds
        print(f"\n{size / TURNS / 1024:.1f} kB a turn; verified {TURNS / took:,.0f} turns a second")


Took = tuple[float, float]  # milliseconds by the clock, and of the processor


def talk(app: App, moment: Moment, ledger: Ledger | None) -> list[Took]:
    """Take the turns; what each took."""
    sessions = Sessions(app.world, ledger, new_id, versions())
    took: list[Took] = []
    for number in range(TURNS):
        if number % A_SESSION == 0:
            session = sessions.open()
        start, computing = time.perf_counter(), time.process_time()
        sessions.take(session, Request(SAID[number % len(SAID)]), LOCAL, moment)
        took.append(since(start, computing))
    return took


def writing(ledger: Ledger, number: int) -> Took:
    """What an intent and an outcome take, without a turn between."""
    start, computing = time.perf_counter(), time.process_time()
    session, turn = f"s{number}", f"t{number}"
    ledger.append(session, "intent", turn, "2026-11-29", {"seq": 1}, {"request": "x" * 1000})
    ledger.append(session, "outcome", turn, "2026-11-29", {}, {"steps": "x" * 5000})
    return since(start, computing)


def since(start: float, computing: float) -> Took:
    """Milliseconds since."""
    return (time.perf_counter() - start) * 1000, (time.process_time() - computing) * 1000


def row(name: str, took: list[Took]) -> None:
    """One line of the table."""
    whole, computing = (sorted(part) for part in zip(*took, strict=True))
    print(
        f"{name:44} p50 {statistics.median(whole):7.2f} p95 {whole[len(whole) * 95 // 100]:7.2f}"
        f"   processor p50 {statistics.median(computing):7.2f} mean {statistics.mean(computing):7.2f}",
        flush=True,
    )
