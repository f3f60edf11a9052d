"""Pass 5 to 8, *combine*, *compare*, *restrict* and *present*: from the legs to one statement.

Several legs are stacked with UNION ALL and grouped once more: safe for NULL keys, in every dialect.
"""

from __future__ import annotations

from sqlglot import exp

from nl2sql.compiler.aggregate import Grouped, aggregate, alias
from nl2sql.compiler.anchor import BUCKET, RANK, needed
from nl2sql.compiler.plan import Leg, Plan
from nl2sql.compiler.predicates import interval
from nl2sql.compiler.scope import guarded, named
from nl2sql.errors import QuestionError
from nl2sql.slots import Slots
from semantic_layer.expression import reference
from semantic_layer.model import Layer, Metric


def statement(plan: Plan) -> exp.Select:
    """The SQL tree of a plan."""
    grouped = [(leg, aggregate(plan, leg)) for leg in plan.legs]
    ctes: list[tuple[str, exp.Select]] = []
    for _, part in grouped:
        for name, body in part.ctes:
            gather(ctes, name, body)
    if len(grouped) == 1:
        _leg, part = grouped[0]
        select = single(plan, part)
    else:
        ctes += [(leg.name, part.whole()) for leg, part in grouped]
        ctes.append(("combined", stacked(plan, grouped)))
        select = over_combined(plan)
    select = restrict(plan, select, ctes, simple=len(grouped) == 1)
    for name, body in ctes:
        select = select.with_(exp.TableAlias(this=exp.to_identifier(name)), as_=body, copy=False)
    return select


def gather(ctes: list[tuple[str, exp.Select]], name: str, body: exp.Select) -> None:
    """Add a rollup; legs that gather the same rows share one."""
    there = next((select for other, select in ctes if other == name), None)
    if there is None:
        ctes.append((name, body))
        return
    shown = {item.alias_or_name: item for item in there.expressions}
    for item in body.expressions:
        if item.alias_or_name not in shown:
            there.select(item, copy=False)
        elif shown[item.alias_or_name] != item:
            raise QuestionError("rollups-differ", {"name": item.alias_or_name})


def outputs(plan: Plan, leaf: dict[str, exp.Expr]) -> dict[str, exp.Expr]:
    """The metric columns by alias, made of the leaves' expressions.

    A comparison base of zero is NULL, and so are the change and the rate (RULES.md §7).
    """
    slots, layer = plan.question.slots, plan.question.layer
    found: dict[str, exp.Expr] = {}
    for name in needed(slots):
        current = formula(layer, layer.metrics[name], leaf, "")
        found[name] = current
        if slots.comparison is not None:
            base = _or_null(formula(layer, layer.metrics[name], leaf, "__base"))
            found[f"{name}__base"] = base
            found[f"{name}__diff"] = exp.Sub(this=_wrapped(current), expression=base.copy())
            ratio = exp.Div(this=_wrapped(current), expression=base.copy())
            found[f"{name}__change"] = exp.Sub(this=ratio, expression=exp.Literal.number(1))
    return {key: value.copy() for key, value in found.items()}


def formula(layer: Layer, metric: Metric, leaf: dict[str, exp.Expr], mark: str) -> exp.Expr:
    """A metric over the aggregates of its leaves; a zero denominator gives NULL."""
    if metric.kind != "formula":
        return leaf[metric.id + mark].copy()
    assert metric.expr is not None
    wrapper = exp.Paren(this=metric.expr.tree.copy())
    guarded(wrapper)
    for node in list(wrapper.find_all(exp.Column)):
        node.replace(_wrapped(formula(layer, layer.metrics[reference(node).name], leaf, mark)))
    result = wrapper.this
    assert isinstance(result, exp.Expr)
    return result


def _wrapped(value: exp.Expr) -> exp.Expr:
    value = value.copy()
    return exp.paren(value) if isinstance(value, exp.Binary) else value


def _or_null(value: exp.Expr) -> exp.Expr:
    return exp.Nullif(this=value.copy(), expression=exp.Literal.number(0))


def single(plan: Plan, part: Grouped) -> exp.Select:
    """One leg: the metrics straight over its rows."""
    columns = {**part.keys, **outputs(plan, part.measures)}
    select = part.select.select(
        *(exp.alias_(value.copy(), name) for name, value in columns.items())
    )
    if part.keys:
        select = select.group_by(*(value.copy() for value in part.keys.values()), copy=False)
    conditions = [
        interval(columns[item.metric].copy(), item.test) for item in plan.question.slots.having
    ]
    return select.having(*conditions, copy=False) if conditions else select


def titled(value: exp.Expr, name: str) -> exp.Expr:
    """A column under its alias, which is left out where it says nothing."""
    if isinstance(value, exp.Column) and value.name == name and not value.table:
        return value
    return exp.alias_(value, name)


def stacked(plan: Plan, grouped: list[tuple[Leg, Grouped]]) -> exp.Select:
    """The groups of all legs in one table, a group once."""
    measures = [(alias(metric, leg), metric, leg) for leg, _ in grouped for metric in leg.measures]
    names = list(dict.fromkeys(name for name, _, _ in measures))
    marks = {item for leg in plan.legs if (item := _mark(plan, leg)) is not None}
    branches: list[exp.Select] = []
    for leg, part in grouped:
        columns: list[exp.Expr] = [exp.column(key.alias) for key in plan.keys]
        columns += [
            exp.column(name) if name in part.measures else exp.alias_(exp.null(), name)
            for name in names
        ]
        for mark in sorted(marks):
            own = mark == _mark(plan, leg)
            columns.append(exp.alias_(exp.Literal.number(0) if own else exp.null(), mark))
        branches.append(
            exp.Select().select(*columns, copy=False).from_(named(leg.name), copy=False)
        )
    union: exp.Query = branches[0]
    for branch in branches[1:]:
        union = exp.union(union, branch, distinct=False, copy=False)
    columns = [exp.column(key.alias) for key in plan.keys]
    seen: set[str] = set()
    for name, metric, leg in measures:
        if name in seen:
            continue
        seen.add(name)
        value: exp.Expr = exp.Max(this=exp.column(name))
        if metric.additive:
            value = (
                exp.Coalesce(this=value, expressions=zero) if (zero := _zero(plan, leg)) else value
            )
        columns.append(exp.alias_(value, name))
    select = (
        exp.Select()
        .select(*columns, copy=False)
        .from_(union.subquery("legs", copy=False), copy=False)
    )
    if plan.keys:
        select.group_by(*(exp.column(key.alias) for key in plan.keys), copy=False)
    return select


def _zero(plan: Plan, leg: Leg) -> list[exp.Expr]:
    """What a missing sum is: 0 in a group where its object has facts, else unknown (nothing)."""
    if not plan.keys:
        return []
    if all((other.object, other.period) == (leg.object, "current") for other in plan.legs):
        return [exp.Literal.number(0)]
    mark = _mark(plan, leg)
    return [] if mark is None else [exp.Max(this=exp.column(mark))]


def _mark(plan: Plan, leg: Leg) -> str | None:
    """The column that tells in which groups an object has facts, where only some of several legs
    over its rows may show it, and groups of others stand beside them."""
    if not plan.keys or leg.period == "base":
        return None
    own = [other for other in plan.legs if (other.object, other.period) == (leg.object, "current")]
    return f"here_{leg.object}" if 1 < len(own) < len(plan.legs) else None


def over_combined(plan: Plan) -> exp.Select:
    """The asked columns over the combined groups."""
    leaf: dict[str, exp.Expr] = {}
    for leg in plan.legs:
        for metric in leg.measures:
            leaf[alias(metric, leg)] = exp.column(alias(metric, leg))
    columns: dict[str, exp.Expr] = {key.alias: exp.column(key.alias) for key in plan.keys}
    columns.update(outputs(plan, leaf))
    select = (
        exp.Select()
        .select(*(titled(value, name) for name, value in columns.items()))
        .from_(named("combined"), copy=False)
    )
    conditions = [
        interval(columns[item.metric].copy(), item.test) for item in plan.question.slots.having
    ]
    return select.where(*conditions, copy=False) if conditions else select


def restrict(
    plan: Plan, select: exp.Select, ctes: list[tuple[str, exp.Select]], simple: bool
) -> exp.Select:
    """Ranks with their ties, then the order."""
    slots = plan.question.slots
    if slots.limit is None:
        return ordered(plan, select)
    ctes.append(("grouped", select))
    window = exp.Window(
        this=exp.Anonymous(this="RANK"),
        partition_by=[exp.column(name) for name in partition(plan)],
        order=exp.Order(expressions=ranked_by(plan)),
    )
    ctes.append(
        (
            "ranked",
            exp.Select().select(exp.Star(), exp.alias_(window, RANK)).from_(named("grouped")),
        )
    )
    names = [key.alias for key in plan.keys] + list(outputs_names(slots))
    result = exp.Select().select(*(exp.column(name) for name in names)).from_(named("ranked"))
    result = result.where(
        exp.LTE(this=exp.column(RANK), expression=exp.Literal.number(slots.limit.last))
    )
    if slots.limit.first > 1:
        result = result.where(
            exp.GTE(this=exp.column(RANK), expression=exp.Literal.number(slots.limit.first))
        )
    return ordered(plan, result)


def outputs_names(slots: Slots) -> tuple[str, ...]:
    """The aliases of the metric columns."""
    found: list[str] = []
    for name in needed(slots):
        found.append(name)
        if slots.comparison is not None:
            found += [f"{name}__base", f"{name}__diff", f"{name}__change"]
    return tuple(found)


def order_metric(slots: Slots) -> str:
    """What ranks are by: what was said, else the first metric."""
    if slots.order is not None and slots.order.by is not None:
        return slots.order.by
    return slots.metrics[0] if slots.metrics else needed(slots)[0]


def ranked_by(plan: Plan) -> list[exp.Ordered]:
    """The terms of what was said to order by."""
    slots = plan.question.slots
    down = slots.order.descending if slots.order is not None else True
    return natural(plan, order_metric(slots), down)


def partition(plan: Plan) -> list[str]:
    """The columns within which ranks begin anew."""
    limit = plan.question.slots.limit
    per = set() if limit is None else set(limit.per)
    inside = {part for name in per for part in plan.question.layer.path(name)}
    return [key.alias for key in plan.keys if key.dimension in inside and key.kind == "value"]


def _sorted(value: exp.Expr, descending: bool) -> exp.Ordered:
    return exp.Ordered(this=value, desc=descending, nulls_first=False)


def ordered(plan: Plan, select: exp.Select) -> exp.Select:
    """By what was said, then by time, then by dimension in natural order: always a unique order."""
    if not plan.keys:
        return select
    slots = plan.question.slots
    terms: list[exp.Ordered] = []
    if slots.limit is not None:
        terms += [term for name in partition(plan) for term in natural(plan, name)]
    if slots.order is not None or slots.limit is not None:
        terms += ranked_by(plan)
    for key in plan.keys:
        if key.kind == "label":
            continue
        said = [term.this for term in terms]
        terms += [term for term in natural(plan, key.alias) if term.this not in said]
    return select.order_by(*terms, copy=False)


def natural(plan: Plan, name: str, down: bool = False) -> list[exp.Ordered]:
    """2号楼 before 10号楼: numbered values by length first."""
    dimension = plan.question.layer.dimensions.get(name)
    terms: list[exp.Ordered] = []
    if (
        name != BUCKET
        and dimension is not None
        and dimension.pattern is not None
        and dimension.type == "text"
    ):
        terms.append(_sorted(exp.Length(this=exp.column(name)), down))
    terms.append(_sorted(exp.column(name), down))
    return terms
