"""Ways of asking, in both domains: turns split by ` / `, then the slots (short form) that must stand."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from dialogue.world import World
from nl2sql.slots import brief
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


@pytest.mark.parametrize(("text", "slots"), cases(PARK))
def test_park(talk: Talk, text: str, slots: dict[str, object]) -> None:
    stand(talk, text, slots)


@pytest.mark.parametrize(("text", "slots"), cases(CLINIC))
def test_clinic(clinic_world: World, text: str, slots: dict[str, object]) -> None:
    stand(Talk(clinic_world), text, slots)
