"""What a turn's record holds, as plain values that need no database: written before and after it ran.

Facts that say nothing about a person stand in clear in the chain: clocks, versions, hashes, counts. All
else, whatever was typed or answered, is content: kept apart by a salted digest, so that it can be erased.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from decimal import Decimal
from typing import TypeVar

from dialogue import codec
from dialogue.answer import digest
from dialogue.changes import Changes
from dialogue.codec import Json
from dialogue.engine import Moment
from dialogue.faults import faults
from dialogue.heard import Heard
from dialogue.ledger import Entry
from dialogue.state import Provenance, State
from dialogue.turn import (
    Assumption,
    Choice,
    Citation,
    Clarification,
    Column,
    Fault,
    Model,
    Request,
    Switch,
    Turn,
)
from dialogue.world import World
from nl2sql.slots import Filter
from semantic_layer import protocols
from semantic_layer.protocols import Cell, Rows, User


@dataclass(frozen=True, slots=True)
class Asker:
    """Who asked, and the filters that the policies imposed; None in a turn from before they were recorded."""

    user: User
    policy: tuple[Filter, ...] | None = None


@dataclass(frozen=True, slots=True)
class Total:
    """The control totals of a numeric column, exact: the nulls among `rows` are not in them."""

    column: str
    sum: Decimal
    min: Decimal
    max: Decimal


@dataclass(frozen=True, slots=True)
class Step:
    """One question of a turn, whole: how it was heard, its slots and statement, and what came of it.

    `slots` is their canonical JSON, `digest` of the rows in any order (`answer.digest`). Values stand in
    the statement as literals: there are no parameters besides.
    """

    question: str
    outcome: str
    text: str
    lang: str = "zh"
    reason: str = ""
    heard: Heard | None = None
    completed_question: str = ""
    slots: str = ""
    provenance: tuple[Provenance, ...] = ()
    changes: Changes = field(default_factory=Changes)
    assumptions: tuple[Assumption, ...] = ()
    switch: Switch | None = None
    clarification: Clarification | None = None
    suggestions: tuple[Choice, ...] = ()
    not_understood: tuple[str, ...] = ()
    degraded: tuple[str, ...] = ()
    fresh_to: str | None = None
    sql: str = ""
    columns: tuple[Column, ...] = ()
    rows: int = 0
    digest: str = ""
    totals: tuple[Total, ...] = ()
    model: Model | None = None
    sources: tuple[Citation, ...] = ()


@dataclass(frozen=True, slots=True)
class Origin:
    """What a turn stood on, besides what was typed. All of it is in clear."""

    clock: datetime
    now: datetime
    zone: str
    semantic_hash: str
    data_version: str
    engine: str
    versions: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Record:
    """A recorded turn, whole. What was erased is None, and named in `erased`.

    `outcome` is empty for a turn that was interrupted. `tables` are the rows as Parquet, a file a step,
    where they are kept. `hash` is that of the last link; `was` the hash in a ledger before version 2.
    """

    turn_id: str
    session_id: str
    seq: int
    at: str
    origin: Origin
    request: Request | None
    asker: Asker | None
    before: State | None
    outcome: str = ""
    steps: tuple[Step, ...] | None = None
    after: State | None = None
    faults: tuple[Fault, ...] | None = ()
    tables: tuple[bytes, ...] = ()
    timings_us: Mapping[str, int] | None = None
    hash: str = ""
    erased: tuple[str, ...] = ()
    was: str = ""


def origin(world: World, moment: Moment, versions: tuple[tuple[str, str], ...]) -> Origin:
    """What a turn in this world stands on."""
    return Origin(
        moment.clock,
        moment.now,
        world.layer.calendar.timezone,
        world.layer.hash,
        world.warehouse.data_version,
        world.warehouse.engine,
        versions,
    )


def intent(seq: int, found: Origin) -> dict[str, Json]:
    """The facts of an intent that stand in clear."""
    return {
        "seq": seq,
        "clock": found.clock.isoformat(),
        "now": found.now.isoformat(),
        "zone": found.zone,
        "semantic_hash": found.semantic_hash,
        "data_version": found.data_version,
        "engine": found.engine,
        "versions": dict(found.versions),
    }


def intent_parts(request: Request, asker: Asker, before: str) -> dict[str, str]:
    """The contents of an intent."""
    return {"request": codec.dumps(request), "asker": codec.dumps(asker), "before": before}


def outcome(turn: Turn) -> dict[str, Json]:
    """The facts of an outcome that stand in clear. Durations are whole microseconds."""
    timings = turn.timings_ms
    return {
        "outcome": turn.outcome,
        "rows": [len(part.all_rows) for part in turn.parts or (turn,)],
        "timings_us": {
            "reading": round(timings.reading * 1000),
            "compiling": round(timings.compiling * 1000),
            "running": round(timings.running * 1000),
        },
    }


def outcome_parts(turn: Turn, after: str) -> dict[str, str]:
    """The contents of an outcome. `faults` stands by itself: whoever is shown a turn is not shown that."""
    found = faults(turn)
    kept = {"faults": codec.dumps(found)} if found else {}
    return {"steps": codec.dumps(steps(turn)), "after": after, **kept}


def tables(turn: Turn) -> tuple[Rows, ...]:
    """The rows of a turn's questions, for whoever keeps them."""
    return tuple(
        Rows(tuple(column.id for column in part.result.columns), part.all_rows)
        for part in (turn.parts or (turn,))
        if part.result is not None
    )


def steps(turn: Turn) -> tuple[Step, ...]:
    """The questions of a turn."""
    return tuple(map(_step, turn.parts or (turn,)))


def _step(turn: Turn) -> Step:
    columns = turn.result.columns if turn.result is not None else ()
    return Step(
        turn.question,
        turn.outcome,
        turn.text,
        turn.lang,
        turn.reason,
        turn.heard,
        turn.completed_question,
        codec.dumps(turn.slots) if turn.slots is not None else "",
        turn.provenance,
        turn.changes,
        turn.assumptions,
        turn.switch,
        turn.clarification,
        turn.suggestions,
        turn.not_understood,
        turn.degraded,
        turn.fresh_to,
        turn.sql or "",
        columns,
        len(turn.all_rows),
        digest(turn.all_rows),
        totals(tuple(column.id for column in columns), turn.all_rows),
        turn.model,
        turn.sources,
    )


def totals(columns: tuple[str, ...], rows: tuple[tuple[Cell, ...], ...]) -> tuple[Total, ...]:
    """The control totals of the numeric columns; floats to twelve digits, as in the digest.

    >>> totals(("name", "rent"), (("A", Decimal("1.50")), ("B", None), ("C", Decimal("2"))))
    (Total(column='rent', sum=Decimal('3.50'), min=Decimal('1.50'), max=Decimal('2')),)
    """
    found: list[Total] = []
    for index, name in enumerate(columns):
        numbers = [number for row in rows if (number := _number(row[index])) is not None]
        if numbers:
            found.append(Total(name, _exact_sum(numbers), min(numbers), max(numbers)))
    return tuple(found)


def _number(cell: Cell) -> Decimal | None:
    if isinstance(cell, bool) or not isinstance(cell, int | float | Decimal):
        return None
    number = Decimal(f"{cell:.12g}") if isinstance(cell, float) else Decimal(cell)
    return number if number.is_finite() else None


def _exact_sum(numbers: list[Decimal]) -> Decimal:
    """A sum of any length without rounding, with as many digits after the point as the longest has."""
    parts = [number.as_tuple() for number in numbers]
    lowest = min(int(part.exponent) for part in parts)
    whole = 0
    for sign, digits, exponent in parts:
        size = int("".join(map(str, digits))) * 10 ** (int(exponent) - lowest)
        whole += -size if sign else size
    return Decimal((int(whole < 0), tuple(map(int, str(abs(whole)))), lowest))


def record_of(entry: Entry) -> Record:
    """The record of a turn, from what the ledger keeps of it."""
    begun, ended = entry.intent, entry.outcome
    record = Record(
        begun.turn_id,
        begun.session_id,
        int(str(begun.body["seq"])),
        begun.at,
        _origin(begun.body),
        _part(entry, "request", Request),
        _part(entry, "asker", Asker),
        _part(entry, "before", State),
        hash=begun.hash,
        erased=entry.erased,
    )
    if ended is None:
        return record
    timings = ended.body["timings_us"]
    assert isinstance(timings, dict)
    kept = (entry.contents.get(digest) for name, digest in ended.parts.items() if _is_table(name))
    return replace(
        record,
        outcome=str(ended.body["outcome"]),
        steps=_part(entry, "steps", tuple),
        after=_part(entry, "after", State),
        faults=_part(entry, "faults", tuple) if "faults" in ended.parts else (),
        tables=tuple(table for table in kept if table is not None),
        timings_us={name: int(str(value)) for name, value in timings.items()},
        hash=ended.hash,
        was=str(ended.body.get("was", "")),
    )


def _is_table(name: str) -> bool:
    return name.startswith("rows.")


def _origin(facts: Mapping[str, Json]) -> Origin:
    versions = facts["versions"]
    assert isinstance(versions, dict)
    return Origin(
        datetime.fromisoformat(str(facts["clock"])),
        datetime.fromisoformat(str(facts["now"])),
        str(facts["zone"]),
        str(facts["semantic_hash"]),
        str(facts["data_version"]),
        str(facts["engine"]),
        tuple((name, str(value)) for name, value in versions.items()),
    )


T = TypeVar("T")


def _part(entry: Entry, name: str, kind: type[T]) -> T | None:
    text = entry.part(name)
    return None if text is None else codec.loads(text, kind)


codec.register(sys.modules[__name__], protocols)
