"""What a metric's own definition already says about a dimension, and what cannot stand beside it."""

from __future__ import annotations

from dialogue.errors import Refuse
from dialogue.filling.base import Filling
from dialogue.words import condition
from nl2sql.edits import Edit
from nl2sql.slots import Among, Filter


def own_condition(f: Filling, name: str) -> tuple[Filter, ...]:
    """A metric's own condition, where it is one value of a dimension."""
    metric = f.world.layer.metrics[name]
    if metric.where is None or len(metric.where.refs) != 1:
        return ()
    tree, ref = metric.where.tree, metric.where.refs[0]
    if tree.key in ("eq", "neq") and tree.expression.key == "literal":
        test = Among((tree.expression.name,), tree.key == "neq")
    elif tree.key == "column":  # a flag
        test = Among(("true",))
    else:
        return ()
    found = f.world.layer.objects[metric.object]
    return tuple(
        Filter(item, test)
        for item in found.dimensions
        if f.world.layer.dimensions[item].column == ref.name
        and f.world.layer.dimensions[item].enum is not None
    )[:1]


def apart(f: Filling, edits: list[Edit]) -> None:
    """已租, then 空置房源数: a filter from before gives way to what a metric named now is about.

    已租的空置房源数, in one turn, can be of no row: it is declined.
    """
    named = {edit.value for edit in edits if edit.slot == "metrics" and edit.op == "set"}
    said = {edit.value.field for edit in edits if isinstance(edit.value, Filter)}
    for name in f.slots.metrics:
        for own in own_condition(f, name):
            held = f.slots.filter(own.field)
            if held is None or not exclusive(own, held):
                continue
            if own.field in said:
                facts = {"metric": f.names((name,)), "own": in_words(f, own)}
                raise Refuse("apart", {**facts, "value": in_words(f, held)})
            if any(isinstance(names, tuple) and name in names for names in named):
                f.slots = f.slots.without_filter(own.field)
                f.said.append((f"filters.{own.field}", Edit("filters", "clear", own.field)))


def in_words(f: Filling, item: Filter) -> str:
    """A filter on values in words, with its 不含."""
    return condition(f.world, item, f.reading.lang, None)


def exclusive(one: Filter, other: Filter) -> bool:
    """Whether no row can meet both of two filters on values."""
    if not (isinstance(one.test, Among) and isinstance(other.test, Among)):
        return False
    if one.test.negated and other.test.negated:
        return False
    if one.test.negated == other.test.negated:
        return not set(one.test.values) & set(other.test.values)
    said, denied = (other, one) if one.test.negated else (one, other)
    assert isinstance(said.test, Among)
    assert isinstance(denied.test, Among)
    return set(said.test.values) <= set(denied.test.values)
