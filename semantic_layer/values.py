"""The stored values of a layer's dimensions: found in a text by name or by the beginning of a name.

Sorted arrays and binary search, so that a million values stay small; read from the warehouse once.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from sqlglot import exp

from semantic_layer.lexicon import whole
from semantic_layer.model import Dimension, Layer
from semantic_layer.paths import shortest
from semantic_layer.protocols import Warehouse
from semantic_layer.text import fold

SHORTEST = 2
MANY = 2000


Place: TypeAlias = tuple[str | None, ...]


@dataclass(frozen=True, slots=True)
class Stored:
    """A stored value of a dimension: its key, and the name people see."""

    dimension: str
    key: str
    name: str


@dataclass(frozen=True, slots=True)
class ValueHit:
    """Stored values whose name is (`exact`) or begins with `text[start:end]`."""

    start: int
    end: int
    exact: bool
    values: tuple[Stored, ...]


class ValueIndex:
    """Names of stored values in sorted order, and which values of a hierarchy occur together."""

    def __init__(self, values: Sequence[Stored], placed: dict[str, tuple[Place, ...]]) -> None:
        pairs = sorted(
            ((fold(value.name), value) for value in values), key=lambda pair: (pair[0], pair[1].key)
        )
        self._names = [name for name, _ in pairs]
        self._values = [value for _, value in pairs]
        self._labels = {(value.dimension, value.key): value.name for value in values}
        self._placed = placed

    def label(self, dimension: str, key: str) -> str | None:
        """The name of a stored value, None when there is no such value."""
        return self._labels.get((dimension, key))

    def places(self, hierarchy: str) -> tuple[Place, ...]:
        """Every combination of values that a hierarchy's levels have together, level by level;
        None on the levels below where a branch ends."""
        return self._placed.get(hierarchy, ())

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
            if (start and not whole(text, start, start + 1)) or text[start] == " ":
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
    """Read the stored values of every indexed dimension without an enum, and the hierarchies' places."""
    values: dict[tuple[str, str], Stored] = {}
    for dimension in layer.dimensions.values():
        if dimension.enum is not None or not dimension.indexed or dimension.pattern is not None:
            continue
        for key, name in warehouse.run(
            query(layer, (dimension.id,), dimension, warehouse.dialect)
        ).rows:
            if key is not None and name is not None:
                values.setdefault(
                    (dimension.id, _text(key)), Stored(dimension.id, _text(key), _text(name))
                )
    placed: dict[str, tuple[Place, ...]] = {}
    for hierarchy, levels in layer.chains().items():
        found: set[Place] = set()
        for depth in range(1, len(levels) + 1):  # a branch may end early: a building without rooms
            lowest = layer.dimensions[levels[depth - 1]]
            rows = warehouse.run(query(layer, levels[:depth], lowest, warehouse.dialect)).rows
            rest = (None,) * (len(levels) - depth)
            found |= {(*map(_text, row[:-1]), *rest) for row in rows if None not in row[:-1]}
        placed[hierarchy] = tuple(sorted(found, key=lambda place: [level or "" for level in place]))
    return ValueIndex(tuple(values.values()), placed)


def query(layer: Layer, levels: Sequence[str], lowest: Dimension, dialect: str) -> str:
    """The SELECT of the values that dimensions have together, from the lowest one's table, and its label."""
    select = exp.Select().distinct()
    joins: dict[tuple[str, ...], str] = {(): lowest.table}
    for name in levels:
        level = layer.dimensions[name]
        ways = shortest(layer.tables, lowest.table, level.table)
        steps = ways[0] if ways else ()
        for index in range(len(steps)):
            joins.setdefault(steps[: index + 1], f"v_{'_'.join(steps[: index + 1])}")
        select = select.select(exp.column(level.column, joins[steps]))
    select = select.select(
        exp.alias_(exp.column(lowest.label or lowest.column, lowest.table), "shown")
    )
    select = select.from_(
        exp.alias_(exp.to_table(layer.tables[lowest.table].source), lowest.table, table=True)
    )
    for steps, alias in joins.items():
        if steps:
            before = layer.follow(lowest.table, steps[:-1])
            join = layer.tables[before].joins[steps[-1]]
            on = exp.and_(
                *(
                    exp.column(there, alias).eq(exp.column(here, joins[steps[:-1]]))
                    for here, there in join.pairs
                )
            )
            select = select.join(
                exp.alias_(exp.to_table(layer.tables[join.to].source), alias, table=True),
                on=on,
                join_type="left",
            )
    return select.sql(dialect=dialect)


def _text(cell: object) -> str:
    return str(cell).lower() if isinstance(cell, bool) else str(cell)
