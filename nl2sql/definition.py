"""What a metric's definition says by itself: about a dimension, and about a single row."""

from __future__ import annotations

from sqlglot import exp

from nl2sql.slots import Among, Filter, Having
from semantic_layer.model import Layer, Metric

_OF_ONE = frozenset({"sum", "average", "min", "max", "median"})


def own_condition(layer: Layer, name: str) -> tuple[Filter, ...]:
    """A metric's own condition, where it is one value of a dimension."""
    metric = layer.metrics[name]
    if metric.where is None or len(metric.where.refs) != 1:
        return ()
    tree, ref = metric.where.tree, metric.where.refs[0]
    if tree.key in ("eq", "neq") and tree.expression.key == "literal":
        test = Among((tree.expression.name,), tree.key == "neq")
    elif tree.key == "column":  # a flag
        test = Among(("true",))
    else:
        return ()
    found = layer.objects[metric.object]
    return tuple(
        Filter(item, test)
        for item in found.dimensions
        if layer.dimensions[item].column == ref.name and layer.dimensions[item].enum is not None
    )[:1]


def on_rows(layer: Layer, owner: str, having: Having) -> tuple[Filter, ...]:
    """A condition on a metric as one on single rows of an object (RULES.md §8): 欠费超过1万 of bills is
    on what was billed less what was paid for each. Nothing where a row has no such value.

    With it stands the metric's own condition: 空置面积超过500 of rooms are vacant ones.
    """
    attribute = attribute_of(layer, owner, having.metric)
    own = own_condition(layer, having.metric)
    if attribute is None or (layer.metrics[having.metric].where is not None and not own):
        return ()
    return (Filter(attribute, having.test), *own)


def attribute_of(layer: Layer, owner: str, name: str) -> str | None:
    """The attribute of an object's rows that is what a metric is over one of them; None where there is none."""
    found, metric = layer.objects[owner], layer.metrics[name]
    if metric.object != owner or found.table != found.measured:
        return None
    value = _of_one(layer, metric, found.table)
    if value is None:
        return None
    return next((one.id for one in found.attributes.values() if one.expr.tree == value), None)


def _of_one(layer: Layer, metric: Metric, table: str) -> exp.Expr | None:
    """The value of a metric over one row that it counts; None where that is not the row's own."""
    if metric.expr is None or metric.once_per is not None or metric.weight is not None:
        return None
    if metric.kind != "formula":
        return metric.expr.tree if metric.kind in _OF_ONE and metric.table == table else None
    parts: dict[str, exp.Expr] = {}
    for name in metric.parts:
        part = layer.metrics[name]
        value = None if part.where is not None else _of_one(layer, part, table)
        if value is None:
            return None
        parts[name] = exp.paren(value) if isinstance(value, exp.Binary) else value.copy()
    return metric.expr.tree.transform(
        lambda node: parts[node.name] if isinstance(node, exp.Column) else node
    )
