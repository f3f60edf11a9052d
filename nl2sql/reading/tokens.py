"""What the scanner finds in a text: tokens with a span, a kind and what they carry."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from nl2sql.numbers import Bound, Number
from nl2sql.times import CompareMatch, GrainMatch, NoCompareMatch, TimeMatch
from semantic_layer.lexicon import Meaning
from semantic_layer.values import Stored


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


Payload: TypeAlias = (
    tuple[Meaning, ...]
    | tuple[Stored, ...]
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


@dataclass(frozen=True, slots=True)
class Token:
    """A stretch of text with one kind. `weight` is what the cover gains by taking it."""

    start: int
    end: int
    kind: str
    payload: Payload
    weight: float
    note: str = ""

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
