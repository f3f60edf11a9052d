"""The stored values of a layer's dimensions: found in a text by name or by the beginning of a name.

Sorted arrays and binary search, so that a million values stay small; read from the warehouse once.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sqlglot import exp

from semantic_layer.lexicon import whole
from semantic_layer.model import Dimension, Layer
from semantic_layer.paths import shortest
from semantic_layer.protocols import Warehouse
from semantic_layer.text import fold

SHORTEST = 2
MANY = 2000


@dataclass(frozen=True, slots=True)
class Stored:
    """A stored value of a dimension: its key, the name people see, and its path of parents."""

    dimension: str
    key: str
    name: str
    path: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ValueHit:
    """Stored values whose name is (`exact`) or begins with `text[start:end]`."""

    start: int
    end: int
    exact: bool
    values: tuple[Stored, ...]


class ValueIndex:
    """Names of stored values in sorted order, and for values within others, where they occur."""

    def __init__(self, values: Sequence[Stored], placed: dict[str, tuple[tuple[str, ...], ...]]) -> None:
        pairs = sorted(((fold(value.name), value) for value in values), key=lambda pair: (pair[0], pair[1].key))
        self._names = [name for name, _ in pairs]
        self._values = [value for _, value in pairs]
        self._labels = {(value.dimension, value.key): value.name for value in values}
        self._placed = placed

    def label(self, dimension: str, key: str) -> str | None:
        """The name of a stored value, None when there is no such value."""
        return self._labels.get((dimension, key))

    def places(self, dimension: str) -> tuple[tuple[str, ...], ...]:
        """Every path of a dimension that lives within others, outermost first."""
        return self._placed.get(dimension, ())

    def named(self, name: str) -> tuple[Stored, ...]:
        """The values of exactly this (folded) name."""
        found: list[Stored] = []
        at = bisect_left(self._names, name)
        while at < len(self._names) and self._names[at] == name:
            found.append(self._values[at])
            at += 1
        return tuple(found)

    def names(self) -> Sequence[str]:
        """All folded names, sorted."""
        return self._names

    def at(self, position: int) -> Stored:
        """The value whose name stands at a position of `names`."""
        return self._values[position]

    def find(self, text: str) -> Iterator[ValueHit]:
        """At every place, the longest text with which a stored name begins, and every whole name."""
        for start in range(len(text)):
            if start and not whole(text, start, start + 1) or text[start] == " ":
                continue
            low, high = 0, len(self._names)
            end, best = start, (0, 0)
            while end < len(text) and end - start < 80:
                prefix = text[start : end + 1]
                low = bisect_left(self._names, prefix, low, high)
                high = bisect_left(self._names, prefix + "\U0010ffff", low, high)
                if low >= high:
                    break
                end, best = end + 1, (low, high)
                if self._names[low] == prefix and whole(text, start, end):
                    same = [value for value in self._values[low:high] if fold(value.name) == prefix]
                    yield ValueHit(start, end, True, tuple(same))
            while end > start and text[end - 1] == " ":
                end -= 1
            size = best[1] - best[0]
            enough = SHORTEST if not text[start:end].isascii() else 4
            if end - start >= enough and size <= MANY and whole(text, start, end):
                names = self._names[best[0] : best[1]]
                if any(name != text[start:end] for name in names):
                    yield ValueHit(start, end, False, tuple(self._values[best[0] : best[1]]))


def build_index(layer: Layer, warehouse: Warehouse) -> ValueIndex:
    """Read the stored values of every indexed text dimension without an enum."""
    values: list[Stored] = []
    placed: dict[str, tuple[tuple[str, ...], ...]] = {}
    for dimension in layer.dimensions.values():
        if dimension.enum is not None or not dimension.indexed:
            continue
        path = layer.path(dimension.id)
        rows = warehouse.run(query(layer, dimension, path, warehouse.dialect)).rows
        if len(path) > 1:
            placed[dimension.id] = tuple(tuple(_text(cell) for cell in row[: len(path)]) for row in rows if None not in row)
            if dimension.pattern is None:
                values += [Stored(dimension.id, _text(row[len(path) - 1]), _text(row[-1]), tuple(map(_text, row[:-2]))) for row in rows if row[-1] is not None]
            continue
        values += [Stored(dimension.id, _text(row[0]), _text(row[-1])) for row in rows if row[0] is not None and row[-1] is not None]
    unique = {(value.dimension, value.key): value for value in values}
    return ValueIndex(tuple(unique.values()), placed)


def query(layer: Layer, dimension: Dimension, path: tuple[str, ...], dialect: str) -> str:
    """The SELECT of a dimension's values: its path, then the name people see."""
    select = exp.Select().distinct()
    joins: dict[tuple[str, ...], str] = {(): dimension.table}
    for name in path:
        parent = layer.dimensions[name]
        ways = shortest(layer.tables, dimension.table, parent.table)
        steps = ways[0] if ways else ()
        here = dimension.table
        for index, step in enumerate(steps):
            join = layer.tables[here].joins[step]
            if steps[: index + 1] not in joins:
                joins[steps[: index + 1]] = f"v_{'_'.join(steps[: index + 1])}"
            here = join.to
        select = select.select(exp.column(parent.column, joins[steps]))
    select = select.select(exp.alias_(exp.column(dimension.label or dimension.column, dimension.table), "shown"))
    select = select.from_(exp.alias_(exp.to_table(layer.tables[dimension.table].source), dimension.table, table=True))
    for steps, alias in joins.items():
        if steps:
            before = layer.follow(dimension.table, steps[:-1])
            join = layer.tables[before].joins[steps[-1]]
            on = exp.and_(*(exp.column(there, alias).eq(exp.column(here, joins[steps[:-1]])) for here, there in join.pairs))
            select = select.join(exp.alias_(exp.to_table(layer.tables[join.to].source), alias, table=True), on=on, join_type="left")
    return select.sql(dialect=dialect)


def _text(cell: object) -> str:
    return str(cell).lower() if isinstance(cell, bool) else str(cell)
