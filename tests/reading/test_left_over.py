"""Conditions and periods that are not understood: something of them is always left over, never taken by half."""

from __future__ import annotations

import pytest

from nl2sql.reading import RuleReader

PERIODS = """近两个半季度|近三天半|这几天|前几天|前两天|近48小时|昨夜|今早|今天中午|工作日|节假日|年中|月中|暑假|去年冬天
入夏以来|开年以来|国庆前一周|双11前后|8月前后|最近三五天|三四个月前|近半年多|两年多以来|疫情以来|每月15号|每周一
每个月最后一天|2月30日|8月32日|2026年13月|第五季度|25点|农历八月|元宵节|小长假|中秋国庆|8月15日那一周|近两年同期
近3个月(不含本月)|除8月外|每年8月|上次|年中|近三年8月|前一周半"""
ENGLISH = """fortnight|this time last year|every monday|on the 15th of each month|last 24 hours|last night|weekdays
thanksgiving|last winter|mid-2025|late last year|in 2 weeks|past few months|recent months|a few days ago|08/15/2026
2025/26|last 2.5 weeks|this week last year|february 30|every august"""
CONDITIONS = """欠费低于9折|欠费几十万|欠费超过几十万|欠费大概5万|欠费5万左右|欠费约5万|欠费接近5万|欠费大于负五成
欠费不等于5万|欠费不为0|欠费不是5万|欠费百八十万|欠费破百万|欠费前10%|欠费翻倍|欠费增长超过10%|欠费在5万至10万（不含10万）
欠费大于5万或者小于1万|欠费超过平均值|欠费高于-5%"""

CHANGES = """收缴率同比下降超过5%|收缴率同比，增长率低于5%|收缴率环比增长了5%以上|收缴率同比增长率大于-10%|收缴率同比超过5%
收缴率环比降幅大于3个百分点|同比增长超过5%的收缴率|应收同比，低于-5%|应收环比上升超过10万"""
ENGLISH_CHANGES = """collection rate fell by more than 5% year over year|collection rate yoy growth above 5%
collection rate year over year, dropped more than -5%"""


def split(rows: str) -> list[str]:
    return rows.replace("\n", "|").split("|")


@pytest.mark.parametrize("text", split(PERIODS))
def test_a_period(reader: RuleReader, text: str) -> None:
    assert reader.read(f"{text}的应收金额").unread


@pytest.mark.parametrize("text", split(ENGLISH))
def test_an_english_period(reader: RuleReader, text: str) -> None:
    assert reader.read(f"receivable amount by park {text}").unread


@pytest.mark.parametrize("text", split(CHANGES))
def test_a_condition_on_how_much_it_changed(reader: RuleReader, text: str) -> None:
    """No slot holds it: taken for one on the number itself, it would keep other groups."""
    assert reader.read(f"8月各园区{text}的").unread


@pytest.mark.parametrize("text", split(ENGLISH_CHANGES))
def test_an_english_condition_on_how_much_it_changed(reader: RuleReader, text: str) -> None:
    assert reader.read(f"{text} by park in August").unread


def test_a_condition_beside_a_comparison_is_read(reader: RuleReader) -> None:
    for text in ("8月收缴率超过90%的园区同比", "8月各园区收缴率同比，只看收缴率超过90%的"):
        assert not reader.read(text).unread, text


@pytest.mark.parametrize("text", split(CONDITIONS))
def test_a_condition(reader: RuleReader, text: str) -> None:
    assert reader.read(f"8月{text}的租户").unread


@pytest.mark.parametrize(
    ("text", "left"),
    [("receivable this month vs the", "vs"), ("receivable in august versus", "versus")],
)
def test_what_is_compared_with_is_missing(reader: RuleReader, text: str, left: str) -> None:
    assert [item.text for item in reader.read(text).unread] == [left]
