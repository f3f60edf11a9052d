"""What a topic switch has let go: told in words, and taken back by 沿用 as far as the new topic has it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from dialogue.changes import value_at
from dialogue.state import State
from dialogue.words import condition, group_condition, period
from dialogue.world import World
from nl2sql.edits import Edit
from nl2sql.slots import Filter, Having, Slots, TimeSlot


@dataclass(frozen=True, slots=True)
class Dropped:
    """One slot value that no longer holds."""

    key: str
    words: str


def dropped(world: World, before: Slots | None, after: Slots, lang: str) -> tuple[Dropped, ...]:
    """What a switch has let go."""
    if before is None:
        return ()
    found = [
        Dropped(f"filters.{item.field}", condition(world, item, lang, before.object))
        for item in before.filters
        if after.filter(item.field) != item
    ]
    if before.time is not None and before.time.words and before.time != after.time:
        found.append(Dropped("time", period(before.time, lang)))
    found += [
        Dropped(f"having.{item.metric}", group_condition(world, item, lang))
        for item in before.having
        if item not in after.having
    ]
    return tuple(found)


def taken_back(
    world: World, state: State, before: Slots, wanted: tuple[str, ...]
) -> tuple[Edit, ...]:
    """The edits that set again what was let go: those named, or all that the topic now has a place for."""
    assert state.slots is not None
    gone = dropped(world, before, state.slots, state.lang)
    named = [item.key for item in gone if item.key in wanted or item.words in wanted]
    if wanted:
        values = [value_at(before, key) for key in named]
    else:
        values = [value_at(before, item.key) for item in gone if fits(world, state, before, item)]
    return tuple(edit for value in values if (edit := setting(value)) is not None)


def fits(world: World, state: State, before: Slots, item: Dropped) -> bool:
    """Whether the topic now has a place for what was let go; a period said since then stays."""
    slots = state.slots
    assert slots is not None
    found = world.layer.objects[slots.object or ""]
    value = value_at(before, item.key)
    if isinstance(value, Filter):
        return value.field in found.dimensions and slots.filter(value.field) is None
    if isinstance(value, Having):
        return value.metric in slots.metrics
    said = any(one.key == "time" and one.source != "default" for one in state.provenance)
    return not said and found.time.default is not None


def setting(value: object) -> Edit | None:
    """The edit that sets a slot value as it was."""
    match value:
        case Filter():
            return Edit("filters", "set", value, note="edited")
        case Having():
            return Edit("having", "set", value, note="edited")
        case TimeSlot():
            return Edit("time", "set", replace(value, role=None), note="edited")
    return None
