"""Which period holds for an object, when none was said: each object has its own (RULES.md §7)."""

from __future__ import annotations

from datetime import date, datetime

from nl2sql.slots import Slots, TimeSlot
from nl2sql.times import Range, add
from semantic_layer.model import Object


def year_to_date(clock: datetime) -> TimeSlot:
    """From the first of January to today, today included; not said by anyone."""
    today = clock.date()
    return TimeSlot("", (Range(date(today.year, 1, 1), add(today, 1, "day")),), "to_date", "day")


def is_default(time: TimeSlot) -> bool:
    """Whether a period was filled in rather than said."""
    return not time.words and time.kind in ("to_date", "newest")


def period_of(slots: Slots, found: Object, clock: datetime) -> TimeSlot | None:
    """The period that limits an object's rows: a default made for one object does not reach another."""
    time = slots.time
    if time is None or found.id == slots.object or not is_default(time):
        return time
    return year_to_date(clock) if found.time.unasked == "year_to_date" else None
