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
        ("今年租户数", "no-date"),  # tenants have no date
    ],
)
def test_what_is_not_guessed(talk: Talk, text: str, reason: str) -> None:
    turn = talk.say(text)
    assert (turn.outcome, turn.reason) == ("decline", reason), turn.text
