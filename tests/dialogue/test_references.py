"""RULES.md §4: what was talked about, by order and by kind, across objects."""

from __future__ import annotations

import pytest

from nl2sql.slots import brief
from tests.conversation import Talk

THREE = ["8月张江的收缴率", "临港呢", "前海呢"]


@pytest.mark.parametrize(
    ("said", "text", "park"),
    [
        (["8月张江的收缴率", "临港呢", "张江呢"], "它的工单数", "P001"),
        (["8月张江的收缴率", "临港呢", "撤销"], "它的工单数", "P001"),
        (["8月张江的收缴率", "临港呢"], "上面那个的出租率", "P002"),
        (THREE, "刚才说的第一个的工单数", "P001"),
        (THREE, "刚才说的第二个的工单数", "P002"),
        (THREE, "刚才说的最后一个的出租率", "P006"),
        ([*THREE, "收缴率怎么算"], "第二个的出租率", "P002"),
        (["8月各园区收缴率"], "第二个的出租率", "P002"),
        (["8月各园区收缴率", "临港呢"], "它的工单数", "P002"),
    ],
)
def test_what_was_talked_about(talk: Talk, said: list[str], text: str, park: str) -> None:
    turn = talk.say(*said, text)
    assert turn.slots is not None, turn.text
    assert brief(turn.slots)["filters"] == {"park_id": [park]}


@pytest.mark.parametrize(
    ("said", "text"),
    [
        (["8月张江的收缴率"], "刚才说的第二个的工单数"),
        (THREE, "第四个的工单数"),
        (["今年欠费最多的5家租户"], "第六个的收缴率"),
        (["8月的收缴率"], "该租户的工单数"),
        (["8月的收缴率"], "它的工单数"),
        (["8月张江的收缴率"], "它们的工单数"),
        (["现在各园区空置率", "哪个最高", "它的收缴率"], "上面几个园区的工单数"),
    ],
)
def test_a_reference_that_does_not_resolve_asks(talk: Talk, said: list[str], text: str) -> None:
    slots = talk.say(*said).slots
    turn = talk.say(text)
    assert turn.clarification is not None, turn.text
    assert turn.clarification.about == "reference"
    assert talk.state.slots == slots


def test_members_stay_those_that_were_shown(talk: Talk) -> None:
    ranked = talk.say("今年欠费最多的5家租户")
    members = {row[0] for row in ranked.all_rows}
    for text in ("它们的收缴率", "换成应收", "去年的", "按实收从高到低排"):
        turn = talk.say(text)
        assert {row[0] for row in turn.all_rows} <= members, text
        assert turn.slots is not None
        assert turn.slots.limit is None
