"""Filters, policy and time as predicates of one scope (pass 2, *scope*; EXISTS for many sides)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, time
from decimal import Decimal

from sqlglot import exp

from nl2sql.compiler.moments import bounds
from nl2sql.compiler.scope import Scope, literal
from nl2sql.errors import QuestionError
from nl2sql.slots import Among, Contains, During, Filter, Interval, Members, Missing, Test
from nl2sql.times import Range
from semantic_layer.expression import reference
from semantic_layer.model import Dimension, HasMany, Object, Route
from semantic_layer.paths import aside, shortest


def predicates(scope: Scope, found: Object, filters: Sequence[Filter]) -> list[exp.Expr]:
    """One predicate a filter, on rows of the scope's table."""
    return [predicate(scope, found, item, filters) for item in filters]


def predicate(scope: Scope, found: Object, item: Filter, among: Sequence[Filter]) -> exp.Expr:
    """The predicate of one filter; a many side becomes EXISTS, narrowed by the filters on its parents."""
    layer = scope.layer
    if item.field in found.attributes and item.field not in layer.dimensions:
        attribute = found.attributes[item.field]
        back = back_to(scope, found)
        if isinstance(item.test, During) and isinstance(attribute.expr.tree, exp.Column):
            ref = reference(attribute.expr.tree)
            return in_ranges(scope, (*back, *ref.path), ref.name, item.test.ranges)
        return test(scope.expression(attribute.expr, back), item.test, attribute.type)
    if isinstance(item.test, Members):
        return members(scope, found, item.test)
    route = route_of(scope, found, item.field)
    dimension = route.of(layer.dimensions[item.field])
    if route.many is None:
        return on_dimension(scope, route.steps, dimension, item.test)
    inner = scope.inside(route.many.to, "in_")
    positive, negated = _positive(item.test)
    conditions = [on_dimension(inner, route.steps, dimension, positive)]
    for parent in layer.path(item.field)[:-1]:
        way = layer.objects[found.id].route(route.many.to, parent) or found.route(
            scope.table, parent
        )
        limits = next((other for other in among if other.field == parent), None)
        if (
            limits is not None
            and way is not None
            and way.many is None
            and not isinstance(limits.test, Members)
        ):
            reached = _same_side(inner, route, parent)
            if reached is not None:
                conditions.append(
                    on_dimension(inner, reached, layer.dimensions[parent], limits.test)
                )
    found_one = exists(scope, inner, route.many, conditions)
    return exp.Not(this=found_one) if negated else found_one


def _same_side(inner: Scope, route: Route, parent: str) -> tuple[str, ...] | None:
    layer = inner.layer
    end = layer.follow(inner.table, route.steps)
    ways = shortest(layer.tables, end, layer.dimensions[parent].table)
    return (*route.steps, *ways[0]) if ways else None


def exists(scope: Scope, inner: Scope, many: HasMany, conditions: list[exp.Expr]) -> exp.Exists:
    """EXISTS of a related row that meets the conditions."""
    tied = [
        exp.column(here, inner.base).eq(exp.column(there, scope.base))
        for here, there in many.back.pairs
    ]
    if many.where is not None:
        conditions = [inner.expression(many.where), *conditions]
    conditions += besides(guards(inner, many), conditions)
    select = inner.from_(exp.Select().select(exp.Literal.number(1)))
    return exp.Exists(this=select.where(*tied, *conditions))


def besides(more: list[exp.Expr], there: list[exp.Expr]) -> list[exp.Expr]:
    """The conditions that are not there yet, alone or as a part of one."""
    parts = [part for item in there for part in flat(item)]
    return [item for item in more if item not in parts]


def flat(condition: exp.Expr) -> list[exp.Expr]:
    """The parts of a condition that must all hold."""
    return list(condition.flatten()) if isinstance(condition, exp.And) else [condition]


def limited(select: exp.Select, where: Sequence[exp.Expr]) -> exp.Select:
    """A SELECT under conditions; one that stands alone needs no parentheses."""
    if not where:
        return select
    conditions = [where[0].unnest()] if len(where) == 1 else where
    return select.where(*conditions, copy=False)


def guards(inner: Scope, many: HasMany) -> list[exp.Expr]:
    """What a policy imposes on the rows of a many side: a visible row shows nothing of hidden ones."""
    found: list[exp.Expr] = []
    for item in inner.policy:
        dimension = inner.layer.dimensions[item.field]
        steps = aside(inner.layer.tables, many, dimension.table)
        if steps is not None:
            found.append(on_dimension(inner, steps, dimension, item.test))
    return found


def members(scope: Scope, found: Object, item: Members) -> exp.Expr:
    """One of the rows of an earlier result."""
    routes = [route_of(scope, found, field) for field in item.fields]
    many = next((route.many for route in routes if route.many is not None), None)
    inner = scope if many is None else scope.inside(many.to, "in_")
    condition = one_of(inner, routes, item)
    return condition if many is None or not item.rows else exists(scope, inner, many, [condition])


def one_of(inner: Scope, routes: Sequence[Route], item: Members) -> exp.Expr:
    """Members as a condition on the rows where they are found: those of a many side, if there is one."""
    if not item.rows:
        return exp.false()
    layer = inner.layer
    own = next((route for route in routes if route.many is not None), None)
    columns: list[exp.Expr] = []
    for field, route in zip(item.fields, routes, strict=True):
        dimension = route.of(layer.dimensions[field])
        steps = route.steps
        if own is not None and route.many is None:
            steps = _same_side(inner, own, field) or own.steps
        columns.append(inner.column(steps, dimension.column))
    kinds = [layer.dimensions[field].type for field in item.fields]
    if len(columns) == 1 and all(row[0] is not None for row in item.rows):
        condition: exp.Expr = _in(columns[0], [row[0] or "" for row in item.rows], kinds[0])
    else:
        condition = exp.or_(
            *(
                exp.and_(
                    *(
                        left.copy().is_(exp.null())
                        if value is None
                        else left.copy().eq(literal(value, kind))
                        for left, value, kind in zip(columns, row, kinds, strict=True)
                    )
                )
                for row in item.rows
            )
        )
        if isinstance(condition, exp.Or):
            condition = exp.paren(condition)
    return condition


def route_of(scope: Scope, found: Object, dimension: str) -> Route:
    """How the scope's rows reach a dimension."""
    route = found.route(scope.table, dimension)
    if route is None:
        raise QuestionError(
            "unreachable", {"field": dimension, "object": found.id}, found.dimensions
        )
    return route


def back_to(scope: Scope, found: Object) -> tuple[str, ...]:
    """The joins from the scope's rows to the object's own."""
    if scope.table == found.table:
        return ()
    return found.back.get(scope.table, ())


def on_dimension(
    scope: Scope, steps: tuple[str, ...], dimension: Dimension, item: Test
) -> exp.Expr:
    """A test on a dimension's stored value, or on its label where text is searched."""
    if isinstance(item, Among) and not item.values:
        return exp.true() if item.negated else exp.false()  # no column is read, so none is joined
    if isinstance(item, Contains) and dimension.label is not None:
        return test(scope.joined(steps, dimension.label), item, "text")
    if isinstance(item, Missing):
        return test(scope.joined(steps, dimension.column), item, dimension.type)
    return test(scope.column(steps, dimension.column), item, dimension.type)


def test(value: exp.Expr, item: Test, kind: str) -> exp.Expr:
    """A test on a value. Negations keep rows without one (RULES.md §9)."""
    match item:
        case Among(values, False):
            return _in(value, values, kind)
        case Among(values, True):
            if len(values) == 1:
                return exp.NullSafeNEQ(this=value, expression=literal(values[0], kind))
            listed = exp.In(this=value, expressions=[literal(entry, kind) for entry in values])
            return exp.paren(exp.or_(exp.Not(this=listed), value.copy().is_(exp.null())))
        case Missing(negated):
            empty = value.is_(exp.null())
            return exp.Not(this=empty) if negated else empty
        case Contains(text, negated):
            found = exp.GT(
                this=exp.StrPosition(this=value, substr=exp.Literal.string(text)),
                expression=exp.Literal.number(0),
            )
            if not negated:
                return found
            return exp.paren(exp.or_(exp.Not(this=found), value.copy().is_(exp.null())))
        case Interval():
            return interval(value, item)
        case During(ranges):
            return during(value, ranges, kind)
        case Members():
            raise QuestionError("members-on-attribute")
    raise QuestionError("unknown-test", {"test": item.kind})


def _in(value: exp.Expr, values: Sequence[str], kind: str) -> exp.Expr:
    if not values:
        return exp.false()
    if len(values) == 1:
        return value.eq(literal(values[0], kind))
    return exp.In(this=value, expressions=[literal(entry, kind) for entry in values])


def number(value: Decimal) -> exp.Expr:
    """An exact decimal literal, never in exponent form."""
    return exp.Literal.number(format(value, "f"))


def interval(value: exp.Expr, item: Interval) -> exp.Expr:
    """Bounds on a number."""
    found: list[exp.Expr] = []
    if (
        item.low is not None
        and item.low == item.high
        and item.low_inclusive
        and item.high_inclusive
    ):
        return value.eq(number(item.low))
    if item.low is not None:
        kind = exp.GTE if item.low_inclusive else exp.GT
        found.append(kind(this=value.copy(), expression=number(item.low)))
    if item.high is not None:
        kind_high = exp.LTE if item.high_inclusive else exp.LT
        found.append(kind_high(this=value.copy(), expression=number(item.high)))
    return exp.and_(*found, copy=False)


def in_ranges(scope: Scope, steps: tuple[str, ...], name: str, ranges: Sequence[Range]) -> exp.Expr:
    """Half-open ranges of business time on a column, by the clock it keeps."""
    value, kept = scope.column(steps, name), scope.moment(steps, name)
    if kept is not None:
        return bounds(value, ranges, kept, scope.layer.calendar.timezone)
    table = scope.layer.tables[scope.layer.follow(scope.table, steps)]
    return during(value, ranges, table.columns.get(name, "decimal"))


def moment(value: date | datetime, kind: str) -> exp.Expr:
    """A date or timestamp literal. A date has no hours: rows of the whole day would count."""
    if kind == "date" and isinstance(value, datetime) and value.time() != time():
        raise QuestionError("no-hours", {"time": value.isoformat(" ", "minutes")})
    if kind == "timestamp" or isinstance(value, datetime):
        text = (
            value.isoformat(" ") if isinstance(value, datetime) else f"{value.isoformat()} 00:00:00"
        )
        return exp.cast(exp.Literal.string(text), exp.DType.TIMESTAMP)
    return exp.cast(exp.Literal.string(value.isoformat()), exp.DType.DATE)


def during(value: exp.Expr, ranges: Sequence[Range], kind: str) -> exp.Expr:
    """Half-open ranges on the bare column, so that zone maps and indexes serve."""
    options: list[exp.Expr] = []
    for item in ranges:
        ends: list[exp.Expr] = []
        if item.start is not None:
            ends.append(exp.GTE(this=value.copy(), expression=moment(item.start, kind)))
        if item.end is not None:
            ends.append(exp.LT(this=value.copy(), expression=moment(item.end, kind)))
        options.append(exp.and_(*ends, copy=False) if ends else exp.true())
    if len(options) == 1:
        return options[0]
    return exp.paren(exp.or_(*(exp.paren(option) for option in options)))


def _positive(item: Test) -> tuple[Test, bool]:
    """A test without its negation, and whether it had one: a many side is excluded by NOT EXISTS."""
    match item:
        case Among(values, True):
            return Among(values), True
        case Contains(text, True):
            return Contains(text), True
        case Missing(negated):
            return Missing(True), not negated
        case _:
            return item, False
