"""One turn against what it must end as: ok, or a reason code and words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal, InvalidOperation

from dialogue.evaluation.compare import difference
from dialogue.evaluation.gold import Gold
from dialogue.evaluation.sets import Expected
from dialogue.turn import Turn
from dialogue.world import World
from nl2sql.slots import brief


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a turn ended as expected; `wrong_result` marks an answer that is not the gold one."""

    ok: bool
    code: str = ""
    words: str = ""
    wrong_result: bool = False


GOOD = Verdict(True)


class Judge:
    """Compares turns with gold, whose results are run once (`Gold`)."""

    def __init__(self, world: World, gold: Gold | None = None) -> None:
        self.world = world
        self._gold = (gold or Gold(world.warehouse)).rows

    def verdict(self, turn: Turn, expected: Expected, before: Sequence[str]) -> Verdict:
        """The verdict on one turn; `before` are the metrics of the turns before."""
        if turn.outcome not in expected.expect:
            wrong = turn.outcome == "answer"
            code = {"clarify": "needless-ask", "decline": "needless-decline"}.get(
                turn.outcome, "wrong-outcome"
            )
            if "clarify" in expected.expect and turn.outcome != "clarify":
                code = "missed-ask"
            elif "decline" in expected.expect and turn.outcome == "answer":
                code = "missed-decline"
            return Verdict(
                False,
                code,
                f"{turn.outcome} ({turn.reason or turn.text[:80]}), expected {'/'.join(expected.expect)}",
                wrong,
            )
        if turn.outcome == "answer":
            found = self.answer(turn, expected, before)
            if found is not None:
                return found
        elif turn.outcome == "clarify":
            found = clarification(turn, expected)
            if found is not None:
                return found
        elif turn.outcome == "explain":
            missing = [
                word
                for word in expected.mentions
                if word.lower() not in f"{turn.text}\n{turn.sql or ''}".lower()
            ]
            if missing:
                return Verdict(False, "not-mentioned", f"does not mention {missing}")
        elif turn.outcome == "decline" and expected.offers:
            offered = {name for item in turn.suggestions for name in (item.id, item.label)}
            missing = [item for item in expected.offers if item not in offered]
            if missing:
                return Verdict(False, "not-offered", f"does not offer {missing}")
        if expected.reset is not None and expected.reset != (turn.switch is not None):
            return Verdict(
                False,
                "missed-reset" if expected.reset else "needless-reset",
                f"reset is {turn.switch}",
            )
        return GOOD

    def answer(self, turn: Turn, expected: Expected, before: Sequence[str]) -> Verdict | None:
        if expected.sql is not None:
            assert turn.result is not None
            why = difference(
                self._gold(expected.sql),
                turn.result.columns,
                turn.all_rows,
                turn.slots,
                self.world.layer,
                before,
                expected.ordered,
            )
            if why is not None:
                return Verdict(False, self.reason(turn, expected), why, True)
        if expected.slots is not None and turn.slots is not None:
            wrong = slot_difference(brief(turn.slots), expected.slots)
            if wrong is not None:
                return Verdict(False, "wrong-slots", wrong, False)
        return None

    def reason(self, turn: Turn, expected: Expected) -> str:
        """A code for a wrong result, from the slots where they are given."""
        if expected.slots is None or turn.slots is None:
            return "wrong-result"
        have = brief(turn.slots)
        for key, code in (
            ("object", "wrong-object"),
            ("metrics", "wrong-metric"),
            ("time", "wrong-time"),
            ("dimensions", "wrong-dimension"),
        ):
            if key in expected.slots and not equal(have[key], expected.slots[key]):
                return code
        filters = expected.slots.get("filters")
        if isinstance(filters, Mapping):
            mine = have["filters"]
            assert isinstance(mine, Mapping)
            if set(filters) - set(mine):
                return "lost-filter"
            if set(mine) - set(filters):
                return "kept-filter"
        return "wrong-result"


def clarification(turn: Turn, expected: Expected) -> Verdict | None:
    """Whether a question back is the expected one."""
    asked = turn.clarification
    assert asked is not None
    if expected.about is not None and asked.about != expected.about:
        return Verdict(
            False, "wrong-question", f"asked about {asked.about}, expected {expected.about}"
        )
    offered = {option.id for option in asked.options} | {option.label for option in asked.options}
    missing = [item for item in expected.options if item not in offered]
    if missing:
        return Verdict(
            False,
            "not-offered",
            f"does not offer {missing}, but {[option.id for option in asked.options]}",
        )
    hidden = [item for item in expected.not_offered if item in offered]
    return Verdict(False, "offered-hidden", f"offers {hidden}") if hidden else None


def slot_difference(have: Mapping[str, object], want: Mapping[str, object]) -> str | None:
    """The first named slot that differs, in words."""
    for key, value in want.items():
        if not equal(have.get(key), value):
            return f"{key} is {have.get(key)}, expected {value}"
    return None


def equal(left: object, right: object) -> bool:
    """Slot values alike: dates as text, numbers by value, lists of filters in any order."""
    if isinstance(left, Mapping) and isinstance(right, Mapping):
        return set(map(str, left)) == set(map(str, right)) and all(
            equal(left[key], right.get(key, right.get(str(key)))) for key in left
        )
    if isinstance(left, list | tuple) and isinstance(right, list | tuple):
        if len(left) == len(right) and all(equal(a, b) for a, b in zip(left, right, strict=True)):
            return True
        return len(left) == len(right) and sorted(map(str, left)) == sorted(map(str, right))
    if isinstance(left, date):
        left = left.isoformat()
    if isinstance(right, date):
        right = right.isoformat()
    if left == right:
        return True
    try:
        return (
            not isinstance(left, bool)
            and not isinstance(right, bool)
            and Decimal(str(left)) == Decimal(str(right))
        )
    except InvalidOperation:
        return str(left) == str(right)
