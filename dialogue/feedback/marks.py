"""A thumb on a turn: recorded in the chain of the turn's session, as whoever gave it may change it later.

Thumb and code stand in clear. Who gave it and the free text are content, kept apart so that they can be erased.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from dialogue.ledger import EVERY, Ledger, LedgerError, Link, Remark, Selection
from dialogue.ledger.chain import canonical

Thumb: TypeAlias = Literal["up", "down"]
# What was wrong, in the words of the evaluation (docs/evaluation.md), so that both can be counted together.
CODES = (
    "wrong-result",
    "wrong-object",
    "wrong-metric",
    "wrong-time",
    "wrong-dimension",
    "lost-filter",
    "kept-filter",
    "needless-ask",
    "needless-decline",
    "missed-ask",
    "missed-decline",
    "missed-reset",
    "needless-reset",
    "other",
)
LONGEST = 2000  # characters of a reason


class MarkError(LedgerError):
    """A mark that says what no mark can."""


@dataclass(frozen=True, slots=True)
class Mark:
    """What somebody thinks of a turn: a thumb, with a thumb down a code of what was wrong, and a reason in words.

    Raises `MarkError`.
    """

    thumb: Thumb
    code: str = ""
    reason: str = ""

    def __post_init__(self) -> None:
        if self.thumb not in get_args(Thumb):
            raise MarkError(f"a thumb is up or down, not {self.thumb!r}")
        if self.code and self.thumb == "up":
            raise MarkError(f"a thumb up has no code of what was wrong ({self.code})")
        if self.code and self.code not in CODES:
            raise MarkError(f"{self.code!r} is no code; one of {', '.join(CODES)}")
        if len(self.reason) > LONGEST:
            raise MarkError(f"a reason has at most {LONGEST} characters, not {len(self.reason)}")


@dataclass(frozen=True, slots=True)
class Feedback:
    """A mark as it is recorded. `who` is None, and the mark's reason empty, where they were erased."""

    turn_id: str
    session_id: str
    number: int
    at: str
    mark: Mark
    who: str | None


def give(ledger: Ledger, turn_id: str, mark: Mark, who: str) -> Link:
    """Record a mark on a finished turn, by its whole id. Raises `UnknownTurn`."""
    body = {"thumb": mark.thumb, "code": mark.code}
    content = canonical({"who": who, "reason": mark.reason})
    return ledger.remark(turn_id, ledger.clock.now().isoformat(), {**body}, content)


def counted(ledger: Ledger, selection: Selection = EVERY) -> list[Feedback]:
    """The feedback that counts, in order of time: of each user the last on a turn.

    What was erased is nobody's any more, and does not count.
    """
    last: dict[tuple[str, str], Feedback] = {}
    for found in map(feedback_of, ledger.remarks(selection)):
        if found.who is not None:
            last.pop((found.turn_id, found.who), None)
            last[found.turn_id, found.who] = found
    return list(last.values())


def feedback_of(remark: Remark) -> Feedback:
    """The feedback that a record holds."""
    link = remark.link
    said = json.loads(remark.data) if remark.data is not None else {}
    thumb: Thumb = "up" if link.body["thumb"] == "up" else "down"
    mark = Mark(thumb, str(link.body["code"]), str(said.get("reason", "")))
    who = said.get("who")
    return Feedback(link.turn_id, link.session_id, link.number, link.at, mark, who)
