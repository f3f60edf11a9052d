"""Topic switch: three rules, in this order (RULES.md §5)."""

from __future__ import annotations

from dialogue.state import State
from dialogue.turn import Switch
from dialogue.world import World
from nl2sql.reading import Reading
from nl2sql.slots import Among, Filter


def turn_objects(world: World, reading: Reading) -> tuple[str, ...]:
    """The objects that a turn's own metrics (or rows) belong to."""
    found: list[str] = []
    for edit in reading.edits:
        if edit.slot == "metrics" and edit.op == "set" and isinstance(edit.value, tuple):
            found += [world.layer.metrics[name].object for name in edit.value]
        elif (
            edit.slot in ("rows", "object")
            and edit.op == "set"
            and edit.value
            and edit.note != "hint"
        ):
            found.append(str(edit.value))
    for ambiguity in reading.ambiguities:
        if ambiguity.about == "metric":
            found += [world.layer.metrics[choice.id].object for choice in ambiguity.choices]
    return tuple(dict.fromkeys(found))


def current_objects(world: World, state: State) -> tuple[str, ...]:
    """The objects that the session is about."""
    if state.slots is None:
        return ()
    named = [world.layer.metrics[name].object for name in state.slots.metrics]
    return tuple(dict.fromkeys([*named, *([state.slots.object] if state.slots.object else [])]))


def bare(reading: Reading) -> bool:
    """Whether a turn is only a metric or only a dimension: 另外告诉我面积 adds it."""
    slots = {edit.slot for edit in reading.edits}
    return (
        bool(slots)
        and slots <= {"metrics", "dimensions"}
        and not reading.references
        and not reading.ambiguities
    )


def detect(world: World, state: State, reading: Reading) -> Switch | None:
    """The switch that a turn makes, if it does."""
    current = current_objects(world, state)
    if not current:
        return None
    asked = turn_objects(world, reading)
    if asked and not set(asked) & set(current):
        return Switch("object", ())
    if "switch" in reading.cues:
        adds = "hard_switch" not in reading.cues and bare(reading)
        if not adds:
            return Switch("words", ())
    if _whole(reading) and not _shares(state, reading):
        return Switch("whole", ())
    return None


def _whole(reading: Reading) -> bool:
    slots = {edit.slot for edit in reading.edits if edit.op == "set"}
    return (
        {"metrics", "time"} <= slots
        and bool(slots & {"dimensions", "filters"})
        and not reading.references
    )


def _shares(state: State, reading: Reading) -> bool:
    assert state.slots is not None
    for edit in reading.edits:
        if edit.slot in ("metrics", "dimensions") and isinstance(edit.value, tuple):
            before = state.slots.metrics if edit.slot == "metrics" else state.slots.dimensions
            if set(edit.value) & set(before):
                return True
        if edit.slot == "having" and getattr(edit.value, "metric", "") in state.slots.metrics:
            return True
        if edit.slot == "filters":
            for item in (edit.value, *edit.others):
                if isinstance(item, Filter) and _same_value(state.slots.filter(item.field), item):
                    return True
    return False


def _same_value(before: Filter | None, item: Filter) -> bool:
    if before is None:
        return False
    if isinstance(before.test, Among) and isinstance(item.test, Among):
        return bool(set(before.test.values) & set(item.test.values))
    return before.test == item.test
