"""The plan: what will be computed, between slots and SQL. Plain frozen values; prints as text.

A `Leg` is one pass over one fact table; its groups are combined with those of the other legs.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, TypeAlias

from nl2sql.slots import Filter, Slots
from nl2sql.times import Calendar, Grain, Range
from nl2sql.windows import Period as Bucket
from semantic_layer.expression import Expression
from semantic_layer.model import Dimension, HasMany, Layer, Metric, Role, Window

Period: TypeAlias = Literal["current", "base"]
Ranges: TypeAlias = tuple[Range, ...]


@dataclass(frozen=True, slots=True)
class Question:
    """What is compiled: slots, under a layer, at a clock, with the filters that policy imposes."""

    slots: Slots
    layer: Layer
    clock: datetime
    policy: tuple[Filter, ...] = ()

    @property
    def calendar(self) -> Calendar:
        """How the layer cuts weeks and years."""
        return Calendar(self.layer.calendar.week_start, self.layer.calendar.fiscal_start)


@dataclass(frozen=True, slots=True)
class Key:
    """One grouping column: a dimension's stored value, its label, or the time bucket."""

    alias: str
    kind: Literal["value", "label", "bucket"]
    dimension: str | None

    def column(self, dimension: Dimension) -> str:
        """The column of the dimension's table that it shows."""
        return dimension.label if self.kind == "label" and dimension.label else dimension.column


@dataclass(frozen=True, slots=True)
class Shift:
    """How a base leg's buckets are moved onto the current ones."""

    count: int
    grain: Grain


@dataclass(frozen=True, slots=True)
class Leg:
    """One pass over `table`: these measures, over these ranges of `role`, under all filters.

    `presence` shows which groups there are, without measures; a `total` is not grouped. A `window` reads
    each of `buckets` by days of its own. `once` is measured on early groups, one of each key. Without a
    table: the buckets themselves, with facts or not.

    A leg over rows that are `gathered` to those of its object reads only those that belong to one. Where
    there are no groups, a leg over the object's own rows tells if there are any `here`.

    Where both periods of a comparison are read at once, they are `compared`, and `ranges` holds both.
    """

    name: str
    object: str
    table: str
    scope: Expression | None
    role: Role | None
    ranges: Ranges
    snapshot: bool
    measures: tuple[Metric, ...]
    once_per: str | None = None
    period: Period = "current"
    shift: Shift | None = None
    presence: bool = False
    window: Window | None = None
    buckets: tuple[Bucket, ...] = ()
    total: bool = False
    take: Literal["first", "last"] = "last"
    once: tuple[Metric, ...] = ()
    gathered: HasMany | None = None
    here: bool = False
    compared: tuple[Ranges, Ranges] | None = None

    @property
    def periods(self) -> tuple[Period, ...]:
        """What is measured: one period, or both that are compared."""
        return (self.period,) if self.compared is None else ("current", "base")

    def within(self, period: Period) -> Ranges | None:
        """The ranges that tell a period's rows from the other rows that are read; None if all are its."""
        if self.compared is None:
            return None
        current, base = self.compared
        return current if period == "current" else base

    @property
    def listed(self) -> str:
        """The name of the part that lists the buckets this leg is read by."""
        mark = "_base" if self.period == "base" else ""
        return f"{self.window.name if self.window else 'trend'}_periods{mark}"


@dataclass(frozen=True, slots=True)
class Plan:
    """All legs, and the keys at which they are grouped."""

    question: Question
    keys: tuple[Key, ...]
    legs: tuple[Leg, ...]

    def explain(self) -> str:
        """The plan as text that a person can follow."""
        lines = [f"group by: {', '.join(key.alias for key in self.keys) or '(one row)'}"]
        for leg in self.legs:
            measures = (
                ", ".join(metric.id for metric in (*leg.measures, *leg.once))
                or "(which groups there are)"
            )
            when = " beside ".join(map(_shown, leg.compared or (leg.ranges,)))
            lines.append(
                f"{leg.name}: {measures} from {leg.table}"
                + (f" where {leg.scope.text}" if leg.scope else "")
                + (f" in {leg.role.column} {when}" if leg.role and leg.ranges else "")
                + (" (last snapshot)" if leg.snapshot else "")
                + (f" once per {leg.once_per}" if leg.once_per else "")
                + (f" over {leg.window.name} of {len(leg.buckets)} buckets" if leg.window else "")
                + (" (all groups together)" if leg.total else "")
                + (" (and whether there are any)" if leg.here else "")
            )
        slots = self.question.slots
        if slots.beside:
            lines.append(f"beside: {', '.join(slots.beside)}")
        for item in slots.filters + self.question.policy:
            lines.append(f"filter: {item.field} {item.test}")
        for having in slots.having:
            lines.append(f"keep groups: {having.metric} {having.test}")
        if slots.limit:
            lines.append(f"ranks {slots.limit.first} to {slots.limit.last}, ties kept")
        return "\n".join(lines)


def _shown(ranges: Ranges) -> str:
    return " or ".join(f"[{item.start or '…'}, {item.end or '…'})" for item in ranges)
