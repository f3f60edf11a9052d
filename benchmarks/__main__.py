"""`make bench`: the numbers of docs/numbers.md that are measured so far, beside their bars.

Every figure is taken in this run, on the demo data and the project's own question sets. Without an
argument the quick ones; `python -m benchmarks sql` and the others take longer.
"""

from __future__ import annotations

import importlib
import statistics
import sys
import time
from collections.abc import Callable
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TypeVar

from api.settings import Places
from api.wiring import App, open_app
from dialogue import answer
from dialogue.engine import Moment, take
from dialogue.evaluation import read_set
from dialogue.state import EMPTY
from dialogue.turn import Request
from nl2sql import guard, readback
from nl2sql.compiler import Question, build
from nl2sql.slots import Slots
from semantic_layer.load import load
from semantic_layer.protocols import LOCAL

ROUNDS = 5
T = TypeVar("T")


OTHERS = {
    "sql": "the generated SQL against SQL written by hand, a million bills (1 to 2 minutes)",
    "load": "loading a layer of a thousand metrics, and where the time goes",
    "values": "reading among 100 thousand and a million stored values, and making the index (minutes)",
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
    """Measure and print what takes some seconds."""
    app = open_app(Places.find(), record=False)
    questions = asked()
    print(f"{len(questions)} questions, {ROUNDS} rounds; milliseconds\n")
    reading = times(lambda text: app.world.reader.read(text), questions)
    row("reading one question", reading, "p50 < 1, p95 < 3 (at 100 k values)")
    slots = answered(app, questions)
    compiling = times(lambda item: compiled(app, item), slots)
    row("filling apart: compile + read back + guard", compiling, "p50 < 2 (with filling)")
    row("running on DuckDB (demo data)", times(lambda item: run(app, item), slots[:60]), "")
    row("one turn, whole", times(lambda text: turn(app, text), questions[:150]), "")
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


def answered(app: App, questions: list[str]) -> list[Slots]:
    """The slots of the questions that are answered."""
    turns = [take(app.world, EMPTY, Request(text), LOCAL, moment(app)).turn for text in questions]
    return [item.slots for item in turns if item.outcome == "answer" and item.slots is not None]


def compiled(app: App, slots: Slots) -> None:
    """Compile, guard and read back."""
    question = Question(slots, app.world.layer, app.clock.now())
    tree = guard.check(build(question).sql, app.world.layer)
    readback.check_tree(tree, slots, app.world.layer, app.clock.now())


def run(app: App, slots: Slots) -> None:
    """Run the statement of slots."""
    app.world.warehouse.run(answer.prepare(app.world, slots, app.clock.now(), ()).sql)


def turn(app: App, text: str) -> None:
    """One turn."""
    take(app.world, EMPTY, Request(text), LOCAL, moment(app))


def clock(one: Callable[[], object]) -> float:
    """Milliseconds that a call takes."""
    start = time.perf_counter()
    one()
    return (time.perf_counter() - start) * 1000


def times(one: Callable[[T], object], items: list[T]) -> list[float]:
    """Milliseconds of each call, over all rounds, after one that is not counted."""
    for item in items:
        one(item)
    return [clock(partial(one, item)) for _ in range(ROUNDS) for item in items]


def row(name: str, took: list[float], bar: str) -> None:
    """One line of the table."""
    ordered = sorted(took)
    p95 = ordered[int(len(ordered) * 0.95)]
    print(f"{name:46} p50 {statistics.median(ordered):8.3f}   p95 {p95:8.3f}   {bar}")


main()
