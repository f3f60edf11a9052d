"""Columns that keep moments by another clock, as they must be written: bounds, and business time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from nl2sql.readback.render import when
from nl2sql.times import Range, zones
from semantic_layer.model import Moment


@dataclass(frozen=True, slots=True)
class Limits:
    """The column by which a pass is limited to a period, at the end of which way."""

    way: tuple[str, ...]
    column: str
    ranges: tuple[Range, ...]

    @property
    def closed(self) -> bool:
        """Whether no range is open at an end."""
        return bool(self.ranges) and all(item.start and item.end for item in self.ranges)


def bounds_by_clock(
    column: str, kept: Moment, zone: str, ranges: Sequence[Range]
) -> list[list[str]]:
    """For each stretch of the column's own clock that a period is, the conditions that must all hold."""
    return [
        [
            f"({column} {sign} {_shown(at, kept)})"
            for sign, at in ((">=", start), ("<", end))
            if at is not None
        ]
        for item in ranges
        for start, end in zones.kept(item, kept.zone, zone)
    ]


def midnight(today: str, zone: str) -> datetime:
    """When a day of a zone begins, by the clock of UTC."""
    day = date.fromisoformat(today)
    begins = zones.kept(Range(day, day + timedelta(1)), "UTC", zone)[0][0]
    assert begins is not None
    return begins


def in_zone(
    column: str, kept: Moment, zone: str, business: str, today: str, limits: Limits | None
) -> str:
    """A column by the clock of a zone: by stretches of what its limits leave, else of many years."""
    if limits is not None and limits.closed:
        starts = [at for item in limits.ranges if (at := zones.moment(item.start))]
        ends = [at for item in limits.ranges if (at := zones.moment(item.end))]
        whole = zones.kept(Range(min(starts), max(ends)), kept.zone, business)
    else:
        span = Range(datetime(1970, 1, 1), datetime(int(today[:4]) + 10, 1, 1))
        whole = zones.kept(span, kept.zone, "UTC")
    first, last = whole[0][0], whole[-1][1]
    assert first is not None
    assert last is not None
    stretches = zones.stretches(kept.zone, zone, first, last)
    values = [_ahead(_timestamp(column, kept), item.ahead) for item in stretches]
    if len(values) == 1:
        return values[0]
    edges = [item.start for item in stretches if item.start is not None]
    tests = [f"({column} < {_shown(at, kept)})" for at in edges]
    whens = [f"{test}: {value}" for test, value in zip(tests, values, strict=False)]
    return f"case({'; '.join(whens)}; else {values[-1]})"


def _ahead(value: str, ahead: timedelta) -> str:
    if not ahead:
        return value
    count, unit = zones.in_units(ahead)
    return f"({value} {'-' if count < 0 else '+'} interval[{abs(count)} {unit}])"


def _timestamp(column: str, kept: Moment) -> str:
    if kept.unit is None:
        return column
    size = zones.UNITS[kept.unit]
    return f"moment({column if size == 1 else f'(bigint({column}) * {size})'}, 6)"


def _shown(moment: datetime, kept: Moment) -> str:
    return when(moment) if kept.unit is None else str(zones.count(moment, kept.unit))
