"""Early aggregation: facts are grouped by their own columns first, names and labels are joined after.

A million bills become a few groups before a park's name is looked up, instead of being joined to it one
by one. Only counts, sums, minima and maxima: what groups of groups give again.
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp

from nl2sql.compiler.plan import Key, Leg, Plan
from nl2sql.compiler.scope import Scope
from nl2sql.errors import QuestionError
from nl2sql.together import made_again
from semantic_layer.model import Metric, Object

EARLY = "early"
_AGAIN: dict[str, type[exp.Func]] = {
    "count": exp.Sum,
    "sum": exp.Sum,
    "min": exp.Min,
    "max": exp.Max,
}


@dataclass(frozen=True, slots=True)
class Early:
    """Where the joins of a leg are cut: after `back`, the way to the object's own row, in `table`."""

    table: str
    back: tuple[str, ...]
    own: tuple[Key, ...]
    far: tuple[Key, ...]


def early(plan: Plan, leg: Leg, found: Object) -> Early | None:
    """How a leg can be grouped early; None where it cannot, or where that gains nothing."""
    layer = plan.question.layer
    if (
        leg.total
        or leg.snapshot
        or leg.buckets
        or leg.once_per
        or not all(map(made_again, leg.measures))
    ):
        return None
    back = () if leg.table == found.measured else found.back.get(leg.table, ())
    table = layer.follow(leg.table, back)
    own: list[Key] = []
    far: list[Key] = []
    for key in plan.keys:
        route = None if key.dimension is None else found.route(leg.table, key.dimension)
        if key.dimension is None:
            own.append(key)
        elif route is None or route.many is not None or route.steps[: len(back)] != back:
            return None
        else:
            (far if len(route.steps) > len(back) else own).append(key)
    names = [key.alias for key in own]
    for key in far:
        assert key.dimension is not None
        route = found.route(leg.table, key.dimension)
        assert route is not None
        names += dict.fromkeys(
            here for here, _ in layer.tables[table].joins[route.steps[len(back)]].pairs
        )
    measured = {metric.id for metric in (*leg.measures, *leg.once)}
    clash = {name for name in names if names.count(name) > 1 and name in [key.alias for key in own]}
    if leg.once and measured & set(names):
        raise QuestionError("one-name", {"name": min(measured & set(names))})
    if not far or clash or measured & set(names):
        return None
    return Early(table, back, tuple(own), tuple(far))


def again(metric: Metric, name: str) -> exp.Expr:
    """A measure of the whole groups, from that of the early ones."""
    found: exp.Expr = _AGAIN[metric.kind](this=exp.column(name, EARLY))
    return found


def once(metric: Metric, outer: Scope) -> exp.Expr:
    """A measure that counts each key once, over early groups of which each is one key's."""
    assert metric.expr is not None
    return exp.Sum(this=outer.expression(metric.expr))


def outside(plan: Plan, cut: Early) -> Scope:
    """The scope in which names and labels are joined to the early groups."""
    return Scope(plan.question.layer, cut.table, called=EARLY)


def after(key: Key, cut: Early, leg: Leg, found: Object, outer: Scope) -> exp.Expr:
    """A key over the early groups."""
    if key in cut.own:
        return exp.column(key.alias, EARLY)
    assert key.dimension is not None
    route = found.route(leg.table, key.dimension)
    assert route is not None
    dimension = route.of(outer.layer.dimensions[key.dimension])
    name = dimension.label if key.kind == "label" and dimension.label else dimension.column
    return outer.joined(route.steps[len(cut.back) :], name)


def foreign(cut: Early, leg: Leg, found: Object, scope: Scope) -> dict[str, exp.Expr]:
    """The columns by which names are joined later, from the rows themselves."""
    columns: dict[str, exp.Expr] = {}
    for key in cut.far:
        assert key.dimension is not None
        route = found.route(leg.table, key.dimension)
        assert route is not None
        join = scope.layer.tables[cut.table].joins[route.steps[len(cut.back)]]
        for here, _ in join.pairs:
            columns[here] = scope.column(cut.back, here)
    return columns
