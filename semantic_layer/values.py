"""The stored values of a layer's dimensions: found in a text by name, by the beginning of a name, by a part.

What the reader asks of them stands here; the arrays behind it in `index`. A large base is made in the
background: who asks before it is ready waits, since a question read without its values would be read wrongly.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from sqlglot import exp

from semantic_layer.index import Base, Place, Stored, build
from semantic_layer.index.hashes import Buffer
from semantic_layer.index.saved import load, save
from semantic_layer.lexicon import whole
from semantic_layer.model import Dimension, Layer
from semantic_layer.paths import shortest
from semantic_layer.protocols import Warehouse

SHORTEST = 2
MANY = 2000
LARGE = 20_000


@dataclass(frozen=True, slots=True)
class ValueHit:
    """Stored values whose name is (`exact`) or begins with `text[start:end]`, by their entries."""

    start: int
    end: int
    exact: bool
    entries: Sequence[int]


class ValueIndex:
    """The stored values of one layer in one database, and which values of a hierarchy occur together."""

    def __init__(self, base: Base | Future[Base]) -> None:
        self._made: Future[Base] = Future()
        if isinstance(base, Base):
            self._made.set_result(base)
        else:
            self._made = base
        self._places: dict[str, tuple[Place, ...]] | None = None

    @property
    def base(self) -> Base:
        """The arrays; waits until they are there."""
        return self._made.result()

    @property
    def ready(self) -> bool:
        """Whether nobody would have to wait."""
        return self._made.done()

    def label(self, dimension: str, key: str) -> str | None:
        """The name of a stored value, None when there is no such value."""
        return self.base.label(dimension, key)

    def places(self, hierarchy: str) -> tuple[Place, ...]:
        """Every combination of values that a hierarchy's levels have together, level by level;
        None on the levels below where a branch ends."""
        if self._places is None:
            self._places = self.base.places()
        return self._places.get(hierarchy, ())

    def stored(self, entries: Sequence[int]) -> tuple[Stored, ...]:
        """The values of entries."""
        return tuple(map(self.base.entry, entries))

    def named(self, name: str) -> tuple[Stored, ...]:
        """The values of exactly this (folded) name."""
        base = self.base
        at = base.names.position(name) if name else None
        return () if at is None else self.stored(base.entries(at, at + 1))

    def find(self, text: str) -> Iterator[ValueHit]:
        """At every place, the longest text with which a stored name begins, and every whole name."""
        base = self.base
        names = base.names
        for start in range(len(text)):
            if text[start] == " " or (start and not whole(text, start, len(text))):
                continue
            exact, length, (first, last) = names.beginning(text, start)
            for one in exact:
                end = start + len(names[one])
                if whole(text, start, end):
                    yield ValueHit(start, end, True, base.entries(one, one + 1))
            end = start + length
            while end > start and text[end - 1] == " ":
                end -= 1
            if not long_enough(text[start:end]) or not whole(text, start, end):
                continue
            entries = base.entries(first, last)
            if len(entries) > MANY or (last - first == 1 and names[first] == text[start:end]):
                continue
            kept = self._uncut(text[start:end], entries, first, last)
            if kept:
                yield ValueHit(start, end, False, kept)

    def holding(self, piece: str) -> tuple[int, ...]:
        """The entries whose names hold a piece, wherever in them; none when they are too many to ask about."""
        base = self.base
        if not long_enough(piece):
            return ()
        found = base.parts.holding(piece, MANY) or ()
        entries = tuple(one for name in found for one in base.entries(name, name + 1))
        return entries if len(entries) <= MANY else ()

    def _uncut(self, piece: str, entries: range, first: int, last: int) -> Sequence[int]:
        """Without names that go on with a digit where the piece ends in one: 12号 does not begin with 1."""
        if not piece[-1].isdigit():
            return entries
        base = self.base
        return [
            one
            for name in range(first, last)
            if not base.names[name][len(piece) : len(piece) + 1].isdigit()
            for one in base.entries(name, name + 1)
        ]


def long_enough(piece: str) -> bool:
    """Whether a piece of a name says something: two characters, four where they are Latin."""
    return len(piece) >= (4 if piece.isascii() else SHORTEST)


def build_index(
    layer: Layer,
    warehouse: Warehouse,
    path: Path | None = None,
    like: Path | None = None,
    *,
    large: int = LARGE,
) -> ValueIndex:
    """The values of a layer in a warehouse: as they were saved at `path`, else read from the warehouse.

    More than `large` values are put in order in the background. What is made is saved at `path`, where that
    can be written. Raises `WarehouseError` (nl2sql), always before it returns.
    """
    key = version(layer, warehouse)
    if path is not None and (known := load(path, key)) is not None:
        return ValueIndex(Base(known))
    values, placed = collect(layer, warehouse)

    def make() -> Base:
        sections = build(values, placed)
        values.clear()
        if path is not None and save(path, key, sections, like):
            mapped = load(path, key)
            sections = sections if mapped is None else dict[str, Buffer](mapped)
        return Base(sections)

    return ValueIndex(make() if len(values) <= large else _behind(make))


def version(layer: Layer, warehouse: Warehouse) -> str:
    """What an index is of: the data, the layer, and the libraries that fold and sound."""
    libraries = " ".join(f"{name} {metadata.version(name)}" for name in ("opencc", "pypinyin"))
    return f"{warehouse.data_version} {layer.hash} {libraries}"


def _behind(make: Callable[[], Base]) -> Future[Base]:
    """Made in a thread of its own, which does not keep the process alive."""
    future: Future[Base] = Future()

    def run() -> None:
        try:
            future.set_result(make())
        except BaseException as error:  # whoever waits is told
            future.set_exception(error)

    threading.Thread(target=run, name="value-index", daemon=True).start()
    return future


def collect(
    layer: Layer, warehouse: Warehouse
) -> tuple[list[Stored], dict[str, tuple[Place, ...]]]:
    """The stored values of every indexed dimension without an enum, and the hierarchies' places."""
    values: list[Stored] = []
    for dimension in layer.dimensions.values():
        if dimension.enum is not None or not dimension.indexed or dimension.pattern is not None:
            continue
        named: dict[str, str] = {}
        sql = query(layer, (dimension.id,), dimension, warehouse.dialect)
        for key, name in warehouse.run(sql).rows:
            if key is not None and name is not None:
                named.setdefault(_text(key), _text(name))
        values.extend(Stored(dimension.id, key, name) for key, name in named.items())
    placed: dict[str, tuple[Place, ...]] = {}
    for hierarchy, levels in layer.chains().items():
        found: set[Place] = set()
        for depth in range(1, len(levels) + 1):  # a branch may end early: a building without rooms
            lowest = layer.dimensions[levels[depth - 1]]
            rows = warehouse.run(query(layer, levels[:depth], lowest, warehouse.dialect)).rows
            rest = (None,) * (len(levels) - depth)
            found |= {(*map(_text, row[:-1]), *rest) for row in rows if None not in row[:-1]}
        placed[hierarchy] = tuple(sorted(found, key=lambda place: [level or "" for level in place]))
    return values, placed


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
