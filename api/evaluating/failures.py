"""The turns of a run that did not end as expected, as a client shows them side by side."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from itertools import islice

from dialogue.evaluation import Evaluated
from dialogue.evaluation.judged import Judged, Seen
from dialogue.evaluation.scores import Played

LISTED = 500  # failures that are kept


def failures(found: Iterable[Evaluated]) -> list[dict[str, object]]:
    """The first failures of some sets: what was asked before, what was expected, what came."""
    wrong = (
        _failure(item.questions.set, played, turn)
        for item in found
        for played in item.played
        for turn in played.turns
        if not turn.ok
    )
    return list(islice(wrong, LISTED))


def _failure(name: str, played: Played, turn: Judged) -> dict[str, object]:
    dialogue, sides = played.dialogue, turn.failure
    return {
        "set": name,
        "dialogue": dialogue.id,
        "turn": turn.turn,
        "lang": dialogue.lang,
        "tags": list(dialogue.tags),
        "before": list(_before(played, turn)),
        "question": turn.asked,
        "expected": list(turn.expected),
        "outcome": turn.outcome,
        "code": turn.code,
        "words": turn.words,
        "silent": turn.silent,
        "text": sides.text if sides else "",
        "offered": list(sides.offered) if sides else [],
        "wanted": json.loads(sides.wanted) if sides and sides.wanted else {},
        "slots": json.loads(sides.slots) if sides and sides.slots else {},
        "gold": _rows(sides.gold if sides else None),
        "got": _rows(sides.got if sides else None),
        "gold_sql": sides.gold_sql.strip() if sides else "",
        "sql": sides.sql.strip() if sides else "",
    }


def _before(played: Played, turn: Judged) -> Iterator[str]:
    """The questions before it, in one session with it."""
    if played.dialogue.mode != "variants":
        yield from (item.asked for item in played.turns if item.turn < turn.turn)


def _rows(found: Seen | None) -> dict[str, object] | None:
    if found is None:
        return None
    rows = [list(row) for row in found.rows]
    return {"columns": list(found.columns), "rows": rows, "count": found.count}
