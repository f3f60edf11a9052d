"""Time: the period said, the date it is about, defaults, and periods without data."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Literal

from dialogue.errors import Ask, Refuse
from dialogue.filling.base import Filling
from dialogue.turn import Alternative
from dialogue.words import say
from nl2sql.edits import Edit, TimeMention
from nl2sql.periods import year_to_date
from nl2sql.slots import (
    Comparison,
    TimeSlot,
)
from nl2sql.times import (
    Grain,
    Look,
    Range,
    Resolved,
    TimeMatch,
    add,
    bucket,
    comparison_base,
    resolve,
    scan,
)
from nl2sql.times.arith import day_of
from semantic_layer.model import Object


def role_of(f: Filling) -> str | None:
    """The date that a period is about: said, the metric's own, or the object's."""
    found = f.about
    if found is None:
        return None
    if f.slots.time is not None and f.slots.time.role in found.time.roles:
        return f.slots.time.role
    for name in f.slots.metrics:
        for leaf in f.world.layer.leaves(name):
            if leaf.time is not None and leaf.object == found.id:
                return leaf.time
    return found.time.default


def look_of(f: Filling, role: str | None) -> Look:
    """Whether a date looks back or ahead."""
    found = f.about
    if found is None or role is None or role not in found.time.roles:
        return "back"
    return found.time.roles[role].looks


def own_date(f: Filling, edits: list[Edit]) -> None:
    """到期合同数, after the contracts signed in a year: a metric that is about a date of its own is not about the
    one that was asked by before."""
    time, found = f.slots.time, f.about
    if time is None or time.role is None or found is None:
        return
    if any(edit.slot == "role" for edit in edits):
        return
    named = {
        name
        for edit in edits
        if edit.slot == "metrics" and edit.op != "remove" and isinstance(edit.value, tuple)
        for name in edit.value
    }
    layer = f.world.layer
    dated = all(any(leaf.time is not None for leaf in layer.leaves(name)) for name in named)
    alone = named >= set(f.slots.metrics) or time.role == found.time.default
    if named and dated and alone:
        f.slots = replace(f.slots, time=replace(time, role=None))


def time(f: Filling, edits: list[Edit]) -> None:
    """Apply the edits on the period, the date it is about, and the comparison."""
    own_date(f, edits)
    role = next(
        (str(edit.value) for edit in edits if edit.slot == "role" and edit.note == f.slots.object),
        None,
    )
    if role is None and f.slots.time is not None:
        role = f.slots.time.role
    mentions = [
        edit for edit in edits if edit.slot == "time" and isinstance(edit.value, TimeMention)
    ]
    if mentions:
        if role is None and any(edit.slot == "role" for edit in edits):
            edit = next(edit for edit in edits if edit.slot == "role")
            if f.about is None:
                f.slots = replace(f.slots, object=edit.note)
                role = str(edit.value)
        where = role or role_of(f)
        ranges: list[Range] = []
        first = mentions[0]
        assert isinstance(first.value, TimeMention)
        resolved = resolve(first.value.expr, f.clock, f.world.calendar, look_of(f, where))
        notes: list[str] = []
        for edit in mentions:
            assert isinstance(edit.value, TimeMention)
            one = resolve(edit.value.expr, f.clock, f.world.calendar, look_of(f, where))
            ranges += one.ranges
            notes += one.notes
        for note in dict.fromkeys(notes):
            f.assume("calendar", note)
        if against(f, mentions, where):
            return
        words = "、".join(
            edit.value.words for edit in mentions if isinstance(edit.value, TimeMention)
        )
        kind = "list" if len(ranges) > 1 else resolved.kind
        slot = TimeSlot(
            words, tuple(dict.fromkeys(ranges)), kind, resolved.grain, resolved.rolling, role
        )
        f.put("time", first, time=slot)
        if (
            len(slot.ranges) > 1
            and f.slots.grain is None
            and "total" not in f.reading.cues
            and not f.slots.rows
            and not any((edit.slot, edit.op) == ("grain", "clear") for edit in edits)
        ):
            f.slots = replace(f.slots, grain=slot.grain)
    elif role is not None and any(edit.slot == "role" for edit in edits):
        edit = next(edit for edit in edits if edit.slot == "role")
        if f.slots.time is not None:
            f.put("time", edit, time=replace(f.slots.time, role=role))
        elif role != (f.about.time.default if f.about else None):
            raise Ask("time", f"role:{role}", (), {"role": role})
    for edit in edits:
        if edit.slot == "time" and edit.op == "clear":
            f.put("time", edit, time=None)
        elif edit.slot == "time" and isinstance(edit.value, TimeSlot):
            f.put("time", edit, time=edit.value)
        elif edit.slot == "comparison":
            value = edit.value if isinstance(edit.value, Comparison) else None
            f.put("comparison", edit, comparison=value)


def running_unit(f: Filling, edits: list[Edit]) -> None:
    """比上月 names a month: what is compared with it is a month too. Where no period is said, and the one in
    force is a default or a longer one that still runs, it is the running one, which is told."""
    named = next((edit for edit in edits if edit.slot == "comparison" and edit.note), None)
    found, today = f.about, f.clock.date()
    if named is None or found is None or f.slots.rows or f.slots.grain is not None:
        return
    if any(edit.slot == "time" for edit in edits) or look_of(f, role_of(f)) == "ahead":
        return
    unit: Grain = named.note  # type: ignore[assignment]
    start = bucket(today, unit, f.world.calendar)
    span = Range(start, add(start, 1, unit))
    time = f.slots.time
    if found.time.default is None or (time is not None and not _longer(f, time, span)):
        return
    role = time.role if time is not None else None
    filled = TimeSlot("", (span,), "period", unit, None, role)
    f.put("time", replace(named, note="only"), time=filled)
    f.assume("time", f"{start}..{min(today, add(start, 1, unit))}", *other_periods(f, "back"))


def _longer(f: Filling, time: TimeSlot, span: Range) -> bool:
    """Whether a period that is in force gives way to a shorter one that runs."""
    origin = next((item for item in f.state.provenance if item.key == "time"), None)
    if origin is None or origin.source == "default" or time.kind == "newest":
        return True
    start, end = time.ranges[0].start, time.ranges[0].end
    if len(time.ranges) != 1 or start is None or end is None or span.start is None:
        return False
    tomorrow = add(f.clock.date(), 1, "day")
    runs = day_of(start) < tomorrow <= day_of(end)
    return runs and day_of(start) < day_of(span.start)


def against(f: Filling, mentions: list[Edit], role: str | None) -> bool:
    """跟7月比, after August: 环比 or 同比 where July is what they compare with, else against the base
    that was named. Whether this turn's periods are dealt with."""
    other = next((edit for edit in reversed(mentions) if edit.note == "against"), None)
    if other is None or len(mentions) > 2 or not isinstance(other.value, TimeMention):
        return False
    look = look_of(f, role)
    base = resolve(other.value.expr, f.clock, f.world.calendar, look)
    first = next((edit for edit in mentions if edit is not other), None)
    if first is not None and isinstance(first.value, TimeMention):
        span = resolve(first.value.expr, f.clock, f.world.calendar, look)
        slot = TimeSlot(first.value.words, span.ranges, span.kind, span.grain, span.rolling, role)
        f.put("time", first, time=slot)
    else:
        default_time(f, [])
    if f.slots.time is None or f.slots.rows:
        return False
    f.put("comparison", other, comparison=compared_with(f, f.slots.time, base, other.value.words))
    return True


def compared_with(f: Filling, slot: TimeSlot, base: Resolved, words: str) -> Comparison:
    """The comparison whose base this is: by its kind, where it has one."""
    fixed = Comparison("fixed", False, base.ranges, words)
    if slot.kind == "newest":
        return fixed
    known = Resolved(slot.ranges, slot.grain, slot.kind, slot.rolling)
    kinds: tuple[Literal["yoy", "pop"], ...] = ("pop", "yoy")
    for kind in kinds:
        pairs = comparison_base(known, kind, f.clock, f.world.calendar, True)
        if tuple(pair[1] for pair in pairs) == base.ranges:
            return Comparison(kind, False)
    return fixed


def trend(f: Filling, edits: list[Edit]) -> None:
    """走势 without a span: twelve buckets by month, the running one among them."""
    if "trend" not in f.reading.cues:
        return
    said = any(edit.slot == "time" for edit in f.reading.edits)
    time = f.slots.time
    if said and time is not None:
        start, end = time.ranges[0].start, time.ranges[0].end
        if start is not None and end is not None and (end - start).days <= 31:
            f.slots = replace(f.slots, grain="day")
        return
    if time is not None and time.kind != "newest" and time.words:
        start, end = time.ranges[0].start, time.ranges[0].end
        if start is None or end is None or (end - start).days > 62:
            return
    this = bucket(f.clock.date(), "month", f.world.calendar)
    span = Range(add(this, -11, "month"), add(this, 1, "month"))
    role = time.role if time is not None else None
    year = TimeSlot("", (span,), "rolling", "month", (12, "month"), role)
    shown = next((edit for edit in edits if edit.note == "trend"), None)
    if shown is None:
        f.slots = replace(f.slots, time=year)
    else:
        f.put("time", replace(shown, note="only"), time=year)
    f.assume("time", f"{span.start}..{span.end}", *other_periods(f, "back"))


def default_time(f: Filling, edits: list[Edit]) -> None:
    """The period that is meant when none was said."""
    found = f.about
    if found is None or f.slots.time is not None:
        return
    unasked, column = found.time.unasked, found.time.default
    for name in f.slots.metrics:
        for leaf in f.world.layer.leaves(name):
            unasked = leaf.unasked or unasked
    if unasked == "ask":
        raise Ask("time", "time", (), {})
    if column is None:
        return
    if unasked == "all":
        before = f.state.slots
        if before is None or f.switch is not None or before.object != found.id:
            f.assume("time", "all", *other_periods(f, "all"))
        return
    if unasked == "newest":
        last = f.world.extent(found, column, f.clock).last
        if last is not None:
            f.slots = replace(
                f.slots,
                time=TimeSlot("", (Range(last, add(last, 1, "day")),), "newest", "day"),
            )
            f.assume("time", last.isoformat(), *other_periods(f, "newest"))
    else:
        time = year_to_date(f.clock)
        f.slots = replace(f.slots, time=time)
        until = f"{time.ranges[0].start}..{f.clock.date()}"
        f.assume("time", until, *other_periods(f, "back"))


def other_periods(f: Filling, kind: str) -> tuple[Alternative, ...]:
    """Periods that could be meant instead of a default, to say or to click."""
    return _alternatives(f.reading.lang, kind)


@cache
def _alternatives(lang: str, kind: str) -> tuple[Alternative, ...]:
    return tuple(
        Alternative(word, (Edit("time", "set", TimeMention(word, match.expr)),))
        for word in say(lang, f"alternatives.{kind}").split("|")
        for match in scan(word)
        if isinstance(match, TimeMatch)
    )


def check_time(f: Filling, edits: list[Edit]) -> None:
    """A period wholly in the future, or wholly before the data, is declined, not answered with 0."""
    time, found = f.slots.time, f.about
    if time is None or found is None or time.kind == "newest":
        return
    role = role_of(f)
    column = found.time.roles[role].column if role and role in found.time.roles else role
    if column is None:
        if any(edit.slot == "time" for edit in f.reading.edits):
            raise Refuse(
                "no-date",
                {"object": found.words.label(f.reading.lang, found.id), "time": time.words},
            )
        return
    tomorrow = add(f.clock.date(), 1, "day")
    if look_of(f, role) == "back" and all(
        item.start is not None and day_of(item.start) >= tomorrow for item in time.ranges
    ):
        raise Refuse("future", {"time": time.words})
    extent = f.world.extent(found, column, f.clock)
    first = extent.first
    if first is not None and all(
        item.end is not None and day_of(item.end) <= first for item in time.ranges
    ):
        raise Refuse("before-data", {"time": time.words, "first": first.isoformat()})
    if found.time.snapshot and not any(
        f.world.extent(found, column, f.clock, item).last for item in time.ranges
    ):
        raise no_snapshot(f, found, column)


def no_snapshot(f: Filling, found: Object, column: str) -> Refuse:
    """Nothing was stated within the period: that is no 0. The nearest snapshots are offered."""
    assert f.slots.time is not None
    starts = [item.start for item in f.slots.time.ranges if item.start is not None]
    ends = [item.end for item in f.slots.time.ranges if item.end is not None]
    earlier = Range(None, day_of(min(starts))) if starts else None
    later = Range(day_of(max(ends)), None) if ends else None
    near = [
        f.world.extent(found, column, f.clock, earlier).last if earlier else None,
        f.world.extent(found, column, f.clock, later).first if later else None,
    ]
    offers = tuple((day.isoformat(), day.isoformat()) for day in near if day is not None)
    return Refuse("no-snapshot", {"time": f.slots.time.words}, offers)
