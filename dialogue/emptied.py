"""Nothing was found: which of the conditions left nothing, found by letting go of one after the other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from dialogue import answer
from dialogue.scene import Scene
from dialogue.words import condition, group_condition, joined, period, say
from nl2sql.errors import (
    GuardError,
    Halted,
    QuestionError,
    ReadBackError,
    Stopped,
    WarehouseError,
)
from nl2sql.slots import Slots

PROBES = 6


def emptied_by(scene: Scene, slots: Slots, lang: str) -> str:
    """The condition without which there are data, in words; empty where no single one is at fault."""
    for words, without in list(relaxed(scene, slots, lang))[:PROBES]:
        try:
            prepared = answer.prepare(scene.world, without, scene.clock, scene.policy)
            found = answer.run(scene.world, prepared, lang)
        except Halted:
            raise
        except Stopped:  # what was not looked at is not claimed
            return ""
        except (QuestionError, ReadBackError, GuardError, WarehouseError):
            continue
        if not nothing(without, found):
            return say(lang, "answer.emptied", condition=words)
    everything = [words for words, _ in relaxed(scene, slots, lang)]
    if len(everything) < 2:
        return ""
    return say(lang, "answer.emptied-together", conditions=joined(everything, lang))


def nothing(slots: Slots, found: answer.Answered) -> bool:
    """Whether there are no rows, or one whose metrics all have no value."""
    if not found.rows:
        return True
    if slots.rows or slots.counted or len(found.rows) > 1:
        return False
    at = [index for index, column in enumerate(found.result.columns) if column.id in slots.metrics]
    return all(found.rows[0][index] is None for index in at)


def relaxed(scene: Scene, slots: Slots, lang: str) -> Iterator[tuple[str, Slots]]:
    """Each condition in words, and the slots without it: what was narrowed last comes first."""
    world = scene.world
    for having in reversed(slots.having):
        kept = tuple(item for item in slots.having if item is not having)
        yield group_condition(world, having, lang), replace(slots, having=kept)
    for item in reversed(slots.filters):
        lifted = tuple(name for name in slots.lifted if name != item.field)
        yield (
            condition(world, item, lang, slots.object),
            replace(slots.without_filter(item.field), lifted=lifted),
        )
    if slots.time is not None and slots.time.words and slots.comparison is None and not slots.grain:
        yield period(slots.time, lang), replace(slots, time=None)
