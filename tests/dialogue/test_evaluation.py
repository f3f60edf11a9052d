"""The question sets: the bars that must hold, on every run."""

from __future__ import annotations

from pathlib import Path

import pytest

from dialogue.evaluation import evaluate, read_set
from dialogue.evaluation.compare import difference
from dialogue.turn import Column
from dialogue.world import World
from semantic_layer.protocols import Rows

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
def test_bars(world: World, name: str, turns: float, dialogues: float, silent_wrong: float) -> None:
    report, lines = evaluate(world, read_set(SETS / f"{name}.yaml"))
    scores = report["scores"]
    assert isinstance(scores, dict)
    failed = [
        f"{line.dialogue}#{line.turn} {line.asked}: {line.verdict.words}"
        for line in lines
        if not line.verdict.ok
    ]
    assert scores["turn_accuracy"] >= turns, failed
    assert scores["dialogue_accuracy"] >= dialogues, failed
    assert scores["silent_wrong_rate"] <= silent_wrong, failed


def test_the_report_is_the_contract(world: World) -> None:
    report, _ = evaluate(world, read_set(SETS / "park-hard.yaml"))
    assert set(report) == {"set", "scores", "latency_ms", "by_tag", "turns"}
    assert {
        "turn_accuracy", "dialogue_accuracy", "silent_wrong_rate", "over_ask_rate", "over_decline_rate",
        "clarify_precision", "clarify_recall", "reset_precision", "reset_recall", "over_carry", "under_carry",
    } <= set(report["scores"])  # type: ignore[call-overload]  # fmt: skip
    assert set(report["turns"][0]) == {"dialogue", "turn", "ok", "expected", "outcome", "reason"}  # type: ignore[index]


def test_results_compare_by_values_not_by_names(world: World) -> None:
    gold = Rows(("park", "rate"), (("张江科技园", 0.5), ("临港智造园", None)))
    columns = (
        Column("park_id", "园区", "value"),
        Column("park_id__label", "园区", "label"),
        Column("collection_rate", "收缴率", "metric"),
    )

    def why(rows: list[tuple[object, ...]], ordered: bool = False) -> str | None:
        return difference(gold, columns, rows, None, world.layer, (), ordered)  # type: ignore[arg-type]

    assert why([("P002", "临港智造园", None), ("P001", "张江科技园", 0.5 + 1e-9)]) is None
    assert (
        why([("P002", "临港智造园", 0.5), ("P001", "张江科技园", None)])
        == "the columns match one by one, the rows do not"
    )
    assert why([("P001", "张江科技园", 0.5)]) == "1 rows, gold has 2"
    assert (
        why([("P002", "临港智造园", None), ("P001", "张江科技园", 0.51)])
        == "no column equals gold's rate"
    )
