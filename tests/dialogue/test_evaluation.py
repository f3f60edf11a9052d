"""The question sets: the bars that must hold, on every run; what the report gives, and how results compare."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from dialogue.engine import take
from dialogue.evaluation import (
    Cancelled,
    Evaluation,
    EvaluationError,
    QuestionSet,
    RunFile,
    read_set,
)
from dialogue.evaluation.codes import Code
from dialogue.evaluation.compare import difference
from dialogue.evaluation.runfile import At
from dialogue.state import State
from dialogue.turn import Column, Request
from dialogue.world import World
from semantic_layer.protocols import Rows
from tests.evaluating import Dying, Given, evaluated

SETS = Path("fixtures/questions")


@pytest.mark.parametrize(
    ("name", "turns", "dialogues", "silent_wrong"),
    [
        ("park-core", 0.99, 0.98, 0.0),
        ("park-hard", 0.99, 0.98, 0.011),
        ("fresh", 0.99, 0.98, 0.005),
        ("fresh-hard", 0.99, 0.98, 0.005),
        ("fresh-third", 0.99, 0.98, 0.005),
        ("fourth", 0.99, 0.98, 0.009),
        ("first-turns", 0.99, 0.91, 0.0),
    ],
)
def test_bars(
    world: World, tmp_path: Path, name: str, turns: float, dialogues: float, silent_wrong: float
) -> None:
    found = evaluated(world, read_set(SETS / f"{name}.yaml"), tmp_path)
    scores = found.report["scores"]
    assert isinstance(scores, dict)
    failed = [
        f"{played.dialogue.id}#{turn.turn} {turn.asked}: {turn.reason}"
        for played in found.played
        for turn in played.turns
        if not turn.ok
    ]
    assert scores["turn_accuracy"] >= turns, failed
    assert scores["dialogue_accuracy"] >= dialogues, failed
    assert scores["silent_wrong_rate"] <= silent_wrong, failed


def test_the_report_is_the_contract(world: World, tmp_path: Path) -> None:
    report = evaluated(world, read_set(SETS / "park-hard.yaml"), tmp_path).report
    assert set(report) == {"set", "scores", "counts", "intervals", "latency_ms", "by_tag", "turns"}
    scores = {
        "turn_accuracy", "dialogue_accuracy", "silent_wrong_rate", "over_ask_rate", "over_decline_rate",
        "clarify_precision", "clarify_recall", "reset_precision", "reset_recall", "over_carry", "under_carry",
    }  # fmt: skip
    assert set(report["scores"]) == scores | {"turns", "dialogues", "silent_wrong"}  # type: ignore[call-overload]
    assert set(report["counts"]) == set(report["intervals"]) == scores  # type: ignore[call-overload]
    assert set(report["latency_ms"]) == {"p50", "p95", "reading", "compiling", "running"}  # type: ignore[call-overload]
    assert set(report["turns"][0]) == {"dialogue", "turn", "ok", "expected", "outcome", "reason"}  # type: ignore[index]
    for scored in report["by_tag"].values():  # type: ignore[attr-defined]
        assert set(scored) == set(report["scores"]) | {"counts"}  # type: ignore[call-overload]


def small(world: World, folder: Path) -> Evaluation:
    dialogues = [
        {"id": str(at), "turns": [{"ask": f"{at}月张江的应收", "expect": "answer"}] * 2}
        for at in range(1, 6)
    ]
    questions = {"set": "small", "clock": "2026-09-28", "dialogues": dialogues}
    return Evaluation([QuestionSet.model_validate(questions)], 2, RunFile(folder / "small.run", {}))


def test_a_run_that_was_cancelled_goes_on(world: World, tmp_path: Path) -> None:
    evaluation, told = small(world, tmp_path), list[int]()
    with pytest.raises(Cancelled):
        evaluation.run(Given(world), progress=told.append, cancelled=lambda: len(told) == 4)
    assert told == [0, 2, 2, 2]  # nothing was there; then three dialogues of two turns
    assert evaluation.worth == 1
    rest: list[int] = []
    evaluation.run(Given(world), progress=rest.append)
    assert rest == [6, *[2] * 7]
    assert sum(rest) == evaluation.turns == 20
    assert list(evaluation.unsteady()) == []
    evaluation.file.remove()


def test_a_run_that_still_runs_is_not_taken_up_by_another(tmp_path: Path) -> None:
    """Two that went through one file would judge dialogues twice, and write over each other."""
    running = RunFile(tmp_path / "one.run", {"sets": "a"})
    running.add(At(0, 0, 0), ())
    assert RunFile.resume(running.path, {"sets": "a"}) is None
    running.close()
    after = RunFile.resume(running.path, {"sets": "a"})
    assert after is not None
    assert len(after) == 1
    assert RunFile.resume(running.path, {"sets": "a"}) is None
    after.remove()


def test_a_fault_of_ours_is_a_wrong_turn_and_the_run_goes_on(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(world: World, state: State, request: Request, *rest: object) -> object:
        if request.question.startswith("3"):
            raise ZeroDivisionError("of ours")
        return take(world, state, request, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr("dialogue.evaluation.run.take", failing)
    evaluation = small(world, tmp_path)
    evaluation.run(Given(world))
    (found,) = evaluation.evaluated()
    turns = [turn for played in found.played for turn in played.turns]
    assert [turn.code for turn in turns] == [""] * 4 + ["fault"] * 2 + [""] * 4
    assert turns[4].words.startswith("error (ZeroDivisionError: of ours; ZeroDivisionError in ")
    assert found.report["scores"]["over_decline_rate"] == 0.2  # type: ignore[index]
    evaluation.file.remove()


def test_a_worker_that_ends_is_told_with_what_it_was_at(world: World, tmp_path: Path) -> None:
    evaluation = small(world, tmp_path)
    with pytest.raises(EvaluationError, match=r"a worker ended \(exit code 3\) at dialogue [12]: "):
        evaluation.run(Dying(), workers=2)
    assert len(evaluation.file) == 0
    evaluation.file.remove()


def test_a_turn_that_ends_otherwise_is_told(world: World, tmp_path: Path) -> None:
    evaluation = small(world, tmp_path)
    evaluation.run(Given(world))
    once = evaluation.file.turns(At(1, 0, 2))
    evaluation.file.add(At(1, 0, 2), (once[0], replace(once[1], mark="other rows")))
    (found,) = evaluation.unsteady()
    assert (found.dialogue, found.turn, found.other) == ("3", 2, "answer other ro")
    evaluation.file.remove()


def test_results_compare_by_values_not_by_names(world: World) -> None:
    gold = Rows(("park", "rate"), (("张江科技园", 0.5), ("临港智造园", None)))
    columns = (
        Column("park_id", "园区", "value"),
        Column("park_id__label", "园区", "label"),
        Column("collection_rate", "收缴率", "metric"),
    )

    def why(rows: list[tuple[object, ...]], shown: tuple[Column, ...] = columns) -> object:
        found = difference(gold, shown, rows, None, world.layer, (), False)  # type: ignore[arg-type]
        return None if found is None else (found.code, found.words)

    assert why([("P002", "临港智造园", None), ("P001", "张江科技园", 0.5 + 1e-9)]) is None
    assert why([("P002", "临港智造园", 0.5), ("P001", "张江科技园", None)]) == (
        Code.WRONG_VALUE,
        "the columns match one by one, the rows do not",
    )
    assert why([("P001", "张江科技园", 0.5)]) == (Code.WRONG_ROWS, "1 rows, gold has 2")
    assert why([("P002", "临港智造园", None), ("P001", "张江科技园", 0.51)]) == (
        Code.WRONG_VALUE,
        "no column equals gold's rate",
    )
    assert why([("临港智造园",), ("张江科技园",)], columns[1:2]) == (
        Code.MISSING_COLUMN,
        "no column equals gold's rate",
    )
