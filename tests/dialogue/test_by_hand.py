"""Chips edited by hand go the same way as a text, and what is wrong with one is told."""

from __future__ import annotations

import pytest

from api.request_json import RequestError, edit_json, request_of
from dialogue.turn import Request
from nl2sql.edits import Edit
from nl2sql.slots import Among, Filter, brief
from tests.conversation import Talk

ASKED = "8月各园区的收缴率"


def chip(slot: str, value: object = None, op: str = "set") -> Request:
    return request_of({"edit": [{"slot": slot, "op": op, "value": value}]})


@pytest.mark.parametrize(
    ("request_", "text"),
    [
        (chip("metrics", ["receivable_amount"]), "应收"),
        (chip("metrics", "receivable_amount", "add"), "再加上应收"),
        (chip("dimensions", ["industry"]), "按行业拆分"),
        (chip("dimensions", ["industry"], "add"), "再按行业"),
        (chip("dimensions", None, "clear"), "不分园区"),
        (chip("filters", {"park_id": ["P002"]}), "只看临港"),
        (chip("filters", {"park_id": "临港智造园"}), "只看临港"),
        (chip("filters", {"park_id": {"not": ["P001"]}}), "除张江外"),
        (chip("time", "上个月"), "上个月"),
        (chip("time", ["2026-07-01", "2026-08-01"]), "2026年7月"),
        (chip("time", ["2026-07-01", "2026-07-16"]), "2026-07-01到2026-07-15"),
        (chip("time", ["2026-07-01", "2026-10-01"]), "2026年三季度"),
        (
            chip("time", [["2026-07-01", "2026-08-01"], ["2026-05-01", "2026-06-01"]]),
            "2026年7月和2026年5月",
        ),
        (chip("comparison", "yoy"), "同比"),
        (chip("order", "collection_rate asc"), "从低到高排"),
        (chip("limit", 3), "前3名"),
        (chip("limit", {"first": 2, "last": 4}), "第2到第4名"),
        (chip("grain", "month"), "按月"),
        (chip("having", {"collection_rate": {"lt": "0.9"}}), "收缴率低于90%的"),
        (chip("share", None, "clear"), "收缴率"),
    ],
)
def test_a_chip_does_what_its_words_do(talk: Talk, request_: Request, text: str) -> None:
    talk.say(ASKED)
    before = talk.state
    by_hand = talk.send(request_)
    assert by_hand.slots is not None, by_hand.text
    talk.state = before
    said = talk.say(text)
    assert said.slots is not None, said.text
    assert brief(by_hand.slots) == brief(said.slots)
    assert by_hand.all_rows == said.all_rows


@pytest.mark.parametrize(
    ("filters", "after"),
    [
        ({"building_no": ["2号楼"]}, {"park_id": ["P001"], "building_no": ["2号楼"]}),
        ({"floor_no": ["3"]}, {"park_id": ["P001"], "building_no": ["1号楼"], "floor_no": ["3"]}),
        ({"park_id": ["P004"]}, {"park_id": ["P004"]}),
        ({"city": "苏州"}, {"city": ["苏州"]}),
    ],
)
def test_chips_of_a_hierarchy(talk: Talk, filters: object, after: object) -> None:
    talk.say("8月张江1号楼的空置面积")
    turn = talk.send(chip("filters", filters))
    assert turn.slots is not None, turn.text
    assert brief(turn.slots)["filters"] == after


def test_a_building_outside_its_park_is_told_before_any_query(talk: Talk) -> None:
    talk.say("8月张江的空置面积")
    slots = talk.state.slots
    both = {
        "edit": [{"slot": "filters", "value": {"park_id": ["P005"], "building_no": ["18号楼"]}}]
    }
    turn = talk.send(request_of(both))
    assert (turn.outcome, turn.reason) == ("decline", "contradiction-place"), turn.text
    assert talk.state.slots == slots


def test_where_a_chip_came_from_is_told_and_it_can_be_undone(talk: Talk) -> None:
    before = talk.say(ASKED)
    turn = talk.send(chip("filters", {"park_id": ["P002"]}))
    sources = {item.key: item.source for item in turn.provenance}
    assert (sources["filters.park_id"], sources["time"]) == ("edited", "carried")
    assert turn.lang == "zh"
    assert talk.send(Request(undo=True)).slots == before.slots


def test_a_click_speaks_the_language_of_the_turn_before(talk: Talk) -> None:
    talk.say("collection rate by park in August")
    assert talk.send(chip("comparison", "yoy")).lang == "en"


@pytest.mark.parametrize(
    ("request_", "reason", "says"),
    [
        (chip("metrics", ["profit"]), "bad-edit", "profit"),
        (chip("dimensions", ["floor_plan"]), "bad-edit", "floor_plan"),
        (chip("filters", {"park_id": ["P999"]}), "unknown-value", "P999"),
        (chip("filters", {"moon": ["1"]}), "bad-edit", "moon"),
        (chip("filters", {"building_no": ["99号楼"]}), "unknown-value", "99号楼"),
        (chip("time", "很久以前"), "bad-edit", "很久以前"),
        (chip("time", ["2026-08-01", "2026-07-01"]), "bad-edit", ""),
        (chip("order", "profit desc"), "bad-edit", "profit"),
        (
            chip("order", "bill_amount desc"),
            "unknown-metric",  # rows have one each, their sums have none
            "没有“单笔应收”这个指标",
        ),
        (chip("having", {"profit": {"gt": 1}}), "bad-edit", "profit"),
        (chip("time", "上个月", "add"), "bad-edit", "add"),
        (chip("metrics", ["collection_rate"], "remove"), "nothing-left", "收缴率"),
        (chip("dimensions", ["building_no"]), "unreachable", "楼栋"),
    ],
)
def test_a_chip_that_names_nothing_leaves_the_state(
    talk: Talk, request_: Request, reason: str, says: str
) -> None:
    slots = talk.say(ASKED).slots
    turn = talk.send(request_)
    assert (turn.outcome, turn.reason) == ("decline", reason), turn.text
    assert says in turn.text
    assert talk.state.slots == slots


@pytest.mark.parametrize(
    ("data", "where"),
    [
        ([], "request"),
        ({}, "request"),
        ({"undo": True, "question": "x"}, "request"),
        ({"question": "x", "colour": 1}, "colour"),
        ({"undo": 1}, "undo"),
        ({"edit": []}, "edit"),
        ({"edit": [{"slot": "mood", "value": 1}]}, "edit[0].slot"),
        ({"edit": [{"slot": "time", "op": "turn", "value": 1}]}, "edit[0].op"),
        ({"edit": [{"slot": "limit", "value": 0}]}, "edit[0].value"),
        ({"edit": [{"slot": "limit", "value": True}]}, "edit[0].value"),
        ({"edit": [{"slot": "grain", "value": "hour"}]}, "edit[0].value"),
        ({"edit": [{"slot": "filters", "value": {"park_id": {"like": "x"}}}]}, "edit[0].value.park_id.like"),
        ({"edit": [{"slot": "having", "value": {"rent": {"gt": "many"}}}]}, "edit[0].value.rent.gt"),
        ({"edit": [{"slot": "having", "value": {"rent": {"gt": "NaN"}}}]}, "edit[0].value.rent.gt"),
        ({"edit": [{"slot": "time", "value": ["yesterday", "today"]}]}, "edit[0].value"),
    ],
)  # fmt: skip
def test_what_has_not_the_shape_of_a_request_says_where(data: object, where: str) -> None:
    with pytest.raises(RequestError) as told:
        request_of(data)
    assert told.value.where == where


@pytest.mark.parametrize(
    "said",
    [
        "8月各园区收缴率低于90%的",
        "8月除张江外各园区应收前3名",
        "面积大于500的空置房间数按园区",
        "名字里有智能的租户今年的欠费同比",
    ],
)
def test_what_slots_say_in_short_can_be_set_by_hand(talk: Talk, said: str) -> None:
    slots = talk.say(said).slots
    assert slots is not None, talk.turns[-1].text
    edits = [Edit("filters", "set", item) for item in slots.filters]
    edits += [Edit("having", "set", item) for item in slots.having]
    assert edits
    for edit in edits:
        turn = talk.send(request_of({"edit": [dict(edit_json(edit))]}))
        assert turn.slots is not None, turn.text
        assert brief(turn.slots) == brief(slots)


def test_a_hidden_value_is_not_named_by_a_chip(talk: Talk) -> None:
    from semantic_layer.protocols import User

    talk = Talk(talk.world, User("asker", (("park_id", ("P002",)),)))
    talk.say("8月的收缴率")
    turn = talk.send(Request(edit=(Edit("filters", "set", Filter("park_id", Among(("P004",)))),)))
    assert (turn.outcome, turn.reason) == ("decline", "not-permitted")
    assert "P004" in turn.text
    assert "前海" not in turn.text


@pytest.mark.parametrize(
    ("keep", "outcome", "filters"),
    [
        (["张江科技园"], "answer", {"park_id": ["P001"]}),
        (["filters.park_id"], "answer", {"park_id": ["P001"]}),
        (["1号楼"], "decline", {}),
        (["月球"], "decline", {}),
        (True, "answer", {"park_id": ["P001"]}),
    ],
)
def test_what_a_switch_dropped_can_be_named(
    talk: Talk, keep: object, outcome: str, filters: object
) -> None:
    talk.say("张江1号楼2026年8月空置面积", "收缴率")
    turn = talk.send(request_of({"keep": keep}))
    assert turn.outcome == outcome, turn.text
    assert talk.state.slots is not None
    assert brief(talk.state.slots)["filters"] == filters


def test_the_period_comes_back_too_unless_one_was_said_since(talk: Talk) -> None:
    talk.say("张江2026年8月空置面积", "收缴率", "沿用")
    assert talk.state.slots is not None
    assert brief(talk.state.slots)["time"] == ["2026-08-01", "2026-09-01"]
    talk.say("换个话题", "张江2026年8月空置面积", "7月收缴率", "沿用")
    assert brief(talk.state.slots)["time"] == ["2026-07-01", "2026-08-01"]


def test_keep_without_a_switch_has_nothing_to_keep(talk: Talk) -> None:
    talk.say("8月张江的收缴率", "临港呢")
    assert talk.say("沿用").reason == "nothing-to-keep"


def test_what_cannot_be_kept_is_told(talk: Talk) -> None:
    talk.say("今年的水费实收", "算了，各园区工单数")
    turn = talk.say("沿用")
    assert turn.slots is not None
    assert brief(turn.slots)["time"] == ["2026-01-01", "2027-01-01"]
    assert "水费不适用于现在的问题，没有沿用" in turn.text
