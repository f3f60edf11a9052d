"""Dates of a leg: its period, the last snapshots in it, and the buckets of a trend or a window."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from nl2sql.compiler.plan import Leg, Period, Plan, Question, Shift
from nl2sql.compiler.predicates import flat, in_ranges, moment
from nl2sql.compiler.scope import Scope
from nl2sql.errors import QuestionError
from nl2sql.times import Calendar, Grain, Range
from nl2sql.times.arith import FISCAL, fiscal_shift
from semantic_layer.model import Object

Ctes = list[tuple[str, exp.Query]]
_SHIFTS = {
    "week": (7, "day"),
    "quarter": (3, "month"),
    "half": (6, "month"),
    "fiscal_quarter": (3, "month"),
    "fiscal_year": (1, "year"),
}


def in_time(plan: Plan, leg: Leg, scope: Scope, found: Object) -> list[exp.Expr]:
    """The period of a leg: half-open ranges, or the last snapshot in each."""
    if leg.role is None or not leg.ranges:
        return []
    steps = way_to_date(leg, found)
    scope.limit(steps, leg.role.column, leg.ranges)
    if not leg.snapshot:
        whole = in_ranges(scope, steps, leg.role.column, leg.ranges)
        return flat(whole)
    value = scope.column(steps, leg.role.column)
    grain = None if leg.total else plan.question.slots.grain
    return [
        last_of(scope, found, value, leg.role.column, leg.ranges, plan.question, grain, leg.take)
    ]


def during(leg: Leg, period: Period, scope: Scope, found: Object) -> exp.Expr | None:
    """What tells the rows of a period from the others that a leg reads; None where it reads no others."""
    ranges = leg.within(period)
    if ranges is None:
        return None
    assert leg.role is not None
    return in_ranges(scope, way_to_date(leg, found), leg.role.column, ranges)


def way_to_date(leg: Leg, found: Object) -> tuple[str, ...]:
    """The joins from a leg's rows to those that have the date."""
    return found.back.get(leg.table, ())


def date_value(leg: Leg, scope: Scope, found: Object) -> exp.Expr:
    """The date that a leg goes by, in business time."""
    assert leg.role is not None
    return scope.business(way_to_date(leg, found), leg.role.column)


def last_of(
    scope: Scope,
    found: Object,
    value: exp.Expr,
    column: str,
    ranges: tuple[Range, ...],
    question: Question,
    grain: Grain | None = None,
    take: str = "last",
) -> exp.Expr:
    """The last snapshot in the ranges, or in each bucket of them: snapshots never add over time.

    Where each key has snapshots of its own, the last one of each.
    """
    inner = scope.inside(found.measured)
    day = inner.column((), column)
    inner.limit((), column, ranges)
    chosen = exp.Max(this=day) if take == "last" else exp.Min(this=day)
    back = found.back.get(scope.table, ())
    per = [inner.column((), name) for name in found.time.per]
    last = inner.from_(exp.Select().select(*per, chosen)).where(
        in_ranges(inner, (), column, ranges)
    )
    by = list(per)
    if grain is not None:
        by.append(bucket(inner.business((), column), grain, question.calendar))
    if by:
        last = last.group_by(*(item.copy() for item in by))
    if not by:
        return exp.EQ(this=value.copy(), expression=exp.Subquery(this=last))
    if per:
        keys = [scope.column(back, name) for name in found.time.per]
        value = exp.Tuple(expressions=[*keys, value.copy()])
    return exp.In(this=value.copy(), query=exp.Subquery(this=last))


def by_bucket(select: exp.Select, leg: Leg, scope: Scope, found: Object) -> exp.Select:
    """Each row once for every bucket whose days hold its date: windows overlap."""
    if not leg.buckets or leg.total:
        return select
    value = date_value(leg, scope, found)
    on = exp.and_(
        exp.GTE(this=value.copy(), expression=exp.column("start_", leg.listed)),
        exp.LT(this=value.copy(), expression=exp.column("end_", leg.listed)),
    )
    return select.join(exp.to_table(leg.listed), on=on)


def bucket_list(leg: Leg, scope: Scope, found: Object) -> Ctes:
    """The buckets of a window and their days, as rows."""
    if not leg.buckets or leg.total:
        return []
    assert leg.role is not None
    kind = scope.layer.tables[found.measured].columns[leg.role.column]
    if scope.moment(way_to_date(leg, found), leg.role.column) is not None:
        kind = "timestamp"
    rows = [
        exp.Select().select(
            exp.alias_(moment(item.bucket, "date"), "bucket"),
            exp.alias_(moment(item.start, kind), "start_"),
            exp.alias_(moment(item.end, kind), "end_"),
        )
        for item in leg.buckets
    ]
    return [(leg.listed, stack(rows))]


def stack(rows: Sequence[exp.Select]) -> exp.Query:
    """UNION ALL, as a person writes it: one after the other."""
    whole: exp.Query = rows[0]
    for row in rows[1:]:
        whole = exp.union(whole, row, distinct=False, copy=False)
    return whole


def step(shift: Shift) -> exp.Interval:
    """A shift as an interval, in units that every database knows: days, months and years."""
    times, grain = _SHIFTS.get(shift.grain, (1, shift.grain))
    return exp.Interval(
        this=exp.Literal.string(str(times * shift.count)), unit=exp.var(grain.upper())
    )


def truncated(value: exp.Expr, unit: str) -> exp.Expr:
    """DATE_TRUNC."""
    make: type[exp.Func] = exp.DateTrunc
    return make(this=value, unit=exp.Literal.string(unit))


def bucket(value: exp.Expr, grain: Grain, calendar: Calendar) -> exp.Expr:
    """The first day of the bucket that a moment falls in."""
    if grain == "hour":
        raise QuestionError("no-hour-buckets")
    if grain in FISCAL:
        count = fiscal_shift(grain, calendar)
        if not count:
            return bucket(value, FISCAL[grain], calendar)
        months = exp.Interval(this=exp.Literal.string(str(count)), unit=exp.var("MONTH"))
        moved = truncated(exp.Sub(this=value, expression=months), FISCAL[grain])
        return exp.cast(exp.Add(this=moved, expression=months.copy()), "DATE")
    if grain == "half":
        year = truncated(value, "year")
        late = exp.GT(
            this=exp.Extract(this=exp.var("MONTH"), expression=value.copy()),
            expression=exp.Literal.number(6),
        )
        half = exp.Interval(this=exp.Literal.string("6"), unit=exp.var("MONTH"))
        choice = exp.Case(
            ifs=[exp.If(this=late, true=exp.Add(this=year.copy(), expression=half))], default=year
        )
        return exp.cast(choice, exp.DType.DATE)
    if grain == "week" and calendar.week_start != 0:
        days = 7 - calendar.week_start
        step = exp.Interval(this=exp.Literal.string(str(days)), unit=exp.var("DAY"))
        moved = truncated(exp.Add(this=value, expression=step), "week")
        return exp.cast(exp.Sub(this=moved, expression=step.copy()), exp.DType.DATE)
    return exp.cast(truncated(value, grain), exp.DType.DATE)
