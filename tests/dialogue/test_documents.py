"""An explanation shows the passage of a document that belongs to it, and where it stands."""

from datetime import datetime

import pytest

from api.turn_json import turn_json
from dialogue import codec
from dialogue.record import steps
from dialogue.world import World
from tests.conversation import Talk


@pytest.mark.parametrize(
    ("question", "file", "heading"),
    [
        ("收缴率怎么算的", "documents/billing.md", "收缴率"),
        ("什么是收缴率", "documents/billing.md", "收缴率"),
        ("收缴率是什么", "documents/billing.md", "收缴率"),
        ("收繳率是什麼意思", "documents/billing.md", "收缴率"),
        ("收繳率的口徑", "documents/billing.md", "收缴率"),
        ("空置率的定义", "documents/occupancy.md", "出租率与空置率"),
        ("what is collection rate", "documents/billing.en.md", "Collection rate"),
        (
            "how is the overdue amount calculated",
            "documents/billing.en.md",
            "Outstanding and overdue amount",
        ),
        ("what does completion rate mean", "documents/service.md", "完结率"),
    ],
)
def test_a_metric_is_explained_with_its_passage(
    talk: Talk, question: str, file: str, heading: str
) -> None:
    turn = talk.say(question)
    assert turn.outcome == "explain"
    assert [(item.file, item.heading) for item in turn.sources] == [(file, heading)]
    source = turn.sources[0]
    assert source.text in turn.text
    assert source.title in turn.text
    assert file in turn.text


def test_a_number_is_explained_with_the_passages_of_its_metrics(talk: Talk) -> None:
    turn = talk.say("8月收缴率和出租率", "这个数怎么来的")
    assert turn.outcome == "explain"
    assert [(item.title, item.heading) for item in turn.sources] == [
        ("收费口径说明", "收缴率"),
        ("房源统计办法", "出租率与空置率"),
    ]
    assert "SELECT" in (turn.sql or "")


def test_one_passage_of_two_metrics_is_shown_once(talk: Talk) -> None:
    turn = talk.say("应收和实收怎么算")
    assert [item.heading for item in turn.sources] == ["应收与实收"]
    assert turn.text.count("应收取账单上的金额") == 1


def test_what_has_no_document_is_explained_by_its_definition(talk: Talk) -> None:
    turn = talk.say("工单数是什么意思")
    assert (turn.outcome, turn.sources) == ("explain", ())


def test_a_document_that_did_not_hold_yet_is_not_shown(world: World) -> None:
    assert Talk(world, clock=datetime(2025, 6, 30)).say("收缴率怎么算").sources == ()


def test_the_sources_are_in_the_json_and_in_the_record(talk: Talk) -> None:
    turn = talk.say("完结率怎么算")
    assert turn_json(turn)["sources"] == [
        {
            "title": "物业服务考核办法",
            "file": "documents/service.md",
            "heading": "完结率",
            "text": "完结率 = 已完成工单 ÷ 未取消工单。租户撤回的工单不计入分母。",
        }
    ]
    recorded = codec.loads(codec.dumps(steps(turn)), tuple)
    assert recorded[0].sources == turn.sources
    assert turn_json(talk.say("8月收缴率"))["sources"] == []
