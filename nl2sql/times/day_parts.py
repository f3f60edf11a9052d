"""Parts of a day: 上午, 下午, this morning, Friday evening. Four of six hours, side by side.

Words for less, or for what overlaps them (早上, 中午, 傍晚, noon), say no hours by themselves.
"""

from __future__ import annotations

from nl2sql.times import model as m
from nl2sql.times.text import Hit, Words, one_of, skip

_PART: Words[int] = Words(
    {"凌晨": 0, "上午": 1, "下午": 2, "晚上": 3, "晚间": 3,
     "morning": 1, "afternoon": 2, "evening": 3}
)  # fmt: skip
# a part with its day in one word
_ALONE: Words[tuple[int, int]] = Words(
    {"昨晚": (-1, 3), "今晚": (0, 3), "明晚": (1, 3),
     "this morning": (0, 1), "this afternoon": (0, 2), "this evening": (0, 3), "tonight": (0, 3)}
)  # fmt: skip
_LEAD = one_of("in the", "的")
_CLOCK = frozenset("0123456789一二三四五六七八九十两:")
_SIX_HOURS = 360


def part_of_day(text: str, hit: Hit) -> Hit | None:
    """The part that follows a day; None where a clock time follows it (上午10点).

    >>> part_of_day("昨天上午", (2, m.Relative("day", -1)))[1]
    Hours(start=360, end=720, of=Relative(grain='day', offset=-1, fiscal=False), named=True)
    """
    start = skip(text, hit[0])
    lead = _LEAD.at(text, start)
    found = _PART.at(text, start if lead is None else skip(text, lead[0]))
    return None if found is None else _hours(text, found[0], found[1], hit[1])


def with_its_day(text: str, at: int) -> Hit | None:
    """昨晚, tonight, this morning."""
    found = _ALONE.at(text, at)
    if found is None:
        return None
    end, (offset, part) = found
    return _hours(text, end, part, m.Relative("day", offset))


def _hours(text: str, end: int, part: int, day: m.TimeExpr) -> Hit | None:
    after = skip(text, end)
    if text[after : after + 1] in _CLOCK:
        return None
    return end, m.Hours(part * _SIX_HOURS, (part + 1) * _SIX_HOURS, day, named=True)
