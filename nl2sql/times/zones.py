"""Two clocks: how a moment kept by the one reads on the other, and a period of the one on the other.

Everything follows from one function: by how much the other clock is ahead at each reading of the
first. It changes only where one of the two zones changes its offset, so that it is a few stretches.
A reading that comes twice on the first clock, when it is set back, counts as the first time.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo

from nl2sql.times.model import Range

EPOCH = datetime(1970, 1, 1)
UNITS = {"seconds": 1_000_000, "milliseconds": 1_000, "microseconds": 1}  # in microseconds
_DAY = timedelta(days=1)
_NEAR = timedelta(days=2)  # no two clocks are further apart than 26 hours
_SECOND = timedelta(seconds=1)
_YEARS = (1900, 2200)  # in which zones are known to change

Ends = tuple[datetime | None, datetime | None]


@dataclass(frozen=True, slots=True)
class Stretch:
    """From `start` on by the one clock, the other is `ahead` by this much; None is for ever before."""

    start: datetime | None
    ahead: timedelta


def read(moment: datetime, here: str, there: str) -> datetime:
    """What the clock of `there` shows when that of `here` shows a moment.

    >>> read(datetime(2025, 12, 31, 16, 30), "UTC", "Asia/Shanghai")
    datetime.datetime(2026, 1, 1, 0, 30)
    """
    try:
        there_now = moment.replace(tzinfo=ZoneInfo(here), fold=0).astimezone(ZoneInfo(there))
        return there_now.replace(tzinfo=None, fold=0)
    except OverflowError:  # at the ends of what Python can tell
        return moment


def stretches(here: str, there: str, start: datetime, end: datetime) -> tuple[Stretch, ...]:
    """How far the clock of `there` is ahead, by readings of that of `here` from `start` to `end`.

    >>> [str(item.ahead) for item in stretches(
    ...     "UTC", "Europe/Amsterdam", datetime(2026, 10, 1), datetime(2026, 11, 1))]
    ['2:00:00', '1:00:00']
    """
    found = [Stretch(None, read(start, here, there) - start)]
    for at in sorted({at for at in _edges(here, there, start, end) if start < at < end}):
        ahead = read(at, here, there) - at
        if ahead != found[-1].ahead:
            found.append(Stretch(at, ahead))
    return tuple(found)


def kept(span: Range, here: str, there: str) -> tuple[Ends, ...]:
    """The readings of the clock of `here` at which that of `there` shows a moment of a period.

    One half-open range, but where the clock of `there` is set back in the midst of an hour that the
    period begins or ends in: then both times count.

    >>> kept(Range(datetime(2026, 10, 25, 1), datetime(2026, 10, 25, 2)), "UTC", "Europe/Amsterdam")
    ((datetime.datetime(2026, 10, 24, 23, 0), datetime.datetime(2026, 10, 25, 0, 0)),)
    """
    start, end = moment(span.start), moment(span.end)
    if start is not None and end is not None and end - start > 3 * _NEAR:  # only the ends matter
        *before, first = kept(Range(start, None), here, there)
        last, *rest = kept(Range(None, end), here, there)
        return (*before, (first[0], last[1]), *rest)
    near = [item for item in (start, end) if item is not None]
    if not near:
        return ((None, None),)
    parts = stretches(here, there, _moved(min(near), -_NEAR), _moved(max(near), _NEAR))
    found: list[Ends] = []
    for index, part in enumerate(parts):
        after = parts[index + 1].start if index + 1 < len(parts) else None
        lows = [item for item in (part.start, start and _moved(start, -part.ahead)) if item]
        highs = [item for item in (after, end and _moved(end, -part.ahead)) if item]
        low, high = max(lows, default=None), min(highs, default=None)
        if low is not None and high is not None and low >= high:
            continue
        if found and low is not None and found[-1][1] == low:
            found[-1] = (found[-1][0], high)
        else:
            found.append((low, high))
    return tuple(found)


def moment(value: date | datetime | None) -> datetime | None:
    """A date as the midnight it begins with."""
    if value is None or isinstance(value, datetime):
        return value
    return datetime.combine(value, time())


def count(value: datetime, unit: str) -> int:
    """A reading of UTC as a count of some unit since 1970: the first that is not before it.

    >>> count(datetime(2026, 1, 1), "seconds"), count(datetime(2026, 1, 1), "milliseconds")
    (1767225600, 1767225600000)
    """
    return -((EPOCH - value) // timedelta(microseconds=UNITS[unit]))


def counted(value: int, unit: str) -> datetime:
    """The reading of UTC that a count of some unit since 1970 stands for."""
    return EPOCH + timedelta(microseconds=value * UNITS[unit])


def in_units(ahead: timedelta) -> tuple[int, str]:
    """A difference of two clocks as a number of the largest unit that fits.

    >>> in_units(timedelta(hours=-5)), in_units(timedelta(hours=5, minutes=30))
    ((-5, 'HOUR'), (330, 'MINUTE'))
    """
    seconds = ahead // _SECOND
    for size, unit in ((3600, "HOUR"), (60, "MINUTE")):
        if seconds % size == 0:
            return seconds // size, unit
    return seconds, "SECOND"


def _edges(here: str, there: str, start: datetime, end: datetime) -> Iterator[datetime]:
    """Readings of the clock of `here` at which the difference may change."""
    own = list(_changes_between(here, start, end))
    offsets = {_offset(here, start)} | {
        item for _, before, after in own for item in (before, after)
    }
    for at, before, after in own:
        yield at + max(before, after)
    for at, _, _ in _changes_between(there, start, end):
        for offset in offsets:
            yield at + offset


def _changes_between(
    zone: str, start: datetime, end: datetime
) -> Iterator[tuple[datetime, timedelta, timedelta]]:
    for year in range(max(start.year - 1, _YEARS[0]), min(end.year + 1, _YEARS[1]) + 1):
        yield from _changes(zone, year)


@lru_cache(maxsize=4096)
def _changes(zone: str, year: int) -> tuple[tuple[datetime, timedelta, timedelta], ...]:
    """When the offset of a zone changes in a year of UTC: the moment, the offset before and after."""
    found: list[tuple[datetime, timedelta, timedelta]] = []
    low, last = datetime(year, 1, 1), datetime(year + 1, 1, 1)
    before, there = _offset(zone, low), ZoneInfo(zone)
    while low < last:
        high = low + _DAY
        after = there.fromutc(high.replace(tzinfo=there)).utcoffset() or timedelta()
        if after != before:
            early, late = low, high
            while late - early > _SECOND:
                middle = early + (late - early) // _SECOND // 2 * _SECOND
                if _offset(zone, middle) == before:
                    early = middle
                else:
                    late = middle
            found.append((late, before, after))
        low, before = high, after
    return tuple(found)


def _offset(zone: str, moment: datetime) -> timedelta:
    """How far the clock of a zone is ahead of UTC, at a moment of UTC."""
    try:
        there = moment.replace(tzinfo=UTC).astimezone(ZoneInfo(zone))
    except OverflowError:
        return timedelta()
    return there.utcoffset() or timedelta()


def _moved(value: datetime, by: timedelta) -> datetime:
    try:
        return value + by
    except OverflowError:
        return value
