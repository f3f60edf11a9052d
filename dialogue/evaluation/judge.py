"""One turn against what it must end as: ok, or a reason code and words."""

from __future__ import annotations

from dataclasses import dataclass

from dialogue.evaluation.blame import gold_fault, slot_fault
from dialogue.evaluation.codes import Code, Fault
from dialogue.evaluation.compare import difference
from dialogue.evaluation.gold import Gold
from dialogue.evaluation.sets import Expected
from dialogue.turn import Turn
from dialogue.world import World
from nl2sql.errors import WarehouseError
from nl2sql.slots import Slots, brief


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a turn ended as expected; `wrong_result` marks an answer that is not the gold one."""

    ok: bool
    code: Code | None = None
    words: str = ""
    wrong_result: bool = False

    @property
    def reason(self) -> str:
        """Code and words; empty where the turn is right."""
        return f"{self.code}: {self.words}" if self.code else ""


GOOD = Verdict(True)


class Judge:
    """Compares turns with gold, whose results are run once (`Gold`)."""

    def __init__(self, world: World, gold: Gold | None = None) -> None:
        self.world = world
        self.gold = gold or Gold(world.warehouse)

    def verdict(self, turn: Turn, expected: Expected, before: Slots | None) -> Verdict:
        """The verdict on one turn; `before` are the slots that it started from."""
        if turn.outcome not in expected.expect:
            why = turn.reason or turn.text[:80]
            if turn.fault is not None:  # an evaluation is read by those who can mend it
                why = f"{turn.fault.raised}; {turn.fault.what}"
            words = f"{turn.outcome} ({why}), expected {'/'.join(expected.expect)}"
            code = outcome_code(turn.outcome, expected.expect)
            return Verdict(False, code, words, wrong_result=turn.outcome == "answer")
        if turn.outcome == "answer":
            wrong = self._result(turn, expected, before)
            if wrong is not None:
                return Verdict(False, wrong.code, wrong.words, wrong.code != Code.BROKEN_GOLD)
        found = _said(turn, expected)
        return GOOD if found is None else Verdict(False, found.code, found.words)

    def _result(self, turn: Turn, expected: Expected, before: Slots | None) -> Fault | None:
        """Why an answer is not the gold one: what differs, under the code of what made it so."""
        if expected.sql is None:
            return None
        assert turn.result is not None
        layer = self.world.layer
        try:
            gold = self.gold.rows(expected.sql)
        except WarehouseError as error:
            return Fault(Code.BROKEN_GOLD, str(error))
        metrics = before.metrics if before is not None else ()
        differs = difference(
            gold, turn.result.columns, turn.all_rows, turn.slots, layer, metrics, expected.ordered
        )
        if differs is None or turn.slots is None:
            return differs
        cause = (
            slot_fault(brief(turn.slots), expected.slots)
            if expected.slots is not None
            else gold_fault(turn.slots, before, expected.sql, gold.columns, layer)
        )
        return differs if cause is None else Fault(cause.code, f"{differs.words}; {cause.words}")


def outcome_code(outcome: str, expected: tuple[str, ...]) -> Code:
    """The code of a turn that ended otherwise than it should."""
    if outcome == "error":
        return Code.FAULT
    if "clarify" in expected:
        return Code.MISSED_ASK
    if outcome == "clarify":
        return Code.NEEDLESS_ASK
    if "decline" in expected and outcome == "answer":
        return Code.MISSED_DECLINE
    return Code.NEEDLESS_DECLINE if outcome == "decline" else Code.WRONG_OUTCOME


def _said(turn: Turn, expected: Expected) -> Fault | None:
    """What is wrong with a turn that ended alike, its result aside."""
    found: Fault | None = None
    if turn.outcome == "answer" and expected.slots is not None and turn.slots is not None:
        found = slot_fault(brief(turn.slots), expected.slots)
    elif turn.outcome == "clarify":
        found = clarification(turn, expected)
    elif turn.outcome == "explain":
        told = f"{turn.text}\n{turn.sql or ''}".lower()
        missing = [word for word in expected.mentions if word.lower() not in told]
        if missing:
            found = Fault(Code.NOT_MENTIONED, f"does not mention {missing}")
    elif turn.outcome == "decline" and expected.offers:
        offered = {name for item in turn.suggestions for name in (item.id, item.label)}
        missing = [item for item in expected.offers if item not in offered]
        if missing:
            found = Fault(Code.NOT_OFFERED, f"does not offer {missing}")
    if found is None and expected.reset not in (None, turn.switch is not None):
        code = Code.MISSED_RESET if expected.reset else Code.NEEDLESS_RESET
        return Fault(code, f"reset is {turn.switch}")
    return found


def clarification(turn: Turn, expected: Expected) -> Fault | None:
    """Whether a question back is the expected one."""
    asked = turn.clarification
    assert asked is not None
    if expected.about is not None and asked.about != expected.about:
        return Fault(Code.WRONG_QUESTION, f"asked about {asked.about}, expected {expected.about}")
    offered = {option.id for option in asked.options} | {option.label for option in asked.options}
    missing = [item for item in expected.options if item not in offered]
    if missing:
        but = [option.id for option in asked.options]
        return Fault(Code.NOT_OFFERED, f"does not offer {missing}, but {but}")
    hidden = [item for item in expected.not_offered if item in offered]
    return Fault(Code.OFFERED_HIDDEN, f"offers {hidden}") if hidden else None
