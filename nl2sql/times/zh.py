"""Chinese spans: 近三个月, 8月1日至15日, 6月以来, 截至8月底, 8月和9月, 今天10点到12点."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from nl2sql.times import model as m
from nl2sql.times.day_parts import part_of_day, with_its_day
from nl2sql.times.iso import month_day
from nl2sql.times.text import MOST_ITEMS, Hit, Words, integer, is_digit, one_of, skip
from nl2sql.times.zh_numbers import AND, TO, anchored_numbers, numbers, pair, years
from nl2sql.times.zh_point import grain_of, part_of, point
from nl2sql.times.zh_roll import duration, rolling, run

_TODAY = m.Relative("day", 0)
_WITHIN = one_of("内", "以内", "之内")
_TO_NOW = one_of(
    "至今", "迄今", "到今天", "到今日", "到现在", "到目前", "到目前为止", "到现在为止", "到如今",
    "至今天", "至现在", "到今", "至今为止", "至目前", "到今天为止",
)  # fmt: skip
_SINCE = one_of("以来", "以来的", "之来")
_ON = one_of("及以后", "及之后", "或以后", "或之后", "起", "开始", "以后开始", "起至今", "伊始")
_BEFORE = one_of("之前", "以前")
_AFTER = one_of("之后", "以后")
_UNTIL_TAIL = one_of("及以前", "及之前", "或以前", "或之前", "为止", "截止", "截至")
_UNTIL = one_of("截至", "截止", "截至到", "截止到", "截止至", "直到", "到")
_NOW = one_of("目前", "现在", "当前", "今", "此刻", "今天", "今日", "目前为止", "现在为止")
_NEXT_YEAR = one_of("次年", "翌年", "转年", "第二年", "次年的", "第二年的")
_FROM = one_of("从", "自", "自从", "打从")
_EARLIER = one_of("早于", "先于", "不晚于")
_LATER = one_of("晚于", "迟于", "不早于")
_DURING = one_of("期间", "之间", "这段时间", "这期间", "间")
_COMPARED = one_of(
    "比", "相比", "对比", "比较", "相比较", "比一比", "比一下", "来比", "的对比", "作对比"
)
_DIRECT = ("比", "对比")
_AGO = one_of("前", "以前", "之前")
_LATER_ON = one_of("后", "以后", "之后")


def span(text: str, at: int) -> Hit | None:
    """The longest Chinese time at an offset.

    >>> span("去年10月到今年3月的应收", 0)[0]
    10
    >>> span("近三个月", 0)
    (4, Rolling(count=3, grain='month', direction='back', half=False))
    """
    best: Hit | None = None
    for parser in _PARSERS:
        hit = parser(text, at)
        if hit is not None and (best is None or hit[0] > best[0]):
            best = hit
    return best


def _counted(text: str, at: int) -> Hit | None:
    """三天前, 半年前到现在, 两个月后, 30天内, 半年以来."""
    if at and text[at - 1] in "近前后第每上下满过":
        return None
    found = duration(text, at)
    if found is None:
        return None
    end, count, grain = found
    if text[end - 1] in "月日季度" and text[end - 2 : end - 1] not in ("个", "半", "季"):
        within = _WITHIN.at(text, end)  # 8月前, 15日后 are of the calendar; 7日内 is not
        seven = within is not None and text[end - 1] == "日"
        return (within[0], m.Rolling(count, grain, "look")) if within and seven else None
    ago = _AGO.at(text, end)
    if ago is not None and text[ago[0] : ago[0] + 1] not in tuple("三几十名"):
        now = _TO_NOW.at(text, ago[0])
        if now is not None:
            return now[0], m.Since(m.Ago(count, grain))
        return _ranged(text, ago[0], m.Ago(count, grain)) or (ago[0], m.Ago(count, grain))
    later = _LATER_ON.at(text, end)
    if later is not None:
        return later[0], m.Ago(-count, grain)
    within = _WITHIN.at(text, end)
    if within is not None:
        return within[0], m.Rolling(count, grain, "look")
    since = _SINCE.at(text, end)
    return (since[0], m.Rolling(count, grain)) if since is not None else None


# ---- ranges, open ends, lists


def _simple(text: str, at: int) -> Hit | None:
    """A period, or several numbers that share a unit (1到3月, 8、9月)."""
    shared = years(text, at) or numbers(text, at, None) or pair(text, at, None)
    if shared is not None:
        return shared
    period = point(text, at)
    return None if period is None else anchored_numbers(text, period) or period


def _composed(text: str, at: int) -> Hit | None:
    """A period with what may follow: 到 …, 以来, 之前, 和 …"""
    first = _FROM.at(text, at)
    start = skip(text, first[0]) if first is not None else at
    hit = _simple(text, start)
    if hit is None and first is not None:
        hit = _counted_start(text, start)
        if hit is None:
            return None
    if hit is None:
        return _slashed(text, at)
    end, expr = hit
    during = _DURING.at(text, end) if isinstance(expr, m.Between | m.Festival | m.Part) else None
    if during is not None and text[end] != "间":
        return during[0], expr
    if isinstance(expr, m.Between):
        return end, expr
    longer = _hours(text, hit) or _ranged(text, end, expr) or _opened(text, end, expr)
    if longer is not None:
        return longer
    if isinstance(expr, m.Several):
        return _in_each_year(text, hit) or hit
    return _listed(text, end, expr) or hit


def _counted_start(text: str, at: int) -> Hit | None:
    """从三个月前到现在, 从半年前开始."""
    hit = _counted(text, at)
    if hit is None or not isinstance(hit[1], m.Ago):
        return hit
    return _opened(text, hit[0], hit[1]) or hit


def _ranged(text: str, at: int, first: m.TimeExpr) -> Hit | None:
    """到/至 … after a period, both ends included."""
    start = skip(text, at)
    now = _TO_NOW.at(text, start)
    if now is not None and text[now[0] : now[0] + 1] != "年":
        return now[0], m.Since(first)
    word = TO.at(text, start)
    if word is None:
        return None
    begin = skip(text, word[0])
    later = _NEXT_YEAR.at(text, begin)  # 12月到次年2月: the first 2月 after it
    begin = later[0] if later is not None else begin
    last = point(text, begin) or _bare_end(text, begin, first)
    if last is None:
        return None
    end, expr = last
    during = _DURING.at(text, end)
    if during is not None and text[end] != "间":
        end = during[0]
    elif text.startswith("为止", end):
        end += 2
    return end, m.Between(first, expr)


def _bare_end(text: str, at: int, first: m.TimeExpr) -> Hit | None:
    """周一至五, 8月1日-15 (at the end of what is said)."""
    if not isinstance(first, m.Part):
        return None
    if first.unit == "weekday" and text[at : at + 1] in tuple("一二三四五六日"):
        return at + 1, m.Part("weekday", "一二三四五六日".index(text[at]))
    number = integer(text, at)
    if first.unit != "day" or number is None or not 1 <= number[1] <= 31:
        return None
    after = text[number[0] : number[0] + 1]
    return (number[0], m.Part("day", number[1])) if after == "" or after in " ,。?!的" else None


def _opened(text: str, at: int, expr: m.TimeExpr) -> Hit | None:
    """以来, 起, 之前, 之后, 为止."""
    start = skip(text, at)
    until = _UNTIL.at(text, start)
    if until is not None:
        begin = skip(text, until[0])
        now, last = _NOW.at(text, begin), point(text, begin)
        if now is not None and (last is None or last[0] <= now[0]):
            return now[0], m.Since(expr)
        if last is not None:
            return last[0], m.Between(expr, last[1])
    for table, build in _SUFFIXES:
        word = table.at(text, start)
        if word is not None and not (
            build is m.Starting and text[word[0] : word[0] + 1] in _NOT_ON
        ):
            end = word[0]
            now = _TO_NOW.at(text, end) if build is m.Starting else None
            return (now[0], m.Since(expr)) if now is not None else (end, build(expr))
    sign = text[start : start + 1]
    after = skip(text, start + 1)
    if sign not in ("前", "后") or text[after : after + 1] not in _AFTER_SIDE:
        return None
    return start + 1, m.Before(expr) if sign == "前" else m.After(expr)


# what may follow 前 or 后 alone (8月前到期, not 8月前海), and may not follow 起 (去年起租)
_AFTER_SIDE = frozenset(["", *" 的,。?!、;)到签入起完提创报生开结交退缴付应实未已产新发租"])
_NOT_ON = frozenset("租草诉源码点止步重价降伏")


def _until(expr: m.TimeExpr) -> m.TimeExpr:
    return m.Before(expr, inclusive=True)


_SUFFIXES: tuple[tuple[Words[None], Callable[[m.TimeExpr], m.TimeExpr]], ...] = (
    (_SINCE, m.Since),
    (_ON, m.Starting),
    (_BEFORE, m.Before),
    (_AFTER, m.After),
    (_UNTIL_TAIL, _until),
)


def _listed(text: str, at: int, first: m.TimeExpr) -> Hit | None:
    """X和Y, X、Y和Z; X和Y之间 is a range; 和去年比 is a comparison, not a list."""
    items, end = [first], at
    while len(items) < MOST_ITEMS:
        word = AND.at(text, skip(text, end)) or _side_by_side(text, end, items[-1])
        if word is None:
            break
        used = text[skip(text, end) : word[0]]
        hit = _simple(text, skip(text, word[0]))
        if hit is None or not _list_item(items[-1], hit, used, text):
            break
        items.append(_inherit(items[-1], hit[1]))
        end = hit[0]
        if text.startswith("之间", end) and len(items) == 2:
            return end + 2, m.Between(items[0], items[1])
    if len(items) < 2:
        return None
    shared = _shared_part(items)
    return end, m.Several(shared if shared is not None else tuple(items))


def _in_each_year(text: str, hit: Hit) -> Hit | None:
    """2024、2025年的第一季度: the quarter of each."""
    years = hit[1].items if isinstance(hit[1], m.Several) else ()
    if not years or not all(grain_of(year) == "year" for year in years):
        return None
    start = skip(text, hit[0])
    last = part_of(text, skip(text, start + text.startswith("的", start)), years[-1])
    shared = _shared_part([*years[:-1], last[1]]) if last is not None else None
    return None if last is None or shared is None else (last[0], m.Several(shared))


def _shared_part(items: Sequence[m.TimeExpr]) -> tuple[m.TimeExpr, ...] | None:
    """去年和今年的8月: a part that is said of the last year is meant of each."""
    last = items[-1]
    years = all(grain_of(item) == "year" and not isinstance(item, m.Part) for item in items[:-1])
    if not years or not isinstance(last, m.Part) or last.of is None or grain_of(last.of) != "year":
        return None
    return (*(replace(last, of=year) for year in items[:-1]), last)


def _side_by_side(text: str, at: int, before: m.TimeExpr) -> tuple[int, None] | None:
    """1月2月3月: months and quarters may follow each other without a word between."""
    hit = point(text, at) if at < len(text) and isinstance(before, m.Part) else None
    same = hit is not None and isinstance(hit[1], m.Part) and isinstance(before, m.Part)
    if not same or hit is None or getattr(hit[1], "unit", "") != getattr(before, "unit", ""):
        return None
    return (at, None) if getattr(before, "unit", "") in ("month", "quarter") else None


def _list_item(before: m.TimeExpr, hit: Hit, word: str, text: str) -> bool:
    expr = hit[1]
    if isinstance(expr, m.Between | m.Several):
        return False
    earlier = isinstance(expr, m.Relative) and expr.offset < 0
    if earlier and (word in _DIRECT or _COMPARED.at(text, hit[0]) is not None):
        return False
    return grain_of(before) == grain_of(expr) or not isinstance(before, m.Part)


def _inherit(before: m.TimeExpr, expr: m.TimeExpr) -> m.TimeExpr:
    """去年8月和9月: the later month lies in the same year."""
    same = isinstance(before, m.Part) and isinstance(expr, m.Part) and before.unit == expr.unit
    if same and isinstance(before, m.Part) and isinstance(expr, m.Part) and expr.of is None:
        return replace(expr, of=before.of)
    return expr


def _slashed(text: str, at: int) -> Hit | None:
    """8.1-8.15, 8/1到8/15: months and days, read only as a range."""
    if not is_digit(text[at]):
        return None
    first = month_day(text, at)
    word = TO.at(text, skip(text, first[0])) if first is not None else None
    last = month_day(text, skip(text, word[0])) if word is not None else None
    if first is None or last is None:
        return None
    return last[0], m.Between(first[1], last[1])


def _prefixed(text: str, at: int) -> Hit | None:
    """截至8月底, 到8月底为止, 早于8月15日, 截至目前."""
    until = _UNTIL.at(text, at)
    if until is not None:
        return _until_prefix(text, at, until[0])
    for table, build in ((_EARLIER, m.Before), (_LATER, m.After)):
        word = table.at(text, at)
        hit = point(text, skip(text, word[0])) if word is not None else None
        if hit is not None:
            if text[at] != "不":
                return hit[0], build(hit[1])
            return hit[0], _until(hit[1]) if build is m.Before else m.Starting(hit[1])
    return None


def _until_prefix(text: str, at: int, end: int) -> Hit | None:
    start = skip(text, end)
    now = _NOW.at(text, start)
    if now is not None and text[now[0] : now[0] + 1] not in ("年", "天", "日"):
        hit: Hit | None = (now[0], _TODAY)
    else:
        hit = point(text, start)
    if hit is None:
        return None
    tail = _UNTIL_TAIL.at(text, hit[0])
    if text[at] == "到" and tail is None and not isinstance(hit[1], m.Edge):
        return None  # 到年底 is until then, 到8月 may be the end of a stretch
    return (tail[0] if tail is not None else hit[0]), _until(hit[1])


# ---- hours


def _hours(text: str, hit: Hit) -> Hit | None:
    """今天10点到12点, 昨天下午3点, 昨天下午: only after a day."""
    at, day = hit
    if grain_of(day) != "day":
        return None
    first = _clock(text, skip(text, at), 0)
    if first is None:
        return part_of_day(text, hit)
    end, minute, shift = first
    word = TO.at(text, skip(text, end))
    last = _clock(text, skip(text, word[0]), shift) if word is not None else None
    if last is not None and last[1] > minute:
        return last[0], m.Hours(minute, last[1], day)
    return end, m.Hours(minute, minute + 60, day)


_HALF_DAY = Words(
    {"上午": 0, "早上": 0, "凌晨": 0, "中午": 0, "下午": 720, "晚上": 720, "傍晚": 720}
)


def _clock(text: str, at: int, shift: int) -> tuple[int, int, int] | None:
    """End, minute of the day and half-day shift of 下午3点半, 10:30, 12点."""
    half = _HALF_DAY.at(text, at)
    if half is not None:
        at, shift = half
    number = integer(text, at)
    if number is None or not 0 <= number[1] <= 24:
        return None
    end, hour = number
    minute = 0
    if text[end : end + 1] == ":":
        found = integer(text, end + 1)
        if found is None or found[1] > 59:
            return None
        end, minute = found
    elif text[end : end + 1] in ("点", "时"):
        end += 1 + text.startswith("点钟", end)
        if text.startswith("半", end):
            end, minute = end + 1, 30
    else:
        return None
    total = hour * 60 + minute
    return end, total + (shift if hour < 12 else 0), shift


_PARSERS = (_composed, rolling, run, _counted, _prefixed, with_its_day)
STARTS = frozenset(
    "本再这当上下前去今明来后昨大近最过未接往将从自打截直到至早先晚迟不头此双国春元清端中劳圣情妇儿"
    "一二三四五六七八九十两半周星礼年月季第全0123456789q之"
)
