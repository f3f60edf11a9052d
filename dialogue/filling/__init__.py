"""Filling and overriding: what a turn says wins, what it leaves out is filled from the state (RULES.md §3).

A tuple of passes over one turn's slots; each is one idea and one file. No clock is read here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import datetime

from dialogue import hierarchy
from dialogue.filling.asking import ambiguous, places
from dialogue.filling.base import Filled, Filling
from dialogue.filling.beside import beside
from dialogue.filling.conditions import numbers
from dialogue.filling.contradictions import contradictions, given_way, held_together
from dialogue.filling.counting import counting, counts_before, counts_shown
from dialogue.filling.filters import filters
from dialogue.filling.grouping import dimensions, side_by_side, totals
from dialogue.filling.periods import check_time, default_time, running_unit, time, trend
from dialogue.filling.provenance import provenance
from dialogue.filling.ranking import order, ranked
from dialogue.filling.referring import references, summed
from dialogue.filling.rewriting import all_groups, grouped, listed, of_rows, placed
from dialogue.filling.subject import subject
from dialogue.filling.units import done, units
from dialogue.sight import Sight
from dialogue.state import State
from dialogue.switch import bare, detect
from dialogue.world import World
from nl2sql.edits import Edit
from nl2sql.reading import Reading
from nl2sql.slots import Filter, Slots

__all__ = ["Filled", "fill", "provenance"]

Pass = Callable[[Filling, list[Edit]], None]

PASSES: tuple[Pass, ...] = (
    subject,
    units,
    done,
    references,
    summed,
    dimensions,
    filters,
    given_way,
    numbers,
    time,
    running_unit,
    order,
    counting,
    totals,
    side_by_side,
    ambiguous,
    units,
    side_by_side,
    places,
    contradictions,
    ranked,
    trend,
    beside,
    default_time,
    check_time,
)


def fill(
    world: World,
    state: State,
    reading: Reading,
    clock: datetime,
    sight: Sight,
    chosen: tuple[Edit, ...] = (),
    answered: tuple[str, ...] = (),
) -> Filled:
    """The slots of a turn. Raises `Ask` or `Refuse` when they cannot be filled."""
    f = Filling(world, state, reading, clock, sight, chosen, answered)
    f.reading = reading = of_rows(world, all_groups(reading, state), state)
    f.reading = reading = listed(world, grouped(world, reading, state), state)
    f.reading = reading = counts_before(world, counts_shown(world, reading, state), state)
    f.switch = detect(world, state, reading)
    f.slots = Slots() if f.switch is not None else state.slots or Slots()
    if f.switch is None and "besides" in reading.cues and bare(reading):
        f.reading = replace(reading, edits=tuple(replace(edit, op="add") for edit in reading.edits))
    if f.switch is None or f.switch.rule == "object":
        f.reading = placed(f.reading, state)
    edits = held_together(from_the_top(world, f.reading.edits))
    for one in PASSES:
        one(f, edits)
    return Filled(f.slots, f.switch, tuple(f.said), tuple(f.assumptions), tuple(f.asked))


def from_the_top(world: World, edits: Iterable[Edit]) -> list[Edit]:
    """Filters of a hierarchy from its top: 张江1号楼 sets the park first."""

    def level(edit: Edit) -> int:
        return hierarchy.depth(world, edit.value.field) if isinstance(edit.value, Filter) else -1

    return sorted(edits, key=level)
