"""Pass 4, *aggregate*: one SELECT a leg, at the asked keys."""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp

from nl2sql.compiler.plan import Key, Leg, Plan, Question, Shift
from nl2sql.compiler.predicates import in_ranges, on_dimension, one_of, predicates, route_of
from nl2sql.compiler.scope import Scope
from nl2sql.errors import QuestionError
from nl2sql.slots import Members
from nl2sql.times import Calendar, Grain, Range
from nl2sql.times.arith import FISCAL, fiscal_shift
from semantic_layer.model import HasMany, Metric, Object

Ctes = list[tuple[str, exp.Select]]
_SHIFTS = {
    "week": (7, "day"),
    "quarter": (3, "month"),
    "half": (6, "month"),
    "fiscal_quarter": (3, "month"),
    "fiscal_year": (1, "year"),
}


@dataclass(frozen=True, slots=True)
class Grouped:
    """A leg's SELECT in parts: its keys and measures by alias, and the CTEs it reads."""

    select: exp.Select
    keys: dict[str, exp.Expr]
    measures: dict[str, exp.Expr]
    ctes: Ctes

    def whole(self) -> exp.Select:
        """The SELECT with its columns and GROUP BY."""
        columns = [
            exp.alias_(value.copy(), alias)
            for alias, value in {**self.keys, **self.measures}.items()
        ]
        select = self.select.select(*columns, append=False)
        return (
            select.group_by(*(value.copy() for value in self.keys.values()))
            if self.keys
            else select
        )


def aggregate(plan: Plan, leg: Leg) -> Grouped:
    """The rows of a leg, filtered, joined and grouped."""
    question = plan.question
    found = question.layer.objects[leg.object]
    rollups = dict(found.rollups) if leg.table == found.measured else {}
    scope = Scope(question.layer, leg.table, rollups, today=question.clock.date().isoformat())
    where = conditions(plan, leg, scope, found)
    bridge = bridged(plan, leg, scope, found)
    if bridge is not None:
        where += [
            exp.Not(this=exp.column(name, bridge.name).is_(exp.null()))
            for name in ranked(question)
            if name in bridge.dimensions
        ]
    keys = {key.alias: key_value(plan, leg, scope, found, key, bridge) for key in plan.keys}
    if leg.once_per is not None:
        return once(plan, leg, scope, where, keys)
    measures = {alias(metric, leg): measure(scope, metric) for metric in leg.measures}
    if leg.presence:
        measures = {}
    select = scope.from_(exp.Select())
    if bridge is not None:
        select = bridge.join(select, scope)
    if where:
        select = select.where(*where)
    return Grouped(select, keys, measures, scope.ctes())


def alias(metric: Metric, leg: Leg) -> str:
    """The column of a measure: its metric's id, marked on a base leg."""
    return metric.id if leg.period == "current" else f"{metric.id}__base"


def conditions(plan: Plan, leg: Leg, scope: Scope, found: Object) -> list[exp.Expr]:
    """Everything that limits a leg's rows: its own scope, its period, the filters, the policy."""
    question = plan.question
    where: list[exp.Expr] = []
    if leg.scope is not None:
        where.append(scope.expression(leg.scope))
    where.extend(in_time(plan, leg, scope, found))
    where.extend(predicates(scope, found, question.slots.filters))
    where.extend(predicates(scope, found, question.policy))
    for name in ranked(question):
        route = found.route(leg.table, name)
        if route is not None and route.many is None:
            column = route.of(question.layer.dimensions[name]).column
            value = scope.joined(route.steps, column)
            where.append(exp.Not(this=value.is_(exp.null())))
    return where


def ranked(question: Question) -> list[str]:
    """The dimensions whose rows without a value take no place in a ranking (RULES.md §9)."""
    slots = question.slots
    if slots.limit is None:
        return []
    names = [name for name in slots.dimensions if name not in slots.limit.per]
    return [name for name in names if slots.keeps_missing(name)]


def in_time(plan: Plan, leg: Leg, scope: Scope, found: Object) -> list[exp.Expr]:
    """The period of a leg: half-open ranges, or the last snapshot in each."""
    if leg.role is None or not leg.ranges:
        return []
    steps = () if leg.table == found.measured else found.back.get(leg.table, ())
    scope.limit(steps, leg.role.column, leg.ranges)
    if not leg.snapshot:
        whole = in_ranges(scope, steps, leg.role.column, leg.ranges)
        return list(whole.flatten()) if isinstance(whole, exp.And) else [whole]
    value = scope.column(steps, leg.role.column)
    return [last_of(scope, found, value, leg.role.column, leg.ranges, plan.question)]


def last_of(
    scope: Scope,
    found: Object,
    value: exp.Expr,
    column: str,
    ranges: tuple[Range, ...],
    question: Question,
) -> exp.Expr:
    """The last snapshot in the ranges, or in each bucket of them: snapshots never add over time."""
    inner = scope.inside(found.measured)
    day = inner.column((), column)
    inner.limit((), column, ranges)
    last = inner.from_(exp.Select().select(exp.Max(this=day)))
    last = last.where(in_ranges(inner, (), column, ranges))
    grain = None if question.slots.rows else question.slots.grain
    if grain is None:
        return exp.EQ(this=value.copy(), expression=exp.Subquery(this=last))
    last = last.group_by(bucket(inner.business((), column), grain, question.calendar))
    return exp.In(this=value.copy(), query=exp.Subquery(this=last))


def key_value(
    plan: Plan, leg: Leg, scope: Scope, found: Object, key: Key, bridge: Bridge | None
) -> exp.Expr:
    """The expression of a grouping column in a leg."""
    question = plan.question
    if key.kind == "bucket":
        if leg.role is None:
            raise QuestionError("grain-needs-time", {"object": found.id})
        steps = () if leg.table == found.measured else found.back.get(leg.table, ())
        value = scope.business(steps, leg.role.column)
        if leg.shift is not None:
            value = exp.Add(
                this=value,
                expression=step(leg.shift),
            )
        assert question.slots.grain is not None
        return bucket(value, question.slots.grain, question.calendar)
    assert key.dimension is not None
    dimension = question.layer.dimensions[key.dimension]
    if bridge is not None and key.dimension in bridge.dimensions:
        return exp.column(key.alias, bridge.name)
    route = route_of(scope, found, key.dimension)
    dimension = route.of(dimension)
    name = dimension.label if key.kind == "label" and dimension.label else dimension.column
    return scope.joined(route.steps, name)


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
        return exp.cast(choice, "DATE")
    if grain == "week" and calendar.week_start != 0:
        days = 7 - calendar.week_start
        step = exp.Interval(this=exp.Literal.string(str(days)), unit=exp.var("DAY"))
        moved = truncated(exp.Add(this=value, expression=step), "week")
        return exp.cast(exp.Sub(this=moved, expression=step.copy()), "DATE")
    return exp.cast(truncated(value, grain), "DATE")


def measure(scope: Scope, metric: Metric) -> exp.Expr:
    """The aggregate of a leaf metric; its own condition leaves the group in place."""
    where = None if metric.where is None else scope.expression(metric.where)
    if metric.kind == "count" or metric.expr is None:
        return exp.Count(this=exp.Star() if where is None else when(where, exp.Literal.number(1)))
    # moments are told apart as they are kept: an hour that comes twice is not one
    value = scope.expression(metric.expr, stored=metric.kind == "count_distinct")
    match metric.kind:
        case "sum":
            return exp.Sum(
                this=value if where is None else when(where, value, exp.Literal.number(0))
            )
        case "count_distinct":
            return exp.Count(
                this=exp.Distinct(expressions=[value if where is None else when(where, value)])
            )
        case "average":
            return exp.Avg(this=value if where is None else when(where, value))
        case "min":
            return exp.Min(this=value if where is None else when(where, value))
        case "max":
            return exp.Max(this=value if where is None else when(where, value))
        case "median":
            return exp.Median(this=value if where is None else when(where, value))
    raise QuestionError("unknown-aggregate", {"metric": metric.id})


def when(condition: exp.Expr, value: exp.Expr, otherwise: exp.Expr | None = None) -> exp.Case:
    """CASE WHEN condition THEN value [ELSE otherwise] END."""
    return exp.Case(ifs=[exp.If(this=condition, true=value)], default=otherwise)


def once(
    plan: Plan, leg: Leg, scope: Scope, where: list[exp.Expr], keys: dict[str, exp.Expr]
) -> Grouped:
    """A sum over each row of a key only once: distinct rows first, then the sum."""
    metric = leg.measures[0]
    assert leg.once_per is not None
    assert metric.expr is not None
    inner_columns = [exp.alias_(value, name) for name, value in keys.items()]
    inner_columns.append(exp.alias_(scope.column((), leg.once_per), leg.once_per))
    inner_columns.append(exp.alias_(scope.expression(metric.expr), "once_value"))
    inner = scope.from_(exp.Select().select(*inner_columns).distinct())
    if where:
        inner = inner.where(*where)
    outer = exp.Select().from_(inner.subquery("once"))
    outer_keys: dict[str, exp.Expr] = {name: exp.column(name, "once") for name in keys}
    return Grouped(
        outer,
        outer_keys,
        {alias(metric, leg): exp.Sum(this=exp.column("once_value", "once"))},
        scope.ctes(),
    )


@dataclass(frozen=True, slots=True)
class Bridge:
    """Grouping by a many side: each row once for every distinct key of its many rows."""

    name: str
    many: HasMany
    dimensions: tuple[str, ...]
    select: exp.Select

    def join(self, select: exp.Select, scope: Scope) -> exp.Select:
        on = exp.and_(
            *(
                exp.column(here, self.name).eq(exp.column(there, scope.base))
                for here, there in self.many.back.pairs
            )
        )
        return select.join(self.select.subquery(self.name), on=on, join_type="left")


def bridged(plan: Plan, leg: Leg, scope: Scope, found: Object) -> Bridge | None:
    """The bridge of a leg that is grouped by a many side, with the filters on that side."""
    layer, slots = plan.question.layer, plan.question.slots
    far = [
        key
        for key in plan.keys
        if key.dimension and (route := found.route(leg.table, key.dimension)) and route.many
    ]
    if not far:
        return None
    routes = {key.dimension: route_of(scope, found, key.dimension) for key in far if key.dimension}
    many = next(iter(routes.values())).many
    if many is None or any(
        route.many is None or route.many.name != many.name for route in routes.values()
    ):
        raise QuestionError("two-many-sides", {"object": found.id})
    inner = scope.inside(many.to, "by_")
    columns: list[exp.Expr] = [exp.column(here, inner.base) for here, _ in many.back.pairs]
    for key in far:
        assert key.dimension is not None
        dimension = layer.dimensions[key.dimension]
        name = dimension.label if key.kind == "label" and dimension.label else dimension.column
        columns.append(exp.alias_(inner.joined(routes[key.dimension].steps, name), key.alias))
    where: list[exp.Expr] = []
    for item in (*slots.filters, *plan.question.policy):
        if isinstance(item.test, Members) and item.field in routes:
            ways = [route_of(scope, found, field) for field in item.test.fields]
            where.append(one_of(inner, ways, item.test))
        elif item.field in routes:
            dimension = layer.dimensions[item.field]
            where.append(on_dimension(inner, routes[item.field].steps, dimension, item.test))
    if many.where is not None:
        where.append(inner.expression(many.where))
    select = inner.from_(exp.Select().select(*columns).distinct())
    if where:
        select = select.where(*where)
    return Bridge("by_" + many.name, many, tuple(routes), select)
