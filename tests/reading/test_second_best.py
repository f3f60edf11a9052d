"""The second-best reading: what else a text could have come to, and draws kept open."""

from __future__ import annotations

from dataclasses import replace

from nl2sql.edits import Edit
from nl2sql.reading import Reading, RuleReader
from nl2sql.reading.ties import tied
from nl2sql.slots import Among, Filter


def test_the_second_best_comes_to_something_else(reader: RuleReader) -> None:
    first, second = reader.readings("今年欠费最多的5家租户同比")
    assert [edit.slot for edit in first.edits if edit not in second.edits] == ["comparison"]
    assert first.score > second.score


def test_a_score_is_the_sum_of_what_is_shown(reader: RuleReader) -> None:
    for text in ("上个月张江科技园的应收金额按楼栋", "看看蓝色的应收前3", "2楼8月空置率超过10%的"):
        for reading in reader.readings(text):
            covered = {at for token in reading.tokens for at in range(token.start, token.end)}
            left = len(set(range(len(text))) - covered)
            assert reading.score == sum(token.weight for token in reading.tokens) - 12 * left


def test_the_first_is_the_reading(reader: RuleReader) -> None:
    for text in ("8月各园区收缴率", "🏢", "", "张江智造圆的入住率"):
        assert reader.readings(text)[0] == reader.read(text)


def test_tokens_are_spans_of_the_original(reader: RuleReader) -> None:
    text = "「張江」　８月的​收繳率"
    tokens = reader.read(text).tokens
    assert [text[token.start : token.end] for token in tokens if token.kind != "filler"] == [
        "張江", "８月", "收繳率"
    ]  # fmt: skip


def metric(name: str, start: int, end: int) -> Edit:
    return Edit("metrics", "set", (name,), (start, end))


def park(value: str) -> Edit:
    return Edit("filters", "set", Filter("park_id", Among((value,))), (0, 2))


def test_a_draw_between_two_metrics_or_values_is_kept_open() -> None:
    best = Reading("园区的收入比", "zh", "query", (park("P1"), metric("revenue", 3, 5)))
    rival = replace(best, edits=(park("P1"), metric("ratio", 4, 6)))
    open_ = tied(best, rival)
    assert open_ is not None
    assert open_.edits == (park("P1"),)
    (left,) = open_.ambiguities
    assert (left.about, left.span, left.word) == ("metric", (3, 6), "收入比")
    assert [choice.id for choice in left.choices] == ["revenue", "ratio"]
    value = tied(best, replace(best, edits=(park("P2"), metric("revenue", 3, 5))))
    assert value is not None
    assert [choice.id for choice in value.ambiguities[0].choices] == ["park_id:P1", "park_id:P2"]


def test_what_is_no_question_of_one_word_is_no_draw() -> None:
    best = Reading("各园区收入", "zh", "query", (metric("revenue", 3, 5),))
    assert tied(best, replace(best, intent="why")) is None
    assert tied(best, replace(best, edits=(metric("a", 0, 1), metric("b", 1, 2)))) is None
    assert tied(best, best) is None
