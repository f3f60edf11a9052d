"""Kinds of saying that the tenth set of blind dialogues found: what is said, then the slots that must stand."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from dialogue.world import World
from nl2sql.slots import brief
from tests.conversation import Talk

FLOOR = "张江2号楼3层空置率"
BUILDING = "张江2号楼空置率"
OF_PARK = {"filters": {"park_id": ["P001"]}, "dimensions": []}
OF_BUILDING = {"filters": {"park_id": ["P001"], "building_no": ["2号楼"]}, "dimensions": []}
TO_800K = {"receivable_amount": {"lte": "800000"}}
NEXT_YEAR = ["2027-01-01", "2028-01-01"]
TICKETS = "上周各类别工单数"
REPAIRS = {"filters": {"category": ["REPAIR"]}, "dimensions": []}
FEES = "8月各费项应收"
RENT = {"metrics": ["collection_rate"], "filters": {"fee_type": ["RENT"]}, "dimensions": []}
AUGUST = ["2026-08-01", "2026-09-01"]
JULY = ["2026-07-01", "2026-08-01"]
FLOOR3 = "张江3楼的空置数"
OF_FLOOR3 = {
    "metrics": ["vacant_count"],
    "filters": {"park_id": ["P001"], "floor_no": ["3"]},
    "dimensions": [],
}
OF_CITY = {"filters": {"city": ["上海"]}, "dimensions": []}
CASES: list[tuple[str, list[str], dict[str, object]]] = [
    # the whole of what a part was asked about
    ("the whole park", ["vacancy rate of Building 2 in Zhangjiang", "the whole park"], OF_PARK),
    ("the entire park", ["vacancy rate of Building 2 in Zhangjiang", "for the entire park?"], OF_PARK),
    ("the park as a whole", ["vacancy rate of Building 2 in Zhangjiang", "the park as a whole"], OF_PARK),
    ("the whole building", ["vacancy rate of floor 3 of Building 2 in Zhangjiang", "the whole building"], OF_BUILDING),
    ("the whole city", ["vacancy rate of Building 2 in Zhangjiang", "the whole city"], OF_CITY),
    ("the whole of a park, in a first question", ["vacancy rate of the whole park"], {"filters": {}, "dimensions": []}),
    ("整个园区", [BUILDING, "整个园区呢"], OF_PARK),
    ("全园", [BUILDING, "全园呢"], OF_PARK),
    ("全园 with another metric", [BUILDING, "全园出租率"], {"metrics": ["occupancy_rate"], **OF_PARK}),
    ("全园区, after a part", [BUILDING, "全园区"], OF_PARK),
    ("全园区, after no part", ["张江空置率", "全园区"], {"filters": {}, "dimensions": []}),
    ("全园, after no part", ["张江空置率", "全园呢"], OF_PARK),
    ("全楼, after no part", [BUILDING, "全楼呢"], OF_BUILDING),
    ("整个园", [BUILDING, "整个园的"], OF_PARK),
    ("园区整体", [BUILDING, "园区整体呢"], OF_PARK),
    ("全楼, after a floor", [FLOOR, "全楼"], OF_BUILDING),
    ("整栋, after a floor", [FLOOR, "整栋呢"], OF_BUILDING),
    ("two levels up", [FLOOR, "整个园区"], OF_PARK),
    ("the city that the park is in", [BUILDING, "整个城市呢"], OF_CITY),
    ("全市, after parks of it", ["上海各园区出租率", "全市呢"], OF_CITY),
    ("the whole, after its parts", ["张江各楼栋空置率", "整个园区呢"], OF_PARK),
    ("the whole, after the best of its parts", ["张江空置率最高的3栋楼", "整个园区呢"], {"limit": None, "order": [], **OF_PARK}),
    ("the parts that this turn asks for stay", ["整个园区各楼栋空置率"], {"dimensions": ["building_no"]}),
    ("other groups stay", ["张江2号楼各用途空置率", "整个园区呢"], {"filters": {"park_id": ["P001"]}, "dimensions": ["usage_type"]}),
    ("all that a level has", [BUILDING, "不限楼栋"], OF_PARK),
    ("all buildings", ["vacancy rate of Building 2 in Zhangjiang", "all buildings"], OF_PARK),
    ("all floors", [FLOOR, "所有楼层"], OF_BUILDING),
    # one thing on a level, pointed at after a part of it
    ("this building, after a floor", [FLOOR, "这栋楼呢"], OF_BUILDING),
    ("this building as a whole", [FLOOR, "这栋楼整体"], OF_BUILDING),
    ("that park, after a building", [BUILDING, "该园区的空置数"], {"metrics": ["vacant_count"], **OF_PARK}),
    # a condition on groups, and other groups
    ("the condition moves", ["8月应收不超过80万的行业", "改成按费项"], {"dimensions": ["fee_type"], "filters": {}, "having": TO_800K}),
    ("the condition moves, said plainly", ["8月应收不超过80万的行业", "按费项看"], {"dimensions": ["fee_type"], "filters": {}, "having": TO_800K}),
    ("the condition moves, in English", ["industries with a receivable of at most 800000 in August", "by fee type instead"], {"dimensions": ["fee_type"], "filters": {}, "having": TO_800K}),
    ("after rows were shown", ["8月应收超过300万的园区", "改成按费项"], {"dimensions": ["fee_type"], "filters": {}}),
    ("others than none are all", ["今年欠费超过1000万的租户", "其他的呢"], {"dimensions": ["tenant_id"], "filters": {}, "having": {}}),
    ("all, where none were shown", ["今年欠费超过1000万的租户", "合计多少", "全部"], {"dimensions": [], "filters": {}, "having": {}}),
    # the date that a metric is about
    ("expiring, after signed", ["How many contracts were signed in 2025 in Suzhou?", "expiring contracts next year instead"], {"metrics": ["expiring_count"], "time": NEXT_YEAR}),
    ("expiring with groups, after signed", ["2025年苏州签约的合同数", "按企业规模", "明年到期合同数"], {"metrics": ["expiring_count"], "dimensions": ["company_size"], "time": NEXT_YEAR}),
    # the kind, the item, the floor that a rank just named
    ("这类", [TICKETS, "哪类最多", "这类的平均响应时长"], {"metrics": ["avg_response_minutes"], **REPAIRS}),
    ("那类", [TICKETS, "哪类最多", "那类呢，平均响应时长"], {"metrics": ["avg_response_minutes"], **REPAIRS}),
    ("这一类", [TICKETS, "哪一类最多", "这一类的满意度"], REPAIRS),
    ("这个类别", [TICKETS, "哪个类别最多", "这个类别的满意度"], REPAIRS),
    ("这个类型, which no dimension is called", [TICKETS, "哪个类型最多", "这个类型的满意度"], REPAIRS),
    ("这类工单", [TICKETS, "哪类最多", "这类工单的满意度"], REPAIRS),
    ("这类报修, which is no value then", ["8月各类别工单数", "哪类最少", "这类报修的满意度"], {"filters": {"category": ["ELEVATOR"]}}),
    ("that type", ["work orders last week by category", "which type has the most", "average response time of that type"], REPAIRS),
    ("that category", ["work orders last week by category", "which category is highest", "the satisfaction of that category"], REPAIRS),
    ("such tickets", ["work orders last week by category", "which kind has the most", "the satisfaction of such tickets"], REPAIRS),
    ("这项", [FEES, "哪项最多", "这项的收缴率"], RENT),
    ("该项", [FEES, "哪一项最多", "该项收缴率"], RENT),
    ("这种费用", [FEES, "最多的是哪种", "这种费用的收缴率"], RENT),
    ("that item", ["August receivable by fee type", "which is highest", "collection rate of that item"], RENT),
    ("这级", ["上周各优先级工单数", "哪级最多", "这级的响应时长"], {"filters": {"priority": ["NORMAL"]}}),
    ("这类企业", ["各企业规模企业数", "哪类最多", "这类企业今年应收"], {"filters": {"company_size": ["MEDIUM"]}}),
    ("这层", ["张江1号楼各楼层空置数", "哪层最多", "这层的空置率"], {"filters": {"park_id": ["P001"], "building_no": ["1号楼"], "floor_no": ["4"]}}),
    ("这一层", ["张江1号楼各楼层空置数", "哪一层最多", "这一层的空置率"], {"dimensions": []}),
    ("这幢", ["张江各楼栋空置数", "哪幢最多", "这幢的空置率"], OF_BUILDING),
    ("那栋楼", [BUILDING, "那栋楼的空置数"], {"metrics": ["vacant_count"], **OF_BUILDING}),
    ("这个园", ["8月各园区应收", "哪个园最多", "这个园的收缴率"], {"filters": {"park_id": ["P001"]}, "dimensions": []}),
    ("这户", ["8月各租户应收", "哪户最多", "这户的收缴率"], {"dimensions": []}),
    ("那里", ["8月各园区应收", "哪里最多", "那里的收缴率"], {"filters": {"park_id": ["P001"]}, "dimensions": []}),
    ("there", ["August receivable by park", "which is highest", "collection rate there"], {"filters": {"park_id": ["P001"]}, "dimensions": []}),
    # who wants it, and what for
    ("a preamble", ["财务要个数，8月份张江的收款率多少", "临港嘞", "7月的", "那实收呢"], {"metrics": ["received_amount"], "filters": {"park_id": ["P002"]}, "time": JULY}),
    ("a preamble of a follow-up", ["8月张江的收款率", "领导问，临港呢"], {"filters": {"park_id": ["P002"]}, "time": AUGUST}),
    ("a preamble with a time of its own", ["8月张江的收款率", "明天开会用，临港呢"], {"filters": {"park_id": ["P002"]}, "time": AUGUST}),
    ("a preamble, in English", ["For the board meeting, August receivable by park"], {"dimensions": ["park_id"], "time": AUGUST}),
    # Chinese in Latin letters
    ("zhangjiang ne", ["上季度各园区收缴率", "只看上海的", "zhangjiang ne"], {"dimensions": ["park_id"], "filters": {"city": ["上海"], "park_id": ["P001"]}}),
    ("lingang de", ["8月张江应收", "lingang de"], {"filters": {"park_id": ["P002"]}}),
    ("na lingang ne", ["8月张江应收", "na lingang ne?"], {"filters": {"park_id": ["P002"]}}),
    ("lingang呢", ["8月张江应收", "lingang呢"], {"filters": {"park_id": ["P002"]}}),
    ("lingang de, in the middle", ["8月张江应收", "lingang de 收缴率"], {"metrics": ["collection_rate"], "filters": {"park_id": ["P002"]}}),
    # a question back, and every way to go on from it
    ("a floor of all buildings", [FLOOR3, "楼层", "整个园区的3层"], OF_FLOOR3),
    ("all buildings, in a reply", [FLOOR3, "楼层", "所有楼栋"], OF_FLOOR3),
    ("all of them, more than were listed", [FLOOR3, "楼层", "都要"], OF_FLOOR3),
    ("a row for each building", [FLOOR3, "楼层", "各楼栋"], {"dimensions": ["building_no"], "filters": OF_FLOOR3["filters"]}),
    ("the kind, said in a sentence", [FLOOR3, "我说的是楼层", "整个园区"], OF_FLOOR3),
    ("the kind of building", [FLOOR3, "指的是楼栋"], {"filters": {"park_id": ["P001"], "building_no": ["3号楼"]}}),
    ("another floor keeps the metric", [FLOOR3, "5层呢", "整个园区"], {"metrics": ["vacant_count"], "filters": {"park_id": ["P001"], "floor_no": ["5"]}}),
    ("another building keeps the metric", [FLOOR3, "5栋呢"], {"metrics": ["vacant_count"], "filters": {"park_id": ["P001"], "building_no": ["5号楼"]}}),
    ("after two questions, all", [FLOOR3, "楼层", "5层呢"], {"metrics": ["vacant_count"], "filters": {"park_id": ["P001"], "floor_no": ["5"]}}),
    ("a building after floors of all", [FLOOR3, "楼层", "5层呢", "2栋"], {"metrics": ["vacant_count"], **OF_BUILDING}),
    ("a floor of one of them", [FLOOR3, "楼层", "2栋"], {"filters": {"park_id": ["P001"], "building_no": ["2号楼"], "floor_no": ["3"]}}),
    ("both told at once", [FLOOR3, "楼层", "2号楼5层"], {"filters": {"park_id": ["P001"], "building_no": ["2号楼"], "floor_no": ["5"]}}),
    ("another floor of all", [FLOOR3, "楼层", "全部", "5层呢"], {"filters": {"park_id": ["P001"], "floor_no": ["5"]}}),
    ("another month of all", [FLOOR3, "楼层", "全部", "上个月呢"], {"time": AUGUST, **OF_FLOOR3}),
    ("all buildings, in the question", ["张江所有楼栋3层空置数"], OF_FLOOR3),
    ("the whole park, in the question", ["张江整个园区3层空置数"], OF_FLOOR3),
    ("the total of all buildings", ["张江各楼栋3层空置数", "合计"], OF_FLOOR3),
    ("another building, of which it is asked too", ["1号楼空置率", "2号楼呢", "张江"], {"metrics": ["vacancy_rate"], **OF_BUILDING}),
    ("another metric of it", ["2号楼空置率", "出租率呢", "张江"], {"metrics": ["occupancy_rate"], **OF_BUILDING}),
    ("another time of it", ["2号楼空置率", "上个月的呢", "张江"], {"metrics": ["vacancy_rate"], "time": AUGUST, **OF_BUILDING}),
    ("after another topic", ["8月应收", "2号楼空置率", "张江呢"], {"metrics": ["vacancy_rate"], **OF_BUILDING}),
    ("a subject stays what it was", ["8月收费情况怎么样", "临港", "实收"], {"metrics": ["received_amount"], "filters": {"park_id": ["P002"]}, "time": AUGUST}),
    ("a part of a name stays open", ["蓝海智能的欠费", "8月的", "2"], {"metrics": ["outstanding_amount"], "time": AUGUST}),
    ("in English", ["vacant rooms on floor 3 of Zhangjiang", "the whole park"], OF_FLOOR3),
    ("another floor, in English", ["vacant rooms on floor 3 of Zhangjiang", "floor 5", "building 2"], {"metrics": ["vacant_count"], "filters": {"park_id": ["P001"], "building_no": ["2号楼"], "floor_no": ["5"]}}),
    ("a new question is one", ["2号楼空置率", "8月应收"], {"metrics": ["receivable_amount"], "filters": {}}),
    ("a new question of another object is one", ["2号楼空置率", "租户数"], {"metrics": ["tenant_count"], "filters": {}}),
    # what stands beside a name points at nothing said before
    ("that place beside its name", ["张江那边8月应收"], {"filters": {"park_id": ["P001"]}}),
    ("this park beside its name", ["张江这个园区8月应收"], {"filters": {"park_id": ["P001"]}}),
    ("this kind beside its name", ["8月投诉这类工单有多少"], {"metrics": ["order_count"], "filters": {"category": ["COMPLAINT"]}}),
    ("this item beside its name", ["8月水费这项应收"], {"filters": {"fee_type": ["WATER"]}}),
    ("this number", ["张江8月应收", "这项指标按费项"], {"dimensions": ["fee_type"], "filters": {"park_id": ["P001"]}}),
    ("那 that is 那么", ["各园区8月应收", "那园区收缴率呢"], {"dimensions": ["park_id"], "limit": None}),
    ("那 before all", ["那所有园区的8月应收"], {"filters": {}}),
    ("that park, in English", ["vacancy rate of Building 2 in Zhangjiang", "and that park?"], OF_PARK),
]  # fmt: skip


def held(slots: Mapping[str, object], wanted: Mapping[str, object]) -> None:
    assert {key: slots.get(key) for key in wanted} == wanted


@pytest.mark.parametrize(
    ("said", "wanted"), [case[1:] for case in CASES], ids=[c[0] for c in CASES]
)
def test_slots(talk: Talk, said: list[str], wanted: dict[str, object]) -> None:
    turn = talk.say(*said)
    assert turn.outcome == "answer", turn.text
    assert turn.slots is not None
    held(brief(turn.slots), wanted)


@pytest.mark.parametrize(
    "said",
    [
        ["今年欠费超过1000万的租户", "合计多少"],  # there are none to be summed
        ["今年欠费超过1000万的租户", "分布在哪些行业"],
        ["今年欠费超过1000万的租户", "按行业分"],
        ["industries with a receivable over 900 million in August", "in total"],
        ["张江上周各类别工单数", "这类的满意度"],  # one of several, and no park
        ["张江各楼栋空置数", "这栋的空置率"],
        ["那里8月的应收"],
    ],
)
def test_what_is_meant_is_asked(talk: Talk, said: list[str]) -> None:
    turn = talk.say(*said)
    assert turn.outcome == "clarify", turn.text
    assert turn.clarification is not None
    assert turn.clarification.about == "reference"


@pytest.mark.parametrize(
    ("said", "alike"),
    [
        (["2025年签约的合同数", "到期合同数呢"], ["2025年到期合同数"]),
        (["2026年起租的合同数", "到期合同数呢"], ["2026年到期合同数"]),
        (["2025年签约的合同数", "再加上到期合同数"], ["2025年合同数", "再加上到期合同数"]),
        # a date that no metric is about by itself stays
        (["2026年起租的合同数", "合同面积呢"], ["2026年起租的合同面积"]),
    ],
)
def test_the_date_that_a_metric_is_about(world: World, said: list[str], alike: list[str]) -> None:
    assert Talk(world).say(*said).all_rows == Talk(world).say(*alike).all_rows


def test_all_are_as_many_as_there_are(talk: Talk) -> None:
    whole = talk.say(FLOOR3, "楼层", "都要").all_rows[0][-1]
    each = talk.say("各楼栋").all_rows
    assert len(each) > 7
    assert sum(row[-1] for row in each) == whole  # type: ignore[misc]


def test_the_stated_default_is_told(talk: Talk) -> None:
    turn = talk.say(FLOOR3, "楼层", "5层呢")
    choice = next(item for item in turn.assumptions if item.slot == "choice")
    assert choice.value == "全部（不限定）"
    assert [item.label for item in choice.alternatives][:2] == ["1号楼", "2号楼"]


def test_pinyin_is_answered_in_chinese(talk: Talk) -> None:
    assert talk.say("8月张江应收", "lingang ne").lang == "zh"
    assert talk.say("Lingang").lang == "en"


@pytest.mark.parametrize(
    "text", ["collection rate in la", "collection rate of Suzhou Bay la", "ne"]
)
def test_elsewhere_it_may_be_anything(talk: Talk, text: str) -> None:
    assert talk.say("8月张江应收", text).reason == "unread"


def test_groups_of_a_condition_are_spread_by_what_they_are(talk: Talk) -> None:
    tenants = talk.say("今年欠费超过10万的租户").all_rows
    for said in ("分布在哪些行业", "按行业分"):
        turn = talk.say(said)
        assert turn.slots is not None
        assert turn.slots.having == ()
        assert sum(row[-1] for row in turn.all_rows) == sum(row[-1] for row in tenants)  # type: ignore[misc]
        talk.say("撤销")


CLINIC: list[tuple[list[str], dict[str, object]]] = [
    (["东湖总院内科8月就诊量", "全院呢"], {"filters": {"hospital_id": ["H01"]}}),
    (["东湖总院3楼床位数", "整个医院"], {"filters": {"hospital_id": ["H01"]}}),
    (["东湖总院3楼床位数", "城南呢"], {"filters": {"hospital_id": ["H02"]}}),
    (["东湖总院8月就诊量", "整个大区"], {"filters": {"region": ["华中"]}}),
]


@pytest.mark.parametrize(("said", "wanted"), CLINIC)
def test_in_another_domain(clinic_world: World, said: list[str], wanted: dict[str, object]) -> None:
    turn = Talk(clinic_world).say(*said)
    assert turn.outcome == "answer", turn.text
    assert turn.slots is not None
    held(brief(turn.slots), wanted)
