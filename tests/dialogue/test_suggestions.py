"""What is suggested can be asked: each would be answered, and shows something else."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dialogue import suggest
from dialogue.engine import Moment, take
from dialogue.state import State
from dialogue.turn import Request, Turn
from dialogue.world import World
from semantic_layer.protocols import User
from tests.conversation import CLOCK, Talk
from tests.dialogue.test_state import KINDS

ENGLISH: list[str | Request] = [
    "collection rate by park in August",
    "what about Lingang",
    "top 3 tenants by arrears this year",
    "vacancy rate by month this year",
    "electricity by building in Zhangjiang last month",
    "number of contracts by industry",
]
MORE: list[str | Request] = [
    "今年各园区用电量占比",
    "现在各园区空置率",
    "张江1号楼的空置面积",
    "各行业合同数",
    "8月工单数按类型",
    "近12个月实收走势",
    "今年累计应收按月",
    "去年各租户欠费前10名",
]


def would_run(world: World, state: State, turn: Turn, user: User) -> None:
    for item in turn.suggestions:
        after = take(world, state, Request(item.label), user, Moment(CLOCK, CLOCK))
        told = f"{turn.completed_question} → {item.label}: {after.turn.text}"
        assert after.turn.outcome == "answer", told
        assert after.turn.slots != turn.slots, told
        assert after.turn.switch is None, told


@given(turns=st.lists(st.sampled_from([*KINDS, *ENGLISH, *MORE]), min_size=1, max_size=6))
@settings(max_examples=25)
def test_every_suggestion_would_be_answered(world: World, turns: list[str | Request]) -> None:
    talk = Talk(world)
    for turn in turns:
        answered = talk.hear(turn)
        if answered.outcome == "answer" and not answered.parts:
            would_run(world, talk.state, answered, talk.user)


@pytest.mark.parametrize("text", [str(item) for item in [*ENGLISH, *MORE]])
def test_first_questions_lead_on(talk: Talk, text: str) -> None:
    if (turn := talk.say(text)).outcome == "answer":
        would_run(talk.world, talk.state, turn, talk.user)


def test_what_is_suggested(talk: Talk) -> None:
    turn = talk.say("今年各园区的收缴率")
    assert [item.label for item in turn.suggestions] == [
        "按费用类型拆分",
        "按租户拆分",
        "只看张江科技园",
        "同比",
        "按月看",
    ]
    turn = talk.say("现在张江的空置数")
    assert [item.label for item in turn.suggestions] == ["按楼栋拆分", "按用途拆分", "同比"]


@pytest.mark.parametrize(
    ("said", "gone"),
    [
        (["张江各楼栋的空置数", "按用途拆分"], {"按城市拆分", "按行政区拆分", "按园区拆分"}),
        (["張江各樓棟的空置數", "按用途拆分"], {"按城市拆分", "按行政区拆分", "按园区拆分"}),
        (["张江1号楼各楼层的空置数"], {"按城市拆分", "按行政区拆分", "按园区拆分", "按楼栋拆分"}),
        (["浦东的合同数"], {"按城市拆分", "按行政区拆分"}),
        (["今年各园区欠费最高的", "它的合同数"], {"按城市拆分", "按行政区拆分", "按园区拆分"}),
        (
            ["华芯科技有限公司今年的应收", "按费用类型拆分"],
            {"按行业拆分", "按规模拆分", "按租户拆分"},
        ),
        (["units in Zhangjiang by building", "by usage"], {"by city", "by district", "by park"}),
        (["苏州今年的工单数"], {"按城市拆分", "按行政区拆分", "按园区拆分"}),
    ],
)
def test_what_has_one_value_is_not_offered(
    monkeypatch: pytest.MonkeyPatch, talk: Talk, said: list[str], gone: set[str]
) -> None:
    monkeypatch.setattr(suggest, "DIMENSIONS", 20)
    for text in said:
        turn = talk.say(text)
        assert turn.outcome == "answer", turn.text
        assert turn.suggestions
    assert {item.label for item in turn.suggestions} & gone == set()


def test_what_has_several_values_is_still_offered(
    monkeypatch: pytest.MonkeyPatch, talk: Talk
) -> None:
    monkeypatch.setattr(suggest, "DIMENSIONS", 20)
    turn = talk.say("浦东今年的应收")
    assert {"按园区拆分", "按租户拆分", "按行业拆分"} <= {item.label for item in turn.suggestions}


def test_permissions_that_leave_one_value_count(
    monkeypatch: pytest.MonkeyPatch, talk_as: Callable[..., Talk]
) -> None:
    monkeypatch.setattr(suggest, "DIMENSIONS", 20)
    turn = talk_as(park_id=["P002"]).say("今年的工单数")
    labels = {item.label for item in turn.suggestions}
    assert labels & {"按城市拆分", "按行政区拆分", "按园区拆分"} == set()
    assert "按类别拆分" in labels


def test_only_what_the_user_may_see_is_suggested(talk_as: Callable[..., Talk]) -> None:
    talk = talk_as(park_id=["P002", "P003"])
    for text in ("今年各园区的收缴率", "现在各园区空置率", "只看临港"):
        turn = talk.say(text)
        would_run(talk.world, talk.state, turn, talk.user)
        assert not any("张江" in item.label for item in turn.suggestions)
