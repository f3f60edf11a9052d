"""Replay: a recorded turn taken again from what it started from, and what differs today.

Slots and SQL must come out byte for byte; then the rows are compared with the stored digest.
"""

from __future__ import annotations

from dataclasses import dataclass

from dialogue.engine import Moment, take
from dialogue.record import Record, origin, steps
from dialogue.world import World


@dataclass(frozen=True, slots=True)
class Difference:
    """One thing that is not as it was: which, then and now."""

    what: str
    then: str
    now: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """The verdict on a replayed turn: `same`, or what changed and how it shows."""

    turn_id: str
    question: str
    same: bool
    same_statement: bool
    changed: tuple[str, ...]
    differences: tuple[Difference, ...]


def replay(world: World, record: Record, versions: tuple[tuple[str, str], ...]) -> Verdict:
    """Take a recorded turn again, in this world. Raises `ValueError` where what it needs was erased."""
    request, asker, state, then = record.request, record.asker, record.before, record.steps
    if request is None or asker is None or state is None or then is None:
        raise ValueError(
            f"turn {record.turn_id} cannot be taken again: {', '.join(record.erased)} erased"
        )
    moment = Moment(record.origin.clock, record.origin.now)
    turn = take(world, state, request, asker.user, moment).turn
    differences: list[Difference] = []
    now = steps(turn)
    if record.outcome != turn.outcome:
        differences.append(Difference("outcome", record.outcome, turn.outcome))
    if len(then) != len(now):
        differences.append(Difference("questions", str(len(then)), str(len(now))))
    for before, after in zip(then, now, strict=False):
        if before.slots != after.slots:
            differences.append(Difference("slots", before.slots, after.slots))
        if before.sql != after.sql:
            differences.append(Difference("sql", before.sql, after.sql))
        if before.digest != after.digest:
            differences.append(
                Difference(
                    "rows",
                    f"{before.rows} rows {before.digest[:12]}",
                    f"{after.rows} rows {after.digest[:12]}",
                )
            )
    today = origin(world, moment, versions)
    compared = {
        "definition": (record.origin.semantic_hash, today.semantic_hash),
        "data": (record.origin.data_version, today.data_version),
        "engine": (record.origin.engine, today.engine),
        "software": (dict(record.origin.versions), dict(today.versions)),
    }
    statement = not any(
        item.what in ("slots", "sql", "outcome", "questions") for item in differences
    )
    return Verdict(
        record.turn_id,
        request.question,
        not differences,
        statement,
        tuple(name for name, (was, is_now) in compared.items() if was != is_now),
        tuple(differences),
    )
