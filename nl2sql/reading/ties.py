"""Readings of one text against each other: whether two say the same, and what a draw between two leaves open."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from nl2sql.edits import Edit
from nl2sql.reading.tokens import Token
from nl2sql.reading.types import About, Ambiguity, Reading, Sense
from nl2sql.slots import Among, Filter

TIE = 0.25  # covers are weighed in steps of a half: nearer than that, neither wins


def content_of(tokens: Sequence[Token]) -> list[tuple[int, int, str]]:
    """The tokens that say something: covers that differ in fillers alone are one."""
    return [(token.start, token.end, token.kind) for token in tokens if token.kind != "filler"]


def says(reading: Reading) -> tuple[object, ...]:
    """What a reading comes to: readings that differ in it are two, those with more left over are not."""
    edits = frozenset((edit.slot, edit.op, repr(edit.value)) for edit in reading.edits)
    return reading.intent, edits, reading.cues


def tied(best: Reading, rival: Reading) -> Reading | None:
    """The best reading with what a rival of the same score says otherwise kept open: another metric, or
    another value, of the same stretch. None where they differ in nothing that can be asked about."""
    if rival.unread or best.intent != rival.intent:
        return None
    one = [edit for edit in best.edits if not _has(rival, edit)]
    other = [edit for edit in rival.edits if not _has(best, edit)]
    if len(one) != 1 or len(other) != 1 or one[0].slot != other[0].slot:
        return None
    ids = _id(one[0]), _id(other[0])
    if not all(ids) or ids[0] == ids[1]:
        return None
    span = min(one[0].span[0], other[0].span[0]), max(one[0].span[1], other[0].span[1])
    choices = tuple(Sense(name, (edit,)) for name, edit in zip(ids, (*one, *other), strict=True))
    about: About = "metric" if one[0].slot == "metrics" else "value"
    found = Ambiguity(about, span, best.text[slice(*span)], choices)
    kept = tuple(edit for edit in best.edits if edit is not one[0])
    return replace(best, edits=kept, ambiguities=(*best.ambiguities, found))


def _has(reading: Reading, edit: Edit) -> bool:
    return any(
        (item.slot, item.op, item.value) == (edit.slot, edit.op, edit.value)
        for item in reading.edits
    )


def _id(edit: Edit) -> str:
    """The one metric or the one value that an edit sets; empty for any other."""
    if edit.slot == "metrics" and isinstance(edit.value, tuple) and len(edit.value) == 1:
        return edit.value[0]
    if isinstance(edit.value, Filter) and isinstance(edit.value.test, Among):
        if len(edit.value.test.values) == 1 and not edit.value.test.negated:
            return f"{edit.value.field}:{edit.value.test.values[0]}"
    return ""
