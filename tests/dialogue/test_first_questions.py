"""Single questions by kind: what is said, then the slots (in the short form) that must stand."""

from __future__ import annotations

import pytest

from nl2sql.slots import brief
from tests.conversation import Talk

CASES: dict[str, list[tuple[str, dict[str, object]]]] = {
    "a number of them and a superlative said apart are one rank": [
        ("今年哪5个租户欠费最多", {"dimensions": ["tenant_id"], "order": ["outstanding_amount desc"], "limit": 5}),
        ("今年哪三栋楼用水量最高", {"dimensions": ["building_no"], "order": ["water_ton desc"], "limit": 3, "filters": {}}),
        ("哪三个行业租户数最多", {"dimensions": ["industry"], "limit": 3}),
        ("租户数最多的行业前三", {"dimensions": ["industry"], "order": ["tenant_count desc"], "limit": 3}),
        ("今年收缴率最低的是哪三个园区", {"dimensions": ["park_id"], "order": ["collection_rate asc"], "limit": 3}),
        ("which 3 parks have the highest occupancy", {"dimensions": ["park_id"], "order": ["occupancy_rate desc"], "limit": 3}),
        ("张江空置面积前3栋", {"dimensions": ["building_no"], "order": ["vacant_area desc"], "limit": 3}),
        ("哪两个园区出租率低于80%", {"dimensions": ["park_id"], "having": {"occupancy_rate": {"lt": "0.8"}}, "limit": None}),
    ],
    "ranks from one place to another": [
        ("今年应收排第10到第15名的企业", {"dimensions": ["tenant_id"], "limit": 15}),
        ("今年应收排名10到15名的企业", {"dimensions": ["tenant_id"], "limit": 15}),
    ],
    "which floor is not the first floor": [
        ("张江2号楼哪一层空置面积最大", {"dimensions": ["floor_no"], "filters": {"park_id": ["P001"], "building_no": ["2号楼"]}, "limit": 1}),
    ],
    "a period before 报修, which is no weekly paper": [
        ("请帮我查上周报修量", {"metrics": ["order_count"], "time": ["2026-09-21", "2026-09-28"]}),
        ("9月3日报修量", {"metrics": ["order_count"], "time": ["2026-09-03", "2026-09-04"]}),
    ],
    "a comparison that is added": [
        ("请看8月工单数，带环比", {"metrics": ["order_count"], "comparison": "pop"}),
        ("8月工单数，加上同比", {"metrics": ["order_count"], "comparison": "yoy"}),
    ],
    "a unit tells which attribute a condition is on": [
        ("500平以上的空置房源有几套", {"metrics": ["vacant_count"], "filters": {"area_sqm": {"gte": "500"}}, "having": {}}),
        ("列出张江500平以上的房源", {"metrics": [], "filters": {"area_sqm": {"gte": "500"}, "park_id": ["P001"]}}),
        ("今年应收，只看5万元以上的账单", {"metrics": ["receivable_amount"], "filters": {"bill_amount": {"gte": "50000"}}}),
        ("列出超过5万的账单", {"metrics": [], "filters": {"bill_amount": {"gt": "50000"}}, "having": {}}),
        ("总面积超过1万平的园区", {"having": {"total_area": {"gt": "10000"}}, "dimensions": ["park_id"]}),
    ],
    "a word for the things themselves asks for their rows": [
        ("List vacant rooms in Optics Valley over 500 sqm", {"metrics": [], "filters": {"status": ["VACANT"], "area_sqm": {"gt": "500"}, "park_id": ["P005"]}}),
        ("list high-tech companies in Zhangjiang", {"metrics": [], "filters": {"is_high_tech": ["true"], "park_id": ["P001"]}}),
        ("列出今年到期合同", {"metrics": [], "filters": {"contract_status": {"not": ["TERMINATED"]}}, "time": ["2026-01-01", "2027-01-01"]}),
        ("列出张江空置率", {"metrics": ["vacancy_rate"]}),
    ],
    "a further dimension is shown, not dropped": [
        ("今年欠费最多的5家企业的行业", {"dimensions": ["tenant_id", "industry"], "limit": 5}),
    ],
    "a unit tells which metric": [
        ("张江空置房源多少平", {"metrics": ["vacant_area"], "filters": {"park_id": ["P001"]}}),
        ("张江有多少平空置", {"metrics": ["total_area"], "filters": {"park_id": ["P001"], "status": ["VACANT"]}}),
        ("8月张江用电花了多少钱", {"metrics": ["energy_cost"], "filters": {"park_id": ["P001"], "energy_type": ["ELECTRICITY"]}}),
    ],
    "what was done is said by a verb": [
        ("8月张江欠物业费多少", {"metrics": ["outstanding_amount"], "filters": {"park_id": ["P001"], "fee_type": ["PROPERTY"]}}),
        ("哪家租户欠得最多", {"metrics": ["outstanding_amount"], "dimensions": ["tenant_id"], "limit": 1}),
        ("今年收到多少工单", {"metrics": ["order_count"]}),
    ],
    "how much a compared number moved": [
        ("应收同比涨了多少", {"metrics": ["receivable_amount"], "comparison": "yoy"}),
        ("8月应收比7月多了多少", {"time": ["2026-08-01", "2026-09-01"], "comparison": "pop"}),
        ("YoY growth of receivables in August", {"metrics": ["receivable_amount"], "comparison": "yoy"}),
    ],
    "vs between values and between periods": [
        ("Zhangjiang vs Lingang occupancy", {"dimensions": ["park_id"], "filters": {"park_id": ["P001", "P002"]}}),
        ("collection rate in Aug vs Jul", {"grain": "month", "time": [["2026-08-01", "2026-09-01"], ["2026-07-01", "2026-08-01"]]}),
    ],
    "a count by the date that is said": [
        ("contracts expiring next quarter", {"metrics": ["expiring_count"], "time": ["2026-10-01", "2027-01-01"]}),
    ],
    "the whole of a thing is no grouping by it": [
        ("整个园区的出租率", {"dimensions": [], "filters": {}}),
    ],
    "a rank before the metric": [
        ("各园区前三欠费租户", {"dimensions": ["park_id", "tenant_id"], "limit": 3}),
        ("top 3 arrears tenants this year", {"dimensions": ["tenant_id"], "limit": 3}),
        ("排名第三的租户 今年欠费", {"dimensions": ["tenant_id"], "limit": 3}),
        ("收缴率垫底的园区", {"dimensions": ["park_id"], "order": ["collection_rate asc"], "limit": 1}),
    ],
    "a lower and an upper bound side by side": [
        ("欠费超过10万、不到50万的租户", {"having": {"outstanding_amount": {"gt": "100000", "lt": "500000"}}}),
        ("面积大于100小于300的空置房源", {"filters": {"area_sqm": {"gt": "100", "lt": "300"}, "status": ["VACANT"]}}),
    ],
    "values that are not there, and that are not": [
        ("未知行业的欠费", {"filters": {"industry": {"null": True}}}),
        ("tenants w/o industry", {"filters": {"industry": {"null": True}}}),
        ("urgent tickets not done", {"filters": {"priority": ["URGENT"], "order_status": {"not": ["DONE"]}}}),
    ],
    "whoever can be asked who": [
        ("谁欠得最多", {"dimensions": ["tenant_id"], "limit": 1}),
        ("who has the highest arrears this year", {"dimensions": ["tenant_id"], "limit": 1}),
    ],
    "到年底 is until then, and not that day": [
        ("到8月底的欠费", {"time": [None, "2026-09-01"]}),
        ("6月到8月底应收", {"time": ["2026-06-01", "2026-09-01"]}),
    ],
    "good and bad depend on the metric": [
        ("空置率最差的园区", {"order": ["vacancy_rate desc"], "limit": 1}),
        ("响应时长最好的3个园区", {"order": ["avg_response_minutes asc"], "limit": 3}),
        ("收缴率最差的园区", {"order": ["collection_rate asc"], "limit": 1}),
        ("worst 3 parks by vacancy rate", {"order": ["vacancy_rate desc"], "limit": 3}),
        ("欠费最差的园区的收缴率", {"metrics": ["collection_rate"], "order": ["outstanding_amount desc"], "limit": 1}),
    ],
    "a floor right after its building": [
        ("临港2号楼3楼出租率", {"filters": {"park_id": ["P002"], "building_no": ["2号楼"], "floor_no": ["3"]}}),
        ("临港2号楼3楼有哪些空房", {"filters": {"park_id": ["P002"], "building_no": ["2号楼"], "floor_no": ["3"], "status": ["VACANT"]}}),
    ],
    "what is added comes after what is set": [
        ("张江出租率空置率一起看", {"metrics": ["occupancy_rate", "vacancy_rate"]}),
        ("8月应收再加上实收", {"metrics": ["receivable_amount", "received_amount"]}),
    ],
    "which one is more": [
        ("张江和临港哪个收缴率高", {"dimensions": ["park_id"], "order": ["collection_rate desc"], "limit": 1}),
        ("张江和临港哪个欠费少一点", {"order": ["outstanding_amount asc"], "limit": 1}),
        ("今年哪个园区工单多", {"dimensions": ["park_id"], "order": ["order_count desc"], "limit": 1}),
        ("租户最多的行业是哪个", {"metrics": ["tenant_count"], "dimensions": ["industry"], "limit": 1}),
    ],
    "an order is no rank": [
        ("response time by category in August, slowest first", {"order": ["avg_response_minutes desc"], "limit": None}),
        ("3rd highest park by receivable", {"dimensions": ["park_id"], "limit": 3}),
        ("how is occupancy trending", {"grain": "month", "time": ["2025-10-01", "2026-10-01"]}),
    ],
    "telegram ranks": [
        ("上月欠费top10企业", {"dimensions": ["tenant_id"], "limit": 10}),
    ],
    "two slips of the pen in one question": [
        ("临港智造圆入住率", {"metrics": ["occupancy_rate"], "filters": {"park_id": ["P002"]}}),
    ],
}  # fmt: skip


@pytest.mark.parametrize(
    ("text", "slots"),
    [case for cases in CASES.values() for case in cases],
    ids=[case[0] for cases in CASES.values() for case in cases],
)
def test_slots(talk: Talk, text: str, slots: dict[str, object]) -> None:
    turn = talk.say(text)
    assert turn.outcome == "answer", turn.text
    assert turn.slots is not None
    have = brief(turn.slots)
    assert {key: have[key] for key in slots} == slots


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("哪三个园区", "unread"),  # by what?
        ("今年应收最高的园区前三租户", "unread"),  # a rank within a rank
        ("今年欠费最多的5家企业的费用类型", "unread"),  # the five would be others
        ("收缴率涨了多少", "unread"),  # from when?
        (
            "semiconductor tenants in Shanghai parks",
            "unreachable",
        ),  # not those registered in Shanghai
        ("上海园区的芯片企业数", "unreachable"),
        ("parks by vacancy rate, worst first", "unread"),  # which end is that?
        ("欠费3个月以上的租户", "unread"),  # months are no money
        ("欠费超过10%的租户", "unread"),
        ("用电量同比下降的园区", "unread"),  # a condition on the change
        ("哪些园区收缴率同比下降", "unread"),
        ("工单取消率", "unread"),  # 取消的 is no other way to write it
        ("张江A栋空置率", "unread"),  # the A is no article
        ("今年租户数", "no-date"),  # tenants have no date
    ],
)
def test_what_is_not_guessed(talk: Talk, text: str, reason: str) -> None:
    turn = talk.say(text)
    assert (turn.outcome, turn.reason) == ("decline", reason), turn.text
