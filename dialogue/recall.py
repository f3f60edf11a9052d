"""A recorded turn as the answer object it was: for whoever comes back to it later.

Rows are not kept by every ledger: they are found again by the recorded statement, and shown only where they
are the very rows that were answered.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from dialogue import codec
from dialogue.answer import CAP, digest
from dialogue.record import Record, Step
from dialogue.turn import Result, Timings, Turn
from dialogue.words import say
from nl2sql.errors import WarehouseError
from nl2sql.reading.types import Lang
from nl2sql.slots import Slots
from semantic_layer.protocols import Rows, Warehouse

Again = Callable[[str], Rows | None]


def asking(warehouse: Warehouse) -> Again:
    """Runs recorded statements in a warehouse; None for one that cannot be run there."""

    def again(sql: str) -> Rows | None:
        try:
            return warehouse.run(sql)
        except WarehouseError:
            return None

    return again


def found_again(step: Step, again: Again) -> Rows | None:
    """The rows of a recorded question, where they are the very rows that were answered."""
    rows = again(step.sql)
    return rows if rows is not None and digest(rows.rows) == step.digest else None


def turn_of(record: Record, again: Again | None) -> Turn:
    """The turn of a record whose outcome is there. `again` runs a recorded statement, or gives None.

    A result that is not found again is None, and `degraded` says `rows-changed`.
    """
    run = again if again is not None else lambda sql: None
    return _of(record, tuple(_part(record, step, run) for step in record.steps or ()))


def hidden_turn_of(record: Record) -> Turn:
    """The turn of a record for someone who may not see the rows that it was about: what was asked, and how it
    ended. Its words, slots and statement hold values and figures of those rows, as its result does."""
    return _of(record, tuple(_hidden(record, step) for step in record.steps or ()))


def _of(record: Record, parts: tuple[Turn, ...]) -> Turn:
    if len(parts) == 1:
        return _whole(record, parts[0])
    return _whole(
        record,
        Turn(
            record.turn_id,
            record.session_id,
            record.seq,
            record.request.question if record.request is not None else "",
            record.outcome,  # type: ignore[arg-type]
            "\n\n".join(part.text for part in parts),
            lang=parts[-1].lang if parts else "zh",
            parts=parts,
            degraded=tuple(dict.fromkeys(name for part in parts for name in part.degraded)),
        ),
    )


def _whole(record: Record, turn: Turn) -> Turn:
    timings = {name: number / 1000 for name, number in (record.timings_us or {}).items()}
    return replace(
        turn,
        record_hash=record.hash,
        versions=record.origin.versions,
        timings_ms=Timings(**timings),
        as_of=record.origin.clock,
        now=record.origin.now,
        semantic_hash=record.origin.semantic_hash,
        data_version=record.origin.data_version,
    )


def _hidden(record: Record, step: Step) -> Turn:
    lang: Lang = "en" if step.lang == "en" else "zh"
    return Turn(
        record.turn_id,
        record.session_id,
        record.seq,
        step.question,
        step.outcome,  # type: ignore[arg-type]
        say(lang, "hidden"),
        lang=lang,
        reason=step.reason if step.outcome in ("decline", "chat") else "",
        degraded=(*step.degraded, "rows-hidden"),
    )


def _part(record: Record, step: Step, again: Again) -> Turn:
    found = found_again(step, again) if step.outcome == "answer" and step.sql else None
    gone = step.outcome == "answer" and found is None
    return Turn(
        record.turn_id,
        record.session_id,
        record.seq,
        step.question,
        step.outcome,  # type: ignore[arg-type]
        step.text,
        lang="zh" if step.lang == "zh" else "en",
        reason=step.reason,
        completed_question=step.completed_question,
        slots=codec.loads(step.slots, Slots) if step.slots else None,
        provenance=step.provenance,
        changes=step.changes,
        assumptions=step.assumptions,
        switch=step.switch,
        clarification=step.clarification,
        result=None
        if found is None
        else Result(step.columns, found.rows[:CAP], len(found.rows), len(found.rows) > CAP),
        sql=step.sql or None,
        suggestions=step.suggestions,
        not_understood=step.not_understood,
        sources=step.sources,
        degraded=(*step.degraded, *(("rows-changed",) if gone else ())),
        fresh_to=step.fresh_to,
        all_rows=found.rows if found is not None else (),
    )
