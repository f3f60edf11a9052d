"""From an expression and a clock to absolute ranges. RULES.md §7 is the law here."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta

from nl2sql.times import model as m
from nl2sql.times.arith import DAY, add, bucket, days_in_month
from nl2sql.times.holidays import festival_day, holiday

# 半年前到现在 starts at (today + 1) − N, as RULES.md §7 has it. False starts it at today − N, which
# is what the gold of question TM-14 in park-hard.yaml has (2026-03-28): the two disagree by a day.
AGO_COUNTS_TODAY = True

_CONTAINER: dict[m.PartUnit, m.Grain] = {
    "half": "year",
    "quarter": "year",
    "month": "year",
    "half_month": "month",
    "week": "year",
    "day": "month",
    "tenday": "month",
    "weekday": "week",
    "weekend": "week",
}
_PART_GRAIN: dict[m.PartUnit, m.Grain] = {
    "half": "half",
    "quarter": "quarter",
    "month": "month",
    "half_month": "day",
    "week": "week",
    "day": "day",
    "tenday": "day",
    "weekday": "day",
    "weekend": "day",
}
_HALF_MONTH = timedelta(days=15)
_REACH = 9  # containers looked through on each side: enough for 29 February


class UnknownTimeError(ValueError):
    """A day that is not there, or not known: 2040年春节, the fifth Monday of a month of four."""


@dataclass(frozen=True, slots=True)
class _Span:
    """A resolved single period with the unit it was named in."""

    start: date
    end: date
    grain: m.Grain
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Context:
    today: date
    calendar: m.Calendar
    look: m.Look

    @property
    def tomorrow(self) -> date:
        return self.today + DAY


def resolve(
    expr: m.TimeExpr,
    clock: datetime,
    calendar: m.Calendar = m.Calendar(),  # noqa: B008
    look: m.Look = "back",
) -> m.Resolved:
    """Absolute half-open ranges of an expression at a clock.

    Raises `UnknownTimeError` for a lunar festival outside the years that are known (to 2035).

    >>> from datetime import datetime
    >>> clock = datetime(2026, 9, 28, 12)
    >>> resolve(m.Part("month", 12), clock).ranges[0]
    Range(start=datetime.date(2025, 12, 1), end=datetime.date(2026, 1, 1))
    >>> resolve(m.Part("month", 12), clock, look="ahead").ranges[0].start
    datetime.date(2026, 12, 1)
    """
    ctx = _Context(clock.date(), calendar, look)
    handler = _SPANS.get(type(expr))
    if handler is not None:
        return handler(expr, ctx)
    span = _period(expr, ctx)
    return m.Resolved((m.Range(span.start, span.end),), span.grain, "period", notes=span.notes)


# ---- single periods


def _period(expr: m.TimeExpr, ctx: _Context) -> _Span:
    """One period; spans inside other spans collapse to their outer ends."""
    match expr:
        case m.SameDay(offset, grain):
            start = add(ctx.today, offset, grain)
            return _Span(start, start + DAY, "day")
        case m.Relative(grain, offset, fiscal):
            start = bucket(ctx.today, grain, ctx.calendar)
            if fiscal:
                start = date(ctx.today.year, ctx.calendar.fiscal_start, 1)
                start = start if start <= ctx.today else add(start, -1, "year")
            start = add(start, offset, grain)
            return _Span(start, add(start, 1, grain), grain)
        case m.Year(number, fiscal):
            start = date(number, ctx.calendar.fiscal_start if fiscal else 1, 1)
            return _Span(start, add(start, 1, "year"), "year")
        case m.OnDay(day, grain):
            start = bucket(day, grain, ctx.calendar)
            return _Span(start, add(start, 1, grain), grain)
        case m.Around(grain, of):
            start = bucket(_period(of, ctx).start, grain, ctx.calendar)
            return _Span(start, add(start, 1, grain), grain)
        case m.Ago(count, grain):
            start = bucket(add(ctx.today, -count, grain), grain, ctx.calendar)
            return _Span(start, add(start, 1, grain), grain)
        case m.Edge(side, of):
            whole = _period(of, ctx)
            day = whole.start if side == "start" else whole.end - DAY
            return _Span(day, day + DAY, "day", whole.notes)
        case m.Some():
            return _some(expr, ctx)
        case m.Nth(index, grain, of):
            whole = _period(of, ctx)
            start = min(add(whole.start, index - 1, grain), whole.end - DAY)
            return _Span(start, min(add(start, 1, grain), whole.end), grain, whole.notes)
        case m.NthWeekday():
            return _nth_weekday(expr, ctx)
        case m.Part() | m.Festival():
            return _chosen(expr, ctx)
    resolved = resolve(expr, datetime.combine(ctx.today, time()), ctx.calendar, ctx.look)
    first, last = resolved.ranges[0].start, resolved.ranges[-1].end
    return _Span(
        _as_date(first) if first else date.min,
        _as_date(last) if last else date.max,
        resolved.grain,
        resolved.notes,
    )


def _some(expr: m.Some, ctx: _Context) -> _Span:
    whole = _period(expr.of, ctx)
    if expr.side == "start":
        end = min(add(whole.start, expr.count, expr.grain), whole.end)
        return _Span(whole.start, end, expr.grain, whole.notes)
    start = max(add(whole.end, -expr.count, expr.grain), whole.start)
    return _Span(start, whole.end, expr.grain, whole.notes)


def _nth_weekday(expr: m.NthWeekday, ctx: _Context) -> _Span:
    whole = _period(expr.of, ctx)
    if expr.index > 0:
        first = whole.start + timedelta(days=(expr.weekday - whole.start.weekday()) % 7)
        day = first + timedelta(weeks=expr.index - 1)
    else:
        latest = whole.end - DAY
        last = latest - timedelta(days=(latest.weekday() - expr.weekday) % 7)
        day = last + timedelta(weeks=expr.index + 1)
    if not whole.start <= day < whole.end:
        raise UnknownTimeError("there is no such weekday in that period")
    return _Span(day, day + DAY, "day", whole.notes)


def _chosen(expr: m.Part | m.Festival, ctx: _Context) -> _Span:
    """A part of a stated period, or the latest (next) one by `look` and `pick`."""
    if _anchored(expr):
        found = _inside(expr, ctx)
        if found is None:
            raise UnknownTimeError("the days of this festival are not known for that year")
        return found
    spans = [span for span in _candidates(expr, ctx) if span is not None]
    pick = expr.pick if isinstance(expr, m.Part) else "look"
    looking = "latest" if ctx.look == "back" else "coming"
    return _picked(spans, looking if pick == "look" else pick, expr, ctx)


def _picked(spans: list[_Span], pick: str, expr: m.Part | m.Festival, ctx: _Context) -> _Span:
    tests: dict[str, tuple[Callable[[_Span], bool], int]] = {
        "latest": (lambda s: s.start <= ctx.today, -1),
        "coming": (lambda s: s.end > ctx.today, 0),
        "last": (lambda s: s.end <= ctx.today, -1),
        "next": (lambda s: s.start > ctx.today, 0),
        "this": (lambda s: _same_container(s, expr, ctx), 0),
    }
    test, index = tests[pick]
    fitting = [span for span in spans if test(span)]
    if not spans:
        raise UnknownTimeError("the days of this festival are not known around the clock")
    return (fitting or spans)[index]


def _same_container(span: _Span, expr: m.Part | m.Festival, ctx: _Context) -> bool:
    grain = _CONTAINER[expr.unit] if isinstance(expr, m.Part) else "year"
    here = bucket(ctx.today, grain, ctx.calendar)
    return here <= span.start < add(here, 1, grain)


def _anchored(expr: m.TimeExpr) -> bool:
    """Whether an expression says where it lies, without looking back or ahead."""
    if isinstance(expr, m.Part | m.Festival):
        return expr.of is not None and _anchored(expr.of)
    if isinstance(expr, m.Edge | m.Some | m.Nth | m.NthWeekday | m.Around | m.Hours):
        return _anchored(expr.of)
    return True


def _candidates(expr: m.Part | m.Festival, ctx: _Context) -> Iterator[_Span | None]:
    """The expression in each container around today, in order of time."""
    root: m.TimeExpr = expr
    while isinstance(root, m.Part | m.Festival) and root.of is not None:
        root = root.of
    grain = _CONTAINER[root.unit] if isinstance(root, m.Part) else "year"
    for offset in range(-_REACH, _REACH + 1):
        yield _inside(expr, ctx, m.Relative(grain, offset))


def _inside(expr: m.TimeExpr, ctx: _Context, container: m.TimeExpr | None = None) -> _Span | None:
    """The period of a nested expression with its root put into `container`; None if it has none."""
    if not isinstance(expr, m.Part | m.Festival):
        return _period(expr, ctx)
    of = expr.of if expr.of is not None else container
    if of is None:
        return None
    outer = _inside(of, ctx, container)
    if outer is None:
        return None
    if isinstance(expr, m.Festival) and expr.alone:
        day = festival_day(expr.code, outer.start.year)
        return None if day is None else _Span(day, day + DAY, "day")
    if isinstance(expr, m.Festival):
        found = holiday(expr.code, outer.start.year)
        return None if found is None else _Span(found[0], found[1], "day", found[2])
    return _part_of(expr, outer, ctx, strict=container is not None)


def _part_of(expr: m.Part, outer: _Span, ctx: _Context, strict: bool) -> _Span | None:
    index, start = expr.index, outer.start
    grain = _PART_GRAIN[expr.unit]
    match expr.unit:
        case "half" | "quarter" | "month":
            if outer.grain == "year" and expr.unit == "month":
                # a month keeps its name inside a fiscal year
                first = date(start.year, index, 1)
                begin = first if first >= start else add(first, 1, "year")
            else:
                begin = add(start, index - 1, grain)
            return _Span(begin, add(begin, 1, grain), grain)
        case "week":
            return _week_of(index, outer, ctx)
        case "tenday":
            begin = start + timedelta(days=(index - 1) * 10)
            end = outer.end if index == 3 else begin + timedelta(days=10)
            return _Span(begin, end, "day")
        case "half_month":
            middle = start + timedelta(days=15)
            return _Span(start, middle, "day") if index == 1 else _Span(middle, outer.end, "day")
        case "weekday":
            begin = start + timedelta(days=(index - ctx.calendar.week_start) % 7)
            return _Span(begin, begin + DAY, "day")
        case "weekend":
            begin = start + timedelta(days=(5 - ctx.calendar.week_start) % 7)
            return _Span(begin, begin + 2 * DAY, "day")
    last = days_in_month(start.year, start.month)
    if index > last and strict:
        return None
    if index > last:
        raise UnknownTimeError("there is no such day in that month")
    begin = start + timedelta(days=index - 1)
    return _Span(begin, begin + DAY, "day")


def _week_of(index: int, outer: _Span, ctx: _Context) -> _Span | None:
    """Week `index` of a year (ISO: the one with 4 January is the first) or, clipped, of a month."""
    if outer.grain == "year":
        first = bucket(date(outer.start.year, 1, 4), "week", ctx.calendar)
        begin = add(first, index - 1, "week")
        return _Span(begin, add(begin, 1, "week"), "week")
    begin = add(bucket(outer.start, "week", ctx.calendar), index - 1, "week")
    end = min(add(begin, 1, "week"), outer.end)
    return _Span(max(begin, outer.start), end, "week", ("week_of_month",))


# ---- spans


def _rolling(expr: m.TimeExpr, ctx: _Context) -> m.Resolved:
    assert isinstance(expr, m.Rolling)
    ahead = expr.direction == "ahead" or (expr.direction == "look" and ctx.look == "ahead")
    more = _HALF_MONTH if expr.half else timedelta()
    if not ahead:
        start, end = add(ctx.tomorrow, -expr.count, expr.grain) - more, ctx.tomorrow
    elif expr.grain in ("day", "week"):
        start, end = ctx.today, add(ctx.today, expr.count, expr.grain)
    else:
        start, end = ctx.today, add(ctx.today, expr.count, expr.grain) + more + DAY
    kept = None if expr.half else (expr.count, expr.grain)
    return m.Resolved((m.Range(start, end),), "day", "rolling", kept, ahead=ahead)


def _run(expr: m.TimeExpr, ctx: _Context) -> m.Resolved:
    assert isinstance(expr, m.Run)
    here = bucket(ctx.today, expr.grain, ctx.calendar)
    first = add(here, -expr.count if expr.side == "before" else 1, expr.grain)
    found = m.Range(first, add(first, expr.count, expr.grain))
    return m.Resolved((found,), expr.grain, "period")


def _start_of(expr: m.TimeExpr, ctx: _Context) -> _Span:
    """The period a span starts with; N ago counts back from today."""
    if isinstance(expr, m.Ago):
        anchor = ctx.tomorrow if AGO_COUNTS_TODAY else ctx.today
        start = add(anchor, -expr.count, expr.grain)
        return _Span(start, start + DAY, "day")
    return _period(expr, ctx)


def _since(expr: m.TimeExpr, ctx: _Context) -> m.Resolved:
    assert isinstance(expr, m.Since | m.Starting)
    first = _start_of(expr.of, ctx)
    if first.start > ctx.today or (isinstance(expr, m.Starting) and ctx.look == "ahead"):
        return m.Resolved((m.Range(first.start, None),), "day", "open", notes=first.notes)
    unit = expr.of.grain if isinstance(expr.of, m.Relative) and expr.of.offset == 0 else None
    if isinstance(expr.of, m.Edge) and isinstance(expr.of.of, m.Relative):
        unit = expr.of.of.grain if expr.of.of.offset == 0 else None
    found = m.Range(first.start, ctx.tomorrow)
    return m.Resolved((found,), "day", "to_date", notes=first.notes, unit=unit)


def _before(expr: m.TimeExpr, ctx: _Context) -> m.Resolved:
    assert isinstance(expr, m.Before)
    of = _start_of(expr.of, ctx) if isinstance(expr.of, m.Ago) else _period(expr.of, ctx)
    end = of.end if expr.inclusive else of.start
    return m.Resolved((m.Range(None, end),), "day", "open", notes=of.notes)


def _after(expr: m.TimeExpr, ctx: _Context) -> m.Resolved:
    assert isinstance(expr, m.After)
    of = _period(expr.of, ctx)
    return m.Resolved((m.Range(of.end, None),), of.grain, "open", notes=of.notes)


def _between(expr: m.TimeExpr, ctx: _Context) -> m.Resolved:
    assert isinstance(expr, m.Between)
    first, last = _both(expr.first, expr.last, ctx)
    if first.start >= last.end:  # 今年3月到去年8月: said from the later to the earlier
        first, last = last, first
    grain = first.grain if first.grain == last.grain else "day"
    notes = tuple(dict.fromkeys(first.notes + last.notes))
    return m.Resolved((m.Range(first.start, last.end),), grain, "between", notes=notes)


def _both(first: m.TimeExpr, last: m.TimeExpr, ctx: _Context) -> tuple[_Span, _Span]:
    """Both ends: an end that does not say its year (month, week) follows from the other.

    Of two that say last or this (last Aug to this Feb) the first follows from the second.
    """
    if _said(last) and not _anchored(first):
        end = _period(last, ctx)
        return _nearest(first, ctx, end.start, before=True), end
    if _said(first) and not _anchored(last):
        begin = _period(first, ctx)
        return begin, _nearest(last, ctx, begin.start, before=False)
    if isinstance(first, m.Part) and isinstance(last, m.Part) and _week_days(first, last):
        week = m.Relative("week", 0)
        first = replace(first, of=week) if first.of is None else first
        last = replace(last, of=week) if first.of == week else last
    if not _anchored(first) and _anchored(last):
        end = _period(last, ctx)
        return _nearest(first, ctx, end.start, before=True), end
    begin = _start_of(first, ctx)
    if _anchored(last):
        return begin, _period(last, ctx)
    return begin, _nearest(last, ctx, begin.start, before=False)


def _said(expr: m.TimeExpr) -> bool:
    """Whether a part says which one it is: last Friday, this March."""
    return isinstance(expr, m.Part) and expr.of is None and expr.pick != "look"


def _week_days(first: m.Part, last: m.Part) -> bool:
    return first.unit == last.unit == "weekday"


def _nearest(expr: m.TimeExpr, ctx: _Context, day: date, before: bool) -> _Span:
    """The occurrence of an unanchored period nearest to a day, on its one side."""
    if not isinstance(expr, m.Part | m.Festival):
        return _period(expr, ctx)
    around = replace(ctx, today=day)
    spans = [span for span in _candidates(expr, around) if span is not None]
    fitting = [s for s in spans if (s.start <= day if before else s.start >= day)]
    return (fitting or spans)[-1 if before else 0]


def _several(expr: m.TimeExpr, ctx: _Context) -> m.Resolved:
    assert isinstance(expr, m.Several)
    clock = datetime.combine(ctx.today, time())
    parts = [resolve(item, clock, ctx.calendar, ctx.look) for item in expr.items]
    grain = parts[0].grain if len({part.grain for part in parts}) == 1 else "day"
    notes = tuple(dict.fromkeys(note for part in parts for note in part.notes))
    ranges = tuple(found for part in parts for found in part.ranges)
    return m.Resolved(ranges, grain, "list", notes=notes)


def _hours(expr: m.TimeExpr, ctx: _Context) -> m.Resolved:
    assert isinstance(expr, m.Hours)
    day = datetime.combine(_period(expr.of, ctx).start, time())
    found = m.Range(day + timedelta(minutes=expr.start), day + timedelta(minutes=expr.end))
    notes = ("part_of_day",) if expr.named else ()
    return m.Resolved((found,), "hour", "between", notes=notes)


def _as_date(moment: date | datetime) -> date:
    return moment.date() if isinstance(moment, datetime) else moment


_SPANS: dict[type, Callable[[m.TimeExpr, _Context], m.Resolved]] = {
    m.Rolling: _rolling,
    m.Run: _run,
    m.Since: _since,
    m.Starting: _since,
    m.Before: _before,
    m.After: _after,
    m.Between: _between,
    m.Several: _several,
    m.Hours: _hours,
}
