"""Slots: the whole meaning of a question, as plain frozen values (RULES.md §1).

Only identifiers registered in the layer and stored values stand in a slot. Stored values are kept as
text, the column's type says how they are written; numbers are exact decimals.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from functools import lru_cache
from typing import Annotated, Literal, TypeAlias

from pydantic import Field, TypeAdapter

from nl2sql.times import Grain, Range

BUCKET = "bucket"  # the column of a unit of time, in the order of time
Span: TypeAlias = tuple[int, int]
BESIDE: tuple[Literal["share", "totals", "running", "fill"], ...] = (
    "share",
    "totals",
    "running",
    "fill",
)


@dataclass(frozen=True, slots=True)
class Among:
    """The value is (or is not) one of these. Its negation keeps rows without a value."""

    values: tuple[str, ...]
    negated: bool = False
    kind: Literal["among"] = "among"


@dataclass(frozen=True, slots=True)
class Missing:
    """There is no value, or (negated) there is one."""

    negated: bool = False
    kind: Literal["missing"] = "missing"


@dataclass(frozen=True, slots=True)
class Contains:
    """The text holds this part, literally."""

    text: str
    negated: bool = False
    kind: Literal["contains"] = "contains"


@dataclass(frozen=True, slots=True)
class Interval:
    """The number lies between two bounds; None is an open end."""

    low: Decimal | None = None
    low_inclusive: bool = True
    high: Decimal | None = None
    high_inclusive: bool = True
    kind: Literal["interval"] = "interval"

    def holds(self, value: Decimal | float) -> bool:
        """Whether a number lies between the bounds.

        >>> Interval(Decimal("0.9")).holds(0.9), Interval(high=Decimal(5), high_inclusive=False).holds(5)
        (True, False)
        """
        number = Decimal(str(value))
        above = self.low is None or number > self.low or (self.low_inclusive and number == self.low)
        below = (
            self.high is None or number < self.high or (self.high_inclusive and number == self.high)
        )
        return above and below


@dataclass(frozen=True, slots=True)
class During:
    """The date lies in one of these half-open ranges."""

    ranges: tuple[Range, ...]
    words: str = ""
    kind: Literal["during"] = "during"


@dataclass(frozen=True, slots=True)
class Members:
    """One of the rows of an earlier result, frozen as shown: values of `fields`, row by row."""

    fields: tuple[str, ...]
    rows: tuple[tuple[str | None, ...], ...]
    kind: Literal["members"] = "members"


Test: TypeAlias = Annotated[
    Among | Missing | Contains | Interval | During | Members, Field(discriminator="kind")
]


@dataclass(frozen=True, slots=True)
class Filter:
    """A condition on a dimension or an attribute; there is one a field."""

    field: str
    test: Test


@dataclass(frozen=True, slots=True)
class Having:
    """A condition on a metric's value."""

    metric: str
    test: Interval


@dataclass(frozen=True, slots=True)
class TimeSlot:
    """A period: as it was said, and the absolute half-open ranges it stands for.

    `role` is the date that is meant (the object's own when None); `kind` tells how it was reached.
    """

    words: str
    ranges: tuple[Range, ...]
    kind: Literal["period", "rolling", "to_date", "open", "between", "list", "newest"]
    grain: Grain = "day"
    rolling: tuple[int, Grain] | None = None
    role: str | None = None


@dataclass(frozen=True, slots=True)
class Comparison:
    """Compared with the year before (yoy), the period before (pop) or the `base` that was named
    (fixed, in these `words`); `full`: open periods whole."""

    kind: Literal["yoy", "pop", "fixed"]
    full: bool = False
    base: tuple[Range, ...] = ()
    words: str = ""


@dataclass(frozen=True, slots=True)
class Order:
    """By a metric, a dimension or a date column (None: the first metric)."""

    by: str | None = None
    descending: bool = True


@dataclass(frozen=True, slots=True)
class Limit:
    """Ranks `first` to `last`, ties included, within each `per`; `others`: the rest as one more row.

    `per` holds dimensions, and `BUCKET` where ranks begin anew in each unit of time.
    """

    last: int
    first: int = 1
    per: tuple[str, ...] = ()
    others: bool = False


@dataclass(frozen=True, slots=True)
class Slots:
    """What is asked. `rows` asks for the object's rows instead of metrics, and `shown` for more columns.

    Beside the metrics: their `share` of the total, a row of `totals`, `running` totals from bucket to
    bucket since the period began; `fill` shows the buckets without facts too. A filter on a `lifted`
    dimension picks rows once shares are known: 张江占全部的比例 is a share of all parks. `counted` is a
    dimension whose groups are counted instead of shown: how many tenants owe more than that.
    """

    object: str | None = None
    metrics: tuple[str, ...] = ()
    dimensions: tuple[str, ...] = ()
    grain: Grain | None = None
    filters: tuple[Filter, ...] = ()
    having: tuple[Having, ...] = ()
    time: TimeSlot | None = None
    comparison: Comparison | None = None
    order: Order | None = None
    limit: Limit | None = None
    rows: bool = False
    shown: tuple[str, ...] = ()
    share: bool = False
    totals: bool = False
    running: bool = False
    fill: bool = False
    lifted: tuple[str, ...] = ()
    counted: str | None = None

    @property
    def beside(self) -> tuple[str, ...]:
        """What is asked for beside the metrics, by slot."""
        return tuple(name for name in BESIDE if getattr(self, name))

    @property
    def limiting(self) -> tuple[Filter, ...]:
        """The filters that limit what is counted."""
        return tuple(item for item in self.filters if item.field not in self.lifted)

    @property
    def picking(self) -> tuple[Filter, ...]:
        """The filters that pick among the groups once their shares are known."""
        return tuple(item for item in self.filters if item.field in self.lifted)

    def filter(self, field: str) -> Filter | None:
        """The filter on a field, if there is one."""
        return next((item for item in self.filters if item.field == field), None)

    def with_filter(self, item: Filter) -> Slots:
        """With this filter in the place of the one on the same field."""
        found = self.filter(item.field)
        if found is None:
            return replace(self, filters=(*self.filters, item))
        return replace(self, filters=tuple(item if old is found else old for old in self.filters))

    def without_filter(self, *fields: str) -> Slots:
        """Without the filters on these fields."""
        return replace(
            self, filters=tuple(item for item in self.filters if item.field not in fields)
        )

    def keeps_missing(self, field: str) -> bool:
        """Whether rows without a value on a field may remain: there is no filter, or one that excludes."""
        found = self.filter(field)
        return found is None or (isinstance(found.test, Among | Contains) and found.test.negated)

    def fixed(self, field: str) -> bool:
        """Whether a filter of its own fixes a field to one value, so that it need not be shown."""
        found = self.filter(field)
        return (
            found is not None
            and isinstance(found.test, Among)
            and len(found.test.values) == 1
            and not found.test.negated
        )

    def pinned(self, field: str) -> str | None:
        """The one value a filter pins a field to, if it does."""
        found = self.filter(field)
        if found is not None and isinstance(found.test, Among):
            if len(found.test.values) == 1 and not found.test.negated:
                return found.test.values[0]
        for item in self.filters:
            if isinstance(item.test, Members) and field in item.test.fields:
                values = {row[item.test.fields.index(field)] for row in item.test.rows}
                if len(values) == 1:
                    return values.pop()
        return None


@lru_cache(maxsize=1)
def slots_adapter() -> TypeAdapter[Slots]:
    """Slots to and from JSON."""
    return TypeAdapter(Slots)


def to_json(slots: Slots) -> str:
    """Canonical JSON of slots: the same slots give the same bytes.

    >>> to_json(Slots(metrics=("rent",))).startswith('{"object":null,"metrics":["rent"]')
    True
    """
    return slots_adapter().dump_json(slots).decode()


def from_json(text: str) -> Slots:
    """The slots that `to_json` wrote."""
    return slots_adapter().validate_json(text)


def brief(slots: Slots) -> Mapping[str, object]:
    """Slots in the short form of question sets and clients (questions/FORMAT.md)."""
    filters = {item.field: brief_test(item.test) for item in slots.filters}
    return {
        "object": slots.object,
        "metrics": list(slots.metrics),
        "dimensions": list(slots.dimensions),
        "grain": slots.grain,
        "filters": filters,
        "having": {item.metric: brief_test(item.test) for item in slots.having},
        "time": None if slots.time is None else _brief_ranges(slots.time.ranges),
        "comparison": slots.comparison.kind if slots.comparison else None,
        "order": _brief_order(slots),
        "limit": slots.limit.last if slots.limit else None,
        **dict.fromkeys(slots.beside, True),
        **({"counted": slots.counted} if slots.counted else {}),
    }


def _brief_order(slots: Slots) -> list[str]:
    if slots.order is None:
        return []
    by = slots.order.by or (slots.metrics[0] if slots.metrics else "")
    return [f"{by} {'desc' if slots.order.descending else 'asc'}"]


def _brief_ranges(ranges: tuple[Range, ...]) -> list[object]:
    pairs = [[_iso(item.start), _iso(item.end)] for item in ranges]
    return list(pairs[0]) if len(pairs) == 1 else list(pairs)


def brief_time(time: TimeSlot) -> list[object]:
    """A period in the short form: one `[from, to]`, null for an open end, or a list of such."""
    return _brief_ranges(time.ranges)


def _iso(moment: date | None) -> str | None:
    return None if moment is None else moment.isoformat()


def brief_test(test: Test) -> object:
    """A test in the short form of question sets and clients."""
    match test:
        case Among(values, negated):
            return {"not": list(values)} if negated else list(values)
        case Missing(negated):
            return {"null": not negated}
        case Contains(text, negated):
            return {"not_contains": text} if negated else {"contains": text}
        case Interval():
            low = {} if test.low is None else {"gte" if test.low_inclusive else "gt": str(test.low)}
            high = (
                {}
                if test.high is None
                else {"lte" if test.high_inclusive else "lt": str(test.high)}
            )
            return {**low, **high}
        case During(ranges):
            return {"during": _brief_ranges(ranges)}
        case Members(fields, rows):
            return {"members": {"fields": list(fields), "rows": [list(row) for row in rows]}}
