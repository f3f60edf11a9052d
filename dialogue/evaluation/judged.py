"""A judged turn as it is kept: what scores and reports need of it, and no rows but a few of a failure."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from dialogue import codec
from dialogue.answer import digest
from dialogue.evaluation.blame import parts
from dialogue.evaluation.gold import Gold
from dialogue.evaluation.run import Line
from dialogue.evaluation.sets import Expected
from dialogue.ledger.chain import sha256
from dialogue.turn import Turn, plain
from nl2sql.errors import WarehouseError
from nl2sql.slots import brief
from semantic_layer.protocols import Cell

SHOWN = 20  # rows of a failure that are kept


@dataclass(frozen=True, slots=True)
class Spent:
    """Milliseconds of a turn: in all, and by part."""

    whole: float
    reading: float
    compiling: float
    running: float


@dataclass(frozen=True, slots=True)
class Seen:
    """The first rows of a result, as text (NULL is None), and how many there are."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str | None, ...], ...]
    count: int


@dataclass(frozen=True, slots=True)
class Failure:
    """Both sides of a wrong turn. `slots` and `wanted` are JSON: the slots, and what was expected but the gold."""

    text: str
    slots: str
    sql: str
    offered: tuple[str, ...]
    got: Seen | None
    wanted: str
    gold_sql: str
    gold: Seen | None


@dataclass(frozen=True, slots=True)
class Judged:
    """One judged turn, or part of one.

    `follow_up`: a follow-up whose slots are compared; of it `over_carried` and `under_carried`. `spent` is None but
    for the first part of a turn. `mark` is a digest of all that the user would see, where it was asked for.
    """

    turn: int
    asked: str
    expected: tuple[str, ...]
    outcome: str
    ok: bool
    code: str
    words: str
    wrong_result: bool
    reset: bool | None
    switched: bool
    follow_up: bool
    over_carried: bool
    under_carried: bool
    spent: Spent | None
    failure: Failure | None = None
    mark: str = ""

    @property
    def reason(self) -> str:
        """Code and words; empty where the turn is right."""
        return f"{self.code}: {self.words}" if self.code else ""

    @property
    def silent(self) -> bool:
        """Whether it is wrong and looks like any answer."""
        return self.outcome == "answer" and self.wrong_result


def judged(line: Line, gold: Gold, marked: bool = False) -> Judged:
    """What is kept of a line; a mark where turns are to be compared with themselves."""
    got, expected, verdict = line.got, line.expected, line.verdict
    compared = line.follow_up and expected.slots is not None and got.slots is not None
    over, under = carried(line) if compared else (False, False)
    return Judged(
        line.turn,
        line.asked,
        expected.expect,
        got.outcome,
        verdict.ok,
        str(verdict.code or ""),
        " ".join(verdict.words.split()),
        verdict.wrong_result,
        expected.reset,
        got.switch is not None,
        compared,
        over,
        under,
        None if line.took is None else spent(got.parts or (got,), line.took),
        None if verdict.ok else failure(got, expected, gold),
        mark(got) if marked else "",
    )


def carried(line: Line) -> tuple[bool, bool]:
    """Whether a part of the slots before was kept that should have gone, and gone that should have been kept."""
    assert line.got.slots is not None
    assert line.expected.slots is not None
    named = line.expected.slots
    have, want = parts(brief(line.got.slots), named), parts(named, named)
    before = parts(brief(line.before), named) if line.before is not None else frozenset()
    return bool(have & before - want), bool(want & before - have)


def spent(turns: Sequence[Turn], took: float) -> Spent:
    """What a turn took, in all and by part."""
    times = [turn.timings_ms for turn in turns]
    return Spent(
        round(took, 3),
        round(sum(item.reading for item in times), 3),
        round(sum(item.compiling for item in times), 3),
        round(sum(item.running for item in times), 3),
    )


def failure(got: Turn, expected: Expected, gold: Gold) -> Failure:
    """Both sides of a wrong turn."""
    wanted = expected.model_dump(mode="json", exclude_defaults=True, include=_WANTED)
    asked = got.clarification
    offered = (
        asked.options if asked is not None else got.suggestions if got.outcome == "decline" else ()
    )
    result = got.result
    return Failure(
        got.text,
        "" if got.slots is None else _json(brief(got.slots)),
        got.sql or "",
        tuple(f"{item.id} {item.label}" if item.id != item.label else item.id for item in offered),
        None if result is None else seen((item.id for item in result.columns), got.all_rows),
        _json(wanted) if wanted else "",
        expected.sql or "",
        gold_seen(expected.sql, gold) if expected.sql and "answer" in expected.expect else None,
    )


_WANTED = set(Expected.model_fields) - {"expect", "sql"}


def gold_seen(sql: str, gold: Gold) -> Seen | None:
    """The gold rows; None where the statement fails."""
    try:
        rows = gold.rows(sql)
    except WarehouseError:
        return None
    return seen(rows.columns, rows.rows)


def seen(columns: Iterable[str], rows: Sequence[tuple[Cell, ...]]) -> Seen:
    """The first rows, as text."""
    first = tuple(
        tuple(None if cell is None else str(plain(cell)) for cell in row) for row in rows[:SHOWN]
    )
    return Seen(tuple(columns), first, len(rows))


def mark(turn: Turn) -> str:
    """A digest of what a user sees of a turn: outcome, words, slots, SQL, options and every row."""
    options = turn.clarification.options if turn.clarification is not None else turn.suggestions
    whole = [turn.outcome, turn.text, turn.sql, digest(turn.all_rows)]
    whole += [codec.dumps(turn.slots), codec.dumps(options), *map(mark, turn.parts)]
    return sha256(_json(whole).encode())


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)


codec.register(sys.modules[__name__])
