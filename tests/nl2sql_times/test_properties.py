"""Laws that hold under every clock: exact lengths, order, determinism, no crash, linear cost."""

from __future__ import annotations

import dataclasses
from datetime import date, datetime, timedelta
from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nl2sql.times import (
    Calendar,
    TimeMatch,
    UnknownTimeError,
    buckets,
    comparison_base,
    resolve,
    scan,
)

CLOCKS = st.one_of(
    st.sampled_from(
        [datetime(2024, 2, 29), datetime(2026, 3, 31, 23, 59), datetime(2026, 12, 31),
         datetime(2027, 1, 1), datetime(2028, 2, 29, 1, 30)]
    ),
    st.datetimes(datetime(2015, 1, 1), datetime(2034, 12, 31)),
)  # fmt: skip
PIECES = """今年 去年 本月 上个月 8月 15号 到 至 和 、 之前 之后 以来 近 最近 3 个月 天 年 周
季度 第 三 上半年 q3 底 初 的 国庆 春节 未来 内 前 截至 从 2026 2026年 8.1 - since last past june
aug 15 of the year between and to by month end week 同比 比 每 全月 不用 对比 周五 下旬 10点
2026-08 起 前三 去年同期 财年 半年 within ago 9999 99"""
TEXTS = st.lists(st.sampled_from([*PIECES.split(), " "]), max_size=9).map("".join)


@given(st.integers(1, 800), CLOCKS)
def test_n_days_are_n_days(count: int, clock: datetime) -> None:
    for text in (f"近{count}天", f"last {count} days", f"{count}天前到现在"):
        (match,) = scan(text)
        assert isinstance(match, TimeMatch)
        (span,) = resolve(match.expr, clock).ranges
        assert span.end == clock.date() + timedelta(days=1)
        assert span.start == span.end - timedelta(days=count)


@given(st.integers(1, 60), CLOCKS)
def test_n_days_ahead_start_today(count: int, clock: datetime) -> None:
    (match,) = scan(f"未来{count}天")
    assert isinstance(match, TimeMatch)
    (span,) = resolve(match.expr, clock).ranges
    assert span.start == clock.date()
    assert span.end == clock.date() + timedelta(days=count)


@given(st.integers(1, 12), CLOCKS)
def test_a_bare_month_has_begun_or_is_not_over(month: int, clock: datetime) -> None:
    (match,) = scan(f"{month}月")
    assert isinstance(match, TimeMatch)
    back = resolve(match.expr, clock).ranges[0].start
    ahead = resolve(match.expr, clock, look="ahead").ranges[0].end
    assert isinstance(back, date)
    assert isinstance(ahead, date)
    assert back <= clock.date() < ahead
    assert clock.date() - back < timedelta(days=397)
    assert ahead - clock.date() < timedelta(days=397)


@settings(max_examples=400)
@given(TEXTS, CLOCKS, st.sampled_from(["back", "ahead"]))
def test_whatever_is_found_resolves(text: str, clock: datetime, look: str) -> None:
    found = scan(text)
    assert found == scan(text)
    at = 0
    for match in found:
        assert at <= match.start < match.end <= len(text)
        at = match.end
        if not isinstance(match, TimeMatch):
            continue
        try:
            resolved = resolve(match.expr, clock, look=look)  # type: ignore[arg-type]
        except UnknownTimeError:
            continue
        assert resolved == resolve(match.expr, clock, look=look)  # type: ignore[arg-type]
        assert resolved.ranges
        for span in resolved.ranges:
            assert span.start is not None or span.end is not None
        for grain in ("day", "month", "year"):
            if all(span.start and span.end for span in resolved.ranges):
                shown = buckets(resolved, grain, clock)
                assert shown
        comparison_base(resolved, "yoy", clock)
        comparison_base(resolved, "pop", clock, Calendar(), True)


@pytest.mark.parametrize(
    "text",
    ["今年", "上个月", "近3个月", "8月1日至15日", "去年10月到今年3月", "本周", "国庆", "q3",
     "上半年", "last friday", "past 2 weeks", "ytd", "周一到周五", "月底", "第35周", "1到3月"],
)  # fmt: skip
@given(clock=CLOCKS)
def test_ranges_are_ordered(text: str, clock: datetime) -> None:
    (match,) = scan(text)
    assert isinstance(match, TimeMatch)
    for look in ("back", "ahead"):
        for span in resolve(match.expr, clock, look=look).ranges:
            assert span.start is not None
            assert span.end is not None
            assert span.start < span.end


def _leaves(value: object) -> list[object]:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        inner = [getattr(value, field.name) for field in dataclasses.fields(value)]
        return [leaf for item in inner for leaf in _leaves(item)]
    if isinstance(value, tuple):
        return [leaf for item in value for leaf in _leaves(item)]
    return [value]


@given(TEXTS)
def test_expressions_serialise(text: str) -> None:
    for match in scan(text):
        if isinstance(match, TimeMatch):
            kinds = (str, int, date, type(None))
            assert all(isinstance(leaf, kinds) for leaf in _leaves(match.expr))
            assert hash(match.expr) == hash(match.expr)


@pytest.mark.parametrize(
    "piece", ["8、", "8月和", "the last year ", "end of the ", "上", "一二三", "1-2-", "今年"]
)
def test_cost_is_linear(piece: str) -> None:
    """Five times the text costs about five times as much; the least of several runs, in CPU time."""

    def cost(length: int) -> float:
        text = (piece * length)[:length]
        start = process_time()
        scan(text)
        return process_time() - start

    def least(length: int) -> float:
        return min(cost(length) for _ in range(5))

    assert least(10_000) < 12 * max(least(2_000), 0.002)
