"""Frozen values to plain JSON data and back, exactly: every dataclass carries its name.

One codec for everything that is remembered or recorded, so that the same value gives the same bytes.
"""

from __future__ import annotations

import json
import types
from dataclasses import fields, is_dataclass
from datetime import date, datetime
from decimal import Decimal
from functools import lru_cache
from math import isfinite
from typing import TypeAlias, TypeVar

from dialogue.compact import compact
from nl2sql import edits, slots, times
from nl2sql.times import model as time_model

Json: TypeAlias = None | bool | int | float | str | list["Json"] | dict[str, "Json"]
T = TypeVar("T")
_REGISTRY: dict[str, type] = {}


def register(*modules: types.ModuleType) -> None:
    """Make the dataclasses of modules known by name."""
    for module in modules:
        for value in vars(module).values():
            if isinstance(value, type) and is_dataclass(value):
                _REGISTRY[value.__name__] = value


register(slots, edits, times, time_model)


def encode(value: object) -> Json:
    """Plain data for a frozen value.

    >>> encode(slots.Having("rent", slots.Interval(Decimal("1.50"))))["test"]["low"]
    {'#': 'decimal', 'v': '1.50'}
    >>> encode(float("inf")), decode(encode(float("inf")))
    ({'#': 'float', 'v': 'inf'}, inf)
    """
    kind: type = type(value)
    if kind in _PLAIN:
        return value  # type: ignore[return-value]
    if kind is tuple:  # most parts are plain: they are not asked what they are
        return [item if type(item) in _PLAIN else encode(item) for item in value]  # type: ignore[attr-defined]
    names = _named(kind)
    if names is not None:
        data: dict[str, Json] = {"#": kind.__name__}
        for name in names:
            part = getattr(value, name)
            data[name] = part if type(part) in _PLAIN else encode(part)
        return data
    if isinstance(value, float):
        return (
            value if isfinite(value) else {"#": "float", "v": str(value)}
        )  # JSON has no word for it
    if isinstance(value, bool | int | str):
        return value
    if isinstance(value, Decimal):
        return {"#": "decimal", "v": format(value, "f")}
    if isinstance(value, datetime):
        return {"#": "datetime", "v": value.isoformat()}
    if isinstance(value, date):
        return {"#": "date", "v": value.isoformat()}
    if isinstance(value, tuple | list):
        return [encode(item) for item in value]
    raise TypeError(f"{type(value).__name__} is not remembered")


def decode(data: Json) -> object:
    """The value that `encode` made plain. A field that is missing takes its default."""
    if isinstance(data, list):
        return tuple(decode(item) for item in data)
    if not isinstance(data, dict):
        return data
    kind = data.get("#")
    if kind == "decimal":
        return Decimal(str(data["v"]))
    if kind == "float":
        return float(str(data["v"]))
    if kind == "datetime":
        return datetime.fromisoformat(str(data["v"]))
    if kind == "date":
        return date.fromisoformat(str(data["v"]))
    found = _REGISTRY.get(str(kind))
    if found is None:
        raise ValueError(f"nothing known is named {kind!r}")
    known = _names(found)
    return found(**{name: decode(value) for name, value in data.items() if name in known})


_PLAIN = frozenset({type(None), bool, int, str})


@lru_cache(maxsize=256)
def _named(kind: type) -> tuple[str, ...] | None:
    """The names of a dataclass's fields, None for any other type: asked for every value there is."""
    return tuple(item.name for item in fields(kind)) if is_dataclass(kind) else None


@lru_cache(maxsize=256)
def _names(kind: type) -> frozenset[str]:
    return frozenset(item.name for item in fields(kind))


def dumps(value: object) -> str:
    """Canonical JSON: sorted keys, no blanks."""
    return compact(encode(value), ordered=True)


def loads(text: str, kind: type[T]) -> T:
    """The value of a known type that `dumps` wrote."""
    value = decode(json.loads(text))
    if not isinstance(value, kind):
        raise ValueError(f"expected {kind.__name__}, found {type(value).__name__}")
    return value
