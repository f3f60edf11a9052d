"""Words that look like times and are none, and times that stand beside such words."""

from __future__ import annotations

import pytest

from nl2sql.times import CompareMatch, GrainMatch, NoCompareMatch, TimeMatch, scan

NO_TIME = """今日头条|三星手机销量|大于2025|超过2025|over 2025|1号楼|3号楼的空置率|一号楼
15号楼|2层|top 5 parks|version 8.15|前3|前三名|前10家|第10到第15名|3份|500平
20万|2000多万|p001|room 2026|2025 units|in 2025 units|may i see the vacancy rate
march on|second|second floor|the first floor|100 sqm|in 3 parks|近地铁|月租金
日报|月球园区的空置率|单月租|周边|年费|两三个|有多少份合同|最近的3笔账单
最近一次|最近几个月|10号线附近|五一广场|五月天|四季酒店|合同期限25年以上|周大福
8.15|192.168.8.15|面积1.5-2.5万|比例3/4|半年|一年|三个月|12 months|monday.com
augustus|decorate|marching|万科|十分|按月租金排序|按年龄分|合同比较多的租户
相同比例|第二个|3和5号楼|去|当|上|2号院|七号厂房|1层|一样"""

INSIDE = [
    ("8月前海的用电量", "8月"),
    ("8月1号楼工单", "8月"),
    ("8月天河医院的收入", "8月"),
    ("8月10家租户", "8月"),
    ("去年起租的合同", "去年"),
    ("上周一共多少工单", "上周"),
    ("本周三栋楼", "本周"),
    ("今年3栋楼", "今年"),
    ("张江1号楼8月用电量", "8月"),
    ("今年前5的租户", "今年"),
    ("今年欠费超过20万的租户", "今年"),
    ("8月前到期的合同", "8月前"),
    ("查一下2026年8月各楼栋", "2026年8月"),
    ("去年10月到今年3月的应收", "去年10月到今年3月"),
    ("average response time in august?", "in august"),
    ("top 3 parks by energy cost last month", "last month"),
    ("revenue for march", "for march"),
    ("what may we owe in may 2026", "in may 2026"),
    ("show me 张江 q3 的 collection rate", "q3"),
    ("张江 august 的 collection rate", "august"),
    ("合同在截至8月底的数量", "截至8月底"),
]

GRAINS = [
    ("每月", "month"), ("每个月", "month"), ("各月", "month"), ("按月份", "month"),
    ("逐月", "month"),
    ("分月", "month"), ("月度", "month"), ("每天", "day"), ("每日", "day"), ("逐日", "day"),
    ("按天", "day"), ("按周", "week"), ("每周", "week"), ("每个季度", "quarter"),
    ("按季度", "quarter"), ("按季", "quarter"), ("每年", "year"), ("按年度", "year"),
    ("按半年", "half"), ("by month", "month"), ("monthly", "month"), ("per week", "week"),
    ("each quarter", "quarter"), ("every day", "day"), ("daily", "day"), ("yearly", "year"),
    ("month by month", "month"), ("quarterly", "quarter"), ("for each month", "month"),
]  # fmt: skip

COMPARES = [
    ("同比", "yoy", False), ("去年同期", "yoy", False), ("跟去年同期比", "yoy", False),
    ("与去年比", "yoy", False), ("较去年", "yoy", False), ("对比去年", "yoy", False),
    ("和去年同期相比", "yoy", False), ("比去年", "yoy", False), ("去年同月", "yoy", False),
    ("环比", "pop", False), ("上月同期", "pop", False), ("比上月", "pop", False),
    ("和上个月比", "pop", False), ("较上季度", "pop", False), ("与上周相比", "pop", False),
    ("全月环比", "pop", True), ("环比(全月)", "pop", True), ("全年同比", "yoy", True),
    ("year over year", "yoy", False), ("yoy", "yoy", False), ("vs last year", "yoy", False),
    ("compared with last year", "yoy", False), ("same period last year", "yoy", False),
    ("month over month", "pop", False), ("mom", "pop", False), ("week over week", "pop", False),
    ("compared to the previous month", "pop", False), ("full month mom", "pop", True),
]  # fmt: skip

NO_COMPARES = [
    "不用对比", "不用对比了", "不要对比了", "取消同比", "不要环比了", "去掉同比", "不看对比",
    "no comparison", "without comparison", "remove the comparison", "without yoy",
]  # fmt: skip


@pytest.mark.parametrize("text", NO_TIME.replace("\n", "|").split("|"))
def test_no_time(text: str) -> None:
    assert scan(text) == ()


@pytest.mark.parametrize(("text", "wanted"), INSIDE)
def test_time_inside(text: str, wanted: str) -> None:
    found = [text[m.start : m.end] for m in scan(text) if isinstance(m, TimeMatch)]
    assert found == [wanted]


@pytest.mark.parametrize(("text", "grain"), GRAINS)
def test_grain(text: str, grain: str) -> None:
    (match,) = scan(text)
    assert isinstance(match, GrainMatch)
    assert (match.start, match.end, match.grain) == (0, len(text), grain)


@pytest.mark.parametrize(("text", "kind", "full"), COMPARES)
def test_compare(text: str, kind: str, full: bool) -> None:
    (match,) = scan(text)
    assert isinstance(match, CompareMatch)
    assert (match.start, match.end, match.kind, match.full) == (0, len(text), kind, full)


@pytest.mark.parametrize("text", NO_COMPARES)
def test_no_compare(text: str) -> None:
    assert scan(text) == (NoCompareMatch(0, len(text)),)


@pytest.mark.parametrize(
    ("text", "time", "compare"),
    [
        ("本月环比", "本月", "环比"),
        ("8月的出租率跟去年同期比", "8月", "跟去年同期比"),
        ("本月和上月对比", "本月", "和上月对比"),
        ("今年较去年", "今年", "较去年"),
        ("rent in august, year over year", "in august", "year over year"),
        ("august vs last year", "august", "vs last year"),
        ("8月和去年同期比", "8月", "和去年同期比"),
    ],
)
def test_time_and_compare(text: str, time: str, compare: str) -> None:
    found = scan(text)
    assert [text[item.start : item.end] for item in found] == [time, compare]
    assert isinstance(found[1], CompareMatch)
