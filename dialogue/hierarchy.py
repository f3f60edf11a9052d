"""Hierarchies of place: what a new value on one level drops, and which parents a value has."""

from __future__ import annotations

from collections.abc import Sequence

from dialogue.world import World
from nl2sql.slots import Among, Filter, Slots
from semantic_layer.index import Place


def levels_of(world: World, field: str) -> tuple[str, tuple[str, ...]] | None:
    """The hierarchy that a dimension is a level of, and its levels from the top."""
    for name, levels in world.layer.chains().items():
        if field in levels:
            return name, levels
    return None


def below(world: World, field: str) -> tuple[str, ...]:
    """The levels below a dimension, in every hierarchy that it is a level of."""
    found = [
        name
        for levels in world.layer.chains().values()
        if field in levels
        for name in levels[levels.index(field) + 1 :]
    ]
    return tuple(dict.fromkeys(found))


def depth(world: World, field: str) -> int:
    """How many levels a dimension has above it; -1 where it is no level of anything."""
    above = [
        levels[: levels.index(field)] for levels in world.layer.chains().values() if field in levels
    ]
    return max((depth(world, one[-1]) + 1 if one else 0 for one in above), default=-1)


def positive(slots: Slots, field: str) -> tuple[str, ...] | None:
    """The values a filter limits a field to, if it does."""
    found = slots.filter(field)
    if found is not None and isinstance(found.test, Among) and not found.test.negated:
        return found.test.values
    return None


def matching(
    world: World, name: str, levels: tuple[str, ...], limits: dict[str, tuple[str, ...]]
) -> Sequence[Place]:
    """The combinations of a hierarchy that meet every limit."""
    rows = world.values.places(name)
    for field, wanted in limits.items():
        if field in levels:
            at, values = levels.index(field), frozenset(wanted)
            rows = tuple([row for row in rows if row[at] in values])
    return rows


def place(world: World, slots: Slots, item: Filter) -> tuple[Slots, tuple[str, ...]]:
    """Set a filter on a level: drop those below it, and those above that contradict it (RULES.md §3.5).

    Gives the slots and the fields whose filters were dropped.
    """
    found = levels_of(world, item.field)
    if found is None or not isinstance(item.test, Among) or item.test.negated:
        return slots.with_filter(item), ()
    name, levels = found
    at = levels.index(item.field)
    dropped = [field for field in below(world, item.field) if slots.filter(field) is not None]
    slots = slots.without_filter(*dropped)
    for field in reversed(levels[:at]):
        values = positive(slots, field)
        if values is None:
            continue
        together = {field: values, item.field: item.test.values}
        if not matching(world, name, levels, together):
            dropped.append(field)
            slots = slots.without_filter(field)
    return slots.with_filter(item), tuple(dropped)


def candidates(
    world: World, slots: Slots, field: str, parent: str, policy: tuple[Filter, ...]
) -> tuple[str, ...]:
    """The values of `parent` under which the values asked for on `field` occur, under all other filters."""
    found = levels_of(world, field)
    if found is None:
        return ()
    name, levels = found
    limits = {level: values for level in levels if (values := positive(slots, level)) is not None}
    for item in policy:
        if item.field in levels and isinstance(item.test, Among):
            known = limits.get(item.field)
            limits[item.field] = tuple(v for v in item.test.values if known is None or v in known)
    at = levels.index(parent)
    return tuple(
        sorted(
            {
                value
                for row in matching(world, name, levels, limits)
                if (value := row[at]) is not None
            },
            key=lambda value: (len(value), value),
        )
    )


def sole(world: World, field: str, parent: str) -> bool:
    """Whether every value of a level lies within one value of `parent`: a city says itself in which region."""
    key = field, parent
    found = levels_of(world, field)
    if found is not None and key not in world.known_sole:
        name, levels = found
        inner, outer = levels.index(field), levels.index(parent)
        seen: dict[str, str | None] = {}
        world.known_sole[key] = all(
            seen.setdefault(value, row[outer]) == row[outer]
            for row in world.values.places(name)
            if (value := row[inner]) is not None
        )
    return world.known_sole.get(key, False)


def occurs(world: World, slots: Slots, item: Filter, policy: tuple[Filter, ...]) -> bool:
    """Whether a value on a level occurs under the filters that would stand with it."""
    placed, _ = place(world, slots, item)
    return bool(candidates(world, placed, item.field, item.field, policy))
