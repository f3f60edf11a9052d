"""Kinds of saying that the sixth set of blind dialogues found: what is said, then the slots that must stand."""

from __future__ import annotations

import pytest

from nl2sql.slots import brief
from tests.conversation import Talk

AUGUST = ["2026-08-01", "2026-09-01"]
OVER = {"bill_amount": {"gt": "100000"}}
CASES: list[tuple[str, list[str], dict[str, object]]] = [
    ("rows by a condition on them", ["8月应收超过10万的账单有哪些"], {"object": "bill", "metrics": [], "filters": OVER, "time": AUGUST}),
    ("rows counted", ["8月应收超过10万的账单有多少"], {"metrics": ["bill_count"], "filters": OVER}),
    ("rows counted, in English", ["how many bills with receivable over 100000 in August"], {"metrics": ["bill_count"], "filters": OVER}),
    ("of all X is no grouping", ["unit count of all parks"], {"metrics": ["room_count"], "dimensions": []}),
    ("a year is all of the turn", ["receivable by park this year", "2025 instead"], {"dimensions": ["park_id"], "time": ["2025-01-01", "2026-01-01"]}),
    ("a value says which metric", ["8月张江工单数", "张江3号楼上个月用了多少电"], {"metrics": ["electricity_kwh"], "time": AUGUST}),
    ("a name the other way round", ["现在一共有多少家企业入驻"], {"metrics": ["tenant_count"]}),
    ("side by side adds", ["8月各园区应收", "和实收放一起看"], {"metrics": ["receivable_amount", "received_amount"], "dimensions": ["park_id"]}),
    ("two side by side replace", ["8月各园区欠费", "应收和实收放一起看"], {"metrics": ["receivable_amount", "received_amount"]}),
    ("no longer by month", ["今年各月应收", "合计，不分月"], {"metrics": ["receivable_amount"], "grain": None}),
    ("no longer by month, groups stay", ["今年各园区应收按月看", "不按月了"], {"dimensions": ["park_id"], "grain": None}),
    ("a bound is changed", ["面积大于500的房源有多少", "面积改成800以上"], {"filters": {"area_sqm": {"gte": "800"}}}),
    ("不限 of a dimension that is an object", ["8月蓝海智能有限公司的工单数", "不限租户"], {"object": "work_order", "metrics": ["order_count"], "filters": {}}),
    ("ranks begin anew in each", ["今年各城市应收最高的园区", "每个城市前2"], {"dimensions": ["city", "park_id"], "limit": 2}),
    ("the most of a value counts what has it", ["投诉最多的三个租户是谁"], {"metrics": ["order_count"], "dimensions": ["tenant_id"], "filters": {"category": ["COMPLAINT"]}, "limit": 3}),
    ("new ones are those of the date", ["本月新增工单有多少"], {"metrics": ["order_count"], "time": ["2026-09-01", "2026-10-01"]}),
    ("a filter is lifted, and another grouping", ["8月各园区紧急的工单量", "优先级也不限了，改成按类别"], {"dimensions": ["category"], "filters": {}}),
    ("ranks within go on", ["今年每个园区欠费最多的前3个租户", "改成前2名"], {"dimensions": ["park_id", "tenant_id"], "limit": 2}),
    ("a nod before what is asked", ["collection rate for Binjiang this year", "ok, by fee type then"], {"dimensions": ["fee_type"], "filters": {"park_id": ["P004"]}}),
]  # fmt: skip


@pytest.mark.parametrize(
    ("said", "wanted"), [case[1:] for case in CASES], ids=[c[0] for c in CASES]
)
def test_slots(talk: Talk, said: list[str], wanted: dict[str, object]) -> None:
    turn = talk.say(*said)
    assert turn.slots is not None, turn.text
    found = brief(turn.slots)
    assert {key: found.get(key) for key in wanted} == wanted


def test_ranks_within_each_of_the_groups_said(talk: Talk) -> None:
    turn = talk.say("今年各城市应收最高的园区", "每个城市前2")
    assert turn.slots is not None
    assert turn.slots.limit is not None
    assert turn.slots.limit.per == ("city",)
    assert "每个城市内第 1–2 名" in turn.text


@pytest.mark.parametrize("said", ["把它们的状态都改成已租", "把这些园区的状态改为已租"])
def test_their_field_is_not_changed(talk: Talk, said: str) -> None:
    talk.say("目前空置率最高的三个园区")
    assert (turn := talk.say(said)).outcome == "decline", turn.text


def test_a_slot_is_changed_in_the_same_words(talk: Talk) -> None:
    turn = talk.say("空置的房源有多少", "把状态改成已租")
    assert turn.slots is not None
    assert turn.slots.metrics == ("room_count",)
    assert brief(turn.slots)["filters"] == {"status": ["LEASED"]}
    vacant, leased, rooms = (
        talk.say(one).all_rows[0][0] for one in ("空置房源数", "已租呢", "不限状态")
    )
    assert 0 < vacant < leased < rooms  # type: ignore[operator]


def test_what_no_row_can_be_is_declined(talk: Talk) -> None:
    turn = talk.say("已租的空置房源数")
    assert (turn.outcome, turn.reason) == ("decline", "contradiction-metric"), turn.text


def test_days_are_no_number_of_things(talk: Talk) -> None:
    turn = talk.say("空置超过90天的房源")
    assert (turn.outcome, turn.not_understood) == ("decline", ("超过90天的房源",))


def test_a_year_is_told_by_its_number(talk: Talk) -> None:
    turn = talk.say("去年和今年每年的应收")
    assert "2025 应收：" in turn.text
    assert "2025-01-01" not in turn.text


def test_a_new_row_is_not_made(talk: Talk) -> None:
    assert talk.say("帮我新增一条工单").reason == "change"


def test_a_new_rank_is_still_within_each(talk: Talk) -> None:
    turn = talk.say("今年每个园区欠费最多的前3个租户", "改成前2名")
    assert turn.slots is not None
    assert turn.slots.limit is not None
    assert turn.slots.limit.per == ("park_id",)


def test_which_of_those_shown_are_of_a_park(talk: Talk) -> None:
    top = talk.say("目前空置率最高的五栋楼")
    turn = talk.say("其中光谷的有哪些")
    assert turn.slots is not None
    assert turn.slots.metrics == ("vacancy_rate",)
    assert set(turn.all_rows) == {row[2:] for row in top.all_rows if row[0] == "P005"}


def test_so_many_of_them_is_no_empty_answer(talk: Talk) -> None:
    assert "合在一起" not in talk.say("8月收缴率低于80%的租户有多少家").text
