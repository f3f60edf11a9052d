"""Pass 4, *aggregate*: one SELECT a leg, at the asked keys."""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp

from nl2sql.compiler.dates import (
    Ctes,
    bucket,
    bucket_list,
    by_bucket,
    date_value,
    during,
    in_time,
    stack,
    step,
)
from nl2sql.compiler.early import EARLY, Early, after, again, early, foreign, outside, ranked
from nl2sql.compiler.early import once as once_each
from nl2sql.compiler.measures import measure, when
from nl2sql.compiler.plan import Key, Leg, Period, Plan
from nl2sql.compiler.predicates import (
    besides,
    flat,
    guards,
    limited,
    moment,
    on_dimension,
    one_of,
    predicates,
    route_of,
)
from nl2sql.compiler.presence import here, mark
from nl2sql.compiler.rollups import rollups, scope_of
from nl2sql.compiler.scope import Scope
from nl2sql.errors import QuestionError
from nl2sql.slots import Members
from semantic_layer.model import HasMany, Metric, Object


@dataclass(frozen=True, slots=True)
class Grouped:
    """A leg's SELECT in parts: its keys and measures by alias, and the CTEs it reads.

    `told` rows are told apart by their keys already, and are not grouped.
    """

    select: exp.Select
    keys: dict[str, exp.Expr]
    measures: dict[str, exp.Expr]
    ctes: Ctes
    told: bool = False

    @property
    def by(self) -> list[exp.Expr]:
        """What the rows are grouped by; nothing where each is a group already."""
        return [] if self.told else [value.copy() for value in self.keys.values()]

    def renamed(self, name: str, called: str) -> None:
        """Read a CTE under another name."""
        for tree in (self.select, *self.keys.values(), *self.measures.values()):
            for node in tree.find_all(exp.Column):
                if node.table == name:
                    node.set("table", exp.to_identifier(called))
            for table in tree.find_all(exp.Table):
                if table.name == name:
                    table.set("this", exp.to_identifier(called))

    def whole(self) -> exp.Select:
        """The SELECT with its columns and GROUP BY."""
        columns = [
            exp.alias_(value.copy(), alias, copy=False)
            for alias, value in {**self.keys, **self.measures}.items()
        ]
        select = self.select.select(*columns, append=False, copy=False)
        return select.group_by(*self.by, copy=False) if self.by else select


def aggregate(plan: Plan, leg: Leg) -> Grouped:
    """The rows of a leg, filtered, joined and grouped."""
    question = plan.question
    if not leg.table:
        return listed_buckets(leg)
    found = question.layer.objects[leg.object]
    scope = scope_of(question, found, leg.table)
    where = conditions(plan, leg, scope, found)
    cut = early(plan, leg, found)
    if cut is not None:
        return grouped_early(plan, leg, scope, found, where, cut)
    where += placed(plan, leg, scope, found)
    bridge = None if leg.total else bridged(plan, leg, scope, found)
    if bridge is not None:
        where += [
            exp.Not(this=exp.column(name, bridge.name).is_(exp.null()))
            for name in ranked(question)
            if name in bridge.dimensions
        ]
    keys = {
        key.alias: key_value(plan, leg, scope, found, key, bridge)
        for key in plan.keys
        if not leg.total
    }
    if leg.once_per is not None:
        return once(plan, leg, scope, found, where, keys)
    measures = measured(leg, scope, found, bool(keys)) | present(plan, leg, scope, found)
    select = by_bucket(scope.from_(exp.Select()), leg, scope, found)
    if bridge is not None:
        select = bridge.join(select, scope)
    select = limited(select, where)
    ctes = [*bucket_list(leg, scope, found), *rollups(scope, own_rows(leg, scope, where))]
    return Grouped(select, keys, measures, ctes)


def alias(metric: Metric, period: Period) -> str:
    """The column of a measure: its metric's id, marked where it is of the base."""
    return metric.id if period == "current" else f"{metric.id}__base"


def measured(leg: Leg, scope: Scope, found: Object, grouped: bool) -> dict[str, exp.Expr]:
    """The measures of a leg by alias, for each period."""
    return {
        alias(metric, period): measure(scope, metric, grouped, during(leg, period, scope, found))
        for metric in leg.measures
        for period in leg.periods
    }


def present(plan: Plan, leg: Leg, scope: Scope, found: Object) -> dict[str, exp.Expr]:
    """The columns of a leg that are 0 where it has rows, of each period that it reads beside another."""
    zero = exp.Literal.number(0)
    shown: dict[str, exp.Expr] = {}
    for period in leg.periods:
        limit = during(leg, period, scope, found)
        told = mark(plan, leg, period) if limit is not None and not leg.total else None
        name = here(leg, period) if leg.here else told
        if name is None:
            continue
        any_rows = exp.GT(this=exp.Count(this=exp.Star()), expression=zero.copy())
        shown[name] = (
            when(any_rows, zero.copy()) if limit is None else exp.Max(this=when(limit, zero.copy()))
        )
    return shown


def conditions(plan: Plan, leg: Leg, scope: Scope, found: Object) -> list[exp.Expr]:
    """Everything that limits a leg's rows: its own scope, its period, the filters, the policy."""
    question = plan.question
    where: list[exp.Expr] = []
    if leg.scope is not None:
        where.append(scope.expression(leg.scope))
    if leg.gathered is not None:
        where.extend(belonging(scope, leg.gathered))
    where.extend(in_time(plan, leg, scope, found))
    where.extend(predicates(scope, found, question.slots.limiting))
    where.extend(predicates(scope, found, question.policy))
    return where


def placed(plan: Plan, leg: Leg, scope: Scope, found: Object) -> list[exp.Expr]:
    """That a row takes a place in a ranking."""
    question = plan.question
    where: list[exp.Expr] = []
    for name in ranked(question):
        route = found.route(leg.table, name)
        if route is not None and route.many is None:
            column = route.of(question.layer.dimensions[name]).column
            value = scope.joined(route.steps, column)
            where.append(exp.Not(this=value.is_(exp.null())))
    return where


def grouped_early(
    plan: Plan, leg: Leg, scope: Scope, found: Object, where: list[exp.Expr], cut: Early
) -> Grouped:
    """A leg grouped by its own columns first; names and labels are joined to the groups."""
    question = plan.question
    outer = outside(plan, cut)
    rows: dict[str, exp.Expr] = {
        key.alias: key_value(plan, leg, scope, found, key, None) for key in cut.own
    }
    rows |= foreign(cut, scope)
    seen = measured(leg, scope, found, True) | present(plan, leg, scope, found)
    inner = exp.Select().select(
        *(exp.alias_(value.copy(), name, copy=False) for name, value in {**rows, **seen}.items()),
        copy=False,
    )
    keys = {key.alias: after(key, cut, outer) for key in plan.keys}
    measures = {name: again(value, name, cut) for name, value in seen.items()}
    measures |= {alias(metric, leg.period): once_each(metric, outer) for metric in leg.once}
    kept: list[exp.Expr] = []
    for name in ranked(question):
        key = next(key for key in plan.keys if key.alias == name)
        missing = rows[name].copy() if key in cut.own else after(key, cut, outer)
        (where if key in cut.own else kept).append(exp.Not(this=missing.is_(exp.null())))
    inner = limited(scope.from_(inner), where)
    inner = inner.group_by(*(value.copy() for value in rows.values()), copy=False)
    select = outer.from_(exp.Select(), inner.subquery(EARLY, copy=False))
    if kept:
        select = select.where(*kept, copy=False)
    return Grouped(select, keys, measures, rollups(scope, own_rows(leg, scope, where)), cut.whole)


def belonging(scope: Scope, many: HasMany) -> list[exp.Expr]:
    """What makes a row one of the many of some row, where the scope reads all of their table."""
    owner = scope.joined((many.back.name,), many.back.pairs[0][1])
    where: list[exp.Expr] = [exp.Not(this=owner.is_(exp.null()))]
    if many.where is not None:
        where.append(scope.expression(many.where))
    return where + guards(scope, many)


def own_rows(leg: Leg, scope: Scope, where: list[exp.Expr]) -> list[exp.Expr]:
    """The conditions that a leg's rows meet by columns of their own: only for them need a rollup gather."""
    if leg.snapshot:
        return []
    parts = [part for item in where for part in flat(item) if part.find(exp.Query) is None]
    read = [{column.table for column in part.find_all(exp.Column)} for part in parts]
    own = [part for part, tables in zip(parts, read, strict=True) if tables == {scope.base}]
    return [part for at, part in enumerate(own) if part not in own[:at]]


def listed_buckets(leg: Leg) -> Grouped:
    """The buckets themselves, for those without facts."""
    rows = [
        exp.Select().select(exp.alias_(moment(item.bucket, "date"), "bucket"))
        for item in leg.buckets
    ]
    select = exp.Select().from_(leg.listed)
    return Grouped(
        select, {"bucket": exp.column("bucket", leg.listed)}, {}, [(leg.listed, stack(rows))]
    )


def key_value(
    plan: Plan, leg: Leg, scope: Scope, found: Object, key: Key, bridge: Bridge | None
) -> exp.Expr:
    """The expression of a grouping column in a leg."""
    question = plan.question
    if key.kind == "bucket":
        if leg.role is None:
            raise QuestionError("grain-needs-time", {"object": found.id})
        if leg.buckets:
            return exp.column("bucket", leg.listed)
        value = date_value(leg, scope, found)
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
    return scope.joined(route.steps, key.column(dimension))


def once(
    plan: Plan,
    leg: Leg,
    scope: Scope,
    found: Object,
    where: list[exp.Expr],
    keys: dict[str, exp.Expr],
) -> Grouped:
    """A sum over each row of a key only once: distinct rows first, then the sum."""
    metric = leg.measures[0]
    assert leg.once_per is not None
    assert metric.expr is not None
    inner_columns = [exp.alias_(value, name) for name, value in keys.items()]
    inner_columns.append(exp.alias_(scope.column((), leg.once_per), leg.once_per))
    inner_columns.append(exp.alias_(scope.expression(metric.expr), "once_value"))
    inner = scope.from_(exp.Select().select(*inner_columns).distinct())
    inner = limited(by_bucket(inner, leg, scope, found), where)
    outer = exp.Select().from_(inner.subquery("once"))
    outer_keys: dict[str, exp.Expr] = {name: exp.column(name, "once") for name in keys}
    return Grouped(
        outer,
        outer_keys,
        {alias(metric, leg.period): exp.Sum(this=exp.column("once_value", "once"))},
        [*bucket_list(leg, scope, found), *rollups(scope, own_rows(leg, scope, where))],
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
        value = inner.joined(routes[key.dimension].steps, key.column(dimension))
        columns.append(exp.alias_(value, key.alias))
    where: list[exp.Expr] = []
    for item in (*slots.limiting, *plan.question.policy):
        if isinstance(item.test, Members) and item.field in routes:
            ways = [route_of(scope, found, field) for field in item.test.fields]
            where.append(one_of(inner, ways, item.test))
        elif item.field in routes:
            dimension = layer.dimensions[item.field]
            where.append(on_dimension(inner, routes[item.field].steps, dimension, item.test))
    if many.where is not None:
        where.append(inner.expression(many.where))
    where += besides(guards(inner, many), where)
    select = limited(inner.from_(exp.Select().select(*columns).distinct()), where)
    return Bridge("by_" + many.name, many, tuple(routes), select)
