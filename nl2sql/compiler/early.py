"""Early aggregation: facts are grouped by their own columns first, names and labels are joined after.

A million bills become a few groups before a park's name is looked up, instead of being joined to it one
by one. Only counts, sums, minima and maxima: what groups of groups give again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from sqlglot import exp

from nl2sql.compiler.plan import Key, Leg, Plan, Question
from nl2sql.compiler.scope import Scope
from nl2sql.errors import QuestionError
from nl2sql.together import made_again
from semantic_layer.model import Join, Layer, Metric, Object, Route

EARLY = "early"


@dataclass(frozen=True, slots=True)
class Early:
    """Where the joins of a leg are cut: after `back`, the way to the object's own row, in `table`.

    `own` keys are columns of the rows; each `far` one lies at the end of more joins, which come later.
    `whole` early groups are what is asked: none of them falls together with another under its names.
    """

    table: str
    back: tuple[str, ...]
    own: tuple[Key, ...]
    far: Mapping[Key, Route]
    whole: bool = False

    def joins(self, layer: Layer) -> Iterator[Join]:
        """The first of the joins that come later, of each far key."""
        for route in self.far.values():
            yield layer.tables[self.table].joins[route.steps[len(self.back)]]


def early(plan: Plan, leg: Leg, found: Object) -> Early | None:
    """How a leg can be grouped early; None where it cannot, or where that gains nothing."""
    layer = plan.question.layer
    if leg.total or leg.snapshot or leg.buckets or leg.once_per:
        return None
    if not all(map(made_again, leg.measures)):
        return None
    back = found.back.get(leg.table, ())
    own: list[Key] = []
    far: dict[Key, Route] = {}
    for key in plan.keys:
        if key.dimension is None:
            own.append(key)
            continue
        route = found.route(leg.table, key.dimension)
        if route is None or route.many is not None or route.steps[: len(back)] != back:
            return None
        if len(route.steps) > len(back):
            far[key] = route
        else:
            own.append(key)
    cut = Early(layer.follow(leg.table, back), back, tuple(own), far)
    named = {key.alias for key in own}
    foreign_keys = {here for join in cut.joins(layer) for here, _ in join.pairs}
    clash = {metric.id for metric in (*leg.measures, *leg.once)} & (named | foreign_keys)
    if leg.once and clash:
        raise QuestionError("one-name", {"name": min(clash)})
    if not far or clash or named & foreign_keys:
        return None
    return replace(
        cut, whole=not leg.once and not plan.question.slots.having and one_to_one(plan, cut)
    )


def one_to_one(plan: Plan, cut: Early) -> bool:
    """Whether every early group is a group: each row that is joined is told apart by a key that is its
    own, and what joins none (its key is unknown, or leads nowhere) is left out."""
    layer, left_out = plan.question.layer, ranked(plan.question)
    told: set[str] = set()
    for key, route in cut.far.items():
        if key.kind != "value" or key.dimension not in left_out:
            continue
        join = layer.tables[cut.table].joins[route.steps[len(cut.back)]]
        column = key.column(route.of(layer.dimensions[key.dimension]))
        if len(route.steps) == len(cut.back) + 1 and [there for _, there in join.pairs] == [column]:
            told.add(join.name)
    return all(join.name in told for join in cut.joins(layer))


def ranked(question: Question) -> list[str]:
    """The dimensions whose rows without a value are left out: they take no place in a ranking
    (RULES.md §9)."""
    slots = question.slots
    if slots.limit is None or slots.share or slots.limit.others:
        return []  # the whole and the rest hold them too: see `restrict`
    names = [name for name in slots.dimensions if name not in slots.limit.per]
    return [name for name in names if slots.keeps_missing(name)]


def again(measured: exp.Expr, name: str, cut: Early) -> exp.Expr:
    """A measure of the whole groups, from that of the early ones: sums and counts are summed."""
    if cut.whole:
        return exp.column(name, EARLY)
    kind = type(measured) if isinstance(measured, exp.Min | exp.Max) else exp.Sum
    return kind(this=exp.column(name, EARLY))


def once(metric: Metric, outer: Scope) -> exp.Expr:
    """A measure that counts each key once, over early groups of which each is one key's."""
    assert metric.expr is not None
    return exp.Sum(this=outer.expression(metric.expr))


def outside(plan: Plan, cut: Early) -> Scope:
    """The scope in which names and labels are joined to the early groups."""
    return Scope(plan.question.layer, cut.table, called=EARLY)


def after(key: Key, cut: Early, outer: Scope) -> exp.Expr:
    """A key over the early groups."""
    if key not in cut.far:
        return exp.column(key.alias, EARLY)
    assert key.dimension is not None
    route = cut.far[key]
    dimension = route.of(outer.layer.dimensions[key.dimension])
    return outer.joined(route.steps[len(cut.back) :], key.column(dimension))


def foreign(cut: Early, scope: Scope) -> dict[str, exp.Expr]:
    """The columns by which names are joined later, from the rows themselves."""
    return {
        here: scope.column(cut.back, here)
        for join in cut.joins(scope.layer)
        for here, _ in join.pairs
    }
