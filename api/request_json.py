"""What a client sends as JSON: a question, a click, edits by hand, undo, keep (DESIGN.md, HTTP).

Only the shape is looked at here; whether a metric or a value exists, the dialogue says.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal, InvalidOperation
from typing import get_args

from dialogue.turn import Request
from nl2sql.edits import Edit, EditValue, Op, Slot, TimeMention
from nl2sql.slots import (
    BESIDE,
    Among,
    Comparison,
    Contains,
    During,
    Filter,
    Having,
    Interval,
    Limit,
    Members,
    Missing,
    Order,
    Test,
    TimeSlot,
    brief_test,
    brief_time,
)
from nl2sql.times import Grain, Range

YEARS = range(1800, 2300)  # a year on either side of what is compared must be one
LONG = 1000  # units of a rolling period
DIGITS = 20  # of a number: written out, 1e999999999 would fill the memory
KINDS = ("question", "choose", "edit", "undo", "keep")
_BOUNDS = {"gt", "gte", "lt", "lte"}
_FORMS = "a list of values, {not}, {null}, {contains}, {gt, gte, lt, lte} or {during}"


@dataclass(frozen=True)
class RequestError(Exception):
    """A request that has not the shape of one: where in it, and what belongs there."""

    where: str
    wanted: str

    def __str__(self) -> str:
        return f"{self.where}: {self.wanted}"


def request_of(data: object) -> Request:
    """A request from JSON. Raises `RequestError`.

    >>> request_of({"undo": True})
    Request(question='', choose=(), edit=(), undo=True, keep=False)
    """
    if not isinstance(data, Mapping) or len([key for key in KINDS if key in data]) != 1:
        raise RequestError("request", f"one of {', '.join(KINDS)} is needed")
    if not _is_unicode(data):
        raise RequestError("request", "text in Unicode is needed, without half a surrogate pair")
    unknown = sorted(str(key) for key in data if key not in KINDS)
    if unknown:
        raise RequestError(unknown[0], f"not known; a request has one of {', '.join(KINDS)}")
    if "question" in data:
        return Request(question=_text(data["question"], "question"))
    if "choose" in data:
        return Request(choose=_texts(data["choose"], "choose"))
    if "edit" in data:
        return Request(edit=edits_of(data["edit"]))
    if "undo" in data:
        return Request(undo=_true(data["undo"], "undo"))
    keep = data["keep"]
    return Request(keep=True if keep is True else _texts(keep, "keep"))


def _is_unicode(data: object) -> bool:
    try:
        json.dumps(data, ensure_ascii=False, default=str).encode()
    except UnicodeEncodeError:
        return False
    return True


def edits_of(data: object) -> tuple[Edit, ...]:
    """Edits by hand. Raises `RequestError`."""
    if not isinstance(data, list) or not data:
        raise RequestError("edit", "a list of {slot, op, value} is needed")
    return tuple(edit for index, item in enumerate(data) for edit in _edits(item, f"edit[{index}]"))


def _edits(item: object, where: str) -> tuple[Edit, ...]:
    if not isinstance(item, Mapping):
        raise RequestError(where, "{slot, op, value} is needed")
    slot, op, value = item.get("slot"), item.get("op", "set"), item.get("value")
    if slot not in _VALUES:
        raise RequestError(f"{where}.slot", f"one of {', '.join(_VALUES)} is needed")
    if op not in get_args(Op):
        raise RequestError(f"{where}.op", f"one of {', '.join(get_args(Op))} is needed")
    if op == "clear":
        names = _texts(value, f"{where}.value") if value is not None else ("",)
        return tuple(Edit(slot, op, name or None) for name in names)
    return tuple(Edit(slot, op, one) for one in _VALUES[slot](value, f"{where}.value"))


def _names(value: object, where: str) -> tuple[EditValue, ...]:
    return (_texts(value, where),)


def _filters(value: object, where: str) -> tuple[EditValue, ...]:
    if not isinstance(value, Mapping) or not value:
        raise RequestError(where, f"{{dimension: {_FORMS}}} is needed")
    return tuple(Filter(str(name), _test(item, f"{where}.{name}")) for name, item in value.items())


def _having(value: object, where: str) -> tuple[EditValue, ...]:
    if not isinstance(value, Mapping) or not value:
        raise RequestError(where, "{metric: {gt, gte, lt, lte}} is needed")
    return tuple(
        Having(str(name), _interval(item, f"{where}.{name}")) for name, item in value.items()
    )


def _test(value: object, where: str) -> Test:
    if isinstance(value, str | list):
        return Among(_texts(value, where))
    if not isinstance(value, Mapping) or not value:
        raise RequestError(where, f"{_FORMS} is needed")
    if set(value) <= _BOUNDS:
        return _interval(value, where)
    if len(value) != 1:
        raise RequestError(where, f"{_FORMS} is needed, one of them")
    (form, inner), where = next(iter(value.items())), f"{where}.{next(iter(value))}"
    match form:
        case "not":
            return Among(_texts(inner, where), True)
        case "null":
            if not isinstance(inner, bool):
                raise RequestError(where, "true or false is needed")
            return Missing(not inner)
        case "contains" | "not_contains":
            return Contains(_text(inner, where), form == "not_contains")
        case "during":
            return During(_ranges(inner, where))
        case "members":
            return _members(inner, where)
    raise RequestError(where, f"{_FORMS} is needed")


def _members(value: object, where: str) -> Members:
    if not isinstance(value, Mapping) or not isinstance(value.get("rows"), list):
        raise RequestError(where, "{fields, rows} is needed")
    fields = _texts(value.get("fields"), f"{where}.fields")
    rows = tuple(
        tuple(None if cell is None else str(cell) for cell in row)
        for row in value["rows"]
        if isinstance(row, list) and len(row) == len(fields)
    )
    if len(rows) != len(value["rows"]):
        raise RequestError(f"{where}.rows", "lists as long as the fields are needed")
    return Members(fields, rows)


def _interval(value: object, where: str) -> Interval:
    if not isinstance(value, Mapping) or not value or not set(value) <= _BOUNDS:
        raise RequestError(where, "{gt, gte, lt, lte} is needed")
    found = {name: _decimal(value[name], f"{where}.{name}") for name in value}
    low, high = found.get("gte", found.get("gt")), found.get("lte", found.get("lt"))
    return Interval(low, "gt" not in found, high, "lt" not in found)


def _time(value: object, where: str) -> tuple[EditValue, ...]:
    if isinstance(value, str):
        return (value,)
    if not isinstance(value, Mapping):
        return (TimeSlot("", _ranges(value, where), "between"),)
    if "during" not in value or not set(value) <= {"during", "role", "rolling"}:
        raise RequestError(where, "{during, role, rolling} is needed, one of the last two or both")
    ranges = _ranges(value["during"], f"{where}.during")
    role = _text(value["role"], f"{where}.role") if "role" in value else None
    if "rolling" not in value:
        return (TimeSlot("", ranges, "between", role=role),)
    count, unit = _rolling(value["rolling"], f"{where}.rolling")
    return (TimeSlot("", ranges, "rolling", unit, (count, unit), role),)


def _rolling(value: object, where: str) -> tuple[int, Grain]:
    wrong = RequestError(where, f"[count, unit] is needed, such as [12, month], {LONG} at most")
    if not isinstance(value, list) or len(value) != 2 or value[1] not in get_args(Grain):
        raise wrong
    count = _count(value[0], wrong)
    if count > LONG:
        raise wrong
    unit: Grain = value[1]
    return count, unit


def _ranges(value: object, where: str) -> tuple[Range, ...]:
    if not isinstance(value, list) or not value:
        raise RequestError(where, "[from, to) in ISO dates, or a list of such, is needed")
    if isinstance(value[0], list):
        return tuple(
            one for index, item in enumerate(value) for one in _ranges(item, f"{where}[{index}]")
        )
    if len(value) != 2:
        raise RequestError(where, "two ISO dates are needed: [from, to)")
    return (Range(_moment(value[0], where), _moment(value[1], where)),)


def _moment(value: object, where: str) -> date | datetime | None:
    if value is None:
        return None
    text = _text(value, where)
    try:
        found = date.fromisoformat(text) if len(text) == 10 else datetime.fromisoformat(text)
    except ValueError as error:
        raise RequestError(where, "an ISO date is needed, such as 2026-08-01") from error
    if found.year not in YEARS or (isinstance(found, datetime) and found.tzinfo is not None):
        raise RequestError(where, f"a date of {YEARS[0]} to {YEARS[-1]} is needed, without a zone")
    return found


def _comparison(value: object, where: str) -> tuple[EditValue, ...]:
    given = value if isinstance(value, Mapping) else {"kind": value}
    if set(given) == {"base"}:
        return (Comparison("fixed", False, _ranges(given["base"], f"{where}.base")),)
    kind, full = given.get("kind"), given.get("full", False)
    if (
        kind not in ("yoy", "pop")
        or not isinstance(full, bool)
        or not set(given) <= {"kind", "full"}
    ):
        raise RequestError(where, "yoy or pop, {kind, full} or {base} is needed")
    return (Comparison("yoy" if kind == "yoy" else "pop", full),)


def _order(value: object, where: str) -> tuple[EditValue, ...]:
    names = _texts(value, where)
    by, _, direction = names[0].partition(" ")
    if len(names) != 1 or direction not in ("", "asc", "desc"):
        raise RequestError(where, "one of `metric desc`, `dimension asc` is needed")
    return (Order(by or None, direction != "asc"),)


def _limit(value: object, where: str) -> tuple[EditValue, ...]:
    given = value if isinstance(value, Mapping) else {"last": value}
    wrong = RequestError(where, "a number from 1 on, or {first, last, per, others}, is needed")
    first, last = _count(given.get("first", 1), wrong), _count(given.get("last"), wrong)
    others = given.get("others", False)
    known = set(given) <= {"first", "last", "per", "others"}
    if first > last or not known or not isinstance(others, bool):
        raise wrong
    per = _texts(given["per"], f"{where}.per") if given.get("per") else ()
    return (Limit(last, first, per, others),)


def _count(value: object, wrong: RequestError) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise wrong
    return value


def _grain(value: object, where: str) -> tuple[EditValue, ...]:
    grains = [grain for grain in get_args(Grain) if grain != "hour"]
    if value not in grains:
        raise RequestError(where, f"one of {', '.join(grains)} is needed")
    return (str(value),)


def _flag(value: object, where: str) -> tuple[EditValue, ...]:
    if value not in (True, None):
        raise RequestError(where, "true is needed; `clear` lets it go")
    return (None,)


def _one_text(value: object, where: str) -> tuple[EditValue, ...]:
    return (_text(value, where),)


_VALUES: dict[Slot, Callable[[object, str], tuple[EditValue, ...]]] = {
    "metrics": _names,
    "dimensions": _names,
    "filters": _filters,
    "having": _having,
    "time": _time,
    "comparison": _comparison,
    "order": _order,
    "limit": _limit,
    "grain": _grain,
    "rows": _one_text,
    "counted": _one_text,
    **dict.fromkeys(BESIDE, _flag),
}


def _text(value: object, where: str) -> str:
    if not isinstance(value, str):
        raise RequestError(where, "a text is needed")
    return value


def _texts(value: object, where: str) -> tuple[str, ...]:
    if isinstance(value, str):
        return (value,)
    if not isinstance(value, list) or not value or not all(isinstance(item, str) for item in value):
        raise RequestError(where, "a text or a list of texts is needed")
    return tuple(value)


def _true(value: object, where: str) -> bool:
    if value is not True:
        raise RequestError(where, "true is needed")
    return True


def _decimal(value: object, where: str) -> Decimal:
    try:
        number = Decimal(str(value)) if isinstance(value, str | int | float) else None
    except InvalidOperation:
        number = None
    if number is None or isinstance(value, bool) or not number.is_finite():
        raise RequestError(where, "a number is needed")
    if abs(number.adjusted()) > DIGITS or len(number.as_tuple().digits) > DIGITS:
        raise RequestError(where, f"a number of {DIGITS} digits at most is needed")
    return number


def edit_json(edit: Edit) -> Mapping[str, object]:
    """An edit as a client would send it."""
    return {"slot": edit.slot, "op": edit.op, "value": _value_json(edit.value)}


def _value_json(value: EditValue) -> object:
    match value:
        case Filter(field, test):
            return {field: brief_test(test)}
        case Having(metric, test):
            return {metric: brief_test(test)}
        case TimeMention(words):
            return words
        case TimeSlot(role=None, rolling=None):
            return brief_time(value)
        case TimeSlot(role=role, rolling=rolling):
            more = {"role": role} if role else {}
            return {
                "during": brief_time(value),
                **more,
                **({"rolling": [*rolling]} if rolling else {}),
            }
        case Comparison("fixed", base=base):
            return {"base": brief_time(TimeSlot("", base, "between"))}
        case Comparison(kind, full):
            return {"kind": kind, "full": True} if full else kind
        case Order(by, descending):
            return f"{by or ''} {'desc' if descending else 'asc'}"
        case Limit(last, first, per, others):
            found = {"first": first, "last": last, "per": list(per)}
            return {**found, "others": True} if others else found
        case tuple():
            return list(value)
    return value
