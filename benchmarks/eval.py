"""`python -m benchmarks eval`: 10,000 turns judged as `wenshu eval` does it, recorded: turns a second, and memory.

`python -m benchmarks eval 1000` takes fewer. Gold results of earlier runs are not used.
"""

from __future__ import annotations

import gc
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from itertools import cycle
from pathlib import Path

from api.clock import FrozenClock
from api.commands.evaluate import recorder
from api.main import COLLECT
from api.settings import Places
from api.wiring import App, new_id, open_app, versions
from dialogue.evaluation import Gold, evaluate, read_set
from dialogue.evaluation.sets import QuestionSet
from dialogue.ledger import Ledger
from dialogue.session import Sessions

SETS = ("park-core", "park-hard", "fresh", "fresh-hard", "fresh-third", "fourth", "fifth")
TURNS = 10_000


def main() -> None:
    """Run and print."""
    wanted = int(sys.argv[2]) if len(sys.argv) > 2 else TURNS
    gc.set_threshold(*COLLECT)
    with tempfile.TemporaryDirectory() as folder:
        app = recording(open_app(Places.find(), record=False), Path(folder))
        gold = Gold(app.world.warehouse, Path(folder) / "gold.sqlite")
        print(f"{os.cpu_count()} cores, load average {os.getloadavg()[0]:.1f}\n")
        turns = right = 0
        begun = round_begun = now()
        first = 0
        for index, questions in enumerate(sets(wanted)):
            start = now()
            if index == len(SETS):
                first, round_begun = turns, start
            _, lines = evaluate(app.world, questions, recorder(app), gold)
            turns += len(lines)
            right += sum(line.verdict.ok for line in lines)
            row(questions.set, len(lines), start)
        print()
        row("all", turns, begun)
        if first:
            row("gold cached", turns - first, round_begun)
        print(f"right {right / turns:.1%}; bar: at least 30 turns a second, memory flat")


def sets(wanted: int) -> Iterator[QuestionSet]:
    """The sets, again and again, until there are so many turns."""
    read = [read_set(Path("fixtures/questions") / f"{name}.yaml") for name in SETS]
    taken = 0
    for questions in cycle(read):
        if taken >= wanted:
            return
        yield questions
        taken += sum(len(dialogue.turns) for dialogue in questions.dialogues)


def recording(app: App, folder: Path) -> App:
    """The installation with a ledger of its own."""
    ledger = Ledger.at(folder / "ledger.sqlite", FrozenClock(app.wall.now()))
    return replace(app, ledger=ledger, sessions=Sessions(app.world, ledger, new_id, versions()))


def now() -> tuple[float, float]:
    """Seconds by the clock, and of the processor."""
    return time.perf_counter(), time.process_time()


def row(name: str, turns: int, start: tuple[float, float]) -> None:
    """One line: what a set took, and the memory of the process after it."""
    took, computing = (one - before for one, before in zip(now(), start, strict=True))
    print(
        f"{name:12} {turns:6} turns {turns / took:7.1f} a second by the clock "
        f"{computing / turns * 1000:6.1f} ms of the processor each   {memory():5.0f} MB",
        flush=True,
    )


def memory() -> float:
    """Megabytes of the process that are in memory now."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6
