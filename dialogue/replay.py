"""Replay: a recorded turn taken again from what it started from, and what differs today.

Slots and SQL must come out byte for byte; then the rows are compared with the stored digest.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from dialogue import codec
from dialogue.engine import Moment, take
from dialogue.record import Record
from dialogue.session import steps
from dialogue.state import State
from dialogue.turn import Request
from dialogue.world import World
from semantic_layer.protocols import User


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
    """Take a recorded turn again, in this world."""
    intent = record.intent
    request = codec.decode(intent["request"])
    assert isinstance(request, Request)
    state = codec.loads(str(intent["state"]), State)
    moment = Moment(
        datetime.fromisoformat(str(intent["clock"])), datetime.fromisoformat(str(intent["now"]))
    )
    turn = take(world, state, request, user_of(intent), moment).turn
    differences: list[Difference] = []
    then, now = record.steps(), steps(turn)
    if record.outcome["outcome"] != turn.outcome:
        differences.append(Difference("outcome", str(record.outcome["outcome"]), turn.outcome))
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
    changed: list[str] = []
    if intent["semantic_hash"] != world.layer.hash:
        changed.append("definition")
    if intent["data_version"] != world.warehouse.data_version:
        changed.append("data")
    if intent["engine"] != world.warehouse.engine:
        changed.append("engine")
    if intent["versions"] != [list(item) for item in versions]:
        changed.append("software")
    statement = not any(
        item.what in ("slots", "sql", "outcome", "questions") for item in differences
    )
    return Verdict(
        record.turn_id,
        request.question,
        not differences,
        statement,
        tuple(changed),
        tuple(differences),
    )


def user_of(intent: dict[str, codec.Json]) -> User:
    """The user that a turn was taken for."""
    found = intent["user"]
    assert isinstance(found, dict)
    attributes = found["attributes"]
    assert isinstance(attributes, list)
    return User(
        str(found["id"]),
        tuple(
            (str(item[0]), tuple(str(value) for value in item[1]))
            for item in attributes
            if isinstance(item, list) and isinstance(item[1], list)
        ),
        bool(found["everything"]),
    )
