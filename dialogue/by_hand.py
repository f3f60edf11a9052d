"""Edits by hand, held to the layer and the stored values before they may touch a slot.

They go the same way as the edits of a text; only what a reader would make sure of is made sure here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import date, datetime, timedelta

from dialogue import hierarchy
from dialogue.errors import Refuse
from dialogue.sight import Sight
from dialogue.words import joined, say, span
from dialogue.world import World
from nl2sql.edits import Edit, TimeMention
from nl2sql.slots import (
    BESIDE,
    BUCKET,
    Among,
    Comparison,
    Filter,
    Having,
    Limit,
    Order,
    TimeSlot,
)
from nl2sql.times import Range, TimeExpr, TimeMatch, scan
from nl2sql.times.model import After, Before, Between, OnDay, Part, Several, Year
from semantic_layer.text import fold

_OPS: dict[str, tuple[str, ...]] = {
    "metrics": ("set", "add", "remove"),
    "dimensions": ("set", "add", "remove", "clear"),
    "filters": ("set", "add", "remove", "clear"),
    "having": ("set", "clear"),
    "rows": ("set",),
    "counted": ("set",),
    **dict.fromkeys(("time", "comparison", "order", "limit", "grain", *BESIDE), ("set", "clear")),
}


def checked(sight: Sight, edits: Iterable[Edit], lang: str) -> tuple[Edit, ...]:
    """Edits by hand as the passes of filling take them. Raises `Refuse` for what is not registered.

    Where values may be hidden, one that is and one that there is not stay as they were written: filling tells them
    alike.
    """
    world = sight.world
    return tuple(
        one
        for edit in edits
        for one in (replace(_checked(sight, edit, lang), note="edited"), *_dated(world, edit, lang))
    )


def _dated(world: World, edit: Edit, lang: str) -> tuple[Edit, ...]:
    """The date that a period is about, for each object that has one of this name."""
    role = edit.value.role if isinstance(edit.value, TimeSlot) else None
    if role is None or not isinstance(edit.value, TimeSlot):
        return ()
    objects = world.layer.objects.values()
    having = tuple(
        Edit("role", "set", role, note=one.id) for one in objects if role in one.time.roles
    )
    if not having:
        raise _bad(
            world, edit, role, lang, sorted({name for one in objects for name in one.time.roles})
        )
    return () if edit.value.rolling is not None else having


def _checked(sight: Sight, edit: Edit, lang: str) -> Edit:
    world = sight.world
    if edit.op not in _OPS.get(edit.slot, ()):
        raise _bad(world, edit, edit.op, lang, _OPS.get(edit.slot, ()))
    value = edit.value
    if edit.op == "clear":
        if (
            edit.slot == "filters"
            and value not in world.layer.dimensions
            and not _attribute(world, value)
        ):
            raise _bad(world, edit, value, lang, world.layer.dimensions)
        return edit
    match edit.slot, value:
        case "metrics" | "dimensions", tuple():
            known = _metrics(world) if edit.slot == "metrics" else tuple(world.layer.dimensions)
            for name in value:
                if name not in known:
                    raise _bad(world, edit, name, lang, known)
            return edit
        case "filters", Filter():
            named = joined(value.test.values, lang) if isinstance(value.test, Among) else ""
            return replace(edit, value=_stored(sight, edit, value, lang), words=named)
        case "having", Having():
            _possible(world, edit, value.test.low, value.test.high, lang)
            if value.metric in _metrics(world):
                return edit
            raise _bad(world, edit, value.metric, lang, _metrics(world))
        case "order", Order():
            if (
                value.by is None
                or value.by in world.layer.metrics
                or value.by in world.layer.dimensions
                or _attribute(world, value.by)
            ):
                return edit
            raise _bad(world, edit, value.by, lang, _metrics(world))
        case "limit", Limit():
            for name in value.per:
                if name not in world.layer.dimensions and name != BUCKET:
                    raise _bad(world, edit, name, lang, world.layer.dimensions)
            return edit
        case "comparison", Comparison("fixed", base=base):
            if not all(item.start and item.end and _whole(item) for item in base):
                raise _bad(world, edit, "", lang, ())
            return replace(edit, value=replace(value, words=_spans(base, lang)))
        case "counted", str():
            if value in world.layer.dimensions:
                return edit
            raise _bad(world, edit, value, lang, world.layer.dimensions)
        case "rows", str():
            if value in world.layer.objects:
                return edit
            raise _bad(world, edit, value, lang, world.layer.objects)
        case "time", _:
            return replace(edit, value=_mention(world, edit, lang))
    return edit


def _metrics(world: World) -> tuple[str, ...]:
    return tuple(name for name, metric in world.layer.metrics.items() if not metric.hidden)


def _attribute(world: World, name: object) -> bool:
    return any(name in found.attributes for found in world.layer.objects.values())


def _stored(sight: Sight, edit: Edit, item: Filter, lang: str) -> Filter:
    """A filter whose values are stored ones; a value may be named by its key, or by its name."""
    world = sight.world
    found = world.layer.dimensions.get(item.field)
    if found is None:
        if _attribute(world, item.field):
            return item
        raise _bad(world, edit, item.field, lang, world.layer.dimensions)
    if not isinstance(item.test, Among):
        return item
    keys: list[str] = []
    for value in item.test.values:
        key = stored_key(
            world, item.field, value, lambda one: one in sight.keys(item.field, (one,))
        )
        if key is None and sight.limits(item.field):
            key = value
        if key is None:
            field = world.field_label(item.field, lang)
            raise Refuse("unknown-value", {"value": value, "field": field})
        keys.append(key)
    return Filter(item.field, replace(item.test, values=tuple(dict.fromkeys(keys))))


def everything(key: str) -> bool:
    """Whether a value may be seen: each may."""
    return True


def stored_key(
    world: World, field: str, value: str, seen: Callable[[str], bool] = everything
) -> str | None:
    """The key of a stored value that may be seen, given by its key or by one of its names; None where there is none."""
    found, folded = world.layer.dimensions[field], fold(value)
    for key, words in (*(found.enum or {}).items(), *found.aliases.items()):
        if folded in (fold(key), *map(fold, words)) and seen(key):
            return key
    if world.values.label(field, value) is not None and seen(value):
        return value
    named = [
        one.key for one in world.values.named(folded) if one.dimension == field and seen(one.key)
    ]
    if len(named) == 1:
        return named[0]
    levels = hierarchy.levels_of(world, field)
    if levels is not None:
        there = next(iter(hierarchy.matching(world, *levels, {field: (value,)})), None)
        return value if there is not None and seen(value) else None
    return None if found.enum is not None or found.indexed else value


def _possible(world: World, edit: Edit, low: object, high: object, lang: str) -> None:
    if low is None and high is None:
        raise _bad(world, edit, "", lang, ())


def _mention(world: World, edit: Edit, lang: str) -> TimeMention | TimeSlot:
    """A period as words that are one, or as absolute ranges."""
    value = edit.value
    if isinstance(value, TimeMention):
        return value
    if isinstance(value, TimeSlot) and value.ranges and all(map(_whole, value.ranges)):
        if value.rolling is not None:
            return replace(value, words=value.words or _spans(value.ranges, lang))
        exprs = tuple(map(_expression, value.ranges))
        words = value.words or _spans(value.ranges, lang)
        return TimeMention(words, exprs[0] if len(exprs) == 1 else Several(exprs))
    if isinstance(value, str):
        text = fold(value)
        found = [item for item in scan(text) if isinstance(item, TimeMatch)]
        for item in found:
            if text[: item.start].strip() == text[item.end :].strip() == "":
                return TimeMention(value, item.expr)
    raise _bad(
        world,
        edit,
        value if isinstance(value, str) else "",
        lang,
        say(lang, "ask.times").split("|"),
    )


def _spans(ranges: Iterable[Range], lang: str) -> str:
    return joined((span(item, lang) for item in ranges), lang)


def _whole(item: Range) -> bool:
    start, end = item.start, item.end
    if isinstance(start, datetime) or isinstance(end, datetime):
        return False
    return (start is not None or end is not None) and (start is None or end is None or start < end)


def _expression(item: Range) -> TimeExpr:
    """A half-open range as the period it is: a year, a quarter, a month, or days."""
    start, end = item.start, item.end
    if start is None:
        assert end is not None
        return Before(OnDay(_last(end)), True)
    if end is None:
        return After(OnDay(start - timedelta(days=1)))
    months = (end.year - start.year) * 12 + end.month - start.month
    if start.day == end.day == 1:
        if months == 12 and start.month == 1:
            return Year(start.year)
        if months == 3 and start.month % 3 == 1:
            return Part("quarter", start.month // 3 + 1, Year(start.year))
        if months == 1:
            return Part("month", start.month, Year(start.year))
    return Between(OnDay(start), OnDay(_last(end)))


def _last(end: date) -> date:
    return end - timedelta(days=1)


def _bad(world: World, edit: Edit, value: object, lang: str, known: Iterable[str]) -> Refuse:
    """What the layer knows is told by its labels, as people see it."""
    slot = say(lang, f"slot.{edit.slot}")
    near = tuple((name, world.field_label(name, lang)) for name in list(known)[:7])
    named = "" if value is None else world.field_label(str(value), lang)
    return Refuse("bad-edit", {"slot": slot, "value": named}, near)
