"""Where an object has facts: the columns that tell it, and what a missing sum is there."""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from nl2sql.compiler.plan import Leg, Period, Plan
from semantic_layer.model import Metric


def here(leg: Leg, period: Period) -> str:
    """The column that is 0 where an object has rows."""
    parts = [f"here_{leg.object}"] + ([leg.window.name] if leg.window else [])
    return "__".join([*parts, "base"] if period == "base" else parts)


def mark(plan: Plan, leg: Leg, period: Period) -> str | None:
    """The column that tells in which groups an object has facts, where only some of several legs
    over its rows may show it, and groups of others stand beside them."""
    slots = plan.question.slots
    if not plan.keys or not leg.table:
        return None
    legs = [other for other in plan.legs if other.table]
    own = [other for other in legs if other.object == leg.object and period in other.periods]
    gathered = any(other.gathered is not None for other in own)
    if period == "base" and not gathered:
        return None
    alone = slots.comparison is None and len(own) == len(legs)
    beside = not alone or (slots.fill and gathered)
    return here(replace(leg, window=None), period) if len(own) > 1 and beside else None


def zero(plan: Plan, leg: Leg, period: Period, metric: Metric) -> list[exp.Expr]:
    """What a missing sum is: 0 in a group where its object has facts, else unknown (nothing)."""
    fill = plan.question.slots.fill and metric.kind != "count"
    if metric.gathered is None and (not plan.keys or fill or period == "base"):
        return []  # over no rows a count is 0, and any other number unknown
    own = [other for other in plan.legs if other.table]
    same = all((other.object, other.periods) == (leg.object, ("current",)) for other in own)
    if plan.keys and same and not fill:
        return [exp.Literal.number(0)]
    told = mark(plan, leg, period) if plan.keys else here(leg, period)
    return [] if told is None else [exp.Max(this=exp.column(told))]
