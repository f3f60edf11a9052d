"""Where each slot value of a turn came from."""

from __future__ import annotations

from dialogue.changes import carried, keys
from dialogue.filling.base import Filled
from dialogue.state import Provenance, Source

_NOTED: dict[str, Source] = {
    "reference": "reference",
    "clarified": "clarified",
    "edited": "edited",
    "only": "default",
}


def provenance(before: tuple[Provenance, ...], filled: Filled, turn: int) -> tuple[Provenance, ...]:
    """Where each slot value came from: said in this turn, carried from `before`, or a default."""
    said = dict(filled.said)
    known = {item.key: carried(item) for item in before} if filled.switch is None else {}
    found: list[Provenance] = []
    for key in keys(filled.slots):
        edit = said.get(key)
        if edit is not None:
            found.append(Provenance(key, _NOTED.get(edit.note, "said"), turn, edit.span))
        else:
            found.append(known.get(key) or Provenance(key, "default", turn))
    return tuple(found)
