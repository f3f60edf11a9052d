"""Columns that keep moments by another clock: their bounds, and their value in business time.

A period becomes bounds on the bare column, so that zone maps and indexes serve. A value is moved by
the difference of the two clocks, CASE by stretch of time: docs/decisions/0010 says why not by the
database's own function.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

from sqlglot import exp

from nl2sql.times import Range, zones
from semantic_layer.model import Moment

_FIRST = datetime(1970, 1, 1)
_YEARS = 10  # after the question's own, for which clocks are known


@dataclass(frozen=True, slots=True)
class Span:
    """The first and the last moment that a value can have here, by the clock of a zone."""

    ends: Sequence[date | datetime]
    zone: str

    def by(self, zone: str) -> tuple[datetime, datetime]:
        """The two by the clock of another zone."""
        found = sorted(item for end in self.ends if (item := zones.moment(end)) is not None)
        whole = zones.kept(Range(found[0], found[-1]), zone, self.zone)
        return whole[0][0] or found[0], whole[-1][1] or found[-1]


def horizon(today: str) -> Span:
    """Where nothing limits a column: from 1970 to some years after the question."""
    return Span((_FIRST, datetime(int(today[:4]) + _YEARS, 1, 1)), "UTC")


def bounds(value: exp.Expr, ranges: Sequence[Range], kept: Moment, zone: str) -> exp.Expr:
    """Half-open ranges of business time, on the bare column."""
    options: list[exp.Expr] = []
    for item in ranges:
        for start, end in zones.kept(item, kept.zone, zone):
            ends: list[exp.Expr] = []
            if start is not None:
                ends.append(exp.GTE(this=value.copy(), expression=_reading(start, kept)))
            if end is not None:
                ends.append(exp.LT(this=value.copy(), expression=_reading(end, kept)))
            options.append(exp.and_(*ends) if ends else exp.true())
    if len(options) == 1:
        return options[0]
    return (
        exp.paren(exp.or_(*(exp.paren(option) for option in options))) if options else exp.false()
    )


def by_clock(value: exp.Expr, kept: Moment, zone: str, span: Span) -> exp.Expr:
    """A column by the clock of a zone, for values within a span."""
    stretches = zones.stretches(kept.zone, zone, *span.by(kept.zone))
    options = [
        exp.If(
            this=exp.LT(this=value.copy(), expression=_reading(after.start, kept)),
            true=_ahead(_timestamp(value, kept), part.ahead),
        )
        for part, after in itertools.pairwise(stretches)
        if after.start is not None
    ]
    last = _ahead(_timestamp(value, kept), stretches[-1].ahead)
    return exp.Case(ifs=options, default=last) if options else last


def midnight(today: str, zone: str) -> exp.Expr:
    """The beginning of a day of business time, by the clock of UTC."""
    day = date.fromisoformat(today)
    start = zones.kept(Range(day, day + timedelta(1)), "UTC", zone)[0][0]
    return _reading(start or datetime.combine(day, time()), Moment())


def _ahead(value: exp.Expr, ahead: timedelta) -> exp.Expr:
    if not ahead:
        return value
    count, unit = zones.in_units(ahead)
    step = exp.Interval(this=exp.Literal.string(str(abs(count))), unit=exp.var(unit))
    return (exp.Sub if count < 0 else exp.Add)(this=value, expression=step)


def _timestamp(value: exp.Expr, kept: Moment) -> exp.Expr:
    """A column as a timestamp of its own clock."""
    if kept.unit is None:
        return value.copy()
    micros, size = value.copy(), zones.UNITS[kept.unit]
    if size > 1:
        wide = exp.cast(micros, "BIGINT")  # an INTEGER of seconds has no room for microseconds
        micros = exp.Mul(this=wide, expression=exp.Literal.number(size))
    return exp.UnixToTime(this=micros, scale=exp.Literal.number(6))


def _reading(moment: datetime, kept: Moment) -> exp.Expr:
    """What a column shows at a moment of its own clock."""
    if kept.unit is not None:
        return exp.Literal.number(zones.count(moment, kept.unit))
    return exp.cast(exp.Literal.string(moment.isoformat(" ")), "TIMESTAMP")
