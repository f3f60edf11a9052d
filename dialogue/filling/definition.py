"""What a metric's own definition already says about a dimension."""

from __future__ import annotations

from dialogue.world import World
from nl2sql.slots import Among, Filter


def own_condition(world: World, name: str) -> tuple[Filter, ...]:
    """A metric's own condition, where it is one value of a dimension."""
    metric = world.layer.metrics[name]
    if metric.where is None or len(metric.where.refs) != 1:
        return ()
    tree, ref = metric.where.tree, metric.where.refs[0]
    if tree.key in ("eq", "neq") and tree.expression.key == "literal":
        test = Among((tree.expression.name,), tree.key == "neq")
    elif tree.key == "column":  # a flag
        test = Among(("true",))
    else:
        return ()
    found = world.layer.objects[metric.object]
    return tuple(
        Filter(item, test)
        for item in found.dimensions
        if world.layer.dimensions[item].column == ref.name
        and world.layer.dimensions[item].enum is not None
    )[:1]
