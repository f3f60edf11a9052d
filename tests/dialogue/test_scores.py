"""Scores are parts of wholes summed over dialogues; their intervals draw dialogues, the same every time."""

from __future__ import annotations

from pathlib import Path

from dialogue.evaluation.judged import Judged, Spent
from dialogue.evaluation.report import latency, report
from dialogue.evaluation.runfile import At, RunFile
from dialogue.evaluation.scores import Played, counts, intervals, rates, total
from dialogue.evaluation.sets import AskedTurn, Dialogue


def turn(outcome: str, expected: str = "answer", ok: bool = True, **facts: object) -> Judged:
    whole: dict[str, object] = {
        "turn": 1, "asked": "?", "expected": (expected,), "outcome": outcome, "ok": ok, "code": "" if ok else "wrong-value",
        "words": "" if ok else "x", "wrong_result": False, "reset": None, "switched": False, "follow_up": False,
        "over_carried": False, "under_carried": False, "spent": Spent(10.0, 1.0, 2.0, 6.5),
    }  # fmt: skip
    return Judged(**{**whole, **facts})  # type: ignore[arg-type]


def played(name: str, *turns: Judged, tags: tuple[str, ...] = (), lang: str = "zh") -> Played:
    asked = tuple(AskedTurn(ask="?") for _ in turns)
    return Played(Dialogue(id=name, turns=asked, tags=tags, lang=lang), turns)


GOOD = played("good", turn("answer"), turn("answer", reset=True, switched=True))
WRONG = played(
    "wrong",
    turn("answer", ok=False, wrong_result=True, follow_up=True, over_carried=True),
    turn("clarify", ok=False),
    turn("decline", "clarify", ok=False, follow_up=True),
    turn("clarify", "clarify", reset=False, switched=True),
    tags=("hard",),
    lang="en",
)


def test_every_score_is_a_part_of_a_whole() -> None:
    whole = total([counts(GOOD), counts(WRONG)])
    assert whole == {
        "turn_accuracy": (3, 6),
        "dialogue_accuracy": (1, 2),
        "silent_wrong_rate": (1, 3),
        "over_ask_rate": (1, 4),
        "over_decline_rate": (0, 4),
        "clarify_precision": (1, 2),
        "clarify_recall": (1, 2),
        "reset_precision": (1, 2),
        "reset_recall": (1, 1),
        "over_carry": (1, 2),
        "under_carry": (0, 2),
    }
    assert rates(whole)["silent_wrong_rate"] == 0.3333
    assert rates(counts(GOOD))["clarify_recall"] is None
    assert rates(whole)["silent_wrong"] == 1


def test_by_tag_and_language_every_score() -> None:
    found = report("s", [GOOD, WRONG])
    by_tag = found["by_tag"]
    assert isinstance(by_tag, dict)
    assert list(by_tag) == ["hard", "lang:en", "lang:zh"]
    assert by_tag["hard"] == by_tag["lang:en"]
    assert by_tag["hard"]["over_carry"] == 0.5
    assert by_tag["hard"]["counts"]["over_carry"] == (1, 2)
    assert by_tag["lang:zh"]["over_carry"] is None


def test_intervals_by_dialogue() -> None:
    half = [counts(GOOD), counts(WRONG)] * 50
    found = intervals(half)
    assert found == intervals(half)
    low, high = found["dialogue_accuracy"] or (0.0, 0.0)
    assert 0.38 <= low <= 0.42  # 0.5 ± 1.96 √(0.25 / 100)
    assert 0.58 <= high <= 0.62
    assert intervals([counts(GOOD)])["turn_accuracy"] == (1.0, 1.0)
    assert intervals([counts(GOOD)])["clarify_recall"] is None


def test_latency_by_part() -> None:
    spent = [Spent(float(at), 1.0, 2.0, at / 2) for at in range(100)]
    found = latency([*spent, None])
    assert (found["p50"], found["p95"]) == (50.0, 95.0)
    assert found["running"] == {"p50": 25.0, "p95": 47.5}
    assert found["reading"] == {"p50": 1.0, "p95": 1.0}


def test_a_run_file_gives_back_what_it_was_given(tmp_path: Path) -> None:
    path, run = tmp_path / "a.run", {"sets": ["x"]}
    file = RunFile(path, run)
    file.add(At(0, 0, 1), WRONG.turns)
    file.add(At(0, 0, 0), GOOD.turns)
    file.close()
    with path.open("ab") as end:
        end.write(b"[0, 0, 2]\t[")
    assert RunFile.resume(path, {"sets": ["y"]}) is None
    found = RunFile.resume(path, run)
    assert found is not None
    assert len(found) == 2
    assert At(0, 0, 2) not in found
    assert found.turns(At(0, 0, 0)) == GOOD.turns
    found.add(At(0, 0, 2), GOOD.turns)
    assert found.turns(At(0, 0, 1)) == WRONG.turns
    assert found.turns(At(0, 0, 2)) == GOOD.turns
