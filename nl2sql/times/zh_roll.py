"""Chinese spans that roll with today: 近三个月, 未来半年, 最近两个完整季度, 上两个月."""

from __future__ import annotations

from typing import Literal

from nl2sql.times import model as m
from nl2sql.times.text import MOST_UNITS, Hit, Words, integer, one_of, skip

_BACK = one_of(
    "近", "最近", "过去", "过往", "近来", "这", "此前", "往前", "最近的", "过去的", "之前的"
)
_AHEAD = one_of("未来", "今后", "接下来", "往后", "后续", "未来的", "接下来的", "之后的", "将来")
_RECENT = one_of("最近", "近期", "最近一段时间", "近来", "近段时间")
_UNIT: Words[m.Grain] = Words(
    {
        "天": "day", "日": "day", "个自然日": "day", "周": "week", "个周": "week",
        "个星期": "week", "星期": "week", "个礼拜": "week", "礼拜": "week", "月": "month",
        "个月": "month", "季度": "quarter", "个季度": "quarter", "季": "quarter", "年": "year",
        "个半年": "half",
    }
)  # fmt: skip
_COMPLETE = one_of("完整", "整", "完整的", "完整自然")
_COMPLETE_UNIT: Words[m.Grain] = Words(
    {"天": "day", "日": "day", "周": "week", "星期": "week", "月": "month", "季度": "quarter",
     "季": "quarter", "年": "year", "年度": "year"}
)  # fmt: skip
_ROLL_TAIL = one_of("以来", "来", "内", "以内", "之内", "里", "期间")


def duration(text: str, at: int) -> tuple[int, int, m.Grain] | None:
    """End, count and unit of 三个月, 半年, 一年半, 两周, 一季度, 半个月.

    >>> duration("一年半", 0), duration("半个月", 0)
    ((3, 18, 'month'), (3, 15, 'day'))
    """
    if text.startswith("半", at):
        for word, count, grain in _HALVES:
            if text.startswith(word, at):
                return at + len(word), count, grain
        return None
    number = integer(text, at)
    if number is None or not 1 <= number[1] <= MOST_UNITS:
        return None
    end = skip(text, number[0])
    unit = _UNIT.at(text, end)
    if unit is None:
        return None
    stop, grain = unit
    if grain == "year" and number[1] > 99:
        return None
    if text.startswith("半", stop) and text[stop + 1 : stop + 2] != "年":
        return (stop + 1, number[1] * 12 + 6, "month") if grain == "year" else None
    if text.startswith("份", stop) or text[stop : stop + 2] in ("地铁", "中旬"):
        return None
    return stop, number[1], grain


def _and_a_half_month(text: str, at: int) -> tuple[int, int, m.Grain] | None:
    """两个半月, as `duration` gives two months."""
    number = integer(text, at)
    if number is None or not 1 <= number[1] <= MOST_UNITS:
        return None
    end = skip(text, number[0])
    return (end + 3, number[1], "month") if text.startswith("个半月", end) else None


_HALVES: tuple[tuple[str, int, m.Grain], ...] = (
    ("半年", 1, "half"),
    ("半个月", 15, "day"),
    ("半月", 15, "day"),
)


def rolling(text: str, at: int) -> Hit | None:
    """近30天, 最近两个完整季度, 未来两个月, 这三个月."""
    for table, direction in _DIRECTIONS:
        prefix = table.at(text, at)
        if prefix is None:
            continue
        start = skip(text, prefix[0])
        whole = _complete(text, start, direction)
        if whole is not None:
            return whole
        halves = _and_a_half_month(text, start)
        found = halves or duration(text, start)
        if found is None:
            continue
        end, count, grain = found
        tail = _ROLL_TAIL.at(text, end)
        if text[at] == "这" and count < 2 and (tail is None or "来" not in text[end : tail[0]]):
            return None  # 这一年 is the running one, 这一年来 the last twelve months
        return (tail[0] if tail else end), m.Rolling(count, grain, direction, halves is not None)
    return _recent(text, at)


_DIRECTIONS: tuple[tuple[Words[None], Literal["back", "ahead"]], ...] = (
    (_BACK, "back"),
    (_AHEAD, "ahead"),
)


def _complete(text: str, at: int, direction: m.Direction) -> Hit | None:
    number = integer(text, at)
    if number is None or not 1 <= number[1] <= 99:
        return None
    end = number[0] + text.startswith("个", number[0])
    word = _COMPLETE.at(text, end)
    unit = _COMPLETE_UNIT.at(text, word[0]) if word is not None else None
    if word is None or unit is None:
        return None
    if text[end : word[0]] == "整" and unit[1] in ("year", "day"):
        return unit[0], m.Rolling(number[1], unit[1], direction)
    return unit[0], m.Run(number[1], unit[1], "before" if direction == "back" else "after")


def _recent(text: str, at: int) -> Hit | None:
    """最近 alone is 30 days; 最近3笔, 最近一次, 最近的地铁 are something else."""
    found = _RECENT.at(text, at)
    if found is None:
        return None
    end = found[0]
    after = skip(text, end + text.startswith("的", end))
    if text[after : after + 1] in tuple("几那这哪") or text.startswith("地铁", after):
        return None
    if integer(text, after) is not None:
        return None
    return end, m.Rolling(30, "day")


def run(text: str, at: int) -> Hit | None:
    """上两个月, 下三个季度: complete units before or after the running one."""
    if text[at] not in "上下":
        return None
    number = integer(text, at + 1)
    if number is None or not 2 <= number[1] <= 99:
        return None
    unit = _UNIT.at(text, number[0])
    if unit is None or (unit[1] == "half"):
        return None
    return unit[0], m.Run(number[1], unit[1], "before" if text[at] == "上" else "after")
