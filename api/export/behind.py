"""What stands behind the answers of a turn, asked again for its page: an auditor computes a rate from its amounts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from dialogue import heard
from dialogue.behind import Answer, counted, made_of
from dialogue.codec import loads
from dialogue.record import Record
from dialogue.turn import Result
from dialogue.world import World
from nl2sql.reading import RuleReader
from nl2sql.slots import Slots
from semantic_layer.model import Layer
from semantic_layer.protocols import Warehouse


@dataclass(frozen=True, slots=True)
class Behind:
    """The amounts that the rates of an answer are made of, and how many rows were counted: of all, and of those
    that the conditions leave."""

    parts: Result | None
    counts: tuple[int, int] | None


def behind(
    record: Record, layer: Layer, answered: Iterable[int], warehouse: Warehouse | None
) -> dict[int, Behind]:
    """By question, for those answers whose rows are there and can be asked about under the asker's policy."""
    if warehouse is None or record.asker is None or record.asker.policy is None:
        return {}
    world, found = world_of(record, layer, warehouse), dict[int, Behind]()
    for index in answered:
        step = (record.steps or ())[index]
        slots, policy, clock = loads(step.slots, Slots), record.asker.policy, record.origin.clock
        given = Answer(tuple(item.id for item in step.columns), step.digest)
        parts = made_of(world, slots, clock, policy, given, step.lang)
        found[index] = Behind(parts, counted(world, slots, clock, policy))
    return found


def world_of(record: Record, layer: Layer, warehouse: Warehouse) -> World:
    """The layer and the values that a turn was bound to: enough to put its slots into words."""
    values = heard.pinned(step.heard for step in record.steps or () if step.heard is not None)
    return World(layer, RuleReader(layer, values), values, warehouse)
