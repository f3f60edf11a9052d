"""What a period is compared with, and the buckets a trend shows. RULES.md §7."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from typing import Literal

from nl2sql.times.arith import DAY, MONTHS, add, bucket, day_of, shift_end
from nl2sql.times.model import Calendar, Grain, Range, Resolved
from nl2sql.times.zones import moment


def shift_range(span: Range, n: int, grain: Grain) -> Range:
    """Both ends of a range moved by `n` units, clamped; open ends stay open.

    >>> shift_range(Range(date(2026, 9, 1), date(2026, 9, 29)), -1, "month")
    Range(start=datetime.date(2026, 8, 1), end=datetime.date(2026, 8, 29))
    """
    return Range(_moved(span.start, n, grain, False), _moved(span.end, n, grain, True))


def _moved(
    moment: date | datetime | None, n: int, grain: Grain, is_end: bool
) -> date | datetime | None:
    if moment is None:
        return None
    if isinstance(moment, datetime):
        return datetime.combine(add(moment.date(), n, grain), moment.time(), moment.tzinfo)
    return shift_end(moment, n, grain) if is_end else add(moment, n, grain)


def comparison_base(
    resolved: Resolved,
    kind: Literal["yoy", "pop"],
    clock: datetime,
    calendar: Calendar = Calendar(),  # noqa: B008
    full: bool = False,
) -> tuple[tuple[Range, Range], ...]:
    """(current, base) for each range; empty where the span has no period before it.

    >>> month = Resolved((Range(date(2026, 9, 1), date(2026, 10, 1)),), "month", "period")
    >>> comparison_base(month, "pop", datetime(2026, 9, 28))[0][1]
    Range(start=datetime.date(2026, 8, 1), end=datetime.date(2026, 8, 29))
    """
    pairs: list[tuple[Range, Range]] = []
    for whole in resolved.ranges:
        current = whole if full or resolved.ahead else _so_far(whole, clock.date())
        base = (
            shift_range(current, -1, "year")
            if kind == "yoy"
            else _one_before(resolved, whole, current, calendar)
        )
        if base is not None:
            pairs.append((current, base))
    return tuple(pairs)


def same_part(current: Range, base: Range, today: date) -> tuple[Range, Range]:
    """A period and one it is compared with by name: both up to the same day, while it is open.

    >>> same_part(Range(date(2026, 9, 1), date(2026, 10, 1)),
    ...           Range(date(2026, 5, 1), date(2026, 6, 1)), date(2026, 9, 28))[1]
    Range(start=datetime.date(2026, 5, 1), end=datetime.date(2026, 5, 29))
    """
    whole, start = _so_far(current, today), current.start
    if whole == current or start is None or whole.end is None or base.start is None:
        return whole, base
    days = _day(whole.end) - _day(start)
    end = _day(base.start) + days
    return whole, Range(base.start, end if base.end is None else min(end, _day(base.end)))


def united(*ranges: Range) -> tuple[Range, ...]:
    """The fewest ranges that hold the same moments, in order: what touches or overlaps is one.

    >>> year = Range(date(2026, 1, 1), date(2027, 1, 1))
    >>> united(year, shift_range(year, -1, "year"))
    (Range(start=datetime.date(2025, 1, 1), end=datetime.date(2027, 1, 1)),)
    """
    found: list[Range] = []
    for item in sorted(ranges, key=_start):
        last = found[-1] if found else None
        if last is None or _start(item) > _end(last):
            found.append(item)
        elif _end(item) > _end(last):
            found[-1] = Range(last.start, item.end)
    return tuple(found)


def _start(span: Range) -> datetime:
    return moment(span.start) or datetime.min


def _end(span: Range) -> datetime:
    return moment(span.end) or datetime.max


def _so_far(span: Range, today: date) -> Range:
    """The part of an open period up to today; hours, closed and future spans stay whole."""
    tomorrow = today + DAY
    if isinstance(span.start, datetime) or isinstance(span.end, datetime):
        return span
    if span.start is not None and span.start > today:
        return span
    if span.end is None or span.end > tomorrow:
        return Range(span.start, tomorrow)
    return span


def _one_before(
    resolved: Resolved, whole: Range, current: Range, calendar: Calendar
) -> Range | None:
    """The same part of the period before, by the span's own kind."""
    start, end = current.start, current.end
    if start is None or end is None:
        return None
    if isinstance(start, datetime) or isinstance(end, datetime):
        return shift_range(current, -1, "day")
    if resolved.rolling is not None and not resolved.ahead:
        count, unit = resolved.rolling
        return Range(add(end, -2 * count, unit), start)
    if resolved.unit is not None:
        return shift_range(current, -1, resolved.unit)
    steps = _steps(whole, resolved.grain, calendar)
    if steps is not None:
        return shift_range(current, -steps, resolved.grain)
    length = (_day(whole.end) - _day(whole.start)).days if whole.end else (end - start).days
    return Range(start - timedelta(days=length), end - timedelta(days=length))


def _steps(span: Range, grain: Grain, calendar: Calendar) -> int | None:
    """How many whole buckets of `grain` a range is; None if it is cut otherwise."""
    if span.start is None or span.end is None or grain in ("hour", "day"):
        return None
    start, end = _day(span.start), _day(span.end)
    if grain == "week":
        days = (end - start).days
        return days // 7 if days % 7 == 0 else None
    if start.day != 1 or end.day != 1:
        return None
    months = (end.year - start.year) * 12 + end.month - start.month
    steps, rest = divmod(months, MONTHS[grain])
    return steps if rest == 0 and steps > 0 else None


def _day(moment: date | datetime | None) -> date:
    assert moment is not None
    return day_of(moment)


def whole_buckets(rolling: tuple[int, Grain] | None, grain: Grain | None) -> int | None:
    """How many whole buckets a rolling span is, shown by its own unit or by one that makes it up; None
    where it is cut at its ends instead.

    >>> whole_buckets((12, "month"), "month"), whole_buckets((1, "half"), "month")
    (12, 6)
    >>> whole_buckets((3, "month"), "quarter"), whole_buckets((7, "day"), "day")
    (None, None)
    """
    if rolling is None or grain is None or grain == "day":
        return None
    count, unit = rolling
    if unit == grain:
        return count
    if unit not in MONTHS or grain not in MONTHS:
        return None
    parts, rest = divmod(MONTHS[unit], MONTHS[grain])
    return count * parts if parts and not rest else None


def buckets(
    resolved: Resolved,
    grain: Grain,
    clock: datetime,
    calendar: Calendar = Calendar(),  # noqa: B008
) -> tuple[Range, ...]:
    """The buckets a trend shows: whole ones for a rolling span of that unit, else clipped.

    >>> year = Resolved((Range(date(2025, 9, 29), date(2026, 9, 29)),), "day", "rolling",
    ...                 (12, "month"))
    >>> found = buckets(year, "month", datetime(2026, 9, 28))
    >>> len(found), found[0].start, found[-1].end
    (12, datetime.date(2025, 10, 1), datetime.date(2026, 10, 1))
    """
    count = whole_buckets(resolved.rolling, grain)
    if count is not None:
        running = bucket(clock.date(), grain, calendar)
        first = running if resolved.ahead else add(running, 1 - count, grain)
        return tuple(Range(add(first, i, grain), add(first, i + 1, grain)) for i in range(count))
    found: list[Range] = []
    for span in resolved.ranges:
        found.extend(_cut(span, grain, clock.date(), calendar))
    return tuple(found)


def _cut(span: Range, grain: Grain, today: date, calendar: Calendar) -> list[Range]:
    """The buckets that touch a range, clipped to it; a range without a start stays one."""
    if span.start is None or grain == "hour" or isinstance(span.start, datetime):
        return [span]
    start = span.start
    end = _day(span.end) if span.end is not None else today + DAY
    if end <= start:
        return [span]
    found: list[Range] = []
    first = bucket(start, grain, calendar)
    while first < end:
        after = add(first, 1, grain)
        found.append(Range(max(first, start), min(after, end)))
        first = after
    return found
