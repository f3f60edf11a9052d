"""The words of Chinese periods: 上个月, 下半年, 国庆, 月底, 周五."""

from __future__ import annotations

from nl2sql.times import model as m
from nl2sql.times.text import Words, one_of

_THIS = ("当前", "本", "这个", "这一个", "这一", "这", "当")
_UNITS: dict[str, m.Grain] = {
    "季度": "quarter",
    "自然月": "month",
    "完整月": "month",
    "自然季度": "quarter",
    "完整季度": "quarter",
    "自然周": "week",
    "完整周": "week",
    "季": "quarter",
    "月度": "month",
    "月份": "month",
    "月": "month",
    "星期": "week",
    "礼拜": "week",
    "周": "week",
}
_DAYS = {
    "大前天": -3, "前天": -2, "前日": -2, "昨天": -1, "昨日": -1, "今天": 0, "今日": 0,
    "当天": 0, "当日": 0, "本日": 0, "明天": 1, "明日": 1, "后天": 2, "大后天": 3,
}  # fmt: skip
_YEARS = {
    "大前年": -3, "前年": -2, "去年": -1, "上年": -1, "上一年": -1, "上个年": -1, "今年": 0,
    "本年": 0, "当年": 0, "全年": 0, "这一年": 0, "明年": 1,
    "来年": 1, "下一年": 1, "下年": 1, "后年": 2,
}  # fmt: skip
FESTIVALS = {
    "元旦": "new_year", "春节": "spring_festival", "清明": "qingming", "五一": "labour_day",
    "劳动节": "labour_day", "端午": "dragon_boat", "中秋": "mid_autumn", "国庆": "national_day",
    "双11": "double_11", "双十一": "double_11", "双12": "double_12", "双十二": "double_12",
    "618": "mid_year_sale", "过年": "spring_festival", "圣诞": "christmas", "情人节": "valentine",
    "妇女节": "womens_day", "儿童节": "childrens_day",
}  # fmt: skip


def _relatives() -> dict[str, tuple[m.Grain, int]]:
    """本月 … 上上上个月, 下下周, with or without 个."""
    found: dict[str, tuple[m.Grain, int]] = {w: ("day", n) for w, n in _DAYS.items()}
    for word, n in _YEARS.items():
        found[word] = found[word + "度"] = ("year", n)
    for unit, grain in _UNITS.items():
        for this in _THIS:
            found[this + unit] = (grain, 0)
        found["前一" + unit] = found["前一个" + unit] = (grain, -1)
        for count in (1, 2, 3, 4):
            for side, sign in (("上", -1), ("下", 1)):
                for ge in ("", "个", "一个", "一"):
                    found[side * count + ge + unit] = (grain, sign * count)
    for unit in ("月", "个月", "周", "个星期"):
        found["大上" + unit] = found["再上" + unit] = ("month" if "月" in unit else "week", -2)
    found["前一年"], found["前一天"] = ("year", -1), ("day", -1)
    found["再上个季度"] = found["再上季度"] = ("quarter", -2)
    return found


RELATIVE = Words(_relatives())
# 去年这个月, 前年本季度: the running unit, years away
RUNNING: Words[tuple[m.Grain, int]] = Words(
    {this + unit: (grain, 12 if grain == "month" else 4)
     for this in _THIS for unit, grain in _UNITS.items() if grain in ("month", "quarter")}
)  # fmt: skip
HALF_MONTH = Words(
    {"上半月": 1, "前半月": 1, "上半个月": 1, "下半月": 2, "后半月": 2, "下半个月": 2}
)
HALF = Words({"上半年": 1, "前半年": 1, "上半年度": 1, "下半年": 2, "后半年": 2, "下半年度": 2})
FESTIVAL = Words(FESTIVALS)
FESTIVAL_TAIL = one_of("节", "假期", "节假期", "小长假", "长假", "黄金周", "节假日", "那几天",
                        "这几天", "假期那几天", "那段时间", "节那几天")  # fmt: skip
THAT_DAY = one_of("当天", "当日", "那天", "那一天", "这天", "这一天")
TENDAY = Words({"上旬": (1, 1), "中旬": (2, 2), "下旬": (3, 3), "上中旬": (1, 2), "中下旬": (2, 3)})
WEEKDAYS = {c: i for i, c in enumerate("一二三四五六日")} | {"天": 6}
WEEK_NAME = one_of("周", "星期", "礼拜")
EDGE: Words[tuple[m.Grain, m.Side]] = Words(
    {
        "月底": ("month", "end"), "月末": ("month", "end"), "月初": ("month", "start"),
        "年底": ("year", "end"), "年末": ("year", "end"), "年初": ("year", "start"),
        "季末": ("quarter", "end"), "季度末": ("quarter", "end"), "季度底": ("quarter", "end"),
        "季初": ("quarter", "start"), "季度初": ("quarter", "start"),
    }
)  # fmt: skip
EDGE_SHORT: Words[m.Side] = Words({"底": "end", "末": "end", "初": "start"})
WHOLE = one_of("全年", "全月", "整年", "整月", "全季度", "整个季度", "一整年", "一整月")
SMALLER: dict[m.Grain, int] = {
    "year": 5, "half": 4, "quarter": 3, "month": 2, "week": 1, "day": 0, "hour": -1
}  # fmt: skip
_FIRST_UNITS: dict[str, m.Grain] = {
    "季度": "quarter", "个季度": "quarter", "个月": "month", "月": "month", "周": "week",
    "个星期": "week", "天": "day", "日": "day",
}  # fmt: skip
FIRST_UNIT = Words(_FIRST_UNITS)
FIRST_SIDE: Words[m.Side] = Words({"前": "start", "头": "start", "后": "end", "最后": "end"})

# what may not follow: 1号楼, 周一共, 15日均, 今日头条, 一月租
NOT_AFTER_DAY = frozenset("楼栋馆仓库厂院门线房座塔地机电园桥井车泊会单表梯幢口厅")
NOT_AFTER_WEEKDAY = {
    "一": "共样直般些个起下次家栋套层份笔户间号期",
    "日": "均报常志",
    "天": "均",
}
MEASURES = "个栋套层份笔户间家号楼次位条项成倍百千万十点"
NOT_TODAY = one_of("头条")
COUNTING = frozenset("0123456789一二三四五六七八九十两半几数多个整每同")
