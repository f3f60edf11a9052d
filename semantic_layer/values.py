"""The stored values of a layer's dimensions: found in a text by name, by the beginning of a name, by a part.

What the reader asks of them stands here; the arrays behind it in `index`. A large base is made in the
background: who asks before it is ready waits, since a question read without its values would be read wrongly.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from semantic_layer.index import Base, Place, Stored
from semantic_layer.index.base import CODE, is_code
from semantic_layer.index.parts import DIGITS
from semantic_layer.index.source import Source
from semantic_layer.lexicon import whole
from semantic_layer.model import Layer
from semantic_layer.protocols import Warehouse
from semantic_layer.text import fold

SHORTEST = 2
MANY = 2000
LARGE = 20_000
_RUN = re.compile("[a-z0-9]+")


@dataclass(frozen=True, slots=True)
class ValueHit:
    """Stored values whose name is (`exact`) or begins with `text[start:end]`, by their entries."""

    start: int
    end: int
    exact: bool
    entries: Sequence[int]


Visible: TypeAlias = Callable[[Sequence[int]], Sequence[int]]


def whatever(entries: Sequence[int]) -> Sequence[int]:
    """Of entries, those that may be seen: all."""
    return entries


class ValueIndex:
    """The stored values of one layer in one database, and which values of a hierarchy occur together."""

    def __init__(self, made: Future[Base], source: Source | None = None) -> None:
        self._made, self._source = made, source
        self._places: dict[str, tuple[Place, ...]] | None = None
        self._above: dict[tuple[str, int], dict[str, list[Place]]] = {}

    def refresh(self) -> None:
        """Make the index anew where the data have changed since. Raises `WarehouseError` (nl2sql)."""
        if self._source is not None and (made := self._source.changed()) is not None:
            self._made, self._places, self._above = made, None, {}

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

    def above(self, hierarchy: str, level: int, key: str) -> Sequence[Place]:
        """The combinations of a hierarchy that end with a value on a level: what is above it."""
        known = self._above.get((hierarchy, level))
        if known is None:
            known = {}
            for place in self.places(hierarchy):
                end = place[level]
                if end is not None and (level + 1 == len(place) or place[level + 1] is None):
                    known.setdefault(end, []).append(place)
            self._above[hierarchy, level] = known
        return known.get(key, ())

    def stored(self, entries: Sequence[int]) -> tuple[Stored, ...]:
        """The values of entries."""
        return tuple(map(self.base.entry, entries))

    def named(self, name: str) -> tuple[Stored, ...]:
        """The values of exactly this (folded) name."""
        base = self.base
        at = base.names.position(name) if name else None
        return () if at is None else self.stored(base.entries(at, at + 1))

    def find(self, text: str, visible: Visible = whatever) -> Iterator[ValueHit]:
        """At every place, the longest text with which a stored name begins, and every whole name or code.

        Of entries, those that are `visible`: all is as if there were no others.
        """
        base = self.base
        names = base.names
        yield from self._codes(text, visible)
        for start in range(len(text)):
            if text[start] == " " or (start and not whole(text, start, len(text))):
                continue
            exact, length, (first, last) = names.beginning(text, start)
            for one in exact:
                end = start + len(names[one])
                if whole(text, start, end) and (named := visible(base.entries(one, one + 1))):
                    yield ValueHit(start, end, True, named)
            entries: Sequence[int] = base.entries(first, last)
            if visible is not whatever:
                length, entries = self._begun(text[start : start + length], entries, visible)
            end = start + length
            while end > start and text[end - 1] == " ":
                end -= 1
            part = text[start:end]
            if not long_enough(part) or not whole(text, start, end) or len(entries) > MANY:
                continue
            if entries and names[base.name_of(entries[-1])] == part:
                continue  # a whole name, with which no other one begins
            if part[-1] in DIGITS:  # 12号 does not begin with 1
                low, high = names.going_on(part, "0", ":", *names.begun(part))
                cut = base.entries(low, high)  # those that go on with a digit stand together
                entries = [one for one in entries if not cut.start <= one < cut.stop]
            if entries:
                yield ValueHit(start, end, False, entries)

    def _begun(
        self, part: str, entries: Sequence[int], visible: Visible
    ) -> tuple[int, Sequence[int]]:
        """How much of a part a visible name begins with, and those that do: of the others nothing is told, by how
        much of their names was read either."""
        while part and len(entries) <= MANY:
            if kept := visible(entries):
                return len(part), kept
            part = part[:-1]
            entries = self.base.entries(*self.base.names.begun(part)) if len(part) > 1 else ()
        return len(part), entries

    def _codes(self, text: str, visible: Visible) -> Iterator[ValueHit]:
        """Keys that people say in the place of names: t00302, or p001 and p002 in p001-p002."""
        for match in CODE.finditer(text):
            for part in (match, *(_RUN.finditer(text, *match.span()))):
                if not is_code(part.group()):
                    continue
                if entries := visible(self.base.coded(part.group())):
                    yield ValueHit(part.start(), part.end(), True, entries)
                    if part is match:
                        break

    def like(self, dimension: str, part: str, most: int) -> Iterator[Stored]:
        """The values of a dimension one of whose names holds a (folded) part; of a part too short to be found
        by, or of none, those among the first `most` names."""
        base = self.base
        if long_enough(part) and (found := base.parts.holding(part, most)) is not None:
            looked: Iterator[int] = (one for name in found for one in base.entries(name, name + 1))
        else:
            looked = iter(range(min(len(base), most)))
        for one in looked:
            stored = base.entry(one)
            if stored.dimension == dimension and part in fold(stored.name):
                yield stored

    def few(self, entries: Sequence[int], most: int) -> list[int]:
        """Of entries the first `most` of each dimension."""
        base, counted = self.base, Counter[int]()
        kept: list[int] = []
        for one in entries:
            dimension = base.dimension_of(one)
            counted[dimension] += 1
            if counted[dimension] <= most:
                kept.append(one)
        return kept

    def holding(self, piece: str) -> tuple[int, ...]:
        """The entries whose names hold a piece, wherever in them; none when they are too many to ask about."""
        base = self.base
        if not long_enough(piece):
            return ()
        found = base.parts.holding(piece, MANY) or ()
        entries = tuple(one for name in found for one in base.entries(name, name + 1))
        return entries if len(entries) <= MANY else ()


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
    can be written, as readable as the file `like`. Raises `WarehouseError` (nl2sql), always before it returns.
    """
    source = Source(layer, warehouse, path, like, large)
    made = source.changed()
    assert made is not None
    return ValueIndex(made, source)
