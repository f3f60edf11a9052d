"""`python -m benchmarks eval`: 10,000 turns in one command, recorded, as `wenshu eval` does it: turns a second, memory.

`python -m benchmarks eval 1000` takes fewer. Gold results of earlier runs are not used; the sets come again and again,
so that from the second time on they are. `python -m benchmarks eval 10000 1` takes one worker.
"""

from __future__ import annotations

import os
import resource
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from itertools import count, cycle
from pathlib import Path

from api.evaluating.bench import Installed, cores, facts
from api.settings import Places
from api.wiring import new_id, open_app
from dialogue.evaluation import Evaluation, QuestionSet, RunFile, read_set

SETS = ("park-core", "park-hard", "fresh", "fresh-hard", "fresh-third", "fourth", "fifth")
TURNS = 10_000


def main() -> None:
    """Run and print."""
    wanted = int(sys.argv[2]) if len(sys.argv) > 2 else TURNS
    workers = int(sys.argv[3]) if len(sys.argv) > 3 else cores()
    found = list(sets(wanted))
    first = sum(item.turns for item in found[: len(SETS)])
    with tempfile.TemporaryDirectory() as folder:
        places = Places.find()
        app = open_app(places, record=False)  # the demo and its index are there when workers begin
        own = replace(places, home=Path(folder), ledger=f"sqlite:///{folder}/ledger.sqlite")
        evaluation = Evaluation(found, 1, RunFile(Path(folder) / "run", facts(app, found, 1)))
        print(f"{cores()} cores, load average {os.getloadavg()[0]:.1f}, {workers} workers\n")
        seen = Seen(workers, first)
        opening = Installed(own, new_id()[:13], max(1, cores() // workers))
        evaluation.run(opening, workers, seen.on)
        seen.end()
        start = time.perf_counter()
        turns = right = 0
        for item in evaluation.evaluated():
            assert item.report["set"] == item.questions.set
            turns += sum(len(played.turns) for played in item.played)
            right += sum(turn.ok for played in item.played for turn in played.turns)
        print(f"reports    {time.perf_counter() - start:5.1f} s")
        print(f"right {right / turns:.1%}; bar: at least 30 turns a second, memory flat")
        ended = resource.getrusage(
            resource.RUSAGE_CHILDREN if workers > 1 else resource.RUSAGE_SELF
        )
        print(f"processor {1000 * (ended.ru_utime + ended.ru_stime) / turns:.1f} ms a turn")


class Seen:
    """Prints how fast it goes and what memory the processes hold, every 1,000 turns."""

    def __init__(self, workers: int, first: int) -> None:
        self._workers, self._first, self._turns, self._told = workers, first, 0, 0
        self._begun = self._last = time.perf_counter()
        self._cached = 0.0  # when every gold result had been asked for

    def on(self, turns: int) -> None:
        """So many turns more are judged."""
        self._turns += turns
        now = time.perf_counter()
        if not self._cached and self._turns >= self._first:
            self._cached = now
            self._line("first time", self._turns, now - self._begun)
        if self._turns - self._told >= 1000:
            self._line("", self._turns - self._told, now - self._last)
            self._told, self._last = self._turns, now

    def _line(self, name: str, turns: int, took: float) -> None:
        mine, *workers = memory(self._workers)
        print(
            f"{name:11} {turns:6} turns {turns / took:6.1f} a second   "
            f"{' and '.join(f'{size:.0f}' for size in (mine, *workers))} MB",
            flush=True,
        )

    def end(self) -> None:
        """What all of it took."""
        took = time.perf_counter() - self._begun
        self._line("all", self._turns, took)
        if self._cached and self._turns > self._first:
            again = self._turns - self._first
            self._line("gold cached", again, time.perf_counter() - self._cached)


def sets(wanted: int) -> Iterator[QuestionSet]:
    """The sets, again and again, until there are so many turns; each time by another name."""
    read = [read_set(Path("fixtures/questions") / f"{name}.yaml") for name in SETS]
    taken = 0
    for number, questions in zip(count(), cycle(read), strict=False):
        if taken >= wanted:
            return
        taken += questions.turns
        yield questions.model_copy(update={"set": f"{questions.set}.{number // len(read) + 1}"})


def memory(workers: int) -> Iterator[float]:
    """Megabytes in memory of this process, and of those it started."""
    children = (
        Path(f"/proc/self/task/{os.getpid()}/children").read_text().split() if workers > 1 else []
    )
    for process in (str(os.getpid()), *children):
        pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
        size = pages * os.sysconf("SC_PAGE_SIZE") / 1e6
        if size > 50:  # the process that looks after what they share holds a few
            yield size


if __name__ == "__main__":
    main()
