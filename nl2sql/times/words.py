"""Words that are no time themselves: units to show by, comparisons, and the end of one."""

from __future__ import annotations

from typing import Literal

from nl2sql.times.model import CompareMatch, Grain, GrainMatch, NoCompareMatch
from nl2sql.times.text import Words, compound, one_of, skip

_ZH_UNITS: dict[str, Grain] = {
    "天": "day", "日": "day", "周": "week", "星期": "week", "礼拜": "week", "月": "month",
    "月份": "month", "月度": "month", "季": "quarter", "季度": "quarter", "半年": "half",
    "半年度": "half", "年": "year", "年度": "year", "年份": "year", "自然日": "day", "自然月": "month",
    "自然周": "week", "财年": "fiscal_year", "财务年度": "fiscal_year", "财政年度": "fiscal_year",
    "财季": "fiscal_quarter", "财务季度": "fiscal_quarter", "财政季度": "fiscal_quarter",
}  # fmt: skip
_EN_UNITS: dict[str, Grain] = {
    "day": "day", "week": "week", "month": "month", "quarter": "quarter",
    "half year": "half", "half-year": "half", "year": "year", "fiscal year": "fiscal_year",
    "financial year": "fiscal_year", "fiscal quarter": "fiscal_quarter",
    "financial quarter": "fiscal_quarter",
}  # fmt: skip
_ADVERBS: dict[str, Grain] = {
    "daily": "day", "weekly": "week", "monthly": "month", "quarterly": "quarter",
    "yearly": "year", "annually": "year", "half-yearly": "half",
    "semi-annually": "half", "day by day": "day", "week by week": "week",
    "month by month": "month", "quarter by quarter": "quarter", "year by year": "year",
    "日度": "day", "周度": "week", "月度": "month", "年度": "year", "季度": "quarter",
}  # fmt: skip


def _grains() -> dict[str, Grain]:
    found: dict[str, Grain] = dict(_ADVERBS)
    for unit, grain in _ZH_UNITS.items():
        for each in ("每", "每个", "每一", "每一个", "按", "按照", "按每", "按每个", "分", "逐",
                     "逐个", "各", "各个", "以"):  # fmt: skip
            if each in ("各", "各个") and unit in ("天", "年", "日"):
                if unit != "年" or each == "各":
                    found[each + unit] = grain
                continue
            if each in ("分", "以") and grain == "half":
                continue
            found[each + unit] = grain
    for unit in ("天", "日", "周", "月", "年", "季"):
        found["逐" + unit] = _ZH_UNITS[unit]
    for unit, grain in _EN_UNITS.items():
        for each in ("by", "per", "each", "every", "by the", "for each", "for every", "in each"):
            found[f"{each} {unit}"] = grain
    return found


_GRAINS = Words(_grains())
# 按月租金, 分年龄, 按季节, 按周边, 每周一, 以年费, 按日报
_NOT_AFTER: dict[str, str] = {
    "月": "租均费薪底初末球",
    "年": "龄级费限底初末中会报均",
    "季": "节",
    "周": "边围期长刊末一二三四五六日转",
    "日": "均报志常期历",
    "天": "气",
    "度": "",
}


# 每周一, 每月初, 各年龄: neither a unit to show by
_NOT_AFTER_EACH: dict[str, str] = {
    "周": "边围期长刊末一二三四五六日转",
    "月": "底初末中",
    "年": "龄级底初末中会报",
    "季": "节末初",
    "度": "末初",
}


def grain_word(text: str, at: int) -> GrainMatch | None:
    """每月, 按周, 逐日, by month, daily.

    >>> grain_word("按月看", 0)
    GrainMatch(start=0, end=2, grain='month')
    >>> grain_word("按月租金排序", 0) is None
    True
    """
    found = _GRAINS.at(text, at)
    if found is None:
        return None
    end, grain = found
    if text[at] not in "每各" and compound(text, end, _NOT_AFTER.get(text[end - 1], "")):
        return None
    limits = _NOT_AFTER_EACH.get(text[end - 1], "") if text[at] in "每各" else ""
    if compound(text, end, limits):
        return None
    if text[at] == "以" and not text.startswith(("为单位", "为粒度", "为维度"), end):
        return None
    if text[at] == "以":
        end += 3
    if text[at] == "季" and text[at - 1 : at] in tuple("本上下一二三四个当这第0123456789") and at:
        return None
    return GrainMatch(at, end, grain)


# ---- comparisons

_Kind = Literal["yoy", "pop"]
_LAST_YEAR = ("去年", "上年", "上一年", "去年度", "上年度")
_LAST = (
    "上月", "上个月", "上一月", "上一个月", "上季", "上季度", "上个季度", "上一季度",
    "上一个季度", "上周", "上个周", "上一周", "上星期", "上个星期", "昨天", "昨日", "前一天",
    "前一日", "前日", "上期", "上一期", "上一周期", "上个周期", "前期", "前一周期",
)  # fmt: skip
_SAME = (
    "同期",
    "同月",
    "同日",
    "同季度",
    "同季",
    "同周",
    "同时期",
    "同一时期",
    "的同期",
    "的同一时期",
)


def _base_words() -> tuple[dict[str, _Kind], dict[str, _Kind]]:
    """Words that compare by themselves, and those that need 比 beside them."""
    alone: dict[str, _Kind] = {"同期": "yoy"}
    beside: dict[str, _Kind] = {"同期": "yoy"}
    for words, kind in ((_LAST_YEAR, "yoy"), (_LAST, "pop")):
        for word in words:
            beside[word] = "yoy" if kind == "yoy" else "pop"
            for same in _SAME:
                alone[word + same] = beside[word + same] = beside[word]
    return alone, beside


_ALONE, _BESIDE = (Words(table) for table in _base_words())
_WITH = one_of("跟", "和", "与", "同", "对", "vs", "vs.", "并与", "并和", "并跟")
_AGAINST = one_of(
    "比", "较", "对比", "相比", "相较", "相对", "相对于", "相比于", "相较于", "比起", "比较",
    "对照", "环比", "同比", "较之",
)  # fmt: skip
_TAIL = one_of(
    "比", "相比", "对比", "比较", "相比较", "来比", "作比较", "做比较", "做对比", "作对比",
    "比一比", "比一下", "对比一下", "比较一下", "相比如何", "的对比", "的比较", "之比",
)  # fmt: skip
_FULL = one_of(
    "全月",
    "全年",
    "整月",
    "整年",
    "全季度",
    "整季度",
    "全周",
    "全期",
    "full",
    "按全月",
    "full month",
    "full year",
    "full quarter",
    "full week",
    "full period",
    "the full month",
)
_CORE: Words[_Kind] = Words(
    {
        "同比": "yoy", "年同比": "yoy", "环比": "pop", "月环比": "pop", "周环比": "pop",
        "日环比": "pop", "季环比": "pop", "季度环比": "pop", "月同比": "yoy",
        "年环比": "pop",
    }
)  # fmt: skip
_EN: Words[_Kind] = Words(
    {
        "year over year": "yoy", "year-over-year": "yoy", "year on year": "yoy",
        "year-on-year": "yoy", "yoy": "yoy", "y/y": "yoy", "yoy%": "yoy",
        "same period last year": "yoy", "the same period last year": "yoy",
        "same period of last year": "yoy", "the same period of last year": "yoy",
        "same time last year": "yoy", "the same time last year": "yoy",
        "same month last year": "yoy", "the same month last year": "yoy",
        "same quarter last year": "yoy", "same week last year": "yoy",
        "a year ago": "yoy", "a year earlier": "yoy", "prior year": "yoy",
        "month over month": "pop", "month-over-month": "pop", "month on month": "pop",
        "month-on-month": "pop", "mom": "pop", "m/m": "pop", "week over week": "pop",
        "week-over-week": "pop", "week on week": "pop", "wow": "pop", "quarter over quarter": "pop",
        "quarter-over-quarter": "pop", "quarter on quarter": "pop", "qoq": "pop",
        "day over day": "pop", "day-over-day": "pop", "dod": "pop", "period over period": "pop",
        "same period last month": "pop", "the same period last month": "pop",
        "period-over-period": "pop",
    }
)  # fmt: skip
_EN_AGAINST = one_of(
    "vs", "vs.", "versus", "compared with", "compared to", "compare with", "compare to",
    "comparing with", "comparing to", "against", "relative to", "than",
    "compare it with", "compare it to", "compare that with", "compare that to", "compared against",
    "compare them with", "compare them to", "comparison with", "comparison to",
)  # fmt: skip
_EN_BASE: Words[_Kind] = Words(
    {
        f"{the}{before} {unit}": ("yoy" if unit == "year" else "pop")
        for the in ("", "the ")
        for before in ("last", "previous", "prior", "preceding", "same period last",
                       "same period of last", "same time last", "same month last")
        for unit in ("year", "month", "week", "quarter", "day", "period")
    }
    | {"yesterday": "pop", "a year ago": "yoy", "a year earlier": "yoy", "a month ago": "pop",
       "a month earlier": "pop", "a week ago": "pop"}
)  # fmt: skip


_UNITS: dict[str, Grain] = {
    "月": "month", "month": "month", "mom": "month", "m/m": "month", "季": "quarter",
    "quarter": "quarter", "qoq": "quarter", "周": "week", "星期": "week", "week": "week",
    "wow": "week", "日": "day", "天": "day", "day": "day", "dod": "day",
}  # fmt: skip


def compare_word(text: str, at: int) -> CompareMatch | None:
    """同比, 跟去年同期比, 比上月, yoy, compared with last year, 全月环比.

    >>> compare_word("跟去年同期比", 0)
    CompareMatch(start=0, end=6, kind='yoy', full=False, unit=None)
    >>> compare_word("全月环比", 0)
    CompareMatch(start=0, end=4, kind='pop', full=True, unit='month')
    """
    full = _FULL.at(text, at)
    start = skip(text, full[0], " 的") if full is not None else at
    found = _compared(text, start)
    if found is None:
        return None
    end, kind = found
    after = _FULL.at(text, skip(text, end, " ,(按的用以,"))
    if after is not None:
        end = after[0]
        end += text[end : end + 1] == ")"
    unit = unit_of(text[at:end]) if kind == "pop" else None
    return CompareMatch(at, end, kind, full is not None or after is not None, unit)


def unit_of(words: str) -> Grain | None:
    """The unit of time that words of a comparison name.

    >>> unit_of("比上个月"), unit_of("vs last week"), unit_of("比上一周期")
    ('month', 'week', None)
    """
    named = words.replace("周期", "")
    return next((unit for mark, unit in _UNITS.items() if mark in named), None)


def _compared(text: str, at: int) -> tuple[int, _Kind] | None:
    if text[at : at + 1] == "同" and at and text[at - 1] in "合相不共胡":
        return None
    core = _CORE.at(text, at) or _EN.at(text, at)
    if core is not None and text[core[0] : core[0] + 1] != "例":
        return core
    against = _AGAINST.at(text, at)
    if against is not None:
        base = _BESIDE.at(text, skip(text, against[0]))
        if base is not None and not _longer(text, base[0]):
            return _tailed(text, base[0]), base[1]
    beside = _WITH.at(text, at)
    if beside is not None:
        base = _BESIDE.at(text, skip(text, beside[0]))
        if base is not None and (_TAIL.at(text, base[0]) or _ALONE.at(text, skip(text, beside[0]))):
            return _tailed(text, base[0]), base[1]
    alone = _ALONE.at(text, at)
    if alone is not None:
        if text.startswith("同", at) and text[at - 1 : at] in tuple("年月季周") and at:
            return None  # 前年同期
        return _tailed(text, alone[0]), alone[1]
    return _english(text, at)


def _tailed(text: str, at: int) -> int:
    tail = _TAIL.at(text, at)
    return at if tail is None else tail[0]


def _longer(text: str, at: int) -> bool:
    """比去年8月 names another period, not the one before."""
    after = skip(text, at + text.startswith("的", at))
    return text[after : after + 1] in tuple("0123456789一二三四五六七八九十上下全底末初q国春")


def _english(text: str, at: int) -> tuple[int, _Kind] | None:
    against = _EN_AGAINST.at(text, at)
    if against is None:
        return None
    base = _EN_BASE.at(text, skip(text, against[0]))
    if base is None:
        return None
    after = skip(text, base[0])
    return None if text.startswith("'s ", after) else base


# ---- no comparison

_NOT = one_of(
    "不用", "不要", "不需要", "不必", "取消", "去掉", "不看", "别", "不再", "无需", "不做", "不",
    "关掉", "删掉", "撤掉", "移除", "不显示", "不想看", "不要看", "不用看", "不用再", "不要再",
)  # fmt: skip
_COMPARISON = one_of(
    "对比", "比较", "同比", "环比", "同期对比", "同期", "同比环比", "同环比", "比了", "同比和环比",
    "做对比", "做比较", "看同比", "看环比", "同期比较", "进行对比", "去年同期", "和去年比",
    "跟去年比", "和上月比", "跟上月比", "对比去年", "同比对比", "环比对比",
)  # fmt: skip
_EN_NO = one_of("no", "without", "without the", "remove", "remove the", "drop", "drop the",
                "stop", "without any", "not", "don't", "do not", "clear the", "cancel the",
                "cancel", "hide the", "skip the", "turn off the", "no more",
                "no need for")  # fmt: skip
_EN_COMPARISON = one_of("comparison", "comparisons", "comparing", "compare", "yoy", "mom", "qoq",
                        "year over year", "year-over-year", "month over month", "comparision",
                        "a comparison", "any comparison", "to compare")  # fmt: skip


def no_compare_word(text: str, at: int) -> NoCompareMatch | None:
    """不用对比了, 取消同比, no comparison.

    >>> no_compare_word("不要对比了", 0)
    NoCompareMatch(start=0, end=5)
    """
    for word, object_ in ((_NOT, _COMPARISON), (_EN_NO, _EN_COMPARISON)):
        found = word.at(text, at)
        if found is None:
            continue
        what = object_.at(text, skip(text, found[0], " 再"))
        if what is not None:
            end = what[0]
            end += text[end : end + 1] == "了" and text[end - 1] != "了"
            return NoCompareMatch(at, end)
    return None


STARTS = (
    _GRAINS.firsts | _ALONE.firsts | _WITH.firsts | _AGAINST.firsts | _FULL.firsts
    | _CORE.firsts | _EN.firsts | _EN_AGAINST.firsts | _NOT.firsts | _EN_NO.firsts
)  # fmt: skip
