"""Why a turn is wrong: the codes that a reason begins with (docs/evaluation.md says what each means)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Code(StrEnum):
    """One kind of failure."""

    # the turn ended otherwise
    NEEDLESS_ASK = "needless-ask"
    MISSED_ASK = "missed-ask"
    NEEDLESS_DECLINE = "needless-decline"
    MISSED_DECLINE = "missed-decline"
    WRONG_OUTCOME = "wrong-outcome"
    FAULT = "fault"
    SPLIT = "split"
    MISSING_PART = "missing-part"
    # it ended alike, and said something else
    WRONG_QUESTION = "wrong-question"
    NOT_OFFERED = "not-offered"
    OFFERED_HIDDEN = "offered-hidden"
    NOT_MENTIONED = "not-mentioned"
    MISSED_RESET = "missed-reset"
    NEEDLESS_RESET = "needless-reset"
    # a slot is another one
    WRONG_OBJECT = "wrong-object"
    WRONG_METRIC = "wrong-metric"
    WRONG_DIMENSION = "wrong-dimension"
    WRONG_GRAIN = "wrong-grain"
    LOST_FILTER = "lost-filter"
    KEPT_FILTER = "kept-filter"
    WRONG_FILTER = "wrong-filter"
    WRONG_CONDITION = "wrong-condition"
    WRONG_TIME = "wrong-time"
    WRONG_COMPARISON = "wrong-comparison"
    WRONG_ORDER = "wrong-order"
    WRONG_LIMIT = "wrong-limit"
    WRONG_SLOTS = "wrong-slots"
    # the slots do not tell; the result is another one
    MISSING_COLUMN = "missing-column"
    EXTRA_COLUMN = "extra-column"
    WRONG_ROWS = "wrong-rows"
    WRONG_VALUE = "wrong-value"
    # the set is at fault
    BROKEN_GOLD = "broken-gold"


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong: its kind, and words that name the place."""

    code: Code
    words: str
