"""Take the turns of question sets and judge each: by its result, its slots, its question back."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from dialogue.engine import Moment, take
from dialogue.evaluation.codes import Code
from dialogue.evaluation.gold import Gold
from dialogue.evaluation.judge import Judge, Verdict
from dialogue.evaluation.sets import AskedTurn, Dialogue, Expected, QuestionSet, Today
from dialogue.session import failed
from dialogue.state import EMPTY, State
from dialogue.turn import Request, Turn
from dialogue.world import World
from nl2sql.slots import Slots
from semantic_layer.protocols import LOCAL, User

Observer = Callable[[State, Request, User, Moment, Turn, State, str], Turn]


@dataclass(frozen=True, slots=True)
class Line:
    """One judged turn, or part of one: `before` are the slots that it started from.

    `took` is the time of the whole turn in milliseconds, without judging and recording; None but for the
    first part of a turn.
    """

    dialogue: str
    turn: int
    asked: str
    expected: Expected
    got: Turn
    verdict: Verdict
    before: Slots | None
    follow_up: bool
    took: float | None


def run_set(
    world: World,
    questions: QuestionSet,
    observe: Observer | None = None,
    gold: Gold | None = None,
) -> Iterator[Line]:
    """Judge every turn of a set. `observe` sees each turn with the states around it (for a ledger)."""
    judge = Judge(world, gold)
    for dialogue in questions.dialogues:
        yield from run_dialogue(judge, dialogue, questions.today, observe)


def run_dialogue(
    judge: Judge, dialogue: Dialogue, today: Today, observe: Observer | None = None
) -> Iterator[Line]:
    """Judge the turns of one dialogue, in one session or (variants) in one each. `today` is the set's clock."""
    variants, user, state = dialogue.mode == "variants", asker(dialogue), EMPTY
    for index, asked in enumerate(dialogue.turns, 1):
        clock = today.at(asked.clock or dialogue.clock)
        before = EMPTY if variants else state
        moment, request = Moment(clock, clock), to_request(asked, before)
        start = time.perf_counter()
        try:
            taken = take(judge.world, before, request, user, moment)
        except Exception as error:  # a fault of ours is a wrong turn, as it is for a user
            taken = failed(judge.world, before, request, moment, error)
        took = (time.perf_counter() - start) * 1000
        turn, state = taken.turn, taken.state
        if observe is not None:
            session = f"{dialogue.id}-{index}" if variants else dialogue.id
            turn = observe(before, request, user, moment, turn, state, session)
        for part, (expected, got) in enumerate(expectations(asked, turn)):
            yield Line(
                dialogue.id,
                index,
                shown(asked),
                expected,
                got or turn,
                verdict(judge, expected, got, before.slots, len(asked.parts)),
                before.slots,
                index > 1 and not variants,
                took if part == 0 else None,
            )


def expectations(asked: AskedTurn, turn: Turn) -> Iterator[tuple[Expected, Turn | None]]:
    """What a turn must end as beside what it ended as; a part for each question of a message."""
    if not asked.parts:
        yield asked, turn
        return
    parts = turn.parts or (turn,)
    for number, expected in enumerate(asked.parts):
        yield expected, parts[number] if number < len(parts) else None


def verdict(
    judge: Judge, expected: Expected, got: Turn | None, before: Slots | None, parts: int
) -> Verdict:
    """The verdict on a turn or a part of one; `parts` are the questions that its message should hold."""
    if got is None:
        return Verdict(False, Code.MISSING_PART, "fewer questions were read in the message")
    found = judge.verdict(got, expected, before)
    if found.ok and not parts and len(got.parts) > 1:
        return Verdict(False, Code.SPLIT, "read as several questions", wrong_result=True)
    return found


def shown(asked: AskedTurn) -> str:
    """What was typed, clicked or undone, in one line."""
    if asked.choose:
        return f"[choose {asked.choose}]"
    return asked.ask or (f"[number {asked.number}]" if asked.number else "[undo]")


def asker(dialogue: Dialogue) -> User:
    """Who asks the turns of a dialogue; without attributes, someone who may see everything."""
    if dialogue.user is None:
        return LOCAL
    return User("asker", tuple((key, _values(value)) for key, value in dialogue.user.items()))


def to_request(asked: AskedTurn, state: State) -> Request:
    """What the user sends for a turn."""
    if asked.undo:
        return Request(undo=True)
    pending = state.pending
    if asked.choose is not None:
        wanted = [asked.choose] if isinstance(asked.choose, str) else asked.choose
        ids = []
        for item in wanted:
            found = (
                next(
                    (option.id for option in pending.options if item in (option.id, option.label)),
                    item,
                )
                if pending
                else item
            )
            ids.append(found)
        return Request(choose=tuple(ids))
    if asked.number is not None:
        at = (
            next(
                (
                    index
                    for index, option in enumerate(pending.options, 1)
                    if asked.number in (option.id, option.label)
                ),
                0,
            )
            if pending
            else 0
        )
        return Request(question=str(at))
    return Request(question=asked.ask or "")


def _values(value: object) -> tuple[str, ...]:
    return tuple(str(item) for item in value) if isinstance(value, list) else (str(value),)
