"""What a turn does to the state, and the one function that does it: a state is the sum of its changes.

The changes of a turn are recorded; applied from the first turn on, they rebuild the state of any turn.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TypeAlias

from dialogue.codec import register
from dialogue.state import (
    CHOICES,
    ENTITIES,
    UNDO_STEPS,
    Entity,
    Pending,
    Provenance,
    Remembered,
    Shown,
    Snapshot,
    State,
)
from nl2sql.reading.types import Intent, Lang
from nl2sql.slots import BESIDE, Comparison, Filter, Having, Limit, Order, Slots, TimeSlot

Value: TypeAlias = (
    str | bool | tuple[str, ...] | Filter | Having | TimeSlot | Comparison | Order | Limit | None
)
SCALARS = (
    "object",
    "metrics",
    "dimensions",
    "grain",
    "time",
    "comparison",
    "order",
    "limit",
    "rows",
    "counted",
    "shown",
    *BESIDE,
)


@dataclass(frozen=True, slots=True)
class Change:
    """A slot that a turn set, by its key (`time`, `filters.park_id`), and its value now."""

    key: str
    value: Value


@dataclass(frozen=True, slots=True)
class Changes:
    """What a turn did: to the slots by their keys, and to what else is remembered.

    A turn that is no query (`filled` is false) leaves the slots as they are. `keys` are those of the slots
    afterwards, in their order; `sources` where their values came from, as far as they are not just carried.
    `first` are the changes of the questions before it in the same message.
    """

    kept: tuple[str, ...] = ()
    set: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    filled: bool = False
    keys: tuple[str, ...] = ()
    values: tuple[Change, ...] = ()
    lifted: tuple[str, ...] = ()
    sources: tuple[Provenance, ...] = ()
    shown: Shown | None = None
    mentioned: tuple[Entity, ...] = ()
    switched: bool = False
    undone: bool = False
    pending: Pending | None = None
    chosen: Remembered | None = None
    intent: Intent = "query"
    lang: Lang = "zh"
    explained: tuple[str, ...] = ()
    first: tuple[Changes, ...] = ()


NOTHING = Changes()


def keys(slots: Slots) -> tuple[str, ...]:
    """The slot keys that have a value."""
    found = [name for name in SCALARS if getattr(slots, name)]
    found += [f"filters.{item.field}" for item in slots.filters]
    found += [f"having.{item.metric}" for item in slots.having]
    return tuple(found)


def value_at(slots: Slots, key: str) -> Value:
    """The value of a slot key."""
    name, _, rest = key.partition(".")
    if name == "filters":
        return slots.filter(rest)
    if name == "having":
        return next((item for item in slots.having if item.metric == rest), None)
    value: Value = getattr(slots, name)
    return value


def to_slots(
    state: State, slots: Slots | None, provenance: tuple[Provenance, ...], **more: object
) -> Changes:
    """The changes that make these the slots: what was kept, set and dropped. None lets everything go."""
    before, after = state.slots or Slots(), slots or Slots()
    old, new = keys(before), keys(after)
    kept = tuple(key for key in new if key in old and value_at(before, key) == value_at(after, key))
    put = tuple(key for key in new if key not in kept)
    usual = {item.key: carried(item) for item in state.provenance}
    return Changes(
        kept=kept,
        set=put,
        dropped=tuple(key for key in old if key not in new),
        filled=True,
        keys=new,
        values=tuple(Change(key, value_at(after, key)) for key in put),
        lifted=after.lifted,
        sources=tuple(item for item in provenance if usual.get(item.key) != item),
        **more,  # type: ignore[arg-type]
    )


def apply(state: State, changes: Changes) -> State:
    """The state after a turn: a pure function of the state before and what the turn did."""
    for earlier in changes.first:
        state = apply(state, earlier)
    seq = state.seq + 1
    after = replace(
        state,
        seq=seq,
        pending=changes.pending,
        intent=changes.intent,
        lang=changes.lang,
        explained=changes.explained,
    )
    if changes.chosen is not None:
        others = (item for item in state.choices if item.subject != changes.chosen.subject)
        after = replace(after, choices=(*others, changes.chosen)[-CHOICES:])
    if not changes.filled:
        return after
    slots = rebuilt(state.slots or Slots(), changes)
    usual = {item.key: carried(item) for item in state.provenance}
    usual |= {item.key: item for item in changes.sources}
    after = replace(
        after,
        slots=slots,
        provenance=tuple(usual[key] for key in changes.keys),
        shown=changes.shown,
        entities=mentioned(state.entities, changes.mentioned),
        switched=changes.switched,
    )
    if changes.undone:
        until = state.past[-1].seq
        choices = tuple(item for item in after.choices if item.turn <= until)
        return replace(after, past=state.past[:-1], choices=choices)
    if state.slots != slots:
        now = Snapshot(state.slots, state.provenance, state.seq)
        return replace(after, past=(*state.past, now)[-UNDO_STEPS:])
    return after


def rebuilt(before: Slots, changes: Changes) -> Slots | None:
    """The slots of changes: values that were set, and those kept from before. None where nothing is left."""
    if not changes.keys:
        return None
    put = {item.key: item.value for item in changes.values}
    values = {key: put[key] if key in put else value_at(before, key) for key in changes.keys}
    return Slots(
        **{key: value for key, value in values.items() if "." not in key},  # type: ignore[arg-type]
        filters=tuple(item for item in values.values() if isinstance(item, Filter)),
        having=tuple(item for item in values.values() if isinstance(item, Having)),
        lifted=changes.lifted,
    )


def carried(item: Provenance) -> Provenance:
    """Where a value came from that the next turn only keeps."""
    return item if item.source in ("default", "carried") else replace(item, source="carried")


def mentioned(before: tuple[Entity, ...], now: Iterable[Entity]) -> tuple[Entity, ...]:
    """The entities talked about, each with its last turn, in the order of their first mention."""
    found = {(item.fields, item.values): item for item in (*before, *now)}
    if len(found) <= ENTITIES:
        return tuple(found.values())
    newest = sorted(found.values(), key=lambda item: item.turn)[-ENTITIES:]
    return tuple(item for item in found.values() if item in newest)


register(sys.modules[__name__])
