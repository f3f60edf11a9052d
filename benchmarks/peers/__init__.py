"""`python -m benchmarks peers`: compiling a question, beside other semantic layers, in one run.

Each layer lives in a process of its own (`protocol.py`); rounds are taken in turns, so that a busy
machine slows all of them. The rows of each one's SQL are compared with those of SQL written by hand.
The others are installed into var/bench/peers-venv, never into the project's own environment.
"""

from __future__ import annotations

import statistics
import sys
import threading
from typing import TypeAlias

import duckdb

from api.settings import Places
from api.wiring import make_demo
from benchmarks.peers.layers import PEERS, Layer, start
from benchmarks.peers.questions import ASKED, Asked

Cells: TypeAlias = tuple[str, ...]
ROUNDS, TIMES, WARM, PATIENCE = 9, 5, 5, 30


def main() -> None:
    """Install, start, measure, compare and print."""
    places = Places.find()
    if not places.warehouse.exists():
        make_demo(places, print)
    layers = [layer for layer in map(start, ("wenshu", *PEERS)) if layer is not None]
    measure(layers)
    for layer in layers:
        print(f"{layer.name} {layer.version}: import and load {layer.load_ms:.0f} ms")
        layer.close()
    print(f"\ncompiling, warm: median milliseconds of {ROUNDS * TIMES}, and how many times ours\n")
    print(f"{'question':62}" + "".join(f"{layer.name:>18}" for layer in layers))
    for question in ASKED:
        cells = "".join(cell(question, layers[0], layer) for layer in layers)
        print(f"{question.words:62}{cells}")
    if layers[1:]:
        print(f"\nthe nearest of the others takes {nearest(layers):.2f} times ours")
    print("\nrows, beside SQL written by hand:")
    wrong = []
    with duckdb.connect(str(places.warehouse), read_only=True) as connection:
        for question in ASKED:
            right = rows(connection, question.truth)
            for layer in layers:
                said = verdict(connection, question, right, layer)
                print(f"  {layer.name:12} {question.id:8} {said}")
                wrong += [question.id] if layer is layers[0] and said != same(right) else []
    if wrong:
        sys.exit(f"ours is wrong: {', '.join(wrong)}")


def measure(layers: list[Layer]) -> None:
    """Warm up, then rounds in which the layers take turns and another begins each time."""
    for question in ASKED:
        for layer in layers:
            layer.compile(question.id, WARM)
            layer.took.pop(question.id, None)
    for number in range(ROUNDS):
        first = number % len(layers)
        for question in ASKED:
            for layer in (*layers[first:], *layers[:first]):
                layer.compile(question.id, TIMES)


def nearest(layers: list[Layer]) -> float:
    """The smallest ratio of another's median to ours."""
    return min(
        layer.median(question.id) / layers[0].median(question.id)
        for question in ASKED
        for layer in layers[1:]
        if question.id in layer.took
    )


def cell(question: Asked, first: Layer, layer: Layer) -> str:
    """What a layer's column shows."""
    if question.id not in layer.took:
        return f"{'refused':>18}"
    median = statistics.median(layer.took[question.id])
    ratio = "" if layer is first else f"({median / first.median(question.id):.1f}x)"
    return f"{median:>10.2f} {ratio:>7}"


def verdict(
    connection: duckdb.DuckDBPyConnection, question: Asked, right: list[Cells], layer: Layer
) -> str:
    """Whether a layer's rows are right, in a line."""
    if question.id not in layer.sql:
        return layer.refusals[question.id]
    try:
        found = rows(connection, layer.sql[question.id])
    except duckdb.InterruptException:
        return f"stopped after {PATIENCE} s"
    except duckdb.Error as error:
        return f"does not run: {str(error).splitlines()[0]}"
    if found == right:
        return same(right)
    lost = [row for row in right if row not in found]
    return f"WRONG: {len(found)} rows for {len(right)}; not among them {lost[:2]}"


def same(right: list[Cells]) -> str:
    """The verdict on rows that are right."""
    return f"the same {len(right)} rows"


def rows(connection: duckdb.DuckDBPyConnection, sql: str) -> list[Cells]:
    """The rows of a statement, each as a set of cells, labels left out; stopped when it takes too long."""
    timer = threading.Timer(PATIENCE, connection.interrupt)
    timer.start()
    try:
        cursor = connection.execute(sql)
        named = [str(item[0]) for item in cursor.description or ()]
        kept = [index for index, name in enumerate(named) if not name.endswith("__label")]
        return sorted(tuple(sorted(plain(row[i]) for i in kept)) for row in cursor.fetchall())
    finally:
        timer.cancel()


def plain(value: object) -> str:
    """A cell for comparison: figures by nine digits, moments by their day.

    >>> plain(0.1 + 0.2), plain(None)
    ('0.3', 'NULL')
    """
    if value is None:
        return "NULL"
    try:
        return f"{float(str(value)):.9g}"
    except ValueError:
        return str(value).removesuffix(" 00:00:00")
