"""Numbers and bounds, by hand from RULES.md §8."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nl2sql.numbers import scan_bounds, scan_numbers

NOUNS = frozenset({"合同", "工单", "work orders", "contracts"})

VALUES = """三万五 35000|一百二 120|13万2 132000|16.4亿 1640000000|十五 15|二十五 25
两百五十 250|一千零五 1005|两千三 2300|三万五千 35000|三万零五 30005
四万二 42000|三点五万 35000|零点二亿 20000000|2亿3000万 230000000|3万5千 35000
3千 3000|0.2亿 20000000|1,000 1000|100,000 100000|1,234,567.5 1234567.5
10k 10000|2m 2000000|1.5 million 1500000|3 thousand 3000|2.5bn 2500000000
10w 100000|ten 10|twenty 20|thirty-five 35|two hundred 200|一亿三 130000000
十万 100000|一百零二 102|12 12|0.9 0.9|五十 50|1.5e3 1500|1e5 100000|2.5e-2 0.025
两百五 250|一亿两千万 120000000|3亿5千万 350000000|一点五万 15000|.5 0.5"""

UNITS = [
    ("500平", "500", "sqm"), ("500 sqm", "500", "sqm"), ("500m2", "500", "sqm"),
    ("20万元", "200000", "cny"), ("3块", "3", "cny"), ("3份", "3", "count"), ("三家", "3", "count"),
    ("30分钟", "30", "minute"), ("2小时", "2", "hour"), ("100kwh", "100", "kwh"),
    ("80度", "80", "kwh"), ("3吨", "3", "ton"), ("20万平方米", "200000", "sqm"),
    ("一万平米", "10000", "sqm"), ("5万套", "50000", "count"),
]  # fmt: skip

SHARES = [
    ("90%", "0.9", None), ("83.5%", "0.835", None), ("百分之八十三点五", "0.835", None),
    ("百分之90", "0.9", None), ("5个百分点", "0.05", "pp"), ("一半", "0.5", None),
    ("两成", "0.2", None), ("一成半", "0.15", None), ("8成半", "0.85", None), ("八成", "0.8", None), ("八成五", "0.85", None),
    ("20 percent", "0.2", None), ("5 percentage points", "0.05", "pp"), ("千分之五", "0.005", None),
]  # fmt: skip

SPANS = [
    ("两三个", "2", "3", False), ("三五份", "3", "5", False), ("两三万", "20000", "30000", False),
    ("500多万", "5000000", "6000000", True), ("1500多万", "15000000", "16000000", True),
    ("2000多万", "20000000", "30000000", True), ("一百多", "100", "200", True),
    ("三十多家", "30", "40", True), ("5万多", "50000", "60000", True),
    ("20多个", "20", "30", True), ("100余家", "100", "200", True), ("上万", "10000", None, True),
    ("上百份", "100", None, True), ("上千万", "10000000", None, True),
]  # fmt: skip

NO_NUMBER = """p001|1号楼|第10|第三|一共|一下|统一|一样|万科|百货|十分钟爱|三星|q3|a1|唯一|h1
_2"""

BOUNDS = """超过5万 (50000,)|过20 (20,)|大于1万 (10000,)|高于30% (0.3,)|多于3份 (3,)
超出10万 (100000,)|超过了20% (0.2,)|不足5万 (,50000)|低于60% (,0.6)|小于3 (,3)
少于3家 (,3)|不到500万 (,5000000)|过半 (0.5,)|5万以上 [50000,)|不少于3份 [3,)
不低于90% [0.9,)|至少4份 [4,)|最少3个 [3,)|5万起 [50000,)|满5年 [5,)
5万以下 (,50000]|不超过5万 (,50000]|不高于0.9 (,0.9]|最多3家 (,3]
20万封顶 (,200000]|封顶20万 (,200000]|30分钟以内 (,30]|大于等于100 [100,)
小于等于50 (,50]|≥100 [100,)|<=50 (,50]|>3万 (30000,)|<0.9 (,0.9)|等于5 [5,5]
=5 [5,5]|3到5份 [3,5]|500到800平 [500,800]|10万和20万之间 [100000,200000]
3到5万 [30000,50000]|在80%到84%之间 [0.8,0.84]|80到84% [0.8,0.84]
100-200平 [100,200]|两三份 [2,3]|500多万 [5000000,6000000)|上万 [10000,)
三万五以上 [35000,)|四万二以上 [42000,)|低于百分之八十三点五 (,0.835)
超过五成 (0.5,)|不到一半 (,0.5)|超过0.2亿 (20000000,)|20万元以上 [200000,)
至少有3份 [3,)|至少5万以上 [50000,)|3 or more [3,)|100 sqm or over [100,)
at least 4 [4,)|up to 100 sqm (,100]|over 15% (0.15,)|above 90 (90,)
more than 3 (3,)|no fewer than 40 [40,)|not more than 5 (,5]
exceeding 100,000 (100000,)|under 1,000 (,1000)|below 80% (,0.8)
less than 10k (,10000)|at most 2 million (,2000000]|between 3 and 5 [3,5]
500+ [500,)|from 100 to 200 [100,200]|two to five [2,5]
between 80% and 84% [0.8,0.84]|at least half [0.5,)|exactly 5 [5,5]|为0的 [0,0]|是5万的 [50000,50000]
超过1.5e3 (1500,)|below 1e5 (,100000)|三十几个 [31,40)|30到50% [0.3,0.5]|没有超过5万 (,50000]
no less than 2 [2,)|fewer than 4 (,4)|greater than or equal to 9 [9,)
twenty or more [20,)|or 5 or less (,5]
低于-5% (,-0.05)|大于-100 (-100,)|不低于负5万 [-50000,)|below minus 5% (,-0.05)|above -3 (-3,)|<-2.5 (,-2.5)
大于等于−20 [-20,)|低于负三百 (,-300)"""

NO_BOUND = """最多的3家|最少的3栋|5万左右|500上下|第10到第15名|10到15名|1到3月|8.1-8.15
2026-08-15|过去7天|过户|超市|不大于|以内|前3|3起投诉|满意度
over the last 30 days|p001以上|above average|不等于5万|不为0的|not equal to 5|大概5万|约5万
接近5万|是5万|为5万元"""


def _shown(text: str) -> list[str]:
    found = []
    for bound in scan_bounds(text, NOUNS):
        left = "[" if bound.low_inclusive else "("
        right = "]" if bound.high_inclusive else ")"
        low, high = ("" if v is None else str(v) for v in (bound.low, bound.high))
        found.append(f"{left}{low},{high}{right}")
    return found


@pytest.mark.parametrize("row", VALUES.replace("\n", "|").split("|"))
def test_value(row: str) -> None:
    text, _, value = row.rpartition(" ")
    (number,) = scan_numbers(text)
    assert (number.start, number.end) == (0, len(text))
    assert number.value == Decimal(value)
    assert not number.approx
    assert not number.percent


@pytest.mark.parametrize(("text", "value", "unit"), UNITS)
def test_unit(text: str, value: str, unit: str) -> None:
    (number,) = scan_numbers(text)
    assert (number.end, number.value, number.unit) == (len(text), Decimal(value), unit)


@pytest.mark.parametrize(("text", "value", "unit"), SHARES)
def test_share(text: str, value: str, unit: str | None) -> None:
    (number,) = scan_numbers(text)
    assert (number.end, number.value, number.unit) == (len(text), Decimal(value), unit)
    assert number.percent


@pytest.mark.parametrize(("text", "low", "high", "approx"), SPANS)
def test_span(text: str, low: str, high: str | None, approx: bool) -> None:
    (number,) = scan_numbers(text)
    assert number.end == len(text)
    assert number.value == Decimal(low)
    assert number.upper == (None if high is None else Decimal(high))
    assert number.approx is approx


@pytest.mark.parametrize("text", NO_NUMBER.replace("\n", "|").split("|"))
def test_no_number(text: str) -> None:
    assert [n for n in scan_numbers(text) if n.unit != "minute"] == []


@pytest.mark.parametrize("row", BOUNDS.replace("\n", "|").split("|"))
def test_bound(row: str) -> None:
    text, _, wanted = row.rpartition(" ")
    assert _shown(text) == [wanted]


@pytest.mark.parametrize("text", NO_BOUND.replace("\n", "|").split("|"))
def test_no_bound(text: str) -> None:
    assert _shown(text) == []


def test_a_noun_may_stand_within() -> None:
    (bound,) = scan_bounds("有3份合同以上的租户", NOUNS)
    assert (bound.start, bound.end, bound.gap) == (1, 7, (3, 5))
    (bound,) = scan_bounds("with 40 work orders or more", NOUNS)
    assert (bound.start, bound.end, bound.gap) == (5, 27, (8, 19))
    assert scan_bounds("有3份合同以上的租户") == ()


def test_two_conditions() -> None:
    assert _shown("空置率高于30%或者总面积大于1万") == ["(0.3,)", "(10000,)"]
    assert _shown("100平以上200平以下") == ["[100,)", "(,200]"]


@given(st.integers(1, 99_999_999))
def test_thousands(value: int) -> None:
    (number,) = scan_numbers(f"{value:,}")
    assert number.value == value


@given(st.text("一二三十百千万亿两多半成第零点0123456789,.%到至-超过以上平个km to", max_size=30))
def test_no_crash(text: str) -> None:
    numbers = scan_numbers(text)
    assert all(n.start < n.end <= len(text) for n in numbers)
    for bound in scan_bounds(text, NOUNS):
        assert bound.low is not None or bound.high is not None
        if bound.low is not None and bound.high is not None:
            assert bound.low <= bound.high
