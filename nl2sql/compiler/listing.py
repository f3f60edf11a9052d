"""Detail lists: an object's rows, one row each, with the columns the object lists."""

from __future__ import annotations

from sqlglot import exp

from nl2sql.compiler.anchor import PLACE, RANK, check_reach, ranges_of
from nl2sql.compiler.dates import last_of
from nl2sql.compiler.plan import Question
from nl2sql.compiler.predicates import in_ranges, predicates, route_of
from nl2sql.compiler.rollups import rollups, scope_of
from nl2sql.compiler.scope import Scope
from nl2sql.errors import QuestionError
from nl2sql.slots import Limit
from semantic_layer.model import Object


def columns_of(question: Question, found: Object) -> tuple[str, ...]:
    """What a list shows: the object's own columns, those that were asked for besides, and the attributes
    that its rows are chosen or ordered by."""
    slots = question.slots
    by = [item.field for item in slots.filters]
    if slots.order is not None and slots.order.by is not None:
        by.append(slots.order.by)
    told = [
        name for name in by if name in found.attributes and name not in question.layer.dimensions
    ]
    return tuple(dict.fromkeys((*found.listed, *slots.shown, *told)))


def listing(question: Question) -> exp.Select:
    """The SELECT of a detail list."""
    slots, layer = question.slots, question.layer
    if slots.object is None:
        raise QuestionError("no-object")
    check_reach(slots, layer)
    found = layer.objects[slots.object]
    if not columns_of(question, found):
        raise QuestionError("no-list", {"object": found.id})
    scope = scope_of(question, found, found.table)
    column = date_of(question, found)
    ranges = ranges_of(question, found) if column is not None else ()
    if column is not None:
        scope.limit((), column, ranges)
    columns: list[exp.Expr] = []
    for name in columns_of(question, found):
        if name in layer.dimensions and name in found.dimensions:
            route = route_of(scope, found, name)
            dimension = route.of(layer.dimensions[name])
            if route.many is not None:
                raise QuestionError("list-many-side", {"field": name, "object": found.id})
            columns.append(exp.alias_(scope.joined(route.steps, dimension.column), name))
            if dimension.label is not None:
                columns.append(
                    exp.alias_(scope.joined(route.steps, dimension.label), f"{name}__label")
                )
        else:
            columns.append(exp.alias_(scope.expression(found.attributes[name].expr), name))
    where = predicates(scope, found, slots.filters) + predicates(scope, found, question.policy)
    terms: list[exp.Ordered] = []
    if column is not None:
        value = scope.column((), column)
        terms.append(_ascending(value))
        if ranges and found.time.snapshot:
            where.append(last_of(scope, found, value, column, ranges, question))
        elif ranges:
            where.append(in_ranges(scope, (), column, ranges))
    said = ordered_by(question, found, scope)
    if said is not None:
        terms.insert(0, said)
    for key in layer.tables[found.table].key:
        term = _ascending(scope.column((), key))
        if term not in terms:
            terms.append(term)
    limit = slots.limit
    if limit is not None and (said is not None or limit.first > 1 or limit.per):
        within = [
            scope.joined(
                route_of(scope, found, part).steps,
                route_of(scope, found, part).of(layer.dimensions[part]).column,
            )
            for name in limit.per
            for part in layer.path(name)
        ]
        by = terms if said is None else [said]
        select = ranked(scope, columns, where, within, by, terms, limit)
    else:
        select = scope.from_(exp.Select().select(*columns))
        if where:
            select = select.where(*where)
        if limit is not None:
            select = select.limit(limit.last)
        select = with_rollups(select.order_by(*terms), scope)
    return select


def with_rollups(select: exp.Select, scope: Scope) -> exp.Select:
    """A SELECT with what its scope's columns gather before it."""
    for name, body in rollups(scope):
        select = select.with_(name, as_=body, copy=False)
    return select


def date_of(question: Question, found: Object) -> str | None:
    """The column of the date that a list goes by, when its rows have one."""
    if found.table != found.measured:
        return None
    role = question.slots.time.role if question.slots.time is not None else None
    said = found.time.roles.get(role or found.time.default or "")
    return said.column if said is not None else found.time.default


def ordered_by(question: Question, found: Object, scope: Scope) -> exp.Ordered | None:
    """The order that was said, if one was."""
    order = question.slots.order
    if order is None or order.by is None:
        return None
    if order.by in found.attributes:
        by = scope.expression(found.attributes[order.by].expr)
    elif order.by in found.time.roles and found.table == found.measured:
        by = scope.column((), found.time.roles[order.by].column)
    elif order.by in question.layer.dimensions:
        route = route_of(scope, found, order.by)
        by = scope.joined(route.steps, route.of(question.layer.dimensions[order.by]).column)
    else:
        raise QuestionError("unknown-order", {"field": order.by, "object": found.id})
    return exp.Ordered(this=by, desc=order.descending, nulls_first=False)


def ranked(
    scope: Scope,
    columns: list[exp.Expr],
    where: list[exp.Expr],
    within: list[exp.Expr],
    by: list[exp.Ordered],
    terms: list[exp.Ordered],
    limit: Limit,
) -> exp.Select:
    """The rows of some ranks, ties kept."""
    rank = exp.Window(
        this=exp.Anonymous(this="RANK"),
        partition_by=[item.copy() for item in within],
        order=exp.Order(expressions=[item.copy() for item in by]),
    )
    place = exp.Window(
        this=exp.RowNumber(), order=exp.Order(expressions=[item.copy() for item in terms])
    )
    inner = scope.from_(
        exp.Select().select(*columns, exp.alias_(rank, RANK), exp.alias_(place, PLACE))
    )
    if where:
        inner = inner.where(*where)
    select = exp.Select().select(*(exp.column(item.alias) for item in columns)).from_("listed")
    select = select.where(exp.LTE(this=exp.column(RANK), expression=exp.Literal.number(limit.last)))
    if limit.first > 1:
        select = select.where(
            exp.GTE(this=exp.column(RANK), expression=exp.Literal.number(limit.first))
        )
    select = with_rollups(select, scope).with_("listed", as_=inner)
    return select.order_by(_ascending(exp.column(PLACE)))


def _ascending(value: exp.Expr) -> exp.Ordered:
    return exp.Ordered(this=value.copy(), desc=False, nulls_first=False)
