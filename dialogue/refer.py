"""References: it, they, among them, the second one — resolved against the state, never guessed."""

from __future__ import annotations

from collections.abc import Sequence
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


def resolve(world: World, state: State, reference: Reference, within: bool = False) -> Referent:
    """The referent of a reference; `within` (其中) asks about a part of the members, not about each.

    Raises `Ask` when there is none, or more than one.
    """
    if reference.object is not None and reference.dimension is None:
        raise Ask("reference", reference.object)
    if reference.kind == "row":
        return _row(world, state, reference)
    if reference.kind == "set":
        return _set(world, state, reference, within)
    if reference.kind == "others":
        return _others(world, state, reference)
    if reference.kind == "kind":
        return _kind(world, state)
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


def _set(world: World, state: State, reference: Reference, within: bool) -> Referent:
    shown = state.shown
    if shown is None or not shown.rows:
        raise Ask("reference", "set")
    if not fits(state, shown, reference.index):
        return _talked_about(state, reference)
    if not shown.fields:
        held = _held(world, state, reference.dimension)
        if reference.index and (held is None or size(held) != reference.index):
            return _talked_about(state, reference)
        if state.slots is None or (held is None and reference.dimension is not None):
            raise Ask("reference", "set")
        if held is None:
            return Referent((), (), True)
        each = not within and several(held)  # 它们, after their total: a row each
        return Referent((held,), (held.field,) if each else (), True)
    own = member_field(world, state, shown)
    if reference.dimension is not None and reference.dimension not in shown.fields:
        raise Ask("reference", "set")
    if reference.dimension is not None:
        own = reference.dimension
    return Referent((members(world, shown, own),), (own,), True)


def fits(state: State, shown: Shown, count: int) -> bool:
    """Whether the rows shown can be so many: ties may show more of a ranking than were asked for."""
    ranks = None if state.slots is None or state.slots.limit is None else state.slots.limit
    asked = () if ranks is None else (ranks.last - ranks.first + 1,)
    return not count or not shown.fields or count in (len(shown.rows), *asked)


def _talked_about(state: State, reference: Reference) -> Referent:
    """这两个, where the last result is not of two: the last two of one kind that were talked about."""
    alike = _alike(state, reference.dimension)[-reference.index :]
    if len(alike) != reference.index:
        raise Ask("reference", "set")
    return Referent((_all_of(alike),), (alike[-1].fields[-1],), True)


def one_after_the_other(state: State) -> Filter | None:
    """张江8月应收, then 临港呢: what the turns up to the last one asked about, one each; None where there
    was but one."""
    alike = _alike(state, None)
    run = alike[-1:] if alike and alike[-1].turn == state.seq else []
    for item in reversed(alike[:-1]):
        if not run or item.turn != run[0].turn - 1:
            break
        run.insert(0, item)
    return _all_of(run) if len(run) > 1 else None


def _alike(state: State, wanted: str | None) -> list[Entity]:
    """What was talked about of the kind that was talked about last, by turn."""
    known = tuple(item for item in state.entities if wanted in (None, item.fields[-1]))
    latest = last_mentioned(known, wanted)
    alike = [item for item in known if latest is not None and item.fields == latest.fields]
    return sorted(alike, key=lambda item: item.turn)


def _all_of(entities: Sequence[Entity]) -> Filter:
    """A filter on several things of one kind."""
    fields, rows = entities[-1].fields, tuple(item.values for item in entities)
    if len(fields) == 1:
        return Filter(fields[0], Among(tuple(row[0] for row in rows)))
    return Filter(fields[-1], Members(fields, rows))


def _others(world: World, state: State, reference: Reference) -> Referent:
    """其他的, 其余园区: all but those that a ranking or a condition showed, else those that were named."""
    slots, shown, wanted = state.slots, state.shown, reference.dimension
    if slots is None:
        raise Ask("reference", "others")
    chosen = slots.having or (slots.limit is not None and not slots.limit.per)
    if chosen and shown is not None and shown.fields and wanted in (None, shown.fields[-1]):
        if not shown.rows:
            return Referent((), (), True)  # of none, all are the others
        named = [members(world, shown, shown.fields[-1])]
    else:
        named = [
            item
            for item in slots.filters
            if item.field in world.layer.dimensions and wanted in (None, item.field)
        ]
    test = named[0].test if len(named) == 1 else None
    if not isinstance(test, Among) or test.negated:
        raise Ask("reference", "others")
    return Referent((Filter(named[0].field, Among(test.values, True)),), (), True)


def _held(world: World, state: State, wanted: str | None) -> Filter | None:
    """The filter that names what a total was made of: the one on a dimension, or the only one of several
    values."""
    if state.slots is None or wanted is not None:
        return None if state.slots is None or wanted is None else state.slots.filter(wanted)
    named = [
        item
        for item in state.slots.filters
        if item.field in world.layer.dimensions and several(item)
    ]
    return named[0] if len(named) == 1 else None


def size(item: Filter) -> int:
    """How many values a filter names; 0 where it names none."""
    if isinstance(item.test, Members):
        return len(item.test.rows)
    named = isinstance(item.test, Among) and not item.test.negated
    return len(item.test.values) if isinstance(item.test, Among) and named else 0


def several(item: Filter) -> bool:
    """Whether a filter names more than one value."""
    return size(item) > 1


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


def _kind(world: World, state: State) -> Referent:
    """这类, 这项: the one row shown, else what was said last of a list of kinds, where not several were shown."""

    def listed(name: str) -> bool:
        return name in world.layer.dimensions and world.layer.dimensions[name].enum is not None

    shown = state.shown
    if shown is not None and shown.fields and len(shown.rows) == 1:
        return Referent(pinned(shown.fields, shown.rows[0]), (), False)
    if shown is not None and any(listed(name) for name in shown.fields):
        raise Ask("reference", "kind")
    entity = last_mentioned(tuple(item for item in state.entities if listed(item.fields[-1])), None)
    if entity is not None:
        return Referent(pinned(entity.fields, entity.values), (), False)
    if shown is None or shown.fields or state.slots is None:
        raise Ask("reference", "kind")
    return Referent((), (), False)  # 这项, of one number


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
