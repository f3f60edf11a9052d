"""What the scanner finds in a text: tokens with a span, a kind and what they carry."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from nl2sql.numbers import Bound, Number
from nl2sql.times import CompareMatch, GrainMatch, NoCompareMatch, TimeMatch
from semantic_layer.index import Stored
from semantic_layer.lexicon import Meaning
from semantic_layer.values import ValueIndex, Visible, whatever


@dataclass(frozen=True, slots=True)
class Rank:
    """A place in an order: top 3, the third most. `descending` is None where no direction was said,
    `counted` is false for a bare superlative (最高的), which means one only where nothing else is known."""

    first: int
    last: int
    descending: bool | None
    counted: bool = True
    unit: str = ""
    judged: bool = False  # 最好, worst: which end that is depends on the metric


@dataclass(frozen=True, slots=True)
class RowNumber:
    """A row of the last result: 第二个 (2), the last one (−1)."""

    index: int


@dataclass(frozen=True, slots=True)
class Quoted:
    """Text in quotation marks."""

    text: str


@dataclass(frozen=True, slots=True)
class Several:
    """Several values of one dimension, said in one word: 1-3号楼, 水电费."""

    dimension: str
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Entries:
    """Stored values that were not read out yet: only what the cover chooses is."""

    entries: Sequence[int]


Payload: TypeAlias = (
    tuple[Meaning | Stored, ...]
    | tuple[Several, ...]
    | Entries
    | TimeMatch
    | GrainMatch
    | CompareMatch
    | NoCompareMatch
    | Number
    | Bound
    | Rank
    | RowNumber
    | Quoted
    | None
)


FEW = 50

Meant: TypeAlias = tuple[Meaning | Stored, ...]
Seen: TypeAlias = Callable[[Meant], Meant]


def everything(meant: Meant) -> Meant:
    """Of what a word can mean, what the user may see: all of it."""
    return meant


def few(meant: Meant) -> tuple[Meant, int]:
    """The first values of each dimension, enough to ask which is meant; and how many more there are."""
    counted: Counter[str] = Counter()
    kept: list[Meaning | Stored] = []
    for item in meant:
        if isinstance(item, Stored):
            counted[item.dimension] += 1
            if counted[item.dimension] > FEW:
                continue
        kept.append(item)
    return tuple(kept), len(meant) - len(kept)


def visible(values: ValueIndex, seen: Seen) -> Visible:
    """Of entries, those whose values may be seen."""
    if seen is everything:
        return whatever

    def kept(entries: Sequence[int]) -> Sequence[int]:
        stored = values.stored(entries)
        may = frozenset(seen(stored))
        return [entry for entry, value in zip(entries, stored, strict=True) if value in may]

    return kept


def read_out(values: ValueIndex, entries: Sequence[int], seen: Seen) -> tuple[Meant, int]:
    """The first values of entries that may be seen, and how many more there are; no more is read than needed."""
    if seen is not everything:
        return few(seen(values.stored(entries)))
    kept = values.few(entries, FEW)
    return values.stored(kept), len(entries) - len(kept)


@dataclass(frozen=True, slots=True)
class Token:
    """A stretch of text with one kind. `weight` is what the cover gains by taking it; `more` values than
    the payload has could be meant."""

    start: int
    end: int
    kind: str
    payload: Payload
    weight: float
    note: str = ""
    more: int = 0

    def meanings(self, kind: str) -> tuple[Meaning, ...]:
        """Its meanings of one kind, where it is a word of the layer."""
        if not isinstance(self.payload, tuple):
            return ()
        return tuple(
            item for item in self.payload if isinstance(item, Meaning) and item.kind == kind
        )

    def stored(self) -> tuple[Stored, ...]:
        """Its stored values, where it is (the beginning of) names."""
        if not isinstance(self.payload, tuple):
            return ()
        return tuple(item for item in self.payload if isinstance(item, Stored))

    def several(self) -> tuple[Several, ...]:
        """What it can mean, where it is several values in one word."""
        if not isinstance(self.payload, tuple):
            return ()
        return tuple(item for item in self.payload if isinstance(item, Several))

    def owners(self) -> set[str]:
        """The dimensions that its values can be of."""
        return (
            {item.owner for item in self.meanings("value")}
            | {item.dimension for item in self.stored()}
            | {item.dimension for item in self.several()}
        )
