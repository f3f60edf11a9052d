"""How a turn was understood, as chips: each value of a slot in words, with where it came from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import datetime

from dialogue.changes import value_at
from dialogue.slot_words import slot_words
from dialogue.state import Provenance
from dialogue.turn import Chip, ChipPart, Turn
from dialogue.words import say, span
from dialogue.world import World
from nl2sql.compiler.anchor import resolved
from nl2sql.slots import Among, Filter, Slots
from nl2sql.times import comparison_base


def chips(
    world: World, slots: Slots, provenance: Iterable[Provenance], clock: datetime, lang: str
) -> tuple[Chip, ...]:
    """The chips of slots, in the order of their provenance; a comparison with the days of its base."""
    return tuple(_chips(world, slots, provenance, clock, lang))


def chipped(world: World, turn: Turn) -> Turn:
    """A recorded turn with its chips, where they can be said: under the layer that it was asked under."""
    if turn.semantic_hash != world.layer.hash:
        return turn
    parts = tuple(
        replace(part, semantic_hash=turn.semantic_hash, as_of=turn.as_of) for part in turn.parts
    )
    return replace(
        turn, chips=_of(world, turn), parts=tuple(chipped(world, part) for part in parts)
    )


def _of(world: World, turn: Turn) -> tuple[Chip, ...]:
    if turn.slots is None or turn.as_of is None:
        return ()
    return chips(world, turn.slots, turn.provenance, turn.as_of, turn.lang)


def _base(world: World, slots: Slots, clock: datetime, lang: str) -> str:
    """The period that is compared with, where it is one: of a period still open, as much as has gone by."""
    item, time = slots.comparison, slots.time
    if item is None or item.kind == "fixed" or time is None or time.kind == "newest":
        return ""
    pairs = comparison_base(resolved(time), item.kind, clock, world.calendar, item.full)
    return span(pairs[0][1], lang) if len(pairs) == 1 else ""


def _chips(
    world: World, slots: Slots, provenance: Iterable[Provenance], clock: datetime, lang: str
) -> Iterator[Chip]:
    for item in provenance:
        words = slot_words(world, slots, item.key, lang)
        if item.key == "comparison":
            words = " ".join(filter(None, (words, _base(world, slots, clock, lang))))
        if item.source == "policy":
            words = world.field_label(item.key.partition(".")[2], lang)
        if not words:
            continue
        said = item.source == "said"
        origin = "" if said else say(lang, f"source.{item.source}", turn=item.turn)
        parts, negated = _parts(world, slots, item.key, lang)
        yield Chip(item.key, words, item.source, item.turn, origin, parts, negated)


def _parts(world: World, slots: Slots, key: str, lang: str) -> tuple[tuple[ChipPart, ...], bool]:
    """What a chip holds, one by one, and whether it is what is left out: each can be let go by itself."""
    if key in ("metrics", "dimensions"):
        names: tuple[str, ...] = getattr(slots, key)
        return tuple(ChipPart(name, world.field_label(name, lang)) for name in names), False
    value = value_at(slots, key)
    if isinstance(value, Filter) and isinstance(value.test, Among):
        labels = (ChipPart(one, world.label(value.field, one, lang)) for one in value.test.values)
        return tuple(labels), value.test.negated
    return (), False
