"""Numbers and bounds in a question: 三万五, 13万2, 500多万, 百分之X, 超过5万, between 3 and 5.

RULES.md §8 says what they mean. Values are exact decimals. The text is already normalised (NFKC,
lower case, simplified); offsets are into it. Readers of times go first: 1到3月 is theirs.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import lru_cache
from typing import Literal

from nl2sql.times.iso import month_day
from nl2sql.times.text import Words, is_digit, is_latin, one_of, skip, starts_word


@dataclass(frozen=True, slots=True)
class Number:
    """A number at `text[start:end]`, its unit included.

    `upper` makes it a span: exclusive where `approx` (500多万 is [5 000 000, 6 000 000)), else
    inclusive (两三个 is 2 to 3). `approx` without `upper` is "at least" (上万).
    """

    start: int
    end: int
    value: Decimal
    upper: Decimal | None = None
    approx: bool = False
    percent: bool = False
    unit: str | None = None


@dataclass(frozen=True, slots=True)
class Bound:
    """A condition on a value; `gap` is an object noun within the span (3份[合同]以上)."""

    start: int
    end: int
    low: Decimal | None
    low_inclusive: bool
    high: Decimal | None
    high_inclusive: bool
    percent: bool = False
    unit: str | None = None
    gap: tuple[int, int] | None = None


_Side = Literal["low", "high", "equal"]
_Op = tuple[_Side, bool]

_ZH = {c: Decimal(i) for i, c in enumerate("零一二三四五六七八九")} | {"两": Decimal(2)}
_SCALES = {c: Decimal(10) ** n for c, n in (("十", 1), ("百", 2), ("千", 3), ("万", 4), ("亿", 8))}
_LETTERS: Words[Decimal] = Words(
    {"k": Decimal(1000), "m": Decimal(10) ** 6, "mn": Decimal(10) ** 6, "bn": Decimal(10) ** 9,
     "b": Decimal(10) ** 9, "w": Decimal(10) ** 4, "hundred": Decimal(100),
     "thousand": Decimal(1000), "million": Decimal(10) ** 6, "billion": Decimal(10) ** 9}
)  # fmt: skip
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_ONES = [
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
]
_TENS_WORDS: Words[int] = Words({word: 20 + 10 * i for i, word in enumerate(_TENS)})
_ONES_WORDS: Words[int] = Words({word: i for i, word in enumerate(_ONES, 1)})
_UNIT_NAMES: dict[str, tuple[str, ...]] = {
    "cny": ("元", "块", "块钱", "元钱", "圆", "人民币", "元人民币", "yuan", "rmb", "cny"),
    "sqm": ("平", "平米", "平方", "平方米", "㎡", "m2", "m²", "sqm", "sq m", "square meters",
            "square metres", "square meter", "square metre"),
    "score": ("分", "points"),
    "count": ("套", "间", "家", "个", "份", "笔", "单", "栋", "户", "次", "条", "人", "件", "座",
              "项", "张", "组", "批", "幢", "宗", "位", "台", "辆", "倍"),
    "minute": ("分钟", "min", "mins", "minute", "minutes"),
    "hour": ("小时", "个小时", "钟头", "个钟头", "h", "hour", "hours", "hrs"),
    "day": ("天", "days", "day"),
    "month": ("个月", "months", "month"),
    "year": ("年", "years", "year"),
    "kwh": ("kwh", "千瓦时", "度", "度电"),
    "ton": ("吨", "t", "tons", "tonnes"),
    "m3": ("立方", "立方米", "方", "m3", "m³"),
}  # fmt: skip
_UNITS: Words[str] = Words({word: code for code, words in _UNIT_NAMES.items() for word in words})
_PERCENT = one_of("%", "percent", "per cent", "pct")
_POINTS = one_of("个百分点", "百分点", "个点", "percentage points", "percentage point", "pp", "ppt")


@dataclass(frozen=True, slots=True)
class _Read:
    """A number being read: `mantissa` as written, before 万 or 亿."""

    end: int
    value: Decimal
    upper: Decimal | None = None
    approx: bool = False
    mantissa: Decimal | None = None
    weak: bool = False


def scan_numbers(text: str) -> tuple[Number, ...]:
    """Every number of a text, left to right.

    >>> [str(number.value) for number in scan_numbers("三万五到13万2")]
    ['35000', '132000']
    >>> scan_numbers("500多万")[0].upper
    Decimal('6000000')
    >>> scan_numbers("百分之八十三点五")[0].value
    Decimal('0.835')
    """
    found: list[Number] = []
    at = 0
    while at < len(text):
        number = _number(text, at) if text[at] in _FIRST else None
        if number is not None:
            found.append(number)
            at = number.end
        else:
            at = _next(text, at)
    return tuple(found)


def _next(text: str, at: int) -> int:
    """Past the rest of a latin word or of a number that is none (p001)."""
    kind = is_latin if is_latin(text[at]) else is_digit if is_digit(text[at]) else None
    at += 1
    while kind is not None and at < len(text) and (kind(text[at]) or is_digit(text[at])):
        at += 1
    return at


_GREATEST = Decimal(10) ** 18
_FIRST = frozenset("零一二三四五六七八九两十百千上半0123456789.") | {w[0] for w in _ONES + _TENS}


def _number(text: str, at: int, sure: bool = False) -> Number | None:
    """The number at an offset; `sure` where an operator before it says that one is meant."""
    if text[at] not in _FIRST or (text[at] in "0123456789abcdefghijklmnopqrstuvwxyz"
                                  and not starts_word(text, at)):  # fmt: skip
        return None
    if at and (text[at - 1] == "第" or (text[at] == "." and is_digit(text[at - 1]))):
        return None
    share = _share(text, at)
    if share is not None:
        return _tidy(share)
    read = _english(text, at) if is_latin(text[at]) else _value(text, at)
    if read is None or max(read.value, read.upper or read.value) > _GREATEST:
        return None
    number = _with_unit(text, at, read)
    weak = read.weak and number.unit is None and not number.percent
    if weak and not sure and _SUFFIX.at(text, number.end) is None:
        return None
    if text[number.end : number.end + 1] == "号":
        return None
    return _tidy(number)


def _tidy(number: Number) -> Number:
    """Values without trailing zeros or exponents: 20000000, not 20000000.0 or 2E+7."""
    upper = None if number.upper is None else _plain(number.upper)
    return replace(number, value=_plain(number.value), upper=upper)


def _plain(value: Decimal) -> Decimal:
    whole = value.to_integral_value()
    return whole.quantize(Decimal(1)) if whole == value else value.normalize()


def _with_unit(text: str, at: int, read: _Read) -> Number:
    number = Number(at, read.end, read.value, read.upper, read.approx)
    end = skip(text, read.end)
    hundredth = Decimal("0.01")
    points = _POINTS.at(text, end)
    percent = _PERCENT.at(text, end)
    if points is not None or percent is not None:
        upper = None if read.upper is None else read.upper * hundredth
        unit = "pp" if points is not None else None
        stop = (points or percent or (end, None))[0]
        value = read.value * hundredth
        return replace(number, end=stop, value=value, upper=upper, percent=True, unit=unit)
    unit_found = _UNITS.at(text, end)
    if unit_found is None or (unit_found[1] == "year" and read.value >= 1000):
        return number
    stop, unit = unit_found
    if text[end:stop] == "度" and text[stop : stop + 1] == "假":
        return number
    return replace(number, end=stop, unit=unit)


def _share(text: str, at: int) -> Number | None:
    """百分之X, 千分之X, 三分之一, 一半, 八成五, 上万."""
    for word, base in (("百分之", 100), ("千分之", 1000)):
        if text.startswith(word, at):
            read = _value(text, at + len(word))
            if read is None:
                return None
            upper = None if read.upper is None else read.upper / base
            return Number(at, read.end, read.value / base, upper, read.approx, True)
    if text.startswith(("一半", "半数"), at):
        return Number(at, at + 2, Decimal("0.5"), percent=True)
    if text[at] == "上":
        end, scale = at + 1, Decimal(1)
        while text[end : end + 1] in ("百", "千", "万", "亿"):
            end, scale = end + 1, scale * _SCALES[text[end]]
        return _with_unit(text, at, _Read(end, scale, approx=True)) if scale > 1 else None
    digit = _ZH.get(text[at])
    if digit is None and is_digit(text[at]) and text[at + 1 : at + 2] in ("成", "分"):
        digit = Decimal(text[at])
    if digit is None or not digit:
        return None
    if text.startswith("成", at + 1) and text[at + 2 : at + 3] not in tuple("立本交为员功都"):
        tenth = Decimal(5) if text.startswith("半", at + 2) else _ZH.get(text[at + 2 : at + 3])
        end = at + 2 if tenth is None else at + 3
        value = digit / 10 + (tenth or Decimal(0)) / 100
        return Number(at, end, value, percent=True)
    part = _ZH.get(text[at + 3 : at + 4])
    if text.startswith("分之", at + 1) and part is not None:
        return Number(at, at + 4, part / digit, percent=True)
    return None


# ---- values


def _literal(text: str, at: int) -> tuple[int, Decimal] | None:
    """1,000 or 16.4 or 1.5e3; a comma only before exactly three digits."""
    end = at
    while end < len(text) and is_digit(text[end]):
        end += 1
    if end == at and not (text[at : at + 1] == "." and is_digit(text[at + 1 : at + 2] or " ")):
        return None
    while end - at <= 15 and text[end : end + 1] == "," and _three(text, end + 1):
        end += 4
    if text[end : end + 1] == "." and end + 1 < len(text) and is_digit(text[end + 1]):
        end += 1
        while end < len(text) and is_digit(text[end]):
            end += 1
    power = _EXPONENT.match(text, end)
    end = end if power is None else power.end()
    return end, Decimal(text[at:end].replace(",", ""))


_EXPONENT = re.compile(r"e[+-]?\d{1,2}(?![a-z\d])")


def _three(text: str, at: int) -> bool:
    group = text[at : at + 4]
    whole = len(group) >= 3 and all(is_digit(char) for char in group[:3])
    return whole and not (len(group) == 4 and is_digit(group[3]))


def _value(text: str, at: int) -> _Read | None:
    """A number in digits, in Chinese, or in both: 3万5千, 十五, 三点五万, 两三百, 500多万."""
    if at >= len(text):
        return None
    pair = _pair(text, at)
    if pair is not None:
        return pair
    total = section = Decimal(0)
    current, mantissa = None, None
    last, zero, more, end = Decimal(0), False, False, at
    stop = min(len(text), at + 40)
    while end < stop:
        char = text[end]
        digit = _digit(text, end) if current is None and not more else None
        if digit is not None and not (last and is_digit(char) and _stops(text, digit[0])):
            if char == "零" and digit[0] == end + 1 and last:
                zero = True
            else:
                current = digit[1]
                mantissa = current if mantissa is None else mantissa
            end = digit[0]
        elif char in _SCALES:
            scale = _SCALES[char]
            if current is None and not section and not total and char != "十":
                break
            if scale >= 10000:
                section = (section + (current or 0)) * scale
                total, section = (total * scale + section if scale > last > 1000 and total
                                  else total + section), Decimal(0)  # fmt: skip
            else:
                if current is None and section + total and not more:
                    break
                section += (Decimal(1) if current is None else current) * scale
            current, last, zero, end = None, scale, False, end + 1
        elif char in "多余几" and (current is not None or last) and not more:
            if char == "几" and text[end - 1] != "十":
                break
            more, end = True, end + 1
            if current is not None and text[end : end + 1] not in _SCALES:
                break
        else:
            break
    if end == at or (current is None and not section and not total and text[at] not in "0零"):
        return None
    value = total + section + _rest(current, last, zero)
    weak = (end - at == 1 and text[at] in _ZH) or text[at:end] == "十"
    upper = value + _step(value) if more else None
    value += Decimal(1) if more and text[end - 1] == "几" else 0
    return _scaled(text, _Read(end, value, upper, more, mantissa, weak))


def _stops(text: str, end: int) -> bool:
    """13万2号楼: a digit after 万 that begins something else."""
    return text[end : end + 1] in ("号", "楼", "层", "月", "栋")


def _digit(text: str, at: int) -> tuple[int, Decimal] | None:
    """One part of a number: a literal, or a Chinese digit with its decimals (三点五)."""
    literal = _literal(text, at)
    if literal is not None:
        return literal
    value = _ZH.get(text[at])
    if value is None:
        return None
    end = at + 1
    decimals = ""
    if text[end : end + 1] == "点" and text[end + 1 : end + 2] in _ZH:
        end += 1
        while end < len(text) and text[end] in _ZH:
            decimals += str(_ZH[text[end]])
            end += 1
    return end, Decimal(f"{value}.{decimals}") if decimals else value


def _rest(current: Decimal | None, last: Decimal, zero: bool) -> Decimal:
    """The digit left at the end: 三万五 counts tenths of the unit before it."""
    if current is None:
        return Decimal(0)
    short = last > 10 and not zero and current < 10 and current == current.to_integral_value()
    return current * last / 10 if short else current


def _step(value: Decimal) -> Decimal:
    """The unit of the last non-zero digit: 100 for 1500."""
    exponent = value.normalize().as_tuple().exponent
    return Decimal(1).scaleb(int(exponent)) if value else Decimal(1)


def _pair(text: str, at: int) -> _Read | None:
    """两三份, 三五百: two neighbouring digits before a scale or a unit."""
    low, high = _ZH.get(text[at]), _ZH.get(text[at + 1 : at + 2])
    if not low or not high or not (high - low == 1 or low * 10 + high == 35):
        return None
    end, scale = at + 2, Decimal(1)
    while text[end : end + 1] in _SCALES:
        scale *= _SCALES[text[end]]
        end += 1
    if scale == 1 and _UNITS.at(text, end) is None:
        return None
    return _Read(end, low * scale, high * scale, mantissa=low)


def _scaled(text: str, read: _Read) -> _Read:
    """10k, 2m, 1.5 million; m2 and min are units."""
    at = skip(text, read.end)
    if at < len(text) and is_latin(text[at]):
        letters = _LETTERS.at(text, at)
        if letters is not None and _UNITS.at(text, at) is None:
            end, scale = letters
            if end - at > 2 or at == read.end:
                upper = None if read.upper is None else read.upper * scale
                return replace(read, end=end, value=read.value * scale, upper=upper)
    return read


def _english(text: str, at: int) -> _Read | None:
    """ten, twenty, thirty-five, two hundred."""
    tens = _TENS_WORDS.at(text, at)
    if tens is not None:
        one = _ONES_WORDS.at(text, skip(text, tens[0], " -"))
        if one is not None and one[1] < 10:
            return _scaled(text, _Read(one[0], Decimal(tens[1] + one[1])))
        return _scaled(text, _Read(tens[0], Decimal(tens[1])))
    ones = _ONES_WORDS.at(text, at)
    if ones is None:
        return None
    return _scaled(text, _Read(ones[0], Decimal(ones[1]), weak=ones[1] == 1))


# ---- bounds

_MORE, _LEAST, _LESS, _MOST, _SAME = (
    ("low", False), ("low", True), ("high", False), ("high", True), ("equal", True),
)  # fmt: skip
_PREFIXES: tuple[tuple[_Op, str], ...] = (
    (("low", False), "超过|超出|大于|高于|多于|高过|大过|多过|突破|过|超|>|over|above|more than"
     "|greater than|larger than|bigger than|higher than|exceeding|exceeds|exceed|exceeded"
     "|in excess of|longer than|超过于"),
    (("low", True), "不少于|不低于|不小于|不下于|不下|至少|最少|起码|至少有|最少有|大于等于"
     "|大于或等于|大于或者等于|高于等于|高于或等于|多于或等于|满|≥|>=|=>|⩾|at least|no fewer than"
     "|no less than|not less than|not fewer than|not below|no lower than|not under|minimum of"
     "|a minimum of|greater than or equal to|more than or equal to|no smaller than|not lower than"
     "|达到|达|到|够|reach|reaches|reached|reaching|hit|hits"),
    (("high", False), "不足|低于|小于|少于|不到|未满|不满|未达到|没到|<|under|below|less than"
     "|fewer than|lower than|smaller than|shorter than"),
    (("high", True), "不超过|不超出|不高于|不大于|不多于|未超过|没超过|没有超过|最多|至多|顶多"
     "|最多有|封顶|小于等于|小于或等于|小于或者等于|低于等于|低于或等于|少于或等于|≤|<=|=<|⩽"
     "|at most"
     "|up to|no more than|not more than|not exceeding|no greater than|not over|not above"
     "|no higher than|no larger than|maximum of|a maximum of|less than or equal to"
     "|not exceed|does not exceed|do not exceed|no longer than|不大过"),
    (("equal", True), "等于|正好|恰好|刚好|=|exactly|equal to|equals|正好是|刚好是|为|是"),
)  # fmt: skip
_SUFFIXES: tuple[tuple[_Op, str], ...] = (
    (("low", True), "以上|及以上|或以上|及其以上|和以上|往上|起|起步|或更多|or more|or over"
     "|or above|or greater|or higher|and above|and over|and up|or larger|or longer|+|plus"),
    (("high", True), "以下|及以下|或以下|及其以下|和以下|以内|之内|往下|封顶|或更少|or less"
     "|or fewer|or under|or below|or lower|and below|and under|or smaller"),
)  # fmt: skip
_PREFIX: Words[_Op] = Words({word: op for op, words in _PREFIXES for word in words.split("|")})
_SUFFIX: Words[_Op] = Words({word: op for op, words in _SUFFIXES for word in words.split("|")})
_IS = ("为", "是")  # a condition only where a noun follows: 欠费为0的租户
_AFTER_PREFIX = " 了有约到¥"
_TO = one_of("到", "至", "~", "-", "—", "–", "--", "to", "through")
_AND = one_of("和", "与", "跟", "and", "到", "至", "to", "&", "-", "~")
_OPEN = one_of("在", "介于", "处于", "从", "位于", "between", "from", "in between")
_CLOSE = one_of("之间", "区间", "间")
_MINUS = one_of("-", "−", "–", "负", "minus", "negative")
_ASKED = one_of("了吗", "吗", "了没有", "没有", "了没", "没", "么", "不")
_ABOUT = one_of("左右", "上下", "前后")
_NO_RANGE_AFTER = frozenset("月号日名点楼层季周期")
_NOT_BEFORE_GUO = frozenset("超经通不去路跳错")


def scan_bounds(text: str, nouns: frozenset[str] = frozenset()) -> tuple[Bound, ...]:
    """Every condition on a value, left to right; `nouns` may stand within (3份合同以上).

    >>> scan_bounds("应收超过5万的账单")[0].low
    Decimal('50000')
    >>> scan_bounds("有3份合同以上", frozenset({"合同"}))[0].gap
    (3, 5)
    >>> found = scan_bounds("在80%到84%之间")[0]
    >>> found.low, found.high
    (Decimal('0.8'), Decimal('0.84'))
    """
    found: list[Bound] = []
    table = _table(nouns)
    at = 0
    while at < len(text):
        bound = _bound(text, at, table) if text[at] in _BEGIN else None
        if bound is not None:
            found.append(bound)
            at = bound.end
        else:
            at = _next(text, at)
    return tuple(found)


@lru_cache(maxsize=8)
def _table(nouns: frozenset[str]) -> Words[None]:
    """The nouns of a layer, made ready once."""
    return Words(dict.fromkeys(nouns))


# characters that a condition can begin with: an operator's, those that open a range, a number's
_BEGIN = _PREFIX.firsts | _OPEN.firsts | _FIRST


def _bound(text: str, at: int, nouns: Words[None]) -> Bound | None:
    if is_latin(text[at]) and not starts_word(text, at):
        return None
    return _ranged(text, at) or _prefixed(text, at, nouns) or _suffixed(text, at, nouns)


def _prefixed(text: str, at: int, nouns: Words[None]) -> Bound | None:
    """超过5万, at least 4; a suffix of the same side is only more of the same (至少5万以上)."""
    prefix = _PREFIX.at(text, at)
    if prefix is None or not _may_start(text, at, prefix[0]):
        return None
    start = skip(text, prefix[0], _AFTER_PREFIX)
    if text.startswith(("半数", "一半", "半"), start) and text[at] in "过超":
        end = start + (1 if text[start : start + 2] not in ("半数", "一半") else 2)
        if text[end : end + 1] not in ("年", "个"):
            return Bound(at, end, Decimal("0.5"), False, None, False, True)
        return None
    if text.startswith("half", start) and not is_latin(text[start + 4 : start + 5] or " "):
        half = Number(at, start + 4, Decimal("0.5"), percent=True)
        after = text[start + 4 :].lstrip()
        return None if after.startswith("year") else _condition(at, start + 4, half, prefix[1])
    number = _signed(text, start) if start < len(text) else None
    if number is not None and text[at : prefix[0]] in ("到", "够"):
        asked = _ASKED.at(text, skip(text, number.end)) or number.end == len(text.rstrip(" ?？"))
        if not (number.percent or asked) or text[at - 1 : at] in "以得看找":
            return None  # 到90%, 到500万了吗
    if number is None or _ABOUT.at(text, number.end) is not None:
        return None
    end = number.end
    if text[at : prefix[0]] in _IS and not text.startswith("的", end):
        return None
    suffix = _suffix(text, end)
    if suffix is not None and suffix[1][0] == prefix[1][0]:
        end = suffix[0]
    return _condition(at, end, number, prefix[1])


def _signed(text: str, at: int) -> Number | None:
    """The number after an operator, which may be below zero: 低于-5万, below minus 5%, 大于负三百."""
    sign = _MINUS.at(text, at)
    if sign is None:
        return _number(text, at, sure=True)
    start = skip(text, sign[0])
    number = _number(text, start, sure=True) if start < len(text) else None
    if number is None or number.approx or number.upper is not None:
        return None
    return replace(number, start=at, value=-number.value)


def _may_start(text: str, at: int, end: int) -> bool:
    word = text[at:end]
    before = text[at - 1 : at]
    if word in ("过", "超") and before in _NOT_BEFORE_GUO:
        return False
    if word.startswith("没") and before == "有":
        return False  # 有没有超过5万
    if before in ("不", "非") or text.endswith("not ", 0, at):  # 不等于5万, not over 5
        return False
    return not (word in ("满", "达", "达到") and before in ("不", "未", "圆", "没", "已"))


def _suffix(text: str, at: int) -> tuple[int, _Op] | None:
    found = _SUFFIX.at(text, skip(text, at))
    if found is None:
        return None
    end = found[0]
    if text[skip(text, at) : end] == "起" and text[end : end + 1] not in ("", "的", " ", ",", "。"):
        return None
    return found


def _suffixed(text: str, at: int, nouns: Words[None]) -> Bound | None:
    """5万以上, 3份合同以上, 100 sqm or over, 两三份, 500多万, 上万."""
    number = _number(text, at)
    if number is None:
        return None
    suffix = _suffix(text, number.end)
    if suffix is not None:
        return _condition(at, suffix[0], number, suffix[1])
    noun = nouns.at(text, skip(text, number.end))
    suffix = _suffix(text, noun[0]) if noun is not None else None
    if noun is not None and suffix is not None:
        gap = (skip(text, number.end), noun[0])
        return _condition(at, suffix[0], number, suffix[1], gap)
    if _ABOUT.at(text, number.end) is not None:
        return None
    if number.upper is not None:
        return Bound(at, number.end, number.value, True, number.upper, not number.approx,
                     number.percent, number.unit)  # fmt: skip
    return _condition(at, number.end, number, ("low", True)) if number.approx else None


def _condition(
    at: int, end: int, number: Number, op: _Op, gap: tuple[int, int] | None = None
) -> Bound:
    side, inclusive = op
    low = number.value if side != "high" else None
    high = number.value if side != "low" else None
    low_inclusive, high_inclusive = inclusive and side != "high", inclusive and side != "low"
    return Bound(at, end, low, low_inclusive, high, high_inclusive,
                 number.percent, number.unit, gap)  # fmt: skip


def _ranged(text: str, at: int) -> Bound | None:
    """X到Y, X和Y之间, between X and Y, from X to Y: both included."""
    opened = _OPEN.at(text, at)
    start = skip(text, opened[0]) if opened is not None else at
    first = _number(text, start, sure=True) if start < len(text) else None
    if first is None or (text[at - 1 : at] == "-" and at):
        return None
    between = text[at:start].strip() in ("between", "in between", "介于")
    after = skip(text, first.end)
    to = _TO.at(text, after)
    word = to or _AND.at(text, after)
    last_at = skip(text, word[0]) if word is not None else len(text)
    last = _number(text, last_at, sure=True) if last_at < len(text) else None
    if word is None or last is None:
        return None
    closed = _CLOSE.at(text, last.end)
    if to is None and closed is None and not between:
        return None
    if text[last.end : last.end + 1] in _NO_RANGE_AFTER and last.end < len(text):
        return None
    if month_day(text, first.start) and month_day(text, last.start) and closed is None:
        return None
    low = _plain(_inherited(text, first, last))
    if low > last.value:
        return None
    end = closed[0] if closed is not None else last.end
    return Bound(at, end, low, True, last.value, True, first.percent or last.percent,
                 last.unit or first.unit)  # fmt: skip


def _inherited(text: str, first: Number, last: Number) -> Decimal:
    """3到5万 and 80到84%: what only the second says holds for the first too."""
    low = first.value
    if last.percent and not first.percent:
        return low * Decimal("0.01")
    read = _value(text, last.start)
    written = text[first.start : first.end]
    scaled = any(char in _SCALES for char in written) or written[-1:] in tuple("kmbw")
    if read is None or not read.mantissa or scaled or first.unit is not None:
        return low
    scale = last.value / read.mantissa
    large = scale >= 100 and scale == scale.to_integral_value()
    return low * scale if large and low < read.mantissa else low
