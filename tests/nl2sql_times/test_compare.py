"""Bases of comparisons and buckets of trends, by hand from RULES.md §7."""

from __future__ import annotations

from datetime import date, datetime
from typing import Literal

import pytest

from nl2sql.times import (
    Calendar,
    Grain,
    Range,
    TimeMatch,
    add,
    bucket,
    buckets,
    comparison_base,
    resolve,
    scan,
    united,
)


def _range(text: str) -> Range:
    start, _, end = text.partition("..")
    return Range(
        date.fromisoformat(start) if start else None, date.fromisoformat(end) if end else None
    )


def _resolved(text: str, clock: datetime):  # type: ignore[no-untyped-def]
    (match,) = scan(text)
    assert isinstance(match, TimeMatch)
    return resolve(match.expr, clock)


BASES = """2026-09-28 yoy - 今年 2026-01-01..2026-09-29 2025-01-01..2025-09-29
2026-09-28 yoy full 今年 2026-01-01..2027-01-01 2025-01-01..2026-01-01
2026-09-28 pop - 今年 2026-01-01..2026-09-29 2025-01-01..2025-09-29
2026-09-28 pop - 本月 2026-09-01..2026-09-29 2026-08-01..2026-08-29
2026-09-28 pop full 本月 2026-09-01..2026-10-01 2026-08-01..2026-09-01
2026-09-28 yoy - 8月 2026-08-01..2026-09-01 2025-08-01..2025-09-01
2026-09-28 pop - 8月 2026-08-01..2026-09-01 2026-07-01..2026-08-01
2026-03-30 pop - 本月 2026-03-01..2026-03-31 2026-02-01..2026-03-01
2026-03-31 pop - 本月 2026-03-01..2026-04-01 2026-02-01..2026-03-01
2026-03-15 pop - 2月 2026-02-01..2026-03-01 2026-01-01..2026-02-01
2025-03-15 yoy - 2月 2025-02-01..2025-03-01 2024-02-01..2024-03-01
2024-03-15 yoy - 2月 2024-02-01..2024-03-01 2023-02-01..2023-03-01
2024-02-29 yoy - 今天 2024-02-29..2024-03-01 2023-02-28..2023-03-01
2024-02-28 yoy - 今天 2024-02-28..2024-02-29 2023-02-28..2023-03-01
2026-09-28 pop - 本季度 2026-07-01..2026-09-29 2026-04-01..2026-06-29
2026-09-28 pop - 二季度 2026-04-01..2026-07-01 2026-01-01..2026-04-01
2026-09-28 pop - 上半年 2026-01-01..2026-07-01 2025-07-01..2026-01-01
2026-09-28 pop - 去年 2025-01-01..2026-01-01 2024-01-01..2025-01-01
2026-09-28 pop - 近7天 2026-09-22..2026-09-29 2026-09-15..2026-09-22
2026-09-28 pop - 近3个月 2026-06-29..2026-09-29 2026-03-29..2026-06-29
2026-05-30 pop - 近3个月 2026-02-28..2026-05-31 2025-11-30..2026-02-28
2026-09-28 yoy - 近7天 2026-09-22..2026-09-29 2025-09-22..2025-09-29
2026-09-28 pop - 本周 2026-09-28..2026-09-29 2026-09-21..2026-09-22
2026-09-28 pop - 上周 2026-09-21..2026-09-28 2026-09-14..2026-09-21
2026-09-28 pop - 昨天 2026-09-27..2026-09-28 2026-09-26..2026-09-27
2026-09-28 pop - 1到3月 2026-01-01..2026-04-01 2025-10-01..2026-01-01
2026-09-28 pop - 8月1日至15日 2026-08-01..2026-08-16 2026-07-17..2026-08-01
2026-09-28 pop - 月初至今 2026-09-01..2026-09-29 2026-08-01..2026-08-29
2026-09-28 pop - 年初至今 2026-01-01..2026-09-29 2025-01-01..2025-09-29
2026-09-28 yoy - 年初至今 2026-01-01..2026-09-29 2025-01-01..2025-09-29
2026-09-28 yoy - 截至8月底 ..2026-09-01 ..2025-09-01
2026-09-28 yoy - 明年 2027-01-01..2028-01-01 2026-01-01..2027-01-01"""


@pytest.mark.parametrize("row", BASES.splitlines())
def test_base(row: str) -> None:
    day, kind, full, text, current, base = row.split(" ")
    clock = datetime.fromisoformat(day + "T12:00")
    wanted_kind: Literal["yoy", "pop"] = "yoy" if kind == "yoy" else "pop"
    pairs = comparison_base(_resolved(text, clock), wanted_kind, clock, Calendar(), full == "full")
    assert pairs == ((_range(current), _range(base)),)


def test_an_open_start_has_no_period_before() -> None:
    clock = datetime(2026, 9, 28)
    assert comparison_base(_resolved("截至8月底", clock), "pop", clock) == ()


def test_lists_are_compared_each() -> None:
    clock = datetime(2026, 9, 28)
    pairs = comparison_base(_resolved("7月和8月", clock), "pop", clock)
    assert [base.start for _, base in pairs] == [date(2026, 6, 1), date(2026, 7, 1)]


BUCKETS: list[tuple[str, Grain, int, str, str]] = [
    ("近12个月", "month", 12, "2025-10-01..2025-11-01", "2026-09-01..2026-10-01"),
    ("近3个月", "month", 3, "2026-07-01..2026-08-01", "2026-09-01..2026-10-01"),
    ("近半年", "month", 6, "2026-04-01..2026-05-01", "2026-09-01..2026-10-01"),
    ("近4周", "week", 4, "2026-09-07..2026-09-14", "2026-09-28..2026-10-05"),
    ("近两个季度", "quarter", 2, "2026-04-01..2026-07-01", "2026-07-01..2026-10-01"),
    ("近7天", "day", 7, "2026-09-22..2026-09-23", "2026-09-28..2026-09-29"),
    ("近30天", "month", 2, "2026-08-30..2026-09-01", "2026-09-01..2026-09-29"),
    ("上半年", "month", 6, "2026-01-01..2026-02-01", "2026-06-01..2026-07-01"),
    ("今年", "quarter", 4, "2026-01-01..2026-04-01", "2026-10-01..2027-01-01"),
    ("8月", "week", 6, "2026-08-01..2026-08-03", "2026-08-31..2026-09-01"),
    ("8月", "day", 31, "2026-08-01..2026-08-02", "2026-08-31..2026-09-01"),
    ("8月15日到9月10日", "month", 2, "2026-08-15..2026-09-01", "2026-09-01..2026-09-11"),
    ("年初至今", "month", 9, "2026-01-01..2026-02-01", "2026-09-01..2026-09-29"),
    ("7月和8月", "month", 2, "2026-07-01..2026-08-01", "2026-08-01..2026-09-01"),
    ("未来3个月", "month", 3, "2026-09-01..2026-10-01", "2026-11-01..2026-12-01"),
]


@pytest.mark.parametrize(("text", "grain", "count", "first", "last"), BUCKETS)
def test_buckets(text: str, grain: Grain, count: int, first: str, last: str) -> None:
    clock = datetime(2026, 9, 28, 12)
    found = buckets(_resolved(text, clock), grain, clock)
    assert (len(found), found[0], found[-1]) == (count, _range(first), _range(last))


def test_a_week_may_start_on_sunday() -> None:
    assert bucket(date(2026, 9, 28), "week", Calendar(week_start=6)) == date(2026, 9, 27)


def test_steps_are_clamped() -> None:
    assert add(date(2026, 1, 31), 1, "month") == date(2026, 2, 28)
    assert add(date(2028, 2, 29), 1, "year") == date(2029, 2, 28)
    assert add(date(2026, 8, 31), -1, "half") == date(2026, 2, 28)


def test_a_fiscal_year_starts_where_the_calendar_says() -> None:
    clock, april = datetime(2026, 2, 10), Calendar(fiscal_start=4)
    (match,) = scan("2025财年")
    assert isinstance(match, TimeMatch)
    assert resolve(match.expr, clock, april).ranges == (_range("2025-04-01..2026-04-01"),)
    (match,) = scan("本财年")
    assert isinstance(match, TimeMatch)
    assert resolve(match.expr, clock, april).ranges == (_range("2025-04-01..2026-04-01"),)


@pytest.mark.parametrize(
    ("ranges", "wanted"),
    [
        ("2026-01-01..2026-09-29 2025-01-01..2025-09-29", "2025-01-01..2025-09-29 2026-01-01..2026-09-29"),
        ("2026-08-01..2026-09-01 2026-07-01..2026-08-01", "2026-07-01..2026-09-01"),
        ("2026-01-01..2026-09-29 2026-01-01..2026-07-01", "2026-01-01..2026-09-29"),
        ("2026-03-01..2026-05-01 2026-01-01..2026-04-01", "2026-01-01..2026-05-01"),
        ("..2026-09-01 ..2025-09-01", "..2026-09-01"),
        ("2026-01-01.. 2025-01-01..2025-09-01", "2025-01-01..2025-09-01 2026-01-01.."),
        ("2026-08-01..2026-08-02", "2026-08-01..2026-08-02"),
    ],
)  # fmt: skip
def test_united(ranges: str, wanted: str) -> None:
    assert united(*map(_range, ranges.split())) == tuple(map(_range, wanted.split()))


def test_hours_are_united_with_days() -> None:
    morning = Range(datetime(2026, 8, 1), datetime(2026, 8, 1, 12))
    before = Range(date(2026, 7, 31), date(2026, 8, 1))
    assert united(morning, before) == (Range(date(2026, 7, 31), datetime(2026, 8, 1, 12)),)
