"""Chinese numbers that share a unit: 1到3月, 一到三季度, 8、9月, 去年1到3月, 2024到2025年."""

from __future__ import annotations

from dataclasses import replace

from nl2sql.times import model as m
from nl2sql.times.text import COUNTED, MOST_ITEMS, Hit, Words, digits, integer, one_of, skip
from nl2sql.times.zh_point import grain_of
from nl2sql.times.zh_words import NOT_AFTER_DAY

_TO = ("到", "至", "~", "-", "—", "–", "--", "——", "直到", "一直到")
_AND = ("和", "与", "跟", "及", "、", "以及", "还有", "vs", "vs.", "对比", "比", "同", "或", "或者")
TO, AND = one_of(*_TO), one_of(*_AND)
_YEARS_TO = one_of(*_TO, "to", "through", "thru", "until", "till")
_YEARS_AND = one_of(*_AND, "and", "&", ",", "versus", "or", "compared with", "compared to")
# 2025和2026室, over 2020 to 2025 units: numbers, and no years
_NUMBERED_THINGS = tuple("室号房楼栋元块万亿千百%㎡平米度吨个家份笔套人年月日")
_BEFORE_NUMBERS = (
    "房间", "房", "室", "楼", "号", "大于", "小于", "超过", "高于", "低于", "不足", "以上", "以下",
    "room", "rooms", "unit", "units", "building", "over", "above", "below", "under", "than", "no.",
)  # fmt: skip
_BARE_UNIT: Words[m.PartUnit] = Words(
    {"月份": "month", "月": "month", "季度": "quarter", "日": "day", "号": "day", "周": "week"}
)
_MOST: dict[m.PartUnit, int] = {"month": 12, "quarter": 4, "day": 31, "week": 53}


def anchored_numbers(text: str, period: Hit) -> Hit | None:
    """去年1到3月, 8月1-15日: numbers that share a unit, after a period."""
    end, of = period
    grain = grain_of(of)
    if grain not in ("year", "month"):
        return None
    end = skip(text, end)
    end = skip(text, end + text.startswith("的", end))
    return numbers(text, end, of) or (pair(text, end, of) if grain == "year" else None)


def years(text: str, at: int) -> Hit | None:
    """2024到2025年, 24-25年, 2024、2025年: years that share the word; 2023 to 2025 without it."""
    values: list[int] = []
    end, stop, to, whole = at, at, False, True
    for _ in range(MOST_ITEMS):
        found = digits(text, end)
        if found is None or not (found[0] - end == 4 or (found[0] - end == 2 and found[1] > 12)):
            return None
        whole = whole and found[0] - end == 4
        values.append(found[1] if found[1] > 99 else 2000 + found[1])
        stop = found[0]
        end = skip(text, stop)
        if text.startswith("年", end):
            break
        word = None if to else _YEARS_TO.at(text, end) or _YEARS_AND.at(text, end)
        if word is None:
            break
        to = _YEARS_TO.at(text, end) is not None
        end = skip(text, word[0])
    if len(values) < 2 or not all(2000 <= value <= 2099 for value in values):
        return None
    if not text.startswith("年", end):
        end = stop
        if not whole or not _bare_years(text, at, end, values):
            return None
    elif text[end + 1 : end + 2] in tuple("期以内限多") or values != sorted(values):
        return None
    else:
        end += 1 + text.startswith(("度", "份"), end + 1)
    years = tuple(m.Year(value) for value in values)
    return end, m.Between(years[0], years[1]) if to else m.Several(years)


def _bare_years(text: str, at: int, end: int, values: list[int]) -> bool:
    """Whether numbers alone are years: about now, counted by nothing, and no part of a date."""
    next_, after = text[end : end + 1], text[skip(text, end) : skip(text, end) + 1]
    if not all(2010 <= value <= 2039 for value in values) or after in _NUMBERED_THINGS:
        return False
    if next_ in tuple("-/.") or (next_.isascii() and next_.isalnum()):
        return False
    before = text[max(0, at - 10) : at].rstrip()
    return not before.endswith(_BEFORE_NUMBERS) and COUNTED.at(text, skip(text, end)) is None


_PAIR = {"一二三四五六七八九"[i : i + 2]: (i + 1, i + 2) for i in range(8)}


def pair(text: str, at: int, of: m.TimeExpr | None) -> Hit | None:
    """七八月, 一二季度: two that follow one another share the unit; 十一二月 is left alone."""
    values = _PAIR.get(text[at : at + 2])
    if values is None or (at and text[at - 1] in "十百近前后第每"):
        return None
    unit = _BARE_UNIT.at(text, at + 2)
    if unit is None or unit[1] not in ("month", "quarter") or values[1] > _MOST[unit[1]]:
        return None
    return unit[0], m.Several(tuple(m.Part(unit[1], value, of) for value in values))


def numbers(text: str, at: int, of: m.TimeExpr | None) -> Hit | None:
    """1到3月, 一到三季度, 1-15日, 8、9月: numbers, a connective, one unit at the end."""
    ordinal = text.startswith("第", at)
    first = integer(text, at + ordinal)
    if first is None:
        return None
    start = skip(text, first[0])
    to = TO.at(text, start)
    word = to or AND.at(text, start)
    if word is None:
        return None
    values, end = [first[1]], word[0]
    for _ in range(MOST_ITEMS):
        end = skip(text, end)
        found = integer(text, end + text.startswith("第", end))
        if found is None:
            return None
        values.append(found[1])
        end = skip(text, found[0])
        more = None if to is not None else AND.at(text, end)
        if more is None:
            break
        end = more[0]
    unit = _BARE_UNIT.at(text, end + text.startswith("个季", end))
    if unit is None or not _plausible(text, unit, values, of, ordinal):
        return None
    parts = tuple(m.Part(unit[1], value, of) for value in values)
    if to is not None:
        return unit[0], m.Between(parts[0], replace(parts[1], of=of))
    return unit[0], m.Several(parts)


def _plausible(
    text: str,
    unit: tuple[int, m.PartUnit],
    values: list[int],
    of: m.TimeExpr | None,
    ordinal: bool,
) -> bool:
    end, name = unit
    if any(not 1 <= value <= _MOST[name] for value in values):
        return False
    if name == "week" and not ordinal:
        return False
    if name in ("month", "quarter") and of is not None and grain_of(of) != "year":
        return False
    if name == "day" and of is not None and grain_of(of) != "month":
        return False
    return not (name == "day" and text[end : end + 1] in NOT_AFTER_DAY)
