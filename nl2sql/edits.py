"""Edits: what one turn does to the slots, apart from how it was understood (readers, clicks, chips).

Each is a typed value with the span of text it came from, and a score; the dialogue applies them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from nl2sql.slots import Comparison, Filter, Having, Limit, Order, Span, TimeSlot
from nl2sql.times import Grain, TimeExpr

Op: TypeAlias = Literal["set", "add", "remove", "clear"]
Slot: TypeAlias = Literal[
    "object",
    "metrics",
    "dimensions",
    "grain",
    "filters",
    "having",
    "time",
    "role",
    "comparison",
    "order",
    "limit",
    "rows",
    "shown",
    "share",
    "totals",
    "others",
    "running",
    "fill",
    "counted",
]


@dataclass(frozen=True, slots=True)
class TimeMention:
    """A period as it was said, resolved once the field (and so its direction) is known."""

    words: str
    expr: TimeExpr


EditValue: TypeAlias = (
    tuple[str, ...]
    | Filter
    | Having
    | TimeMention
    | TimeSlot
    | Comparison
    | Order
    | Limit
    | Grain
    | str
    | None
)


@dataclass(frozen=True, slots=True)
class Edit:
    """Set, add, remove or clear (part of) a slot.

    `others` are further meanings of the same words; what was asked about decides between them.
    `words` are the words as they were said: for messages alone, no meaning hangs on them.
    """

    slot: Slot
    op: Op
    value: EditValue
    span: Span = (0, 0)
    score: float = 1.0
    note: str = ""
    others: tuple[EditValue, ...] = ()
    words: str = field(default="", compare=False)


# of a condition on a metric: that it is said of single rows, and (after it) of which object's
OF_ROWS = "rows:"
EVERY = "every"  # of a filter that is cleared: what lies below stays, and is asked of all
RefersTo: TypeAlias = Literal["one", "kind", "set", "row", "others"]


@dataclass(frozen=True, slots=True)
class Reference:
    """A word that points back: it, they, among them, the second one, the others.

    `kind` one: the last entity; `kind`: the last one of a list of kinds (这类); `set`: the members of the last
    result; `others`: all but what was ranked or named; `row`: its `index`-th row (from 1, −1 is the last). Of a set,
    `index` is how many it must be (这两个), 0 where that was not said. `dimension` narrows what it may stand for.
    """

    kind: RefersTo
    span: Span
    index: int = 0
    dimension: str | None = None
    object: str | None = None
