"""The reader: every content word accounted for, spans into the original, an order of constructions that means nothing."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from dialogue.evaluation import read_set
from nl2sql.reading import RuleReader
from nl2sql.reading.construct import best_pieces
from nl2sql.reading.constructions import CONSTRUCTIONS
from nl2sql.reading.pieces import HANDLERS
from nl2sql.slots import Among, Filter

REPLIES = {"随便", "股份那个"}  # to a question of the service
UNKNOWN = ["利润", "手机号", "毛利", "外星人", "天气", "股价", "banana", "zzz"]


def questions() -> list[str]:
    sets = [
        read_set(Path("fixtures/questions") / f"{name}.yaml")
        for name in ("park-core", "park-hard", "fresh")
    ]
    return [
        turn.ask
        for one in sets
        for dialogue in one.dialogues
        for turn in dialogue.turns
        if turn.ask and turn.expect == ("answer",) and not turn.parts
    ]


def test_an_unknown_word_is_never_dropped_in_silence(reader: RuleReader) -> None:
    chance = random.Random(7)
    asked = chance.sample(sorted(set(questions())), 200)
    missed = []
    for text in asked:
        word = chance.choice(UNKNOWN)
        spoilt = chance.choice([f"{word}的{text}", f"{text}，{word}", f"{word} {text}"])
        if not reader.read(spoilt).unread:
            missed.append(spoilt)
    assert missed == []


def test_right_questions_leave_nothing_unread(reader: RuleReader) -> None:
    readings = {text: reader.read(text) for text in questions() if text not in REPLIES}
    unread = {text: one.unread for text, one in readings.items() if one.intent == "query"}
    assert {text: found for text, found in unread.items() if found} == {}


def test_the_order_of_constructions_means_nothing(reader: RuleReader) -> None:
    chance = random.Random(3)
    for text in chance.sample(sorted(set(questions())), 150):
        tokens = [
            token
            for token in reader.read(text).tokens
            if token.kind not in ("filler", "metric_value", "object_value")
        ]
        first = best_pieces(tokens, CONSTRUCTIONS)
        for _ in range(3):
            shuffled = chance.sample(CONSTRUCTIONS, len(CONSTRUCTIONS))
            pieces, loose = best_pieces(tokens, shuffled)
            assert [(piece.name, piece.start, piece.end) for piece in pieces] == [
                (piece.name, piece.start, piece.end) for piece in first[0]
            ], text
            assert loose == first[1]


def test_every_construction_is_built_by_something() -> None:
    assert {item.name for item in CONSTRUCTIONS} == set(HANDLERS)


def test_spans_are_into_the_original(reader: RuleReader) -> None:
    text = "８月\u200b張江科技園  的空置率"
    reading = reader.read(text)
    said = {edit.slot: text[edit.span[0] : edit.span[1]] for edit in reading.edits}
    assert said == {"time": "８月", "filters": "張江科技園", "metrics": "空置率"}


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("章江科技园空置率", "张江科技园"),
        ("临岗智造园空置率", "临港智造园"),
        ("8月张江的出租绿", "出租率"),
        ("occupansy rate by park", "occupancy"),
    ],
)
def test_a_near_word_is_taken_and_said(reader: RuleReader, text: str, word: str) -> None:
    reading = reader.read(text)
    assert not reading.unread
    assert [item.word for item in reading.taken] == [word] or word in reading.taken[0].word


def test_near_words_need_equal_digits_and_three_characters(reader: RuleReader) -> None:
    assert reader.read("张红的空置率").unread
    assert reader.read("月球园区的空置率").unread


def test_an_or_across_slots_is_not_read_as_and(reader: RuleReader) -> None:
    assert reader.read("空置率高于30%或者总面积大于1万的楼栋").unread
    one = reader.read("张江或临港的空置房源数")
    assert [edit.value for edit in one.edits if edit.slot == "filters"] == [
        Filter("park_id", Among(("P001", "P002")))
    ]


@pytest.mark.parametrize(
    "ways",
    [
        [
            "8月张江的收缴率",
            "张江8月收缴率是多少",
            "请帮我查一下张江八月份的收缴率",
            "張江科技園8月收繳率",
            "收缴率 张江 8月",
            "collection rate of Zhangjiang in August",
            "八月张江园区的收款率呢",
        ],
        [
            "今年欠费最多的5家租户",
            "欠费前五的租户，今年",
            "今年欠费最高的五家企业",
            "今年欠款top 5租户",
            "top 5 tenants by arrears this year",
            "今年租户欠费排名前5",
        ],
        [
            "今年各园区的能耗费用",
            "按园区看今年的能耗费用",
            "今年能耗费用按园区分",
            "energy cost by park this year",
            "今年每个园区能耗费用多少",
            "今年各個園區的能耗費用",
        ],
        [
            "张江1号楼有多少套空置房源",
            "张江1号楼空置房源数",
            "张江1栋空置房源有几套",
            "張江一號樓的空置房源數",
            "vacant units of Zhangjiang building 1",
            "张江1号楼空置的房源有多少套",
        ],
    ],
)
def test_paraphrases_give_the_same_slots(reader: RuleReader, ways: list[str]) -> None:
    def slots(text: str) -> set[tuple[str, str, object]]:
        found = set()
        for edit in reader.read(text).edits:
            value: object = getattr(edit.value, "expr", edit.value)
            found.add((edit.slot, edit.op, str(value)))
        return found

    first = slots(ways[0])
    assert first
    for text in ways[1:]:
        assert slots(text) == first, text
