"""Pass 5 and 6, *combine* and *compare*: from the legs to one statement.

Several legs are stacked with UNION ALL and grouped once more: safe for NULL keys, in every dialect.
"""

from __future__ import annotations

from sqlglot import exp

from nl2sql.compiler.aggregate import Grouped, aggregate, alias
from nl2sql.compiler.anchor import RUNNING, TOTAL, needed
from nl2sql.compiler.plan import Leg, Plan
from nl2sql.compiler.predicates import interval
from nl2sql.compiler.presence import here, mark, zero
from nl2sql.compiler.restrict import conditions_after, restrict
from nl2sql.compiler.scope import guarded, named
from nl2sql.dialects.walk import enclosed
from nl2sql.errors import QuestionError
from semantic_layer.expression import reference
from semantic_layer.model import Layer, Metric


def statement(plan: Plan) -> exp.Select:
    """The SQL tree of a plan."""
    grouped = [(leg, aggregate(plan, leg)) for leg in plan.legs]
    ctes: list[tuple[str, exp.Query]] = []
    for leg, part in grouped:
        for name, body in part.ctes:
            called = gather(ctes, name, body, leg)
            if called != name:
                part.renamed(name, called)
    if len(grouped) == 1 and plan.question.slots.comparison is None:
        _leg, part = grouped[0]
        select = single(plan, part)
    else:
        ctes += [(leg.name, part.whole()) for leg, part in grouped]
        if len(grouped) > 1:
            ctes.append(("combined", stacked(plan, grouped)))
        select = over_groups(plan, ctes[-1][0])
    select = restrict(plan, select, ctes)
    for name, body in ctes:
        select = select.with_(exp.TableAlias(this=exp.to_identifier(name)), as_=body, copy=False)
    return select


def gather(ctes: list[tuple[str, exp.Query]], name: str, body: exp.Query, leg: Leg) -> str:
    """Add a rollup or a list of buckets, and give its name; legs that gather the same rows share one."""
    called, count = name, 1
    while True:
        there = next((select for other, select in ctes if other == called), None)
        if there is None:
            ctes.append((called, body))
            return called
        if there == body:
            return called
        if there.args.get("where") == body.args.get("where"):
            break
        count += 1
        mark = "_base" if leg.period == "base" else ""
        called = f"{name}{mark}" if mark and count == 2 else f"{name}{mark}_{count}"
    if not isinstance(there, exp.Select):
        raise QuestionError("rollups-differ", {"name": name})
    shown = {item.alias_or_name: item for item in there.expressions}
    for item in body.expressions:
        if item.alias_or_name not in shown:
            there.select(item, copy=False)
        elif shown[item.alias_or_name] != item:
            raise QuestionError("rollups-differ", {"name": item.alias_or_name})
    return called


def outputs(plan: Plan, leaf: dict[str, exp.Expr]) -> dict[str, exp.Expr]:
    """The metric columns by alias, made of the leaves' expressions.

    A comparison base of zero is NULL, and so are the change and the rate (RULES.md §7).
    """
    slots, layer = plan.question.slots, plan.question.layer
    found: dict[str, exp.Expr] = {}
    over = f"__{RUNNING.name}" if slots.running and slots.grain else ""
    for name in needed(slots):
        current = formula(layer, layer.metrics[name], leaf, over)
        found[name] = current
        if slots.comparison is not None:
            base = _or_null(formula(layer, layer.metrics[name], leaf, f"{over}__base"))
            found[f"{name}__base"] = base
            found[f"{name}__diff"] = exp.Sub(this=enclosed(current.copy()), expression=base.copy())
            ratio = exp.Div(this=enclosed(current.copy()), expression=base.copy())
            found[f"{name}__change"] = exp.Sub(this=ratio, expression=exp.Literal.number(1))
    return {key: value.copy() for key, value in found.items()}


def formula(layer: Layer, metric: Metric, leaf: dict[str, exp.Expr], mark: str) -> exp.Expr:
    """A metric over the aggregates of its leaves; a zero denominator gives NULL.

    `mark` is what follows a leaf's name: its window, and that it is of the base.
    """
    if metric.window is not None:
        part = layer.metrics[metric.parts[0]]
        return formula(layer, part, leaf, f"__{metric.window.name}{mark}")
    if metric.kind != "formula":
        return leaf[metric.id + mark].copy()
    assert metric.expr is not None
    wrapper = exp.Paren(this=metric.expr.tree.copy())
    guarded(wrapper)
    for node in list(wrapper.find_all(exp.Column)):
        node.replace(enclosed(formula(layer, layer.metrics[reference(node).name], leaf, mark)))
    result = wrapper.this
    assert isinstance(result, exp.Expr)
    return result


def _or_null(value: exp.Expr) -> exp.Expr:
    return exp.Nullif(this=value.copy(), expression=exp.Literal.number(0))


def single(plan: Plan, part: Grouped) -> exp.Select:
    """One leg: the metrics straight over its rows."""
    columns = {**part.keys, **outputs(plan, part.measures)}
    select = part.select.select(
        *(exp.alias_(value.copy(), name, copy=False) for name, value in columns.items()),
        copy=False,
    )
    if part.by:
        select = select.group_by(*part.by, copy=False)
    conditions = [] if conditions_after(plan) else having(plan, columns)
    return select.having(*conditions, copy=False) if conditions else select


def having(plan: Plan, columns: dict[str, exp.Expr]) -> list[exp.Expr]:
    """The conditions on groups."""
    return [interval(columns[item.metric].copy(), item.test) for item in plan.question.slots.having]


def titled(value: exp.Expr, name: str) -> exp.Expr:
    """A column under its alias, which is left out where it says nothing."""
    if isinstance(value, exp.Column) and value.name == name and not value.table:
        return value
    return exp.alias_(value, name)


def stacked(plan: Plan, grouped: list[tuple[Leg, Grouped]]) -> exp.Select:
    """The groups of all legs in one table, a group once."""
    measures = [
        (alias(metric, period), metric, leg, period)
        for leg, _ in grouped
        for metric in (*leg.measures, *leg.once)
        for period in leg.periods
    ]
    names = list(dict.fromkeys(name for name, *_ in measures))
    names += [here(leg, period) for leg in plan.legs if leg.here for period in leg.periods]
    marks = {item for leg in plan.legs for item in marks_of(plan, leg)}
    branches: list[exp.Select] = []
    for leg, part in grouped:
        columns: list[exp.Expr] = [
            exp.alias_(exp.null(), key.alias) if leg.total else exp.column(key.alias)
            for key in plan.keys
        ]
        columns += [
            exp.column(name) if name in part.measures else exp.alias_(exp.null(), name)
            for name in names
        ]
        for name in sorted(marks):
            own = exp.Literal.number(0) if name in marks_of(plan, leg) else exp.null()
            columns.append(exp.column(name) if name in part.measures else exp.alias_(own, name))
        if plan.question.slots.totals:
            columns.append(exp.alias_(exp.Literal.number(int(leg.total)), TOTAL))
        branches.append(
            exp.Select().select(*columns, copy=False).from_(named(leg.name), copy=False)
        )
    union: exp.Query = branches[0]
    for branch in branches[1:]:
        union = exp.union(union, branch, distinct=False, copy=False)
    columns = [exp.column(name) for name in grouped_by(plan)]
    seen: set[str] = set()
    for name, metric, leg, period in measures:
        if name in seen:
            continue
        seen.add(name)
        value: exp.Expr = exp.Max(this=exp.column(name))
        nothing = zero(plan, leg, period, metric) if metric.zero else []
        if nothing:
            value = exp.Coalesce(this=value, expressions=nothing)
        columns.append(exp.alias_(value, name))
    select = exp.Select().select(*columns, copy=False)
    select = select.from_(union.subquery("legs", copy=False), copy=False)
    by = grouped_by(plan)
    return select.group_by(*(exp.column(name) for name in by), copy=False) if by else select


def grouped_by(plan: Plan) -> list[str]:
    """The columns that tell the groups of all legs apart."""
    names = [key.alias for key in plan.keys]
    return [*names, TOTAL] if plan.question.slots.totals else names


def marks_of(plan: Plan, leg: Leg) -> list[str]:
    """The columns by which a leg tells in which groups its object has facts."""
    found = (mark(plan, leg, period) for period in leg.periods)
    return [name for name in found if name is not None]


def over_groups(plan: Plan, source: str) -> exp.Select:
    """The asked columns over the groups: the combined ones, or those of the one leg."""
    leaf: dict[str, exp.Expr] = {}
    for leg in plan.legs:
        for metric in (*leg.measures, *leg.once):
            for period in leg.periods:
                leaf[alias(metric, period)] = exp.column(alias(metric, period))
    columns: dict[str, exp.Expr] = {name: exp.column(name) for name in grouped_by(plan)}
    columns.update(outputs(plan, leaf))
    select = (
        exp.Select()
        .select(*(titled(value, name) for name, value in columns.items()))
        .from_(named(source), copy=False)
    )
    conditions = [] if conditions_after(plan) else having(plan, columns)
    return select.where(*conditions) if conditions else select
