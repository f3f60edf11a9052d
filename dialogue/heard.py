"""How a text was heard: its edits, and the stored values and places that reading and filling leant on.

With these a turn can be read again as it was, though the data have changed since: `pinned` makes the index
of just these values.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass
from datetime import date

from dialogue.codec import register
from dialogue.hierarchy import sole
from dialogue.world import Dated, World
from nl2sql.edits import Edit, Reference
from nl2sql.extents import Extent
from nl2sql.reading import Reading
from nl2sql.reading.beside import UNSEEN
from nl2sql.slots import Among, Filter
from nl2sql.times import Range
from semantic_layer.index import Base, Place, Stored, base
from semantic_layer.model import Layer
from semantic_layer.values import ValueIndex


@dataclass(frozen=True, slots=True)
class Places:
    """Where the values heard stand in a hierarchy: with what is above them."""

    hierarchy: str
    rows: tuple[Place, ...]


@dataclass(frozen=True, slots=True)
class Span:
    """From when to when a date column had rows (within a range), as filling found it on a day."""

    table: str
    column: str
    day: date
    within: Range | None
    first: date | None
    last: date | None


@dataclass(frozen=True, slots=True)
class Heard:
    """A text as it was read: what it does to the slots, and the values and candidates it was bound to.

    `soles` are pairs of levels of which every value of the first lies within one of the second (`hierarchy.sole`).
    """

    intent: str = "query"
    edits: tuple[Edit, ...] = ()
    references: tuple[Reference, ...] = ()
    cues: tuple[str, ...] = ()
    values: tuple[Stored, ...] = ()
    places: tuple[Places, ...] = ()
    spans: tuple[Span, ...] = ()
    soles: tuple[tuple[str, str], ...] = ()


def heard(world: World, reading: Reading, filters: Iterable[Filter]) -> Heard:
    """What of the stored data a reading leans on, and the filters that stand before and after it."""
    layer, values = world.layer, world.values
    stored: dict[Stored, None] = {}
    keys: dict[tuple[str, str], None] = {}
    for token in reading.tokens:
        if token.note == UNSEEN:  # no value at all, as far as anybody was told
            continue
        stored |= dict.fromkeys(token.stored())
        keys |= {(item.owner, item.id): None for item in token.meanings("value")}
    edits = (*reading.edits, *(e for a in reading.ambiguities for c in a.choices for e in c.edits))
    said = (value for edit in edits for value in (edit.value, *edit.others))
    for item in (*filters, *said):
        if isinstance(item, Filter) and isinstance(item.test, Among):
            keys |= {(item.field, key): None for key in item.test.values}
    for field, key in keys:
        name = values.label(field, key)
        if name is not None:
            stored[Stored(field, key, name)] = None
    keys |= {(item.dimension, item.key): None for item in stored}
    return Heard(
        reading.intent,
        reading.edits,
        reading.references,
        tuple(sorted(reading.cues)),
        tuple(stored),
        tuple(_places(layer, values, keys)),
        tuple(Span(*key, found.first, found.last) for key, found in world.looked),
        tuple(_soles(world, dict.fromkeys(dimension for dimension, _ in keys))),
    )


def _soles(world: World, dimensions: Iterable[str]) -> Iterator[tuple[str, str]]:
    for dimension in dimensions:
        if dimension in world.layer.dimensions:
            for parent in world.layer.path(dimension)[:-1]:
                if sole(world, dimension, parent):
                    yield dimension, parent


def _places(layer: Layer, values: ValueIndex, keys: Iterable[tuple[str, str]]) -> Iterator[Places]:
    for name, levels in layer.chains().items():
        rows: dict[Place, None] = {}
        for dimension, key in keys:
            if dimension in levels:
                rows |= dict.fromkeys(values.above(name, levels.index(dimension), key))
        if rows:
            yield Places(name, tuple(rows))


def pinned(all_heard: Iterable[Heard]) -> ValueIndex:
    """The index of just the values that were heard."""
    values: dict[Stored, None] = {}
    placed: dict[str, dict[Place, None]] = {}
    for one in all_heard:
        values |= dict.fromkeys(one.values)
        for found in one.places:
            placed.setdefault(found.hierarchy, {}).update(dict.fromkeys(found.rows))
    made: Future[Base] = Future()
    made.set_result(
        Base(base.build(list(values), {name: tuple(rows) for name, rows in placed.items()}))
    )
    return ValueIndex(made)


def extents(all_heard: Iterable[Heard]) -> dict[Dated, Extent]:
    """From when to when the data went, as it was found then."""
    return {
        (one.table, one.column, one.day, one.within): Extent(one.first, one.last)
        for found in all_heard
        for one in found.spans
    }


def soles(layer: Layer, all_heard: Iterable[Heard]) -> dict[tuple[str, str], bool]:
    """For every two levels of a hierarchy whether the first said itself in which of the second it is: just the
    values that were heard do not tell."""
    known = {pair for found in all_heard for pair in found.soles}
    return {
        (inner, outer): (inner, outer) in known
        for levels in layer.chains().values()
        for index, inner in enumerate(levels)
        for outer in levels[:index]
    }


register(sys.modules[__name__], base)
