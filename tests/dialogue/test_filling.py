"""RULES.md §3–§5 as conversations: what is said, then the slots (in the short form) that must stand."""

from __future__ import annotations

import pytest

from dialogue.turn import Request
from nl2sql.slots import brief
from tests.conversation import Talk

CASES: list[tuple[str, list[str], dict[str, object]]] = [
    ("what is said replaces, the rest stays", ["8月张江的收缴率", "临港呢"], {"filters": {"park_id": ["P002"]}, "time": ["2026-08-01", "2026-09-01"]}),
    ("a metric replaces", ["今年各园区应收", "实收呢"], {"metrics": ["received_amount"], "dimensions": ["park_id"]}),
    ("再加上 adds", ["今年各园区应收", "再加上实收"], {"metrics": ["receivable_amount", "received_amount"]}),
    ("也看 adds", ["今年各园区应收", "收缴率也看看"], {"metrics": ["receivable_amount", "collection_rate"]}),
    ("去掉 removes", ["今年各园区应收和实收", "去掉应收"], {"metrics": ["received_amount"]}),
    ("按 replaces dimensions, and clears the ranking", ["今年应收前5的租户", "按行业看"], {"dimensions": ["industry"], "limit": None, "order": []}),
    ("再按 adds a dimension", ["今年各园区应收", "再按行业分"], {"dimensions": ["park_id", "industry"]}),
    ("总的 clears dimensions", ["今年各园区应收", "总的呢"], {"dimensions": []}),
    ("grain is a slot of its own", ["上半年各园区应收", "按月看", "按费用类型看"], {"grain": "month", "dimensions": ["fee_type"]}),
    ("X和Y: both, a row each", ["8月张江和临港的欠费"], {"filters": {"park_id": ["P001", "P002"]}, "dimensions": ["park_id"]}),
    ("X和Y with 一共: one number", ["8月张江和临港一共欠费多少"], {"filters": {"park_id": ["P001", "P002"]}, "dimensions": []}),
    ("加上 a value adds it", ["今年临港各行业应收", "只看芯片和医药", "加上人工智能"], {"filters": {"park_id": ["P002"], "industry": ["IC", "BIOMED", "AI"]}}),
    ("不含 excludes, 也去掉 excludes one more", ["上半年张江的工单数", "不含2号楼", "3号楼也去掉"], {"filters": {"park_id": ["P001"], "building_no": {"not": ["2号楼", "3号楼"]}}}),
    ("不限 removes", ["8月张江办公的空置率", "不限用途"], {"filters": {"park_id": ["P001"]}}),
    ("a new park drops the building below", ["张江1号楼的出租率", "临港呢"], {"filters": {"park_id": ["P002"]}}),
    ("a park in the city keeps it", ["上海浦东新区的出租率", "临港呢"], {"filters": {"city": ["上海"], "district": ["浦东新区"], "park_id": ["P002"]}}),
    ("a park elsewhere drops it", ["上海浦东新区的出租率", "滨江呢"], {"filters": {"park_id": ["P004"]}}),
    ("time is replaced whole", ["8月张江的收缴率", "改成上个季度"], {"time": ["2026-04-01", "2026-07-01"]}),
    ("comparison stays", ["8月张江物业费应收", "同比呢", "临港呢"], {"comparison": "yoy", "filters": {"park_id": ["P002"], "fee_type": ["PROPERTY"]}}),
    ("comparison goes", ["8月应收同比", "不用对比了"], {"comparison": None}),
    ("a later metric ranks anew", ["今年应收前3的租户", "欠费呢"], {"metrics": ["outstanding_amount"], "limit": 3, "order": ["outstanding_amount desc"]}),
    ("the superlative turned round keeps the number", ["今年收缴率最低的三个园区", "最高的呢"], {"limit": 3, "order": ["collection_rate desc"]}),
    ("不对 corrects", ["8月临港的空置面积", "不对，我要的是已租面积"], {"metrics": ["leased_area"], "filters": {"park_id": ["P002"]}}),
    ("撤销 restores", ["8月临港的空置面积", "改成上个季度", "撤销"], {"time": ["2026-08-01", "2026-09-01"]}),
    ("undo twice", ["8月临港的空置面积", "按用途看", "只看办公", "撤销", "回到上一步"], {"dimensions": [], "filters": {"park_id": ["P002"]}}),
    ("it crosses objects with the entity alone", ["8月能耗费用最高的园区是哪个", "它的工单数"], {"object": "work_order", "dimensions": [], "time": ["2026-01-01", "2026-09-29"]}),
    ("another object's metric switches", ["8月张江收缴率", "出租率呢"], {"object": "park_building_resource", "filters": {}}),
    ("再加上 joins another object's metric", ["8月各园区的欠费", "再加上工单数"], {"metrics": ["outstanding_amount", "order_count"], "time": ["2026-08-01", "2026-09-01"]}),
    ("a whole question with nothing shared switches", ["8月张江的收缴率", "今年各行业的应收是多少"], {"filters": {}, "dimensions": ["industry"]}),
    ("a whole question that shares the metric does not", ["8月张江的收缴率", "上半年各行业的收缴率是多少"], {"filters": {"park_id": ["P001"]}}),
    ("另外 before a bare metric of the object adds", ["8月各园区空置面积", "另外告诉我总面积"], {"metrics": ["vacant_area", "total_area"], "dimensions": ["park_id"]}),
    ("换成 overrides, it is no switch", ["8月张江的收缴率", "换成实收"], {"metrics": ["received_amount"], "filters": {"park_id": ["P001"]}}),
    ("a list counts back to a number", ["列出张江1号楼的全部房源", "一共多少套"], {"metrics": ["room_count"], "filters": {"park_id": ["P001"], "building_no": ["1号楼"]}}),
    ("a count lists its own rows", ["张江空置房源数", "列出来"], {"filters": {"park_id": ["P001"], "status": ["VACANT"]}}),
    ("其中 after a list stays within the list", ["列出光谷的大型企业", "其中医药行业的"], {"metrics": [], "filters": {"park_id": ["P005"], "company_size": ["LARGE"], "industry": ["BIOMED"]}}),
    ("列 with a unit of time or a dimension shows the metric", ["张江空置房源数", "上半年每个月的都列一下"], {"metrics": ["vacant_count"], "grain": "month"}),
    ("分楼栋列出来 too", ["8月各园区应收", "分行业列出来"], {"metrics": ["receivable_amount"], "dimensions": ["industry"]}),
    ("rows of a metric keep its condition", ["未来3个月到期合同数", "列出来"], {"metrics": [], "filters": {"contract_status": {"not": ["TERMINATED"]}}}),
    ("which floor, asked of a floor's building", ["张江2号楼空置面积", "哪一层最多"], {"dimensions": ["floor_no"], "filters": {"park_id": ["P001"], "building_no": ["2号楼"]}, "limit": 1}),
    ("啥 is 什么", ["今年欠费最多的5家租户", "它们的行业是啥"], {"dimensions": ["tenant_id", "industry"]}),
    ("跟7月比 after August is 环比, not July", ["8月应收", "跟7月比"], {"time": ["2026-08-01", "2026-09-01"], "comparison": "pop"}),
    ("和去年8月比 is 同比", ["8月应收", "和去年8月比"], {"time": ["2026-08-01", "2026-09-01"], "comparison": "yoy"}),
    ("any other period is a base of its own", ["8月应收", "和5月比"], {"time": ["2026-08-01", "2026-09-01"], "comparison": "fixed", "grain": None}),
    ("vs July", ["tickets in August", "vs July"], {"time": ["2026-08-01", "2026-09-01"], "comparison": "pop"}),
    ("整个园区 drops the building", ["张江2号楼出租率", "整个园区"], {"filters": {"park_id": ["P001"]}, "dimensions": []}),
    ("第二名的 is a row of the ranking", ["今年欠费前10租户", "第二名的收缴率"], {"metrics": ["collection_rate"], "filters": {"tenant_id": ["T00027"]}, "limit": None}),
    ("第一名的 crosses objects", ["今年欠费前10租户", "第一名的工单数"], {"metrics": ["order_count"], "filters": {"tenant_id": ["T00034"]}}),
    ("最多的那栋 is a rank, no reference", ["张江工单按楼栋", "最多的那栋"], {"order": ["order_count desc"], "limit": 1}),
    ("最多的那栋满意度 ranks by what was shown", ["张江工单按楼栋", "最多的那栋满意度"], {"metrics": ["satisfaction_score"], "order": ["order_count desc"], "limit": 1}),
    ("a unit asks for the metric that has it", ["列出张江空置房源", "一共多少平"], {"metrics": ["total_area"], "filters": {"park_id": ["P001"], "status": ["VACANT"]}}),
    ("欠了 is another metric than 应收", ["8月张江应收", "临港欠了多少"], {"metrics": ["outstanding_amount"], "filters": {"park_id": ["P002"]}}),
    ("有哪些 after a number lists its rows", ["张江空置房源数", "有哪些"], {"metrics": [], "filters": {"park_id": ["P001"], "status": ["VACANT"]}}),
    ("a word with two natures beside a value is a value", ["本月各园区工单数", "只看投诉和报修"], {"filters": {"category": ["COMPLAINT", "REPAIR"]}}),
    ("分别 before the metric is known", ["投诉和报修分别多少"], {"metrics": ["order_count"], "dimensions": ["category"]}),
    ("它 is the tenant, not the attribute shown of it", ["今年欠费最多的租户", "它的行业", "它的合同"], {"filters": {"tenant_id": ["T00034"]}}),
    ("the slowest takes longest", ["各园区平均响应时长", "最慢的是哪个"], {"order": ["avg_response_minutes desc"]}),
    ("第三名是谁 is a rank", ["今年各园区应收", "第三名是谁"], {"dimensions": ["park_id"], "limit": 3}),
    ("最差的呢 of what should be low", ["各园区空置率", "最差的呢"], {"order": ["vacancy_rate desc"], "limit": 1}),
    ("'s asks for what belongs to a row", ["overdue amount by tenant, top 5", "the second one's contracts"], {"metrics": ["contract_count"], "filters": {"tenant_id": ["T00023"]}}),
    ("第二个的合同 too", ["今年欠费前5租户", "第二个的合同"], {"metrics": ["contract_count"], "filters": {"tenant_id": ["T00027"]}}),
    ("a unit tells what a condition on rows is on", ["列出张江空置房源", "只看100平以上"], {"filters": {"park_id": ["P001"], "status": ["VACANT"], "area_sqm": {"gte": "100"}}}),
    ("and leaves it on a metric that has the unit", ["8月张江用电量按楼栋", "超过5万度的"], {"having": {"electricity_kwh": {"gt": "50000"}}}),
    ("哪些租户 of a number splits it", ["今年欠费", "哪些租户"], {"metrics": ["outstanding_amount"], "dimensions": ["tenant_id"]}),
    ("traditional script", ["8月張江的收繳率", "那臨港呢"], {"filters": {"park_id": ["P002"]}, "metrics": ["collection_rate"]}),
    ("English", ["What was the collection rate of Zhangjiang in August?", "what about Lingang"], {"filters": {"park_id": ["P002"]}, "time": ["2026-08-01", "2026-09-01"]}),
]  # fmt: skip


@pytest.mark.parametrize(
    ("said", "slots"), [(case[1], case[2]) for case in CASES], ids=[case[0] for case in CASES]
)
def test_rules(talk: Talk, said: list[str], slots: dict[str, object]) -> None:
    turn = talk.say(*said)
    assert turn.outcome == "answer", turn.text
    assert turn.slots is not None
    have = brief(turn.slots)
    assert {key: have[key] for key in slots} == slots


def test_a_declined_turn_leaves_the_slots(talk: Talk) -> None:
    before = talk.say("8月张江的收缴率").slots
    for text in (
        "张江今年的利润率是多少",
        "帮我把这些数据删了",
        "为什么这么低",
        "谢谢",
        "收缴率怎么算",
        "2027年1月的实收",
    ):
        talk.say(text)
        assert talk.state.slots == before, text


@pytest.mark.parametrize(
    "keep", [Request(keep=True), Request("沿用"), Request("keep"), Request("沿用张江")]
)
def test_keep_brings_back_what_a_switch_dropped(talk: Talk, keep: Request) -> None:
    talk.say("8月张江的收缴率", "出租率呢")
    turn = talk.send(keep)
    assert turn.slots is not None, turn.text
    assert brief(turn.slots)["filters"] == {"park_id": ["P001"]}


def test_rows_of_expiring_contracts_are_found_by_their_end(talk: Talk) -> None:
    count = talk.say("未来3个月到期合同数").all_rows[0][0]
    assert len(talk.say("列出来").all_rows) == count


def test_a_condition_that_no_filter_can_say_is_not_dropped_from_the_rows(talk: Talk) -> None:
    turn = talk.say("8月张江逾期金额", "列出来")
    assert (turn.outcome, turn.reason) == ("decline", "list-condition")


def test_the_total_after_a_ranking_covers_the_rows_shown(talk: Talk) -> None:
    ranked = talk.say("今年应收最高的5家租户")
    total = talk.say("合计是多少")
    assert total.all_rows[0][0] == sum(row[2] for row in ranked.all_rows)  # type: ignore[misc]


def test_members_stay_the_rows_that_were_shown(talk: Talk) -> None:
    ranked = talk.say("今年欠费最多的5家租户")
    turn = talk.say("它们的收缴率分别是多少")
    assert {row[0] for row in turn.all_rows} == {row[0] for row in ranked.all_rows}


def test_two_questions_in_one_message_run_as_two_turns(talk: Talk) -> None:
    turn = talk.say("7月收缴率是多少？另外全部园区现在有几套空置房源？")
    assert [part.outcome for part in turn.parts] == ["answer", "answer"]
    assert [part.slots.metrics for part in turn.parts if part.slots] == [
        ("collection_rate",),
        ("vacant_count",),
    ]
    assert talk.state.slots is not None
    assert talk.state.slots.metrics == ("vacant_count",)


@pytest.mark.parametrize(
    ("text", "key", "value"),
    [
        ("不是，是临港", "filters", {"park_id": ["P002"]}),
        ("不是，我要的是应收", "metrics", ["receivable_amount"]),
        ("不对，应该是7月", "time", ["2026-07-01", "2026-08-01"]),
        ("不，是7月", "time", ["2026-07-01", "2026-08-01"]),
        ("no, I meant Lingang", "filters", {"park_id": ["P002"]}),
        ("不是张江的", "filters", {"park_id": {"not": ["P001"]}}),
    ],
)
def test_a_correction_overrides_its_slot_alone(
    talk: Talk, text: str, key: str, value: object
) -> None:
    first = talk.say("8月张江的收缴率").slots
    turn = talk.say(text)
    assert first is not None
    assert turn.slots is not None, turn.text
    assert brief(turn.slots) == {**brief(first), key: value}


def test_the_catalogue_is_no_list(talk: Talk) -> None:
    turn = talk.say("8月各园区收缴率", "都有哪些指标")
    assert (turn.outcome, turn.slots) == ("chat", None)
    assert talk.say("按行业").outcome == "answer"
