"""Pass 7 and 8, *restrict* and *present*: shares, ranks with their ties, the others, the order."""

from __future__ import annotations

from sqlglot import exp

from nl2sql.compiler.anchor import OTHERS, RANK, TOTAL, needed
from nl2sql.compiler.plan import Plan
from nl2sql.compiler.predicates import interval, test
from nl2sql.natural import BUCKET, in_order, natural
from nl2sql.slots import Slots


def conditions_after(plan: Plan) -> bool:
    """Whether conditions on groups come after the whole is known: a share is of all groups."""
    slots = plan.question.slots
    return slots.share and bool(slots.having)


def restrict(plan: Plan, select: exp.Select, ctes: list[tuple[str, exp.Query]]) -> exp.Select:
    """What is seen of all groups beside them (ranks, shares), which of them stay, and their order."""
    slots = plan.question.slots
    if slots.limit is None and not slots.share:
        return ordered(plan, select)
    ctes.append(("grouped", select))
    seen = [
        exp.Star(),
        *(exp.alias_(share(plan, name), f"{name}__share") for name in shared(slots)),
    ]
    if slots.limit is not None:
        seen.append(exp.alias_(rank(plan), RANK))
    ctes.append(("ranked", exp.Select().select(*seen).from_("grouped")))
    names = [key.alias for key in plan.keys] + ([TOTAL] if slots.totals else [])
    result = exp.Select().from_("ranked")
    if slots.limit is not None and slots.limit.others:
        ctes.append(("parted", with_others(plan, result, names)))
        shown = [*names, OTHERS, *outputs_names(slots)]
        return ordered(plan, exp.Select().select(*map(exp.column, shown)).from_("parted"))
    result = result.select(*(exp.column(name) for name in (*names, *outputs_names(slots))))
    kept = stays(plan)
    kept += [
        test(exp.column(item.field), item.test, plan.question.layer.dimensions[item.field].type)
        for item in slots.picking
    ]
    if conditions_after(plan):
        kept += [interval(exp.column(item.metric), item.test) for item in slots.having]
    return ordered(plan, result.where(*kept) if kept else result)


def shared(slots: Slots) -> tuple[str, ...]:
    """The metrics whose share of the total is shown."""
    return slots.metrics if slots.share else ()


def share(plan: Plan, name: str) -> exp.Expr:
    """A group's part of all groups: of its bucket's, where buckets are cut further."""
    slots = plan.question.slots
    within = [BUCKET] if slots.grain is not None and slots.dimensions else []
    within += [TOTAL] if slots.totals else []
    whole = exp.Window(
        this=exp.Sum(this=exp.column(name)),
        partition_by=[exp.column(item) for item in within],
    )
    return exp.Div(
        this=exp.column(name),
        expression=exp.Nullif(this=whole, expression=exp.Literal.number(0)),
    )


def rank(plan: Plan) -> exp.Expr:
    """The place of a group; those without a value are placed among themselves."""
    within: list[exp.Expr] = [exp.column(name) for name in partition(plan)]
    within += [exp.column(name).is_(exp.null()) for name in apart(plan)]
    return exp.Window(
        this=exp.Anonymous(this="RANK"),
        partition_by=within,
        order=exp.Order(expressions=ranked_by(plan)),
    )


def apart(plan: Plan) -> list[str]:
    """The dimensions whose missing value takes no place, where its group is needed besides."""
    slots = plan.question.slots
    if slots.limit is None or not (slots.share or slots.limit.others):
        return []
    names = [name for name in slots.dimensions if name not in slots.limit.per]
    return [name for name in names if slots.keeps_missing(name)]


def stays(plan: Plan) -> list[exp.Expr]:
    """The conditions of having a place."""
    limit = plan.question.slots.limit
    if limit is None:
        return []
    found: list[exp.Expr] = [
        exp.LTE(this=exp.column(RANK), expression=exp.Literal.number(limit.last))
    ]
    if limit.first > 1:
        found.append(exp.GTE(this=exp.column(RANK), expression=exp.Literal.number(limit.first)))
    return found + [exp.Not(this=exp.column(name).is_(exp.null())) for name in apart(plan)]


def with_others(plan: Plan, result: exp.Select, names: list[str]) -> exp.Select:
    """The groups with a place, and the rest of each partition as one more row."""
    placed = exp.and_(*stays(plan))
    per = partition(plan)
    labels = {key.alias for key in plan.keys if key.kind == "label"}
    within = {name for name in names if name in per or name.removesuffix("__label") in per}
    by: dict[str, exp.Expr] = {
        name: exp.column(name)
        if name in within and (name in per or name in labels)
        else exp.Case(ifs=[exp.If(this=placed.copy(), true=exp.column(name))])
        for name in names
    }
    zero, one = exp.Literal.number(0), exp.Literal.number(1)
    by[OTHERS] = exp.Case(ifs=[exp.If(this=placed.copy(), true=zero)], default=one)
    columns = [
        value if isinstance(value, exp.Column) else exp.alias_(value, name)
        for name, value in by.items()
    ]
    columns += [
        exp.alias_(exp.Sum(this=exp.column(name)), name)
        for name in outputs_names(plan.question.slots)
    ]
    return result.select(*columns).group_by(*(value.copy() for value in by.values()))


def outputs_names(slots: Slots) -> tuple[str, ...]:
    """The aliases of the metric columns."""
    found: list[str] = []
    for name in needed(slots):
        found.append(name)
        if slots.comparison is not None:
            found += [f"{name}__base", f"{name}__diff", f"{name}__change"]
        if name in shared(slots):
            found.append(f"{name}__share")
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
    return natural(plan.question.layer, order_metric(slots), down)


def partition(plan: Plan) -> list[str]:
    """The columns within which ranks begin anew."""
    limit = plan.question.slots.limit
    per = set() if limit is None else set(limit.per)
    inside = {part for name in per - {BUCKET} for part in plan.question.layer.path(name)}
    return [
        key.alias
        for key in plan.keys
        if (key.dimension in inside and key.kind == "value")
        or (key.alias == BUCKET and BUCKET in per)
    ]


def ordered(plan: Plan, select: exp.Select) -> exp.Select:
    """By what was said, then by time, then by dimension in natural order: always a unique order."""
    if not plan.keys:
        return select
    slots = plan.question.slots
    terms: list[exp.Ordered] = [in_order(exp.column(TOTAL))] if slots.totals else []
    if slots.limit is not None:
        terms += [term for name in partition(plan) for term in natural(plan.question.layer, name)]
    if slots.limit is not None and slots.limit.others:
        terms.append(in_order(exp.column(OTHERS)))
    if slots.order is not None or slots.limit is not None:
        terms += ranked_by(plan)
    for key in plan.keys:
        if key.kind == "label":
            continue
        said = [term.this for term in terms]
        terms += [term for term in natural(plan.question.layer, key.alias) if term.this not in said]
    return select.order_by(*terms)
