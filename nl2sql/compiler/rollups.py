"""Rollups: what a row gathers from its many rows, one row a parent, so that joining them repeats nothing."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from nl2sql.compiler.plan import Question
from nl2sql.compiler.predicates import guards, limited
from nl2sql.compiler.scope import Scope, column, gathered
from semantic_layer.model import Object, Rollup


def scope_of(question: Question, found: Object, table: str) -> Scope:
    """The scope of a SELECT over a table of an object: its own rows have their rollups."""
    return Scope(
        question.layer,
        table,
        dict(found.rollups) if table == found.measured else {},
        today=question.clock.date().isoformat(),
        policy=question.policy,
    )


def rollups(scope: Scope, own: Sequence[exp.Expr] = ()) -> list[tuple[str, exp.Query]]:
    """The parts that a scope's columns have asked for, by name; only for the rows that meet `own`."""
    found: list[tuple[str, exp.Query]] = []
    for many in scope.rolled.values():
        inner = scope.inside(many.to)
        by = [column(here, inner.base) for here, _ in many.back.pairs]
        select = exp.Select().select(*by)
        for rollup in scope.rollups.values():
            if rollup.of.name == many.name and rollup.id in scope.used:
                select = select.select(exp.alias_(_gathers(rollup, inner), rollup.id))
        where = [] if many.where is None else [inner.expression(many.where)]
        where += guards(inner, many)
        if own and len(many.back.pairs) == 1:
            here, there = many.back.pairs[0]
            rows = Scope(scope.layer, scope.table)
            parents = rows.from_(exp.Select().select(column(there, rows.base)))
            parents = limited(parents, [item.copy() for item in own])
            where.append(exp.In(this=column(here, inner.base), query=exp.Subquery(this=parents)))
        select = limited(inner.from_(select), where)
        found.append((gathered(many), select.group_by(*(item.copy() for item in by))))
    return found


def _gathers(rollup: Rollup, scope: Scope) -> exp.Expr:
    if rollup.kind == "count" or rollup.expr is None:
        return exp.Count(this=exp.Star())
    kinds = {"sum": exp.Sum, "min": exp.Min, "max": exp.Max}
    found: exp.Expr = kinds[rollup.kind](this=scope.expression(rollup.expr))
    return found
