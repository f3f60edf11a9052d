"""Ways of asking, in both domains: turns split by ` / `, then the slots (short form) that must stand."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal

import pytest

from dialogue.world import World
from nl2sql.slots import Having, Interval, brief
from tests.conversation import Talk

Case = tuple[str, dict[str, object]]

PARK: Mapping[str, list[Case]] = {
    "one layer more is a way to split, and no floor": [
        ("今年各园区应收 / 再按费项拆一层", {"dimensions": ["park_id", "fee_type"], "filters": {}}),
        ("张江的空置面积 / 按楼栋再分一层", {"dimensions": ["building_no"], "filters": {"park_id": ["P001"]}}),
    ],
    "in the parks is no grouping, in each of them is": [
        ("上半年各园区里收缴率最低的3个", {"dimensions": ["park_id"], "limit": 3}),
        ("园区里有多少套空置房源", {"dimensions": [], "metrics": ["vacant_count"]}),
        ("园区内的工单数", {"dimensions": [], "metrics": ["order_count"]}),
    ],
    "that one up there": [
        ("今年欠费最多的企业 / 上面那家的行业", {"dimensions": ["industry"]}),
        ("8月张江3号楼的工单数 / 刚才那栋的空置率", {"filters": {"park_id": ["P001"], "building_no": ["3号楼"]}}),
        ("今年张江的应收 / 该园的工单数", {"filters": {"park_id": ["P001"]}, "metrics": ["order_count"]}),
    ],
    "a value that is there": [
        ("8月楼栋不为空的工单数", {"filters": {"building_no": {"null": False}}}),
        ("8月楼栋为空的工单数 / 不为空的呢", {"filters": {"building_no": {"null": False}}}),
        ("注册地非空的企业数", {"filters": {"tenant_city": {"null": False}}}),
        ("work orders in August with building not empty", {"filters": {"building_no": {"null": False}}}),
    ],
    "one number": [
        ("张江和临港的空置套数 / 合计一个数", {"dimensions": [], "filters": {"park_id": ["P001", "P002"]}}),
        ("今年各园区应收 / 给我一个总数", {"dimensions": []}),
    ],
    "not so: the value of a list, or the word that the layer has for it": [
        ("8月未完成的工单有多少", {"filters": {"order_status": {"not": ["DONE"]}}}),
        ("今年各园区未完成工单数", {"filters": {"order_status": {"not": ["DONE"]}}, "dimensions": ["park_id"]}),
        ("8月还没完成的工单数", {"filters": {"order_status": {"not": ["DONE"]}}}),
        ("8月未取消的工单数", {"filters": {"order_status": {"not": ["CANCELLED"]}}}),
        ("未解约的合同有几份", {"filters": {"contract_status": {"not": ["TERMINATED"]}}}),
        ("尚未生效的合同数", {"filters": {"contract_status": {"not": ["ACTIVE"]}}}),
        ("未空置的房源数", {"filters": {"status": {"not": ["VACANT"]}}}),
        ("8月不紧急的工单数", {"filters": {"priority": {"not": ["URGENT"]}}}),
        ("还没处理的工单有几单", {"filters": {"order_status": ["OPEN"]}}),
        ("没租出去的房源有多少", {"metrics": ["vacant_count"], "filters": {}}),
        ("unfinished work orders in August", {"filters": {"order_status": {"not": ["DONE"]}}}),
    ],
    "numbers in a row that share their noun": [
        ("张江1-3号楼的空置率", {"filters": {"park_id": ["P001"], "building_no": ["1号楼", "2号楼", "3号楼"]}}),
        ("张江1号楼到3号楼的空置面积", {"filters": {"park_id": ["P001"], "building_no": ["1号楼", "2号楼", "3号楼"]}}),
        ("张江2、5号楼的空置率", {"filters": {"park_id": ["P001"], "building_no": ["2号楼", "5号楼"]}}),
        ("张江一到三号楼空置数合计", {"dimensions": [], "filters": {"park_id": ["P001"], "building_no": ["1号楼", "2号楼", "3号楼"]}}),
        ("张江除1-3号楼外各楼栋空置率", {"filters": {"park_id": ["P001"], "building_no": {"not": ["1号楼", "2号楼", "3号楼"]}}}),
        ("张江1号楼2-4层的空置面积", {"filters": {"park_id": ["P001"], "building_no": ["1号楼"], "floor_no": ["2", "3", "4"]}}),
        ("张江1号楼和3号楼的空置率", {"filters": {"park_id": ["P001"], "building_no": ["1号楼", "3号楼"]}}),
        ("occupancy of buildings 1 to 3 in Zhangjiang", {"filters": {"park_id": ["P001"], "building_no": ["1号楼", "2号楼", "3号楼"]}}),
    ],
    "values joined in one word": [
        ("8月张江水电费应收", {"filters": {"park_id": ["P001"], "fee_type": ["WATER", "ELECTRICITY"]}, "dimensions": ["fee_type"]}),
        ("8月水电物业费欠费合计", {"filters": {"fee_type": ["WATER", "ELECTRICITY", "PROPERTY"]}, "dimensions": []}),
        ("大中型企业今年应收", {"filters": {"company_size": ["LARGE", "MEDIUM"]}}),
    ],
    "a metric by what is done": [
        ("响应最慢的园区是哪个", {"metrics": ["avg_response_minutes"], "order": ["avg_response_minutes desc"], "dimensions": ["park_id"], "limit": 1}),
        ("哪个园区处理得最快", {"metrics": ["avg_finish_hours"], "order": ["avg_finish_hours asc"], "dimensions": ["park_id"]}),
        ("8月响应超过24小时的工单有多少", {"metrics": ["order_count"], "filters": {"response_minutes": {"gt": "1440"}}}),
        ("各园区处理超过两天的工单数", {"dimensions": ["park_id"], "filters": {"finish_hours": {"gt": "48"}}}),
        ("响应超过2小时的园区", {"dimensions": ["park_id"], "having": {"avg_response_minutes": {"gt": "120"}}}),
        ("处理最久的5个工单", {"metrics": [], "order": ["finish_hours desc"], "limit": 5}),
        ("work orders with response over 2 hours in August", {"filters": {"response_minutes": {"gt": "120"}}}),
        ("8月逾期多少", {"metrics": ["overdue_amount"]}),
        ("哪家逾期最多", {"metrics": ["overdue_amount"], "dimensions": ["tenant_id"], "limit": 1}),
    ],
    "how much of what was signed": [
        ("今年新签了多少面积", {"metrics": ["leased_contract_area"], "time": ["2026-01-01", "2027-01-01"]}),
        ("how much area was signed this year", {"metrics": ["leased_contract_area"]}),
        ("今年新签多少份合同", {"metrics": ["contract_count"]}),
        ("今年新签多少份合同、多少面积", {"metrics": ["contract_count", "leased_contract_area"]}),
    ],
    "so many of the single rows": [
        ("满意度低于3分的工单有几单", {"metrics": ["order_count"], "filters": {"satisfaction": {"lt": "3"}}, "having": {}}),
        ("8月应收超过5万的账单有几笔", {"metrics": ["bill_count"], "filters": {"bill_amount": {"gt": "50000"}}, "having": {}}),
        ("哪些租户欠费超过50万，一共几家", {"having": {"outstanding_amount": {"gt": "500000"}}, "dimensions": ["tenant_id"]}),
    ],
    "verbs and short forms of English": [
        ("how much does 云启智能有限公司 owe", {"metrics": ["outstanding_amount"], "filters": {"tenant_id": ["T00034"]}}),
        ("who owes the most", {"dimensions": ["tenant_id"], "order": ["outstanding_amount desc"], "limit": 1}),
        ("tenants who owe more than 100k", {"dimensions": ["tenant_id"], "having": {"outstanding_amount": {"gt": "100000"}}}),
        ("amount owed by park", {"dimensions": ["park_id"], "metrics": ["outstanding_amount"]}),
        ("avg response time in Zhangjiang", {"metrics": ["avg_response_minutes"]}),
    ],
    "all of a kind": [
        ("8月各园区电费应收 / 全部费用", {"filters": {}, "dimensions": ["park_id"]}),
        ("8月张江紧急工单数 / 全部工单呢", {"filters": {"park_id": ["P001"]}}),
        ("张江空置办公有几套 / 全部房源呢", {"metrics": ["room_count"], "filters": {"park_id": ["P001"]}}),
        ("8月全部紧急工单数", {"filters": {"priority": ["URGENT"]}}),
    ],
    "a base of its own": [
        ("8月应收比5月", {"time": ["2026-08-01", "2026-09-01"], "comparison": "fixed"}),
        ("8月张江应收 / 跟去年12月比", {"time": ["2026-08-01", "2026-09-01"], "comparison": "fixed"}),
        ("三季度应收 / 对比上半年", {"time": ["2026-07-01", "2026-10-01"], "comparison": "fixed"}),
        ("8月应收较5月增长多少", {"comparison": "fixed"}),
        ("8月各园区工单数相较于5月", {"comparison": "fixed", "dimensions": ["park_id"]}),
        ("张江出租率 / 跟去年12月底比", {"time": ["2026-09-27", "2026-09-28"], "comparison": "fixed"}),
        ("应收对比上半年", {"time": ["2026-01-01", "2026-09-29"], "comparison": "fixed"}),
        ("上半年应收对比去年上半年", {"comparison": "yoy"}),
        ("8月应收相比7月", {"comparison": "pop"}),
        ("August receivables vs May", {"time": ["2026-08-01", "2026-09-01"], "comparison": "fixed"}),
        ("receivables in August compared with May", {"time": ["2026-08-01", "2026-09-01"], "comparison": "fixed"}),
        ("receivables this year compared with H1", {"comparison": "fixed"}),
        ("8月应收 / compared with last December", {"comparison": "fixed"}),
    ],
    "what says itself where it is": [
        ("浦东新区8月收缴率", {"filters": {"district": ["浦东新区"]}}),
    ],
}  # fmt: skip

CLINIC: Mapping[str, list[Case]] = {
    "a period before a name that begins like a longer one": [
        ("8月天河医院的收入", {"time": ["2026-08-01", "2026-09-01"], "filters": {"hospital_id": ["H04"]}}),
        ("上周天河的门诊量", {"time": ["2026-09-21", "2026-09-28"], "filters": {"hospital_id": ["H04"]}}),
        ("上周天的门诊量", {"time": ["2026-09-27", "2026-09-28"]}),
    ],
    "in the hospitals is no grouping, in each of them is": [
        ("医院里有多少张床位", {"dimensions": [], "metrics": ["bed_count"]}),
        ("8月各医院里收入最高的2个", {"dimensions": ["hospital_id"], "limit": 2}),
    ],
    "that one up there": [
        ("8月收入最高的医院 / 该院的就诊人次", {"filters": {"hospital_id": ["H01"]}, "metrics": ["visit_count"]}),
        ("8月收入最高的医院 / 上面那家的医生数", {"filters": {"hospital_id": ["H01"]}, "metrics": ["doctor_count"]}),
    ],
    "a value that is there": [
        ("8月医生不为空的就诊人次", {"filters": {"doctor_id": {"null": False}}}),
    ],
    "not so: the value of a list, or the word that the layer has for it": [
        ("8月未完成的就诊人次", {"filters": {"visit_status": {"not": ["DONE"]}}}),
        ("8月没退号的挂号量", {"filters": {"visit_status": {"not": ["CANCELLED"]}}}),
        ("未占用的床位有几张", {"filters": {"bed_status": {"not": ["OCCUPIED"]}}}),
        ("8月没到诊的挂号数", {"metrics": ["no_show_count"], "filters": {}}),
    ],
    "numbers in a row that share their noun": [
        ("列出东湖内科1-3号床", {"filters": {"hospital_id": ["H01"], "department": ["内科"], "bed_no": ["1号床", "2号床", "3号床"]}}),
    ],
    "values joined in one word": [
        ("8月检查治疗费收入", {"filters": {"charge_category": ["EXAM", "TREATMENT"]}}),
        ("8月门急诊的就诊人次", {"filters": {"visit_type": ["OUTPATIENT", "EMERGENCY"]}}),
    ],
    "a metric by what is done": [
        ("8月候诊最久的科室", {"metrics": ["avg_wait"], "order": ["avg_wait desc"], "dimensions": ["department"]}),
        ("8月候诊超过60分钟的就诊有多少", {"metrics": ["visit_count"], "filters": {"wait_minutes": {"gt": "60"}}}),
        ("8月候诊超过1小时的科室", {"having": {"avg_wait": {"gt": "60"}}}),
    ],
    "counted by its own word": [
        ("8月布洛芬一共多少盒", {"metrics": ["box_count"]}),
        ("阿莫西林8月的药品盒数 / 中成药一共多少盒", {"metrics": ["box_count"], "filters": {"drug_class": ["CHINESE_PATENT"]}}),
        ("8月西药开了多少盒", {"metrics": ["box_count"], "filters": {"drug_class": ["WESTERN"]}}),
    ],
    "all of a kind": [
        ("8月急诊量 / 全部就诊呢", {"metrics": ["visit_count"]}),
        ("8月药费收入 / 全部收费呢", {"metrics": ["revenue"], "filters": {}}),
    ],
    "rows that only their values name": [
        ("列出东湖总院空闲的VIP床", {"object": "bed", "metrics": [], "filters": {"hospital_id": ["H01"], "bed_status": ["FREE"], "bed_class": ["VIP"]}}),
        ("8月药占比 / 列出天河空闲的重症床", {"object": "bed", "filters": {"hospital_id": ["H04"], "bed_status": ["FREE"], "bed_class": ["ICU"]}}),
    ],
    "what says itself where it is": [
        ("武汉今年的医疗收入", {"filters": {"city": ["武汉"]}}),
        ("武汉今年的医疗收入 / 不限城市", {"filters": {}}),
        ("今年华中的收入 / 武汉呢", {"filters": {"region": ["华中"], "city": ["武汉"]}}),
    ],
}  # fmt: skip


def cases(kinds: Mapping[str, list[Case]]) -> list[object]:
    return [pytest.param(*case, id=case[0]) for found in kinds.values() for case in found]


def stand(talk: Talk, text: str, slots: dict[str, object]) -> None:
    turn = talk.say(*text.split(" / "))
    assert turn.outcome == "answer", turn.text
    assert turn.slots is not None
    have = brief(turn.slots)
    assert {key: have[key] for key in slots} == slots


COUNTED = [
    ("欠费10万以上的租户有几家", [["213"]]),
    ("今年欠费超过10万的租户 / 一共几家", [["213"]]),
    ("欠费10万以上的租户有几家 / 张江呢", [["42"]]),
    ("欠费10万以上的租户有几家 / 张江呢 / 50万以上的呢", [["5"]]),
    ("出租率低于80%的园区 / 一共几个", [["2"]]),
    ("空置率高于20%的楼栋有几栋", [["19"]]),
    ("8月工单超过10个的租户有几家", [["2"]]),  # those without a tenant are none
    ("how many tenants owe more than 100k", [["213"]]),
    ("今年欠费最多的5家企业 / 张江的有几家", [["4"]]),  # of the five, not of all tenants
    ("今年欠费最多的5家企业 / 一共几家", [["5"]]),
    (
        "出租率低于80%的园区 / 一共几个 / 是哪几个",
        [
            ["P003", "苏州湾创新园", "0.7803044736108858"],
            ["P005", "光谷生物城", "0.5438574676883197"],
        ],
    ),
]


@pytest.mark.parametrize(("text", "rows"), COUNTED, ids=[case[0] for case in COUNTED])
def test_how_many_of_them(talk: Talk, text: str, rows: list[list[str]]) -> None:
    turn = talk.say(*text.split(" / "))
    assert turn.outcome == "answer", turn.text
    assert turn.result is not None
    assert turn.switch is None
    assert [[str(cell) for cell in row] for row in turn.result.rows] == rows


def test_how_many_of_them_in_each(talk: Talk) -> None:
    for texts in (["各园区欠费10万以上的租户有几家"], ["欠费10万以上的租户有几家", "按园区看"]):
        turn = talk.say(*texts)
        assert turn.result is not None
        counts = {str(row[0]): row[-1] for row in turn.result.rows}
        assert counts["P001"] == 42
        assert counts["P002"] == 50
        assert len(counts) == 6


def test_how_many_of_them_elsewhere(clinic_world: World) -> None:
    turn = Talk(clinic_world).say("8月收入最高的10位医生", "天河的有几位")
    assert turn.result is not None
    assert turn.result.rows == ((2,),)


WHETHER = [
    ("临港收缴率有没有到90%？", "82.36%", "收缴率 ≥ 90%：否"),
    ("8月张江收缴率到90%了吗", "91.89%", "收缴率 ≥ 90%：是"),
    ("张江出租率达到90%没有", "86.17%", "出租率 ≥ 90%：否"),
    ("今年应收到5亿了吗", "530,162,916.16", "应收 ≥ 500,000,000：是"),
    ("8月工单有没有超过2500单", "2,756", "工单数 > 2,500：是"),
    ("8月各园区收缴率 / 张江到95%了吗", "91.89%", "收缴率 ≥ 95%：否"),
    ("各园区收缴率都到90%了吗", "", "收缴率 ≥ 90%：6 项中 2 项满足"),
    ("Is Lingang's occupancy above 80%?", "85.57%", "occupancy rate > 80%: yes"),
    ("Did Zhangjiang reach 90% collection rate in August?", "91.89%", "collection rate ≥ 90%: yes"),
]


@pytest.mark.parametrize(("text", "figure", "verdict"), WHETHER, ids=[case[0] for case in WHETHER])
def test_yes_or_no_beside_the_number(talk: Talk, text: str, figure: str, verdict: str) -> None:
    turn = talk.say(*text.split(" / "))
    assert turn.outcome == "answer"
    assert turn.slots is not None
    assert not turn.slots.having
    assert figure in turn.text
    assert verdict in turn.text


@pytest.mark.parametrize("text", ["逾期的账单有几笔", "逾期账单有多少"])
def test_some_of_the_rows_are_not_counted_as_all(talk: Talk, text: str) -> None:
    turn = talk.say(text)
    assert (turn.outcome, turn.reason) == ("decline", "unread"), turn.text


@pytest.mark.parametrize(("text", "slots"), cases(PARK))
def test_park(talk: Talk, text: str, slots: dict[str, object]) -> None:
    stand(talk, text, slots)


@pytest.mark.parametrize(("text", "slots"), cases(CLINIC))
def test_clinic(clinic_world: World, text: str, slots: dict[str, object]) -> None:
    stand(Talk(clinic_world), text, slots)


@pytest.mark.parametrize(
    ("text", "hours", "says"),
    [
        ("昨天上午的工单数", (6, 12), "上午"),
        ("昨天下午新增工單數", (12, 18), "下午"),
        ("ticket count yesterday afternoon", (12, 18), "afternoon"),
        ("昨天凌晨的工单数", (0, 6), "凌晨"),
    ],
)
def test_a_part_of_a_day_is_told_by_its_hours(
    talk: Talk, text: str, hours: tuple[int, int], says: str
) -> None:
    turn = talk.say(text)
    assert turn.slots is not None, turn.text
    assert turn.slots.time is not None
    wanted = [datetime(2026, 9, 27, hour) for hour in hours]
    assert [(item.start, item.end) for item in turn.slots.time.ranges] == [tuple(wanted)]
    assert [item.value for item in turn.assumptions if item.slot == "calendar"] == ["part_of_day"]
    assert says in turn.text


@pytest.mark.parametrize(
    "text", ["昨天上午的应收", "昨天上午的應收", "receivable yesterday morning"]
)
def test_a_date_has_no_parts_of_a_day(talk: Talk, text: str) -> None:
    assert talk.say(text).reason == "no-hours"


def test_a_condition_may_be_below_zero(talk: Talk) -> None:
    for text in (
        "今年欠费低于-100的租户",
        "今年欠費低於負一百的租戶",
        "tenants with arrears below minus 100 this year",
    ):
        turn = talk.say(text)
        assert turn.slots is not None, turn.text
        below = Interval(low_inclusive=False, high=Decimal(-100), high_inclusive=False)
        assert turn.slots.having == (Having("outstanding_amount", below),)
        assert turn.result is not None
        assert turn.result.row_count == 8
        assert all(row[-1] < -100 for row in turn.result.rows)  # type: ignore[operator]
