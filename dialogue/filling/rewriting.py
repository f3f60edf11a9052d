"""What a turn's edits mean after the state: a list that is a grouping, a rank that is a row shown."""

from __future__ import annotations

from dataclasses import replace

from dialogue.state import State
from dialogue.switch import current_objects
from dialogue.world import World
from nl2sql.definition import on_rows
from nl2sql.edits import Edit, Reference
from nl2sql.reading import Reading
from nl2sql.slots import Filter, Having
from semantic_layer.model import Object


def grouped(world: World, reading: Reading, state: State) -> Reading:
    """which tenants, after the arrears: theirs by tenant, not the list of all tenants."""
    slots = state.slots
    if slots is None or not slots.metrics or len(reading.edits) != 1 or "list" in reading.cues:
        return reading
    edit = reading.edits[0]
    if edit.slot != "rows" or not edit.value or edit.note or "which" not in reading.cues:
        return reading
    words = set(world.layer.objects[str(edit.value)].words.all())
    owner = world.layer.objects[world.layer.metrics[slots.metrics[0]].object]
    names = [
        name for name in owner.dimensions if words & set(world.layer.dimensions[name].words.all())
    ]
    if owner.id == edit.value or len(names) != 1:
        return reading
    return replace(reading, edits=(replace(edit, slot="dimensions", value=(names[0],)),))


def all_groups(reading: Reading, state: State) -> Reading:
    """全部楼栋都列出来, after a ranking of buildings: every one of them, not the rows they are made of."""
    slots = state.slots
    rows = next((edit for edit in reading.edits if edit.slot == "rows" and not edit.value), None)
    if rows is None or slots is None or not slots.metrics:
        return reading
    lifted = [edit for edit in reading.edits if (edit.slot, edit.op) == ("filters", "clear")]
    if not any(
        edit.value in slots.dimensions and not reading.text.startswith("的", edit.span[1])
        for edit in lifted
    ):
        return reading
    shown = Edit("limit", "clear", None, rows.span)
    return replace(reading, edits=tuple(shown if e is rows else e for e in reading.edits))


def placed(reading: Reading, state: State) -> Reading:
    """第二名的收缴率, after a ranking: the second row of it, not a new rank."""
    at = next((cue.partition(":")[2] for cue in reading.cues if cue.startswith("row:")), None)
    slots, shown = state.slots, state.shown
    if at is None or slots is None or shown is None or not shown.fields or reading.references:
        return reading
    if slots.order is None or any(edit.slot == "dimensions" for edit in reading.edits):
        return reading
    ranks = [edit for edit in reading.edits if edit.slot in ("limit", "order")]
    kept = tuple(edit for edit in reading.edits if edit not in ranks)
    row = Reference("row", ranks[0].span if ranks else (0, 0), int(at))
    return replace(reading, edits=kept, references=(row,))


def listed(world: World, reading: Reading, state: State) -> Reading:
    """列出空闲的VIP床: rows of the one object that has the values named, where the current one has not."""
    rows = next((edit for edit in reading.edits if edit.slot == "rows" and not edit.value), None)
    filters = [edit for edit in reading.edits if edit.slot == "filters" and named(edit)]
    current = [world.layer.objects[name] for name in current_objects(world, state)]
    if rows is None or not filters or any(has(found, filters) for found in current):
        return reading
    owners = [found for found in world.layer.objects.values() if has(found, filters)]
    if len(owners) != 1:
        return reading
    said = replace(rows, value=owners[0].id, note="")
    return replace(reading, edits=tuple(said if edit is rows else edit for edit in reading.edits))


def of_rows(world: World, reading: Reading, state: State) -> Reading:
    """欠费超过1万的, after a list of bills: those of them of which a row says so, not another question."""
    slots = state.slots
    conditions = [edit for edit in reading.edits if isinstance(edit.value, Having)]
    if slots is None or not slots.rows or slots.object is None or not conditions:
        return reading
    about = {edit.value.metric for edit in conditions if isinstance(edit.value, Having)}
    rest = [edit for edit in reading.edits if edit not in conditions]
    named = [edit for edit in rest if edit.slot == "metrics"]
    if any(edit.slot in ("dimensions", "grain", "limit", "order") for edit in rest) or any(
        edit.op != "set" or not isinstance(edit.value, tuple) or not set(edit.value) <= about
        for edit in named
    ):
        return reading
    found: list[Edit] = []
    for edit in conditions:
        assert isinstance(edit.value, Having)
        if not edit.value.metric or edit.op != "set":
            return reading
        items = on_rows(world.layer, slots.object, edit.value)
        if not items:
            return reading
        found += [replace(edit, slot="filters", value=item, note="attribute") for item in items]
    kept = [edit for edit in rest if edit not in named]
    return replace(reading, edits=(*kept, *found))


def named(edit: Edit) -> bool:
    """Whether an edit filters a field that is known."""
    return isinstance(edit.value, Filter) and bool(edit.value.field)


def has(found: Object, filters: list[Edit]) -> bool:
    """Whether an object has, for each filter, a field that it can mean."""
    return all(
        any(
            isinstance(item, Filter)
            and (item.field in found.dimensions or item.field in found.attributes)
            for item in (edit.value, *edit.others)
        )
        for edit in filters
    )
