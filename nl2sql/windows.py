"""The rows that a metric over a window is made of, as dates. Pure functions of ranges and the clock."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta

from nl2sql.times import Calendar, Grain, Range, Resolved, add, bucket, buckets
from nl2sql.times.arith import day_of
from semantic_layer.model import Window

BEGINNING = date(1, 1, 1)


@dataclass(frozen=True, slots=True)
class Period:
    """A bucket of a trend, and the half-open range of days that its number is made of."""

    bucket: date
    start: date
    end: date


def widened(
    window: Window | None, span: Range, asked: Range, today: date, calendar: Calendar
) -> Range:
    """The range a window reads for a span of days: it may begin long before the span does.

    A span that is still open ends today, so that the last 7 days are 7 days that have been.

    >>> september = Range(date(2026, 9, 1), date(2026, 10, 1))
    >>> widened(Window("rolling", 7), september, september, date(2026, 9, 28), Calendar())
    Range(start=datetime.date(2026, 9, 22), end=datetime.date(2026, 9, 29))
    >>> widened(Window("to_date", 1, "year"), september, september, date(2026, 12, 1), Calendar())
    Range(start=datetime.date(2026, 1, 1), end=datetime.date(2026, 10, 1))
    """
    tomorrow = today + timedelta(days=1)
    ahead = span.start is not None and day_of(span.start) > today
    end = tomorrow if span.end is None else day_of(span.end)
    end = end if ahead else min(end, tomorrow)
    if window is None:
        return Range(span.start, end)
    if window.kind == "rolling":
        return Range(add(end, -window.count, window.unit), end)
    if window.kind == "to_date":
        return Range(bucket(end - timedelta(days=1), window.unit, calendar), end)
    return Range(None if window.kind == "cumulative" else asked.start, end)


def periods(
    window: Window | None,
    resolved: Resolved,
    grain: Grain,
    clock: datetime,
    calendar: Calendar,
    moved: tuple[int, Grain] | None = None,
) -> tuple[Period, ...]:
    """The buckets of ranges, each with the days its number is made of; none that is yet to come.

    The buckets of a comparison base are named by those they stand beside, `moved` units on.
    """
    today = clock.date()
    found: list[Period] = []
    for span in resolved.ranges:
        for item in buckets(
            Resolved((span,), resolved.grain, resolved.kind, None, ()), grain, clock, calendar
        ):
            assert item.start is not None
            first = bucket(day_of(item.start), grain, calendar)
            name = first if moved is None else add(first, *moved)
            if name > today:
                continue
            whole = widened(window, item, span, today, calendar)
            assert whole.end is not None
            start = BEGINNING if whole.start is None else day_of(whole.start)
            found.append(Period(name, start, day_of(whole.end)))
    return tuple(found)


def hull(found: tuple[Period, ...]) -> Range:
    """The one range that holds the days of all periods, for the bare column."""
    start = min((item.start for item in found), default=BEGINNING)
    end = max((item.end for item in found), default=BEGINNING)
    return Range(None if start == BEGINNING else start, end)
