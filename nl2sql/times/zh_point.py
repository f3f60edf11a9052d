"""Chinese periods: 上个月15号, 2025年第四季度, 去年国庆, 八月月底, 今天10点到12点."""

from __future__ import annotations

from collections.abc import Callable

from nl2sql.times import model as m
from nl2sql.times.arith import days_in_month
from nl2sql.times.iso import numeric
from nl2sql.times.text import Hit, Words, compound, integer, is_digit, one_of, skip, year_digits
from nl2sql.times.zh_words import (
    COUNTING,
    EDGE,
    EDGE_SHORT,
    FESTIVAL,
    FESTIVAL_TAIL,
    FIRST_SIDE,
    FIRST_UNIT,
    HALF,
    HALF_MONTH,
    MEASURES,
    NOT_AFTER_DAY,
    NOT_AFTER_WEEKDAY,
    NOT_TODAY,
    RELATIVE,
    RUNNING,
    SMALLER,
    TENDAY,
    THAT_DAY,
    WEEK_NAME,
    WEEKDAYS,
    WHOLE,
)

_PartParser = Callable[[str, int, m.TimeExpr | None], Hit | None]


def point(text: str, at: int) -> Hit | None:
    """The longest Chinese (or numeric) period at an offset.

    >>> point("2026年8月15日", 0)[0], point("四季酒店", 0)
    (10, None)
    """
    hit = _head(text, at)
    while hit is not None:
        end = skip(text, hit[0])
        if text.startswith("的", end):
            end = skip(text, end + 1)
        deeper = part_of(text, end, hit[1])
        if deeper is None:
            deeper = _under_whole(text, hit)
        if deeper is None:
            return _that_day(text, hit)
        hit = deeper
    return None


def _that_day(text: str, hit: Hit) -> Hit:
    """8月15日当天, 上周五那天 say no more than the day."""
    tail = THAT_DAY.at(text, hit[0]) if grain_of(hit[1]) == "day" else None
    return hit if tail is None else (tail[0], hit[1])


def _under_whole(text: str, hit: Hit) -> Hit | None:
    """今年全年, 8月全月 say no more than 今年, 8月 (unless a comparison follows)."""
    whole = WHOLE.at(text, hit[0])
    if whole is None or text[whole[0] : whole[0] + 2] in ("同比", "环比"):
        return None
    return whole[0], hit[1]


def _head(text: str, at: int) -> Hit | None:
    """A period that needs nothing before it; 年内 is the running year, 几年内 a duration."""
    if text.startswith(("年内", "月内"), at) and text[at - 1 : at] not in COUNTING:
        return at + 2, m.Relative("year" if text[at] == "年" else "month", 0)
    relative = RELATIVE.at(text, at)
    if relative is not None:
        hit = _relative(text, *relative)
        if hit is not None:
            return hit
    return _fiscal(text, at) or numeric(text, at) or _year(text, at) or part_of(text, at, None)


def _relative(text: str, end: int, value: tuple[m.Grain, int]) -> Hit | None:
    grain, offset = value
    day = _SAME_DAY.at(text, end) if grain in ("year", "month", "week", "quarter") else None
    if day is not None and not text.startswith("至今", day[0] - 1):
        return day[0], m.SameDay(offset, grain)
    running = RUNNING.at(text, skip(text, end, "的 ")) if grain == "year" else None
    if running is not None and _relative(text, running[0], (running[1][0], 0)) is not None:
        return running[0], m.Relative(running[1][0], offset * running[1][1])
    if text.startswith("同", end) or NOT_TODAY.at(text, end):
        return None
    if grain == "year" and text.startswith("份", end):
        end += 1
    if grain == "month" and text.startswith("份", end):
        end += 1
    if grain == "month" and text.startswith("球", end):
        return None
    if grain == "week" and compound(text, end, "边围长刊报期"):
        return None
    if grain == "quarter" and text.startswith("节", end):
        return None
    if grain == "day" and text.startswith("均", end):
        return None
    return end, m.Relative(grain, offset)


_FISCAL = Words(
    {"本财年": 0, "这个财年": 0, "今财年": 0, "上财年": -1, "上个财年": -1, "上一财年": -1,
     "下财年": 1, "下个财年": 1, "当前财年": 0, "本财政年度": 0, "上财政年度": -1}
)  # fmt: skip
_FISCAL_QUARTER = Words(
    {"本财季": 0, "这个财季": 0, "当前财季": 0, "上财季": -1, "上个财季": -1, "上一财季": -1,
     "下财季": 1, "下个财季": 1}
)  # fmt: skip
_SAME_DAY = one_of("今天", "今日", "的今天", "的今日", "同一天", "的同一天", "此时", "这个时候", "这天",
                   "的这天", "这一天", "的这一天")  # fmt: skip


def _fiscal(text: str, at: int) -> Hit | None:
    """本财年, 上个财年, 本财季."""
    quarter = _FISCAL_QUARTER.at(text, at)
    if quarter is not None:
        return quarter[0], m.Relative("fiscal_quarter", quarter[1])
    found = _FISCAL.at(text, at)
    return None if found is None else (found[0], m.Relative("year", found[1], fiscal=True))


def _year(text: str, at: int) -> Hit | None:
    """2025年, 二〇二五年度, 2025财年, 26年8月, 25年."""
    found = year_digits(text, at)
    short = found is None
    if found is None:
        found = integer(text, at) if at < len(text) and is_digit(text[at]) else None
        if found is None or found[0] - at != 2 or not 10 <= found[1] <= 49:
            return None
        found = found[0], 2000 + found[1]
    end, number = found
    if end < len(text) and text[end] == " ":
        end += 1
    if text.startswith("财年", end) or text.startswith("财政年度", end):
        return end + (2 if text.startswith("财年", end) else 4), m.Year(number, fiscal=True)
    if not text.startswith("年", end):
        bare = part_of(text, end, m.Year(number)) is not None
        sure = (
            text[end : end + 1] in tuple("qh")
            if short
            else not is_digit(text[end : end + 1] or " ")
        )
        return (end, m.Year(number)) if bare and sure and is_digit(text[at]) else None
    end += 1
    if short and not _short_year(text, at, end, number):
        return None
    if text.startswith("度", end) or text.startswith("份", end):
        end += 1
    return end, m.Year(number)


def _short_year(text: str, at: int, end: int, number: int) -> bool:
    """26年 is a year where a part follows, or where it cannot be a duration (25年以上)."""
    if part_of(text, end, m.Year(number)) is not None:
        return True
    if not 2020 <= number <= 2035 or text[max(0, at - 1) : at] in (
        "近",
        "去",
        "满",
        "期",
        "过",
        "第",
    ):
        return False
    return text[end : end + 1] not in ("以", "内", "期", "限", "多", "级", "前", "后", "之")


# ---- parts, under a period or alone


def part_of(text: str, at: int, of: m.TimeExpr | None) -> Hit | None:
    """A part of the period before it; with `of` None, one that stands alone."""
    if at >= len(text):
        return None
    grain = None if of is None else grain_of(of)
    for within, parser in _PARTS:
        if grain is None or grain in within:
            hit = parser(text, at, of)
            if hit is not None:
                return hit
    return None


def grain_of(expr: m.TimeExpr) -> m.Grain:
    """The unit a period was named in ("hour": nothing can lie within it)."""
    match expr:
        case m.Relative(grain) | m.OnDay(_, grain) | m.Around(grain, _):
            return grain
        case m.Year():
            return "year"
        case m.Part(unit):
            if unit in ("day", "weekday"):
                return "day"
            return unit if unit in ("half", "quarter", "month", "week") else "hour"
        case m.Nth(_, grain, _):
            return grain
        case m.NthWeekday() | m.SameDay():
            return "day"
    return "hour"


def _half(text: str, at: int, of: m.TimeExpr | None) -> Hit | None:
    found = HALF.at(text, at)
    if text.startswith(("h1", "h2"), at) and not text[at + 2 : at + 3].isdigit():
        found = at + 2, int(text[at + 1])
    return None if found is None else (found[0], m.Part("half", found[1], of))


def _quarter(text: str, at: int, of: m.TimeExpr | None) -> Hit | None:
    """三季度, 第三季, q3; 四季 alone is no quarter (四季酒店)."""
    if text[at] == "q":
        index = text[at + 1 : at + 2]
        after = text[at + 2 : at + 3]
        if index not in ("1", "2", "3", "4") or (after.isascii() and after.isalnum()):
            return None
        return at + 2, m.Part("quarter", int(index), of)
    ordinal = text[at] == "第"
    found = integer(text, at + ordinal)
    if found is None or not 1 <= found[1] <= 4:
        return None
    end, index_ = found
    ge = text.startswith("个季度", end) and ordinal
    end += ge
    if text.startswith("季度", end):
        return end + 2, m.Part("quarter", index_, of)
    sure = ordinal or of is not None
    if text.startswith("季", end) and sure and text[end + 1 : end + 2] != "节":
        return end + 1, m.Part("quarter", index_, of)
    return None


def _week(text: str, at: int, of: m.TimeExpr | None) -> Hit | None:
    """第35周, 第三个星期."""
    if text[at] != "第":
        return None
    found = integer(text, at + 1)
    if found is None or not 1 <= found[1] <= 53:
        return None
    end = found[0] + text.startswith("个", found[0])
    unit = WEEK_NAME.at(text, end)
    if unit is None:
        return None
    weekday = WEEKDAYS.get(text[unit[0] : unit[0] + 1]) if end > found[0] else None
    if weekday is not None:  # 第一个星期一: counted, and not the Monday of week one
        return unit[0] + 1, m.NthWeekday(found[1], weekday, of or m.Relative("month", 0))
    return unit[0], m.Part("week", found[1], of)


def _month(text: str, at: int, of: m.TimeExpr | None) -> Hit | None:
    found = integer(text, at)
    if found is None or not 1 <= found[1] <= 12 or text[found[0] - 1] == "两":
        return None
    end = skip(text, found[0])
    if not text.startswith("月", end):
        return None
    if not is_digit(text[at]) and text[end + 1 : end + 2] in ("天", "球", "饼", "嫂"):
        return None  # 五月天; but 8月天河医院
    end += 1
    if text.startswith("份", end):
        end += 1
    return end, m.Part("month", found[1], of)


def _day(text: str, at: int, of: m.TimeExpr | None) -> Hit | None:
    """15号, 15日; after a month also 15 alone, at the end of what is said."""
    found = integer(text, at)
    if found is None or not 1 <= found[1] <= 31:
        return None
    end, day = found
    blank = skip(text, end)
    end = blank if text.startswith(("日", "号"), blank) else end
    if of is None and at > 0 and text[at - 1] in "前后近第每满约共":
        return None
    if isinstance(of, m.Part) and of.unit == "month" and day > _longest(of):
        return None
    sign = text[end : end + 1]
    if sign == "号" and text[end + 1 : end + 2] not in NOT_AFTER_DAY:
        return end + 1, m.Part("day", day, of)
    if sign == "日" and not compound(text, end + 1, "均内游志报常"):
        return end + 1, m.Part("day", day, of)
    bare = isinstance(of, m.Part) and (sign == "" or sign in "到至-~—,。?!的")
    return (end, m.Part("day", day, of)) if bare else None


def _longest(month: m.Part) -> int:
    year = month.of.number if isinstance(month.of, m.Year) else 2028
    return days_in_month(year, month.index)


def _tenday(text: str, at: int, of: m.TimeExpr | None) -> Hit | None:
    found = TENDAY.at(text, at)
    if found is None:
        return None
    first, last = (m.Part("tenday", index, of) for index in found[1])
    return found[0], first if first == last else m.Between(first, last)


def _half_month(text: str, at: int, of: m.TimeExpr | None) -> Hit | None:
    found = HALF_MONTH.at(text, at)
    return None if found is None else (found[0], m.Part("half_month", found[1], of))


def _nth(text: str, at: int, of: m.TimeExpr | None) -> Hit | None:
    """第二个月 of a quarter, half or year."""
    if of is None or text[at] != "第":
        return None
    number = integer(text, at + 1)
    if number is None or not text.startswith("个月", number[0]):
        return None
    most = {"quarter": 3, "half": 6, "year": 12}[grain_of(of)]
    return (number[0] + 2, m.Nth(number[1], "month", of)) if 1 <= number[1] <= most else None


def _weekday(text: str, at: int, of: m.TimeExpr | None) -> Hit | None:
    """周五, 星期日; after a week also 五 alone (上周五) and 末 (上周末)."""
    name = WEEK_NAME.at(text, at)
    end = name[0] if name is not None else at
    if of is None and (name is None or text[at - 1 : at] == "每"):
        return None
    sign = text[end : end + 1]
    if sign == "末":
        return end + 1, m.Part("weekend", 1, of)
    index = WEEKDAYS.get(sign)
    if index is None or (sign == "天" and name is None and of is None):
        return None
    if compound(text, end + 1, NOT_AFTER_WEEKDAY.get(sign, MEASURES)):
        return None
    return end + 1, m.Part("weekday", index, of)


def _festival(text: str, at: int, of: m.TimeExpr | None) -> Hit | None:
    found = FESTIVAL.at(text, at)
    if found is None:
        if text.startswith("十一", at):
            tail = FESTIVAL_TAIL.at(text, at + 2)
            if tail is not None and text[at + 2] != "节":
                return tail[0], m.Festival("national_day", of)
            day = THAT_DAY.at(text, at + 2)
            if day is not None:
                return day[0], m.Festival("national_day", of, True)
        return None
    end, code = found
    if text[at] == "6" and text[end : end + 1] in tuple("0123456789.个元万平笔家套"):
        return None
    if text.startswith("五一", at) and text[end : end + 1] in tuple("个广商大路街村"):
        return None
    tail = FESTIVAL_TAIL.at(text, end)
    end = tail[0] if tail is not None else end
    day = THAT_DAY.at(text, end)
    return (day[0], m.Festival(code, of, True)) if day is not None else (end, m.Festival(code, of))


def _edge(text: str, at: int, of: m.TimeExpr | None) -> Hit | None:
    """月底, 去年年底, 八月月底; after a month, quarter or year also 底 alone."""
    found = EDGE.at(text, at)
    if found is not None:
        grain, side = found[1]
        if of is None:
            return found[0], m.Edge(side, m.Relative(grain, 0))
        return (found[0], m.Edge(side, of)) if grain_of(of) == grain else None
    short = EDGE_SHORT.at(text, at) if of is not None else None
    if short is None or of is None or text[at + 1 : at + 2] in ("层", "价", "商", "级", "次"):
        return None
    return short[0], m.Edge(short[1], of)


def _some(text: str, at: int, of: m.TimeExpr | None) -> Hit | None:
    """前三季度, 前8个月 of the year (the running one if none is said); 8月前10天."""
    side = FIRST_SIDE.at(text, at)
    number = integer(text, side[0]) if side is not None else None
    unit = FIRST_UNIT.at(text, number[0]) if number is not None else None
    if side is None or number is None or unit is None or number[1] < 1:
        return None
    grain = unit[1]
    if text[number[0]] == "月" and side[1] == "end":
        return None
    if of is None:
        if side[1] == "end" or text[at] != "前" or grain not in ("month", "quarter"):
            return None
        if number[1] > (4 if grain == "quarter" else 12):
            return None
        of = m.Relative("year", 0)
    if SMALLER[grain_of(of)] <= SMALLER[grain]:
        return None
    return unit[0], m.Some(side[1], number[1], grain, of)


_PARTS: tuple[tuple[frozenset[m.Grain], _PartParser], ...] = (
    (frozenset({"year"}), _half),
    (frozenset({"year"}), _quarter),
    (frozenset({"year", "month"}), _week),
    (frozenset({"year"}), _month),
    (frozenset({"year", "half", "quarter", "month", "week"}), _some),
    (frozenset({"year", "quarter", "month"}), _edge),
    (frozenset({"year"}), _festival),
    (frozenset({"year", "half", "quarter"}), _nth),
    (frozenset({"month"}), _tenday),
    (frozenset({"month"}), _half_month),
    (frozenset({"month"}), _day),
    (frozenset({"week"}), _weekday),
)
