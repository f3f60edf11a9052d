"""`make bench`: the numbers of docs/numbers.md that are measured so far, beside their bars.

Every figure is taken in this run, on the demo data and the project's own question sets. Without an
argument the quick ones; `python -m benchmarks sql` and the others take longer.
"""

from __future__ import annotations

import gc
import importlib
import os
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TypeVar

from api.main import COLLECT
from api.settings import Places
from api.wiring import App, open_app
from dialogue import answer
from dialogue.engine import Moment, take
from dialogue.evaluation import read_set
from dialogue.filling import fill
from dialogue.sight import Sight
from dialogue.state import EMPTY
from dialogue.turn import Request
from dialogue.world import World
from nl2sql.known import Known
from nl2sql.reading import Reading, RuleReader
from nl2sql.reading.tokens import Seen, everything
from nl2sql.slots import Slots
from semantic_layer.load import load
from semantic_layer.protocols import LOCAL

ROUNDS = 5
T = TypeVar("T")
Took = tuple[float, float]


OTHERS = {
    "sql": "the generated SQL against SQL written by hand, a million bills (1 to 2 minutes)",
    "peers": "compiling, beside sidemantic and MetricFlow (installs them apart; half a minute)",
    "exact": "amounts to the cent over 10 million rows, the same with 1 to 8 threads (a minute)",
    "load": "loading a layer of a thousand metrics",
    "cold": "--help, and the first answer of a process that has just begun",
    "ledger": "what recording a turn durably costs, and verifying (half a minute)",
    "eval": "10,000 turns evaluated in one command: turns a second, memory (5 minutes)",
    "values": "reading among 100 thousand and a million stored values, and making the index (minutes)",
    "serve": "50 sessions over HTTP at once (half a minute); python -m benchmarks serve 30: half an hour",
    "fuzz": "texts that nobody would write are read, for so many minutes: python -m benchmarks fuzz 10",
}


def main() -> None:
    """Run the benchmark that is named, or the quick ones."""
    name = sys.argv[1] if len(sys.argv) > 1 else None
    if name in OTHERS:
        importlib.import_module(f"benchmarks.{name}").main()
    elif name is None:
        quick()
        print(
            "\nothers: "
            + "\n        ".join(f"python -m benchmarks {k}: {v}" for k, v in OTHERS.items())
        )
    else:
        sys.exit(f"there is no benchmark {name}; there are: {', '.join(OTHERS)}")


def quick() -> None:
    """Measure and print what takes some seconds, with garbage collected as the commands do."""
    gc.set_threshold(*COLLECT)
    app = open_app(Places.find(), record=False)
    questions = asked()
    print(
        f"{len(questions)} questions, {ROUNDS} rounds; {os.cpu_count()} cores, load average",
        end=" ",
    )
    print(f"{os.getloadavg()[0]:.1f}: where it is above the cores, the clock counts waiting too")
    print("milliseconds by the clock, and those of the processor\n")
    reading = times(lambda text: app.world.reader.read_anew(text), questions)
    row("reading one question", reading, "p50 < 1, p95 < 3 (at 100 k values)")
    readings, slots = answered(app, questions)
    row(
        "filling + compiling + reading back + guard",
        times(lambda reading: prepared(app, reading), readings),
        "p50 < 2",
    )
    row("running on DuckDB (demo data)", times(lambda item: run(app, item), slots[:60]), "")
    first = forgetful(app.world)
    row("one turn, whole", times(lambda text: turn(app, first, text), questions[:150]), "")
    again = times(lambda text: turn(app, app.world, text), questions[:150])
    row("one turn of a question asked before", again, "")
    loading = [clock(lambda: load(app.places.layer)) for _ in range(ROUNDS)]
    row("loading the layer (36 metrics)", loading, "1,000 metrics < 250")


def asked() -> list[str]:
    """The first turns of every set: questions that need no state."""
    found = []
    for name in ("park-core", "park-hard", "fresh"):
        for dialogue in read_set(Path("fixtures/questions") / f"{name}.yaml").dialogues:
            turns = dialogue.turns if dialogue.mode == "variants" else dialogue.turns[:1]
            found += [item.ask for item in turns if item.ask and item.expect == ("answer",)]
    return sorted(set(found))


def moment(app: App) -> Moment:
    """The demo's moment."""
    return Moment(app.clock.now(), datetime(2026, 11, 29))


def answered(app: App, questions: list[str]) -> tuple[list[Reading], list[Slots]]:
    """The readings and slots of the questions that are answered."""
    turns = [take(app.world, EMPTY, Request(text), LOCAL, moment(app)).turn for text in questions]
    turns = [item for item in turns if item.outcome == "answer" and not item.parts]
    readings = [app.world.reader.read(item.question) for item in turns]
    return readings, [item.slots for item in turns if item.slots is not None]


def prepared(app: App, reading: Reading) -> None:
    """From what was read to a checked statement: fill, compile, guard, read back."""
    clock = app.clock.now()
    filled = fill(app.world, EMPTY, reading, clock, Sight(app.world, (), clock))
    answer.compiled(app.world, filled.slots, app.clock.now(), ())


def run(app: App, slots: Slots) -> None:
    """Run the statement of slots."""
    app.world.warehouse.run(answer.prepare(app.world, slots, app.clock.now(), ()).sql)


class Forgetful(RuleReader):
    """A reader that reads every question as if it were the first time."""

    def read(self, text: str, seen: Seen = everything) -> Reading:
        """The reading, made anew."""
        return self.read_anew(text, seen)


def forgetful(world: World) -> World:
    """The same world, which remembers no reading, and of statements only the last."""
    reader = Forgetful(world.layer, world.values, world.reader.lexicon)
    return replace(world, reader=reader, compiled=Known(1))


def turn(app: App, world: World, text: str) -> None:
    """One turn."""
    take(world, EMPTY, Request(text), LOCAL, moment(app))


def clock(one: Callable[[], object]) -> Took:
    """Milliseconds that a call takes, by the clock and of the processor."""
    start, computing = time.perf_counter(), time.process_time()
    one()
    return (time.perf_counter() - start) * 1000, (time.process_time() - computing) * 1000


def times(one: Callable[[T], object], items: list[T]) -> list[Took]:
    """What each call takes, over all rounds, after one that is not counted."""
    for item in items:
        one(item)
    return [clock(partial(one, item)) for _ in range(ROUNDS) for item in items]


def row(name: str, took: list[Took], bar: str) -> None:
    """One line of the table."""
    whole, computing = (sorted(part) for part in zip(*took, strict=True))
    print(
        f"{name:44} p50 {statistics.median(whole):7.3f} p95 {high(whole):7.3f}"
        f"   processor p50 {statistics.median(computing):7.3f} p95 {high(computing):7.3f}   {bar}",
        flush=True,
    )


def high(ordered: list[float]) -> float:
    """The value that one in twenty is above."""
    return ordered[int(len(ordered) * 0.95)]


main()
