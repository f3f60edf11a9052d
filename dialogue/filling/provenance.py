"""Where each slot value of a turn came from."""

from __future__ import annotations

from dialogue.filling.base import Filled
from dialogue.state import Provenance, State
from nl2sql.slots import BESIDE, Slots


def provenance(before: State, after: Slots, filled: Filled, turn: int) -> tuple[Provenance, ...]:
    """Where each slot value of a turn came from."""
    said = dict(filled.said)
    carried = {item.key: item for item in before.provenance}
    found: list[Provenance] = []
    for key in keys(after):
        edit = said.get(key)
        if edit is not None:
            source = {
                "reference": "reference",
                "clarified": "clarified",
                "edited": "edited",
                "only": "default",
            }.get(edit.note, "said")
            found.append(Provenance(key, source, turn, edit.span))  # type: ignore[arg-type]
        elif key in carried and filled.switch is None:
            old = carried[key]
            found.append(
                Provenance(
                    key,
                    "default" if old.source == "default" else "carried",
                    old.turn,
                    old.span,
                    old.words,
                )
            )
        else:
            found.append(Provenance(key, "default", turn))
    return tuple(found)


def keys(slots: Slots) -> tuple[str, ...]:
    """The slot keys that have a value."""
    found: list[str] = []
    for name in (
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
        *BESIDE,
    ):
        if getattr(slots, name):
            found.append(name)
    found += [f"filters.{item.field}" for item in slots.filters]
    found += [f"having.{item.metric}" for item in slots.having]
    return tuple(found)


def value_at(slots: Slots, key: str) -> object:
    """The value of a slot key."""
    name, _, rest = key.partition(".")
    if name == "filters":
        return slots.filter(rest)
    if name == "having":
        return next((item for item in slots.having if item.metric == rest), None)
    return getattr(slots, name)
