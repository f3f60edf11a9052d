"""Dimensions that the filters leave one value of: a park that is pinned has one city, a tenant one industry."""

from __future__ import annotations

from dataclasses import replace

from dialogue import hierarchy
from dialogue.scene import Scene
from nl2sql.slots import Among, Filter, Members, Slots
from semantic_layer.model import Layer, Object


def decided(scene: Scene, slots: Slots, name: str) -> bool:
    """Whether a dimension has one value under the filters and the permissions: nothing to group by."""
    layer = scene.world.layer
    asked = Slots(filters=(*slots.limiting, *scene.policy))
    limited_by = {
        field
        for item in asked.filters
        for field in (item.test.fields if isinstance(item.test, Members) else (item.field,))
        if field in layer.dimensions
    }
    pinned = {field: value for field in sorted(limited_by) if (value := asked.pinned(field))}
    if name in pinned:
        return True
    found = hierarchy.levels_of(scene.world, name)
    if found is not None:
        limited = replace(slots, filters=slots.limiting)
        for field, value in pinned.items():
            limited = limited.with_filter(Filter(field, Among((value,))))
        if any(hierarchy.positive(limited, level) for level in found[1]):
            return len(hierarchy.candidates(scene.world, limited, name, name, scene.policy)) == 1
    owner = layer.objects[slots.object or ""]
    return any(says(layer, owner, field, name) for field in pinned)


def says(layer: Layer, owner: Object, field: str, name: str) -> bool:
    """Whether a value of one dimension says that of another: it is the key of a row that leads to it."""
    dimension = layer.dimensions[field]
    here, there = owner.route(owner.measured, field), owner.route(owner.measured, name)
    return (
        here is not None
        and there is not None
        and here.many is there.many is None
        and here.column is there.column is None
        and layer.tables[dimension.table].key == (dimension.column,)
        and there.steps[: len(here.steps)] == here.steps
    )
