"""Run question sets and score them: the scores of docs/evaluation.md, and each failure with its reason."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from dialogue.engine import Moment, take
from dialogue.evaluation.gold import Gold
from dialogue.evaluation.judge import Judge, Verdict
from dialogue.evaluation.sets import AskedTurn, Dialogue, Expected, QuestionSet, instant
from dialogue.state import EMPTY, State
from dialogue.turn import Request, Turn
from dialogue.world import World
from semantic_layer.protocols import LOCAL, User

Observer = Callable[[State, Request, User, Moment, Turn, State, str], Turn]


@dataclass(frozen=True, slots=True)
class Line:
    """One judged turn (or part of one)."""

    dialogue: str
    turn: int
    asked: str
    tags: tuple[str, ...]
    lang: str
    expected: Expected
    got: Turn
    verdict: Verdict
    follow_up: bool


def run_set(
    world: World,
    questions: QuestionSet,
    observe: Observer | None = None,
    gold: Gold | None = None,
) -> Iterator[Line]:
    """Judge every turn of a set. `observe` sees each turn with the states around it (for a ledger)."""
    judge = Judge(world, gold)
    for dialogue in questions.dialogues:
        yield from run_dialogue(world, judge, dialogue, questions, observe)


def run_dialogue(
    world: World, judge: Judge, dialogue: Dialogue, questions: QuestionSet, observe: Observer | None
) -> Iterator[Line]:
    """Judge the turns of one dialogue, in one session or (variants) in one each."""
    user = (
        LOCAL
        if dialogue.user is None
        else User("asker", tuple((key, _values(value)) for key, value in dialogue.user.items()))
    )
    state: State = EMPTY
    for index, asked in enumerate(dialogue.turns, 1):
        if dialogue.mode == "variants":
            state = EMPTY
        clock = instant(asked.clock or dialogue.clock or questions.clock, questions.timezone)
        assert clock is not None
        moment = Moment(clock, clock)
        request = to_request(asked, state)
        before = state
        metrics = state.slots.metrics if state.slots is not None else ()
        taken = take(world, state, request, user, moment)
        turn = taken.turn
        session = f"{dialogue.id}-{index}" if dialogue.mode == "variants" else dialogue.id
        if observe is not None:
            turn = observe(before, request, user, moment, turn, taken.state, session)
        state = taken.state
        shown = asked.ask or (
            f"[choose {asked.choose}]"
            if asked.choose
            else f"[number {asked.number}]"
            if asked.number
            else "[undo]"
        )
        if asked.parts:
            parts = turn.parts or (turn,)
            for number, expected in enumerate(asked.parts):
                got = (
                    parts[number]
                    if number < len(parts)
                    else replace(turn, outcome="error", text="part missing", parts=())
                )
                yield Line(
                    dialogue.id,
                    index,
                    shown,
                    dialogue.tags,
                    dialogue.lang,
                    expected,
                    got,
                    judge.verdict(got, expected, metrics),
                    index > 1,
                )
            continue
        verdict = judge.verdict(turn, asked, metrics)
        if turn.parts and verdict.ok and len(turn.parts) > 1:
            verdict = Verdict(False, "split", "read as several questions", True)
        yield Line(
            dialogue.id,
            index,
            shown,
            dialogue.tags,
            dialogue.lang,
            asked,
            turn,
            verdict,
            index > 1 and dialogue.mode != "variants",
        )


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


def scores(lines: list[Line]) -> dict[str, float | int | None]:
    """The scores of a list of judged turns."""
    answered = [line for line in lines if line.got.outcome == "answer"]
    wrong = [line for line in answered if line.verdict.wrong_result]
    wanted = [line for line in lines if line.expected.expect == ("answer",)]
    asked = [line for line in lines if line.got.outcome == "clarify"]
    to_ask = [line for line in lines if line.expected.expect == ("clarify",)]
    resets = [line for line in lines if line.expected.reset is not None]
    follow = [
        line
        for line in lines
        if line.follow_up
        and line.expected.slots is not None
        and "filters" in line.expected.slots
        and line.got.slots is not None
    ]
    dialogues: dict[str, bool] = {}
    for line in lines:
        dialogues[line.dialogue] = dialogues.get(line.dialogue, True) and line.verdict.ok
    switched = [line for line in resets if line.got.switch is not None]
    to_switch = [line for line in resets if line.expected.reset]
    return {
        "turns": len(lines),
        "dialogues": len(dialogues),
        "turn_accuracy": _rate(sum(line.verdict.ok for line in lines), len(lines)),
        "dialogue_accuracy": _rate(sum(dialogues.values()), len(dialogues)),
        "silent_wrong_rate": _rate(len(wrong), len(answered)),
        "silent_wrong": len(wrong),
        "over_ask_rate": _rate(sum(line.got.outcome == "clarify" for line in wanted), len(wanted)),
        "over_decline_rate": _rate(
            sum(line.got.outcome in ("decline", "error") for line in wanted), len(wanted)
        ),
        "clarify_precision": _rate(
            sum("clarify" in line.expected.expect for line in asked), len(asked)
        ),
        "clarify_recall": _rate(sum(line.got.outcome == "clarify" for line in to_ask), len(to_ask)),
        "reset_precision": _rate(
            sum(bool(line.expected.reset) for line in switched), len(switched)
        ),
        "reset_recall": _rate(
            sum(line.got.switch is not None for line in to_switch), len(to_switch)
        ),
        "over_carry": _rate(
            sum(line.verdict.code == "kept-filter" for line in follow), len(follow)
        ),
        "under_carry": _rate(
            sum(line.verdict.code == "lost-filter" for line in follow), len(follow)
        ),
    }


def _rate(part: int, whole: int) -> float | None:
    return round(part / whole, 4) if whole else None


def slim(turn: Turn) -> Turn:
    """A turn without its rows and how it was heard."""
    return replace(turn, result=None, all_rows=(), heard=None, parts=())


def report(name: str, lines: list[Line], took: list[float]) -> dict[str, object]:
    """The JSON report of a set: a contract (docs/evaluation.md)."""
    tags: dict[str, list[Line]] = {}
    for line in lines:
        for tag in (*line.tags, f"lang:{line.lang}"):
            tags.setdefault(tag, []).append(line)
    ordered = sorted(took) or [0.0]
    return {
        "set": name,
        "scores": scores(lines),
        "latency_ms": {
            "p50": round(ordered[len(ordered) // 2], 3),
            "p95": round(ordered[int(len(ordered) * 0.95)], 3),
        },
        "by_tag": {
            tag: {
                "turns": len(found),
                "turn_accuracy": _rate(sum(line.verdict.ok for line in found), len(found)),
            }
            for tag, found in sorted(tags.items())
        },
        "turns": [
            {
                "dialogue": line.dialogue,
                "turn": line.turn,
                "ok": line.verdict.ok,
                "expected": "/".join(line.expected.expect),
                "outcome": line.got.outcome,
                "reason": f"{line.verdict.code}: {line.verdict.words}" if line.verdict.code else "",
            }
            for line in lines
        ],
    }


def evaluate(
    world: World,
    questions: QuestionSet,
    observe: Observer | None = None,
    gold: Gold | None = None,
) -> tuple[dict[str, object], list[Line]]:
    """Run one set and report. The lines keep no rows: there may be many."""
    lines: list[Line] = []
    took: list[float] = []
    start = time.perf_counter()
    for line in run_set(world, questions, observe, gold):
        lines.append(replace(line, got=slim(line.got)))
        now = time.perf_counter()
        took.append((now - start) * 1000)
        start = now
    return report(questions.set, lines, took), lines
