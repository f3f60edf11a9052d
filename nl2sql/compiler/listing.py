"""Detail lists: an object's rows, one row each, with the columns the object lists."""

from __future__ import annotations

from sqlglot import exp

from nl2sql.compiler.anchor import check_reach, ranges_of
from nl2sql.compiler.plan import Question
from nl2sql.compiler.predicates import during, predicates, route_of
from nl2sql.compiler.scope import Scope
from nl2sql.errors import QuestionError
from semantic_layer.model import Object


def columns_of(question: Question, found: Object) -> tuple[str, ...]:
    """What a list shows: the object's own columns, then those that were asked for besides."""
    return tuple(dict.fromkeys((*found.listed, *question.slots.shown)))


def listing(question: Question) -> exp.Select:
    """The SELECT of a detail list."""
    slots, layer = question.slots, question.layer
    if slots.object is None:
        raise QuestionError("no-object")
    check_reach(slots, layer)
    found = layer.objects[slots.object]
    scope = Scope(layer, found.table, dict(found.rollups) if found.table == found.measured else {})
    columns: list[exp.Expression] = []
    for name in columns_of(question, found):
        if name in layer.dimensions and name in found.dimensions:
            dimension = layer.dimensions[name]
            route = route_of(scope, found, name)
            if route.many is not None:
                raise QuestionError("list-many-side", {"field": name, "object": found.id})
            columns.append(exp.alias_(scope.joined(route.steps, dimension.column), name))
            if dimension.label is not None:
                columns.append(exp.alias_(scope.joined(route.steps, dimension.label), f"{name}__label"))
        else:
            columns.append(exp.alias_(scope.expression(found.attributes[name].expr), name))
    where = predicates(scope, found, slots.filters) + predicates(scope, found, question.policy)
    role = slots.time.role if slots.time is not None else None
    column = found.time.roles[role].column if role in found.time.roles and role else found.time.default
    terms: list[exp.Ordered] = []
    if column is not None and found.table == found.measured:
        value = scope.column((), column)
        terms.append(exp.Ordered(this=value.copy(), desc=False, nulls_first=False))
        ranges = ranges_of(question)
        if ranges:
            where.append(in_period(question, found, scope, column))
    if slots.order is not None and slots.order.by is not None:
        if slots.order.by in found.attributes:
            by = scope.expression(found.attributes[slots.order.by].expr)
        else:
            by = scope.joined(route_of(scope, found, slots.order.by).steps, layer.dimensions[slots.order.by].column)
        terms.insert(0, exp.Ordered(this=by, desc=slots.order.descending, nulls_first=False))
    for key in layer.tables[found.table].key:
        term = exp.Ordered(this=scope.column((), key), desc=False, nulls_first=False)
        if term not in terms:
            terms.append(term)
    select = scope.from_(exp.Select().select(*columns))
    if where:
        select = select.where(*where)
    if slots.limit is not None:
        select = select.limit(slots.limit.last)
    select = select.order_by(*terms)
    for name, body in scope.ctes():
        select = select.with_(name, as_=body, copy=False)
    return select


def in_period(question: Question, found: Object, scope: Scope, column: str) -> exp.Expression:
    """The period of a list: the ranges, or the last snapshot in each."""
    kind = scope.layer.tables[found.measured].columns[column]
    value = scope.column((), column)
    if not found.time.snapshot:
        return during(value, ranges_of(question), kind)
    options = []
    for item in ranges_of(question):
        inner = Scope(scope.layer, found.measured)
        day = inner.column((), column)
        last = inner.from_(exp.Select().select(exp.Max(this=day))).where(during(day, (item,), kind))
        options.append(exp.EQ(this=value.copy(), expression=exp.Subquery(this=last)))
    return options[0] if len(options) == 1 else exp.paren(exp.or_(*options))
