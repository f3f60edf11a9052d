"""Why a turn is wrong: each kind of failure has its code, from the slots or from what the gold statement names."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from dialogue.evaluation.blame import parts, slot_fault
from dialogue.evaluation.codes import Code
from dialogue.evaluation.judge import outcome_code
from dialogue.evaluation.sets import QuestionSet
from dialogue.world import World
from tests.evaluating import evaluated

HAVE = {
    "object": "bill",
    "metrics": ["receivable_amount"],
    "dimensions": ["park_id"],
    "grain": None,
    "filters": {"park_id": ["P001"]},
    "having": {},
    "time": ["2026-08-01", "2026-09-01"],
    "comparison": None,
    "order": [],
    "limit": None,
}


@pytest.mark.parametrize(
    ("want", "code"),
    [
        ({"object": "contract", "metrics": ["x"]}, Code.WRONG_OBJECT),
        ({"metrics": ["received_amount"], "time": ["2026-07-01", None]}, Code.WRONG_METRIC),
        ({"dimensions": []}, Code.WRONG_DIMENSION),
        ({"grain": "month"}, Code.WRONG_GRAIN),
        ({"filters": {"park_id": ["P001"], "fee_type": ["RENT"]}}, Code.LOST_FILTER),
        ({"filters": {}}, Code.KEPT_FILTER),
        ({"filters": {"park_id": ["P002"]}}, Code.WRONG_FILTER),
        ({"having": {"receivable_amount": {"gt": 5}}}, Code.WRONG_CONDITION),
        ({"time": ["2026-07-01", "2026-08-01"]}, Code.WRONG_TIME),
        ({"comparison": "yoy"}, Code.WRONG_COMPARISON),
        ({"order": ["receivable_amount desc"]}, Code.WRONG_ORDER),
        ({"limit": 3}, Code.WRONG_LIMIT),
        ({"share": True}, Code.WRONG_SLOTS),
    ],
)
def test_the_first_slot_that_differs(want: dict[str, object], code: Code) -> None:
    found = slot_fault(HAVE, want)
    assert found is not None
    assert found.code == code


def test_slots_alike_are_no_fault() -> None:
    assert slot_fault(HAVE, {"time": [date(2026, 8, 1), date(2026, 9, 1)], "limit": None}) is None


@pytest.mark.parametrize(
    ("outcome", "expected", "code"),
    [
        ("clarify", ("answer",), Code.NEEDLESS_ASK),
        ("answer", ("clarify",), Code.MISSED_ASK),
        ("decline", ("clarify",), Code.MISSED_ASK),
        ("decline", ("answer",), Code.NEEDLESS_DECLINE),
        ("answer", ("decline",), Code.MISSED_DECLINE),
        ("chat", ("explain",), Code.WRONG_OUTCOME),
        ("error", ("answer",), Code.FAULT),
    ],
)
def test_turns_that_end_otherwise(outcome: str, expected: tuple[str, ...], code: Code) -> None:
    assert outcome_code(outcome, expected) == code


def test_what_was_kept_and_what_is_gone() -> None:
    before = parts(HAVE, {"filters": {}, "metrics": [], "limit": None})
    assert before == {"filters.park_id: ['P001']", "metrics: receivable_amount"}
    assert parts({"time": [date(2026, 8, 1), None]}, {"time": 0}) == parts({"time": ["2026-08-01", None]}, {"time": 0})  # fmt: skip


SUMS = "select sum(receivable_amount) as receivable_amount from fact_bill where "
AUGUST = "bill_month >= date '2026-08-01' and bill_month < date '2026-09-01'"


def reasons(world: World, folder: Path, *turns: dict[str, object]) -> list[str]:
    questions = QuestionSet.model_validate(
        {"set": "s", "clock": "2026-09-28", "dialogues": [{"id": "d", "turns": turns}]}
    )
    (played,) = evaluated(world, questions, folder).played
    return [turn.code for turn in played.turns]


def answer(ask: str, sql: str) -> dict[str, object]:
    return {"ask": ask, "expect": "answer", "sql": sql}


def test_without_slots_the_gold_statement_tells(world: World, tmp_path: Path) -> None:
    right = f"{SUMS} {AUGUST} and park_id = 'P001'"
    for gold, code in (
        (f"{SUMS} {AUGUST}", "kept-filter"),
        ("select 1 as received_amount", "wrong-metric"),
        (f"{SUMS} bill_month = date '2026-07-01' and park_id = 'P001'", "wrong-time"),
        ("select 1 as x, 'P001' as park", "missing-column"),
        (f"{right} union all select 1", "wrong-rows"),
        ("select nothing from nowhere", "broken-gold"),
        (right, ""),
    ):  # fmt: skip
        folder = tmp_path / (code or "right")
        assert reasons(world, folder, answer("8月张江的应收", gold)) == [code]


def test_a_filter_of_before_that_gold_names_was_lost(world: World, tmp_path: Path) -> None:
    kept = f"{SUMS} {AUGUST} and park_id = 'P001'"
    found = reasons(
        world,
        tmp_path,
        answer("8月张江的应收", kept),
        answer("算了，8月各费用类型的应收", f"select fee_type, sum(receivable_amount) as receivable_amount from fact_bill where {AUGUST} and park_id = 'P001' group by 1"),
    )  # fmt: skip
    assert found == ["", "lost-filter"]


def test_questions_of_one_message(world: World, tmp_path: Path) -> None:
    both = "8月电费应收多少，另外空置房源有几套？"
    assert reasons(world, tmp_path / "a", {"ask": both, "expect": "answer"}) == ["split"]
    parts_of = [{"expect": "answer"}, {"expect": "answer"}, {"expect": "answer"}]
    found = reasons(world, tmp_path / "b", {"ask": both, "parts": parts_of})
    assert found == ["", "", "missing-part"]


def test_what_a_question_back_and_an_explanation_must_hold(world: World, tmp_path: Path) -> None:
    ask = "收费情况怎么样"
    for number, (expected, code) in enumerate(
        (
            ({"ask": ask, "expect": "clarify", "about": "time"}, "wrong-question"),
            ({"ask": ask, "expect": "clarify", "options": ["area"]}, "not-offered"),
            (
                {"ask": ask, "expect": "clarify", "not_offered": ["received_amount"]},
                "offered-hidden",
            ),
            ({"ask": "收缴率怎么算", "expect": "explain", "mentions": ["利润"]}, "not-mentioned"),
            ({"ask": "8月张江的应收", "expect": "answer", "reset": True}, "missed-reset"),
        )
    ):
        assert reasons(world, tmp_path / str(number), expected) == [code]  # type: ignore[arg-type]


def test_over_and_under_carry(world: World, tmp_path: Path) -> None:
    first = {"ask": "8月张江的应收", "expect": "answer"}
    for number, (slots, over, under) in enumerate(
        (
            ({"filters": {"park_id": ["P002"]}, "time": ["2026-08-01", "2026-09-01"]}, 0.0, 0.0),
            ({"filters": {"park_id": ["P001", "P002"]}, "time": ["2026-09-01", None]}, 1.0, 0.0),
            ({"filters": {"park_id": ["P001"]}}, 0.0, 1.0),
        )
    ):
        questions = QuestionSet.model_validate(
            {
                "set": "s",
                "clock": "2026-09-28",
                "dialogues": [
                    {
                        "id": "d",
                        "turns": [first, {"ask": "临港呢", "expect": "answer", "slots": slots}],
                    }
                ],
            }
        )
        scores = evaluated(world, questions, tmp_path / str(number)).report["scores"]
        assert (scores["over_carry"], scores["under_carry"]) == (over, under)  # type: ignore[index]
