"""What can be measured in one pass over the same rows.

Metrics that count each key once, beside others: rows are grouped by that key first anyway where every
dimension is reached through it, and each group is then one row a key. A period and the base it is
compared with: each measure is made of the rows of its own.

What a statement must say depends on it, so the compiler and its check both ask here.
"""

from __future__ import annotations

from collections.abc import Sequence

from nl2sql.slots import Slots
from semantic_layer.expression import Expression
from semantic_layer.model import Layer, Metric, Object, Window

MADE_AGAIN = frozenset({"count", "sum", "min", "max"})


def by_row(layer: Layer, slots: Slots) -> frozenset[str]:
    """The objects of which a filter limits what single rows have gathered: a sum of that is of these rows,
    and cannot be taken straight over the many."""
    return frozenset(
        found.id
        for found in layer.objects.values()
        for item in slots.filters
        if item.field in found.attributes
        and item.field not in layer.dimensions
        and layer.gathers(found.id, item.field)
    )


def made_again(metric: Metric) -> bool:
    """Whether a metric of groups can be made of that of smaller ones, from the columns of its own rows."""
    parts: list[Expression] = [part for part in (metric.expr, metric.where) if part is not None]
    return metric.kind in MADE_AGAIN and not any(ref.path for part in parts for ref in part.refs)


def together(
    layer: Layer, slots: Slots, found: Object, leaf: Metric, others: Sequence[Metric]
) -> bool:
    """Whether a metric that counts each key once is measured beside others of the same rows."""
    beside = [
        other
        for other in others
        if (other.object, other.table, other.time) == (leaf.object, leaf.table, leaf.time)
        and other.once_per is None
    ]
    plain = leaf.kind == "sum" and leaf.where is None and leaf.window is None
    alone = found.time.snapshot or leaf.table != found.measured or slots.totals or slots.fill
    if not leaf.once_per or not plain or not beside or alone or leaf.expr is None:
        return False
    if not all(made_again(other) and other.window is None for other in beside):
        return False
    steps = {
        (route.steps[:1] if (route := found.route(leaf.table, part)) and not route.many else ())
        for name in slots.dimensions
        for part in layer.path(name)
    }
    if len(steps) != 1:
        return False
    (first,) = steps
    if not first or any(ref.path[:1] != first for ref in leaf.expr.refs):
        return False
    pairs = layer.tables[leaf.table].joins[first[0]].pairs
    return [here for here, _ in pairs] == [leaf.once_per]


def at_once(slots: Slots, found: Object, window: Window | None, leaves: Sequence[Metric]) -> bool:
    """Whether the measures of the same rows are made of both periods of a comparison in one pass.

    Not by buckets, since those of the base stand beside later ones; not where a period is more than a
    condition on each row (its last snapshots, the days of a window, each key once); and not for a
    distinct count, which is 0 in a group that a period does not have.
    """
    alike = slots.comparison is not None and slots.grain is None and window is None
    return (
        alike
        and not found.time.snapshot
        and all(leaf.once_per is None and leaf.kind != "count_distinct" for leaf in leaves)
    )
