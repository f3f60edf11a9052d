"""References: it, they, among them, the second one — resolved against the state, never guessed."""

from __future__ import annotations

from dataclasses import dataclass

from dialogue.errors import Ask
from dialogue.state import Entity, Shown, State
from dialogue.world import World
from nl2sql.edits import Reference
from nl2sql.slots import Among, Filter, Members


@dataclass(frozen=True, slots=True)
class Referent:
    """What a reference stands for: filters to carry, and the dimensions a set of members is shown by."""

    filters: tuple[Filter, ...]
    dimensions: tuple[str, ...]
    several: bool


def resolve(world: World, state: State, reference: Reference) -> Referent:
    """The referent of a reference. Raises `Ask` when there is none, or more than one."""
    if reference.object is not None and reference.dimension is None:
        raise Ask("reference", reference.object)
    if reference.kind == "row":
        return _row(world, state, reference)
    if reference.kind == "set":
        return _set(world, state, reference)
    return _one(world, state, reference)


def _row(world: World, state: State, reference: Reference) -> Referent:
    shown = state.shown
    if shown is None or len(shown.rows) < 2 or not shown.fields:
        return _mentioned(state, reference)
    index = reference.index - 1 if reference.index > 0 else len(shown.rows) + reference.index
    if not 0 <= index < len(shown.rows):
        raise Ask("reference", "row")
    return Referent(pinned(shown.fields, shown.rows[index]), (), False)


def _mentioned(state: State, reference: Reference) -> Referent:
    """刚才说的第二个, where no rows were shown: of what was talked about, in the order of first mention."""
    wanted = reference.dimension
    whole = [item for item in state.entities if wanted is None or item.fields[-1] == wanted]
    if wanted is None and whole:
        kind = whole[-1].fields[-1]
        whole = [item for item in whole if item.fields[-1] == kind]
    index = reference.index - 1 if reference.index > 0 else len(whole) + reference.index
    if not 0 <= index < len(whole) or len(whole) < 2:
        raise Ask("reference", "row")
    return Referent(pinned(whole[index].fields, whole[index].values), (), False)


def _set(world: World, state: State, reference: Reference) -> Referent:
    shown = state.shown
    if shown is None or not shown.rows:
        raise Ask("reference", "set")
    if not shown.fields:
        held = None
        if state.slots is not None and reference.dimension is not None:
            held = state.slots.filter(reference.dimension)
        if state.slots is None or (held is None and reference.dimension is not None):
            raise Ask("reference", "set")
        return Referent(() if held is None else (held,), (), True)  # 其中: within what is counted
    own = member_field(world, state, shown)
    if reference.dimension is not None and reference.dimension not in shown.fields:
        raise Ask("reference", "set")
    if reference.dimension is not None:
        own = reference.dimension
    return Referent((members(world, shown, own),), (own,), True)


def member_field(world: World, state: State, shown: Shown) -> str:
    """What the rows of a result are: its dimension, or the one whose members they already were."""
    slots = state.slots
    if slots is not None and len(slots.dimensions) > 1:
        known = [
            name
            for name in slots.dimensions
            if name in shown.fields and slots.filter(name) is not None
        ]
        if len(known) == 1:
            return known[0]
    return shown.fields[-1]


def _one(world: World, state: State, reference: Reference) -> Referent:
    shown, wanted = state.shown, reference.dimension
    whose = owner(world, state) if wanted is None else None
    if whose is not None:
        return Referent((whose,), (), False)
    if (
        shown is not None
        and shown.fields
        and len(shown.rows) == 1
        and (wanted is None or wanted in shown.fields)
    ):
        at = len(shown.fields) if wanted is None else shown.fields.index(wanted) + 1
        return Referent(pinned(shown.fields[:at], shown.rows[0][:at]), (), False)
    entity = last_mentioned(state.entities, wanted)
    if entity is None:
        if shown is not None and not shown.fields and wanted is None and state.slots is not None:
            return Referent((), (), False)
        raise Ask("reference", wanted or "one")
    at = len(entity.fields) if wanted is None else entity.fields.index(wanted) + 1
    return Referent(pinned(entity.fields[:at], entity.values[:at]), (), False)


def owner(world: World, state: State) -> Filter | None:
    """它的合同, after 它的行业: what an attribute was shown of is still meant, not the attribute."""
    shown, slots = state.shown, state.slots
    if shown is None or slots is None or len(shown.fields) != 1:
        return None
    table = world.layer.dimensions[shown.fields[0]].table
    held = [
        item
        for item in slots.filters
        if item.field in world.layer.dimensions
        and item.field != shown.fields[0]
        and world.layer.dimensions[item.field].table == table
        and world.layer.dimensions[item.field].column == world.layer.tables[table].key[0]
        and isinstance(item.test, Among)
        and len(item.test.values) == 1
        and not item.test.negated
    ]
    return held[0] if len(held) == 1 else None


def last_mentioned(entities: tuple[Entity, ...], wanted: str | None) -> Entity | None:
    """What was talked about last, of a kind where one is wanted: the deepest of one turn."""
    fitting = [item for item in entities if wanted is None or wanted in item.fields]
    return max(reversed(fitting), key=lambda item: (item.turn, len(item.fields)), default=None)


def pinned(fields: tuple[str, ...], row: tuple[str | None, ...]) -> tuple[Filter, ...]:
    """Filters that pin every field of a row."""
    from nl2sql.slots import Missing

    return tuple(
        Filter(field, Missing() if value is None else Among((value,)))
        for field, value in zip(fields, row, strict=True)
    )


def members(world: World, shown: Shown, field: str) -> Filter:
    """The rows of a result as a filter on one of its dimensions, told apart by their parents."""
    path = [name for name in world.layer.path(field) if name in shown.fields]
    at = [shown.fields.index(name) for name in path]
    rows = tuple(dict.fromkeys(tuple(row[index] for index in at) for row in shown.rows))
    if len(path) == 1 and all(row[0] is not None for row in rows):
        return Filter(field, Among(tuple(row[0] or "" for row in rows)))
    return Filter(field, Members(tuple(path), rows))


def entities_of(world: World, filters: tuple[Filter, ...], turn: int) -> tuple[Entity, ...]:
    """What a turn's filters talk about: each pinned value, with its pinned parents."""
    pins = {
        item.field: item.test.values[0]
        for item in filters
        if isinstance(item.test, Among)
        and len(item.test.values) == 1
        and not item.test.negated
        and item.field in world.layer.dimensions
    }
    found: list[Entity] = []
    for field in pins:
        path = tuple(name for name in world.layer.path(field) if name in pins)
        found.append(Entity(path, tuple(pins[name] for name in path), turn))
    return tuple(sorted(found, key=lambda item: len(item.fields)))
