"""What a leg measures: the aggregate of each kind of metric."""

from __future__ import annotations

from decimal import Decimal

from sqlglot import exp

from nl2sql.compiler.predicates import flat
from nl2sql.compiler.scope import Scope
from nl2sql.dialects.walk import enclosed
from nl2sql.errors import QuestionError
from semantic_layer.model import Metric


def measure(
    scope: Scope, metric: Metric, grouped: bool, during: exp.Expr | None = None
) -> exp.Expr:
    """The aggregate of a leaf metric, of the rows `during` a period; its own condition leaves the group
    in place.

    In a group there are facts, so a sum of nothing but NULLs is 0 (RULES.md §9); but it is NULL where
    none of them are of the period.
    """
    where = None if metric.where is None else scope.expression(metric.where)
    if during is not None and (metric.kind == "sum" or (grouped and metric.kind == "count")):
        return exp.Sum(this=when(during, amount(scope, metric, where, grouped)))
    if during is not None:
        where = exp.and_(*flat(during), where)
    if metric.kind == "count" or metric.expr is None:
        return exp.Count(this=exp.Star() if where is None else when(where, exp.Literal.number(1)))
    # moments are told apart as they are kept: an hour that comes twice is not one
    value = scope.expression(metric.expr, stored=metric.kind == "count_distinct")
    if metric.kind == "average" and metric.weight is not None:
        return weighted(value, scope.expression(metric.weight), where)
    if where is not None:
        value = when(where, value, exp.Literal.number(0) if metric.kind == "sum" else None)
    match metric.kind:
        case "sum":
            return summed(value, grouped and metric.zero)
        case "count_distinct":
            return exp.Count(this=exp.Distinct(expressions=[value]))
        case "average":
            return exp.Avg(this=value)
        case "min":
            return exp.Min(this=value)
        case "max":
            return exp.Max(this=value)
        case "median" | "percentile":
            # between two amounts lies a number with more digits than they have
            value = exp.cast(value, "DOUBLE")
            if metric.at in (None, Decimal("0.5")):
                return exp.Median(this=value)
            at = exp.Literal.number(format(metric.at, "f"))
            return exp.PercentileCont(this=value, expression=at)
    raise QuestionError("unknown-aggregate", {"metric": metric.id})


def amount(scope: Scope, metric: Metric, where: exp.Expr | None, grouped: bool) -> exp.Expr:
    """What one row adds to a sum or a count."""
    zero = exp.Literal.number(0)
    if metric.kind == "count" or metric.expr is None:
        value: exp.Expr = exp.Literal.number(1)
    else:
        value = scope.expression(metric.expr)
        if grouped and metric.zero and not never_null(value):
            value = exp.Coalesce(this=value, expressions=[zero])
    return value if where is None else when(where, value, zero.copy())


def summed(value: exp.Expr, grouped: bool) -> exp.Expr:
    """A sum; 0 for a group whose values are all missing."""
    whole = exp.Sum(this=value)
    if not grouped or never_null(value):
        return whole
    return exp.Coalesce(this=whole, expressions=[exp.Literal.number(0)])


def never_null(value: exp.Expr) -> bool:
    """Whether a value is there in every row: a rollup, which is 0 where there is nothing to gather."""
    return isinstance(value, exp.Coalesce) and isinstance(value.expressions[-1], exp.Literal)


def weighted(value: exp.Expr, weight: exp.Expr, where: exp.Expr | None) -> exp.Expr:
    """An average in which each row counts for its weight; a row without a value counts for nothing."""
    there: exp.Expr = exp.Not(this=value.copy().is_(exp.null()))
    product: exp.Expr = exp.Mul(this=enclosed(value.copy()), expression=enclosed(weight.copy()))
    if where is not None:
        product, there = when(where, product), exp.and_(where.copy(), there)
    return exp.Div(
        this=exp.Sum(this=product),
        expression=exp.Nullif(
            this=exp.Sum(this=when(there, weight.copy())), expression=exp.Literal.number(0)
        ),
    )


def when(condition: exp.Expr, value: exp.Expr, otherwise: exp.Expr | None = None) -> exp.Case:
    """CASE WHEN condition THEN value [ELSE otherwise] END."""
    return exp.Case(ifs=[exp.If(this=condition, true=value)], default=otherwise)
