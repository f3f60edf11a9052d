"""What made a turn wrong: the first slot that is not the expected one, else what the gold statement names."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from datetime import date
from decimal import Decimal, InvalidOperation

from dialogue.evaluation.codes import Code, Fault
from nl2sql.slots import Among, Slots
from nl2sql.times import Range
from semantic_layer.model import Layer

# in the order in which they decide what a result is
_CODES = {
    "object": Code.WRONG_OBJECT,
    "metrics": Code.WRONG_METRIC,
    "filters": Code.WRONG_FILTER,
    "having": Code.WRONG_CONDITION,
    "time": Code.WRONG_TIME,
    "comparison": Code.WRONG_COMPARISON,
    "dimensions": Code.WRONG_DIMENSION,
    "grain": Code.WRONG_GRAIN,
    "limit": Code.WRONG_LIMIT,
    "order": Code.WRONG_ORDER,
}
_LITERAL = re.compile(r"'((?:[^']|'')*)'")
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")


def slot_fault(have: Mapping[str, object], want: Mapping[str, object]) -> Fault | None:
    """The first of the named slots that is another one; both in short form."""
    for key in sorted(want, key=lambda name: list(_CODES).index(name) if name in _CODES else 99):
        mine, value = have.get(key), want[key]
        if equal(mine, value):
            continue
        code = _CODES.get(key, Code.WRONG_SLOTS)
        if key == "filters" and isinstance(mine, Mapping) and isinstance(value, Mapping):
            code = _filter_code(mine, value)
        return Fault(code, f"{key} is {_told(mine)}, expected {_told(value)}")
    return None


def _told(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)


def _filter_code(have: Mapping[str, object], want: Mapping[str, object]) -> Code:
    if set(want) - set(have):
        return Code.LOST_FILTER
    return Code.KEPT_FILTER if set(have) - set(want) else Code.WRONG_FILTER


def gold_fault(
    slots: Slots, before: Slots | None, sql: str, columns: tuple[str, ...], layer: Layer
) -> Fault | None:
    """What a gold statement names and the slots do not, or the other way round.

    For turns whose set gives no slots: a guess from names of columns, stored values and days, good enough
    to sort failures by. Only filters that were there before the turn are told to be lost.
    """
    have = {*slots.metrics, *(item.metric for item in slots.having)}
    missing = [name for name in columns if name in layer.metrics and name not in have]
    if missing and slots.metrics:
        return Fault(Code.WRONG_METRIC, f"metrics are {list(slots.metrics)}, gold has {missing}")
    literals = {text.replace("''", "'") for text in _LITERAL.findall(sql)}
    mine = dict(_values(slots))
    kept = {name: values for name, values in mine.items() if not literals & set(values)}
    if kept:
        return Fault(Code.KEPT_FILTER, f"filters have {_told(kept)}, which gold does not name")
    lost = {
        name: values
        for name, values in (_values(before) if before is not None else ())
        if name not in mine and literals & set(values)
    }
    if lost:
        return Fault(Code.LOST_FILTER, f"filters had {_told(lost)}, which gold names")
    days = {day for text in literals for day in _DAY.findall(text)}
    starts = [item.start.isoformat()[:10] for item in _ranges(slots) if item.start is not None]
    if days and starts and not days & set(starts):
        return Fault(Code.WRONG_TIME, f"time starts {starts}, gold names {sorted(days)}")
    absent = [name for name in columns if name in layer.dimensions and name not in slots.dimensions]
    if absent and slots.dimensions:
        return Fault(Code.WRONG_DIMENSION, f"dimensions are {list(slots.dimensions)}, gold has {absent}")  # fmt: skip
    return None


def _values(slots: Slots) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The stored values that a dimension is filtered to."""
    for item in slots.filters:
        if isinstance(item.test, Among) and not item.test.negated:
            yield item.field, tuple(map(str, item.test.values))


def _ranges(slots: Slots) -> tuple[Range, ...]:
    return () if slots.time is None else slots.time.ranges


def parts(slots: Mapping[str, object], named: Mapping[str, object]) -> frozenset[str]:
    """Slots in short form as a set of their parts, those of the named slots: what was kept, what is gone.

    >>> sorted(parts({"filters": {"park": ["P1"]}, "limit": None, "grain": "day"}, {"filters": {}, "limit": 3}))
    ["filters.park: ['P1']"]
    """
    found: set[str] = set()
    for key in named:
        value = slots.get(key)
        if isinstance(value, Mapping):
            found |= {f"{key}.{name}: {_plain(test)}" for name, test in value.items()}
        elif key in ("metrics", "dimensions", "order") and isinstance(value, list | tuple):
            found |= {f"{key}: {_plain(item)}" for item in value}
        elif value not in (None, [], ()):
            found.add(f"{key}: {_plain(value)}")
    return frozenset(found)


def _plain(value: object) -> str:
    """A text that is the same for what `equal` takes for the same."""
    if isinstance(value, Mapping):
        return str({str(key): _plain(value[key]) for key in sorted(value, key=str)})
    if isinstance(value, list | tuple):
        return str(sorted(map(_plain, value)))
    if isinstance(value, date):
        return value.isoformat()
    try:
        return format(Decimal(str(value)).normalize(), "f")
    except InvalidOperation:
        return str(value)


def slot_difference(have: Mapping[str, object], want: Mapping[str, object]) -> str | None:
    """The first named slot that differs, in words."""
    found = slot_fault(have, want)
    return None if found is None else found.words


def equal(left: object, right: object) -> bool:
    """Slot values alike: dates as text, numbers by value, lists of filters in any order."""
    if isinstance(left, Mapping) and isinstance(right, Mapping):
        return set(map(str, left)) == set(map(str, right)) and all(
            equal(left[key], right.get(key, right.get(str(key)))) for key in left
        )
    if isinstance(left, list | tuple) and isinstance(right, list | tuple):
        if len(left) == len(right) and all(equal(a, b) for a, b in zip(left, right, strict=True)):
            return True
        return len(left) == len(right) and sorted(map(str, left)) == sorted(map(str, right))
    if isinstance(left, date):
        left = left.isoformat()
    if isinstance(right, date):
        right = right.isoformat()
    if left == right:
        return True
    try:
        return (
            not isinstance(left, bool)
            and not isinstance(right, bool)
            and Decimal(str(left)) == Decimal(str(right))
        )
    except InvalidOperation:
        return str(left) == str(right)
