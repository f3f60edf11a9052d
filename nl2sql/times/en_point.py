"""English periods: last Friday, Aug 15 last year, Q3 2026, first half of 2025, week of Aug 3."""

from __future__ import annotations

from dataclasses import replace

from nl2sql.times import model as m
from nl2sql.times.arith import days_in_month
from nl2sql.times.en_words import (
    ANY_DAY,
    CALENDAR_YEAR,
    DAYS,
    EDGE,
    EDGE_ALONE,
    FESTIVAL,
    FESTIVAL_TAIL,
    FISCAL,
    FULL_DAY,
    GOES_ON,
    MONTH,
    OF,
    ORDINAL,
    THE_UNIT,
    THIRD,
    UNIT,
    UNSURE,
    WHICH,
)
from nl2sql.times.iso import numeric
from nl2sql.times.text import (
    Hit,
    digits,
    english_number,
    is_digit,
    is_latin,
    skip,
    starts_word,
    year_digits,
)

_EVERY = ("every ", "each ")  # what comes again is no period


def point(text: str, at: int, bare_year: bool = True) -> Hit | None:
    """The longest English (or numeric) period at an offset.

    >>> point("august 2026", 0)
    (11, Part(unit='month', index=8, of=Year(number=2026, fiscal=False), pick='look'))
    """
    if at >= len(text):
        return None
    if is_digit(text[at]):
        return numeric(text, at) or _day_first(text, at) or _number_first(text, at, bare_year)
    hit = _named_point(text, at, bare_year)
    return None if hit is None else _possessive(text, hit)


def _named_point(text: str, at: int, bare_year: bool) -> Hit | None:
    """A period that starts with a word, articles included."""
    if at >= len(text) or not is_latin(text[at]) or not starts_word(text, at):
        return None
    best: Hit | None = None
    for parser in _PARSERS:
        hit = parser(text, at)
        if hit is not None and (best is None or hit[0] > best[0]):
            best = hit
    if text.startswith("the ", at):
        bare = point(text, at + 4, bare_year)
        best = bare if best is None or (bare is not None and bare[0] > best[0]) else best
    return best


def _number_first(text: str, at: int, bare_year: bool) -> Hit | None:
    """1st half of 2025, 2025 q3, the 15th, 2025."""
    ordinal = _ordinal_part(text, at) or _digit_first(text, at)
    if ordinal is not None:
        return ordinal
    year = year_digits(text, at)
    if year is None:
        return _nth(text, at)
    end, number = year
    if not bare_year:
        hit = _possessive(text, (end, m.Year(number)))
        return hit if hit[0] > end else None
    after = text[end : end + 1]
    number_goes_on = after in tuple(".,-") and is_digit(text[end + 1 : end + 2] or " ")
    if number_goes_on or (after and (is_latin(after) or after in "/%万亿元平㎡年个0123456789")):
        return None
    return _possessive(text, (end, m.Year(number)))


def _digit_first(text: str, at: int) -> Hit | None:
    """1q25, 2h 2025, 3q'26: a quarter or a half and its year."""
    index, letter = text[at], text[at + 1 : at + 2]
    if letter not in ("q", "h") or index not in ("1234" if letter == "q" else "12"):
        return None
    end = skip(text, at + 2)
    end += text.startswith("'", end)
    year = digits(text, end)
    if year is None or year[0] - end not in (2, 4) or text[year[0] : year[0] + 1] in GOES_ON:
        return None
    number = year[1] if year[0] - end == 4 else 2000 + year[1]
    if not 2000 <= number <= 2099 or (
        year[0] - end == 2 and end != at + 2 and text[end - 1] == " "
    ):
        return None
    return year[0], m.Part("quarter" if letter == "q" else "half", int(index), m.Year(number))


def _nth(text: str, at: int) -> Hit | None:
    """15th (of a month); the words 1st … 3rd alone are ranks, not days."""
    found = _day_number(text, at)
    if found is None or not found[2] or not text[:at].endswith("the "):
        return None
    if not text[: at - 4].rstrip().endswith(("on", "since", "from", "until", "before", "after")):
        return None
    return found[0], m.Part("day", found[1])


def _day_number(text: str, at: int) -> tuple[int, int, bool] | None:
    """End, day and whether an ordinal ending was written."""
    found = digits(text, at, 2)
    if found is None or not 1 <= found[1] <= 31:
        return None
    end, day = found
    ordinal = text[end : end + 2] in ("st", "nd", "rd", "th")
    end += 2 * ordinal
    if end < len(text) and (is_latin(text[end]) or is_digit(text[end])):
        return None
    return end, day, ordinal


def _day_first(text: str, at: int) -> Hit | None:
    """15 aug 2026, 15th of august."""
    found = _day_number(text, at)
    if found is None:
        return None
    end = skip(text, found[0], " -")
    of = OF.at(text, end)
    if of is not None and not found[2] and text.startswith("in", end):
        return None  # building 2 in july
    month = MONTH.at(text, skip(text, of[0]) if of is not None else end)
    if month is None or (of is None and found[0] == end):
        return None
    if of is None and text[end : month[0]] in UNSURE and not found[2]:
        return None
    if found[1] > days_in_month(2028, month[1]):
        return None
    stop, year = _year_after(text, month[0])
    return stop, m.Part("day", found[1], m.Part("month", month[1], year))


def _month(text: str, at: int) -> Hit | None:
    """August, Aug 15, August 15th, 2026, Aug last year."""
    month = MONTH.at(text, at)
    if month is None or text.endswith(_EVERY, 0, at):
        return None
    end, index = month
    day = _day_number(text, skip(text, end))
    if day is not None and day[1] <= days_in_month(2028, index) and skip(text, end) > end:
        stop, year = _year_after(text, day[0])
        return stop, m.Part("day", day[1], m.Part("month", index, year))
    stop, year = _year_after(text, end)
    return stop, m.Part("month", index, year)


def _third(text: str, at: int) -> Hit | None:
    """early August, mid-August, late Aug 2026: ten days of it, as 上旬, 中旬 and 下旬."""
    third = THIRD.at(text, at)
    month = None if third is None else _month(text, skip(text, third[0], " -"))
    if third is None or month is None or not _is_month(month[1]):
        return None
    return month[0], m.Part("tenday", third[1], month[1])


def _year_after(text: str, at: int) -> tuple[int, m.TimeExpr | None]:
    """The year that follows a part: 2026, of 2026, last year, of last year, '25."""
    end = skip(text, at, " ,-")
    of = OF.at(text, end)
    start = skip(text, of[0]) if of is not None else end
    found = _year_name(text, start)
    if found is None and text.startswith("'", start):
        short = digits(text, start + 1, 2)
        if short is not None and short[0] == start + 3:
            found = short[0], m.Year(2000 + short[1])
    if found is None or (start == at and text[start] != "'"):
        return at, None
    return found


def _year_name(text: str, at: int) -> Hit | None:
    fiscal = _fiscal(text, at)
    if fiscal is not None:
        return fiscal
    word = CALENDAR_YEAR.at(text, at)
    year = year_digits(text, skip(text, word[0]) if word is not None else at)
    if year is not None:
        after = text[year[0] : year[0] + 1]
        if after and (is_latin(after) or is_digit(after) or after in "-/%万亿元平㎡"):
            return None
        return year[0], m.Year(year[1])
    which = WHICH.at(text, at)
    if which is None or not text.startswith("year", skip(text, which[0])):
        return None
    unit = UNIT.at(text, skip(text, which[0]))
    return None if unit is None else (unit[0], m.Relative("year", which[1][0]))


def _fiscal(text: str, at: int) -> Hit | None:
    """FY2025, fy25, fiscal year 2025."""
    if text.startswith("fy", at) and is_digit(text[at + 2 : at + 3] or " "):
        end = at + 2
    else:
        word = FISCAL.at(text, at)
        if word is None:
            return None
        end = skip(text, word[0])
    year = year_digits(text, end)
    if year is None:
        short = digits(text, end, 2)
        if short is None or short[0] - end != 2:
            return None
        year = short[0], 2000 + short[1]
    return year[0], m.Year(year[1], fiscal=True)


def _quarter(text: str, at: int) -> Hit | None:
    """q3, h1, quarter 3, q3 of last year, week 35."""
    letter, index = text[at], text[at + 1 : at + 2]
    after = text[at + 2 : at + 3]
    if letter in "qh" and index and index in "1234" and not (after.isascii() and after.isalnum()):
        if letter == "h" and index not in "12":
            return None
        end, year = _year_after(text, at + 2)
        return end, m.Part("quarter" if letter == "q" else "half", int(index), year)
    for word, unit, most in _NUMBERED:
        if text.startswith(word, at):
            found = english_number(text, at + len(word))
            if found is None or not 1 <= found[1] <= most:
                return None
            end = len(text[: found[0]].rstrip(" -"))
            stop, year = _year_after(text, end)
            return stop, m.Part(unit, found[1], year)
    return None


_NUMBERED: tuple[tuple[str, m.PartUnit, int], ...] = (
    ("quarter ", "quarter", 4),
    ("week ", "week", 53),
    ("wk ", "week", 53),
)


def _ordinal_part(text: str, at: int) -> Hit | None:
    """first half of 2025, third quarter, first three quarters of last year."""
    ordinal = ORDINAL.at(text, at)
    if ordinal is None and not text.startswith("last ", at):
        return None
    if ordinal is None:
        return _counted_in(text, at + 5, -1) or _counted_part(text, at, "end")
    start = skip(text, ordinal[0])
    unit = UNIT.at(text, start)
    counted = _counted_in(text, start, ordinal[1])
    if counted is not None:
        return counted
    if unit is not None and unit[1] == "half" and ordinal[1] <= 2:
        of = OF.at(text, skip(text, unit[0]))
        month = _the_unit(text, unit[0]) or (point(text, skip(text, of[0])) if of else None)
        if month is not None and _is_month(month[1]):
            return month[0], m.Part("half_month", ordinal[1], month[1])
    if unit is not None and unit[1] in ("half", "quarter"):
        part: m.PartUnit = "half" if unit[1] == "half" else "quarter"
        end, year = _year_after(text, unit[0])
        whole = _the_unit(text, unit[0]) if year is None else None
        if whole is not None and whole[1] == m.Relative("year", 0):
            end, year = whole
        if ordinal[1] > 2 and part == "half":
            return None
        return end, m.Part(part, ordinal[1], year)
    return _counted_part(text, at, "start") if ordinal[1] == 1 else None


def _counted_in(text: str, at: int, index: int) -> Hit | None:
    """second week of March, third month of Q2, first Monday of August, last Friday of the month."""
    weekday = ANY_DAY.at(text, at)
    unit = UNIT.at(text, at)
    if weekday is None and (unit is None or unit[1] not in ("week", "month") or index < 2):
        return None
    after = weekday[0] if weekday is not None else unit[0] if unit is not None else at
    of = OF.at(text, skip(text, after))
    whole = _the_unit(text, after) or (point(text, skip(text, of[0])) if of is not None else None)
    if whole is None:
        return None
    end, expr = whole
    if weekday is not None:
        return end, m.NthWeekday(index, weekday[1], expr)
    if unit is not None and unit[1] == "week":
        return (end, m.Part("week", index, expr)) if _is_month(expr) else None
    quarter = isinstance(expr, m.Part) and expr.unit == "quarter"
    running = isinstance(expr, m.Relative) and expr.grain in ("quarter", "year")
    fits = (quarter and index <= 3) or (running and index <= 3) or isinstance(expr, m.Year)
    return (end, m.Nth(index, "month", expr)) if fits else None


def _counted_part(text: str, at: int, side: m.Side) -> Hit | None:
    """first 3 quarters (of 2025), last ten days of august."""
    start = skip(text, at + (5 if side == "start" else 4))
    number = english_number(text, start) or (start, 1)
    unit = UNIT.at(text, number[0])
    if unit is None or unit[1] in ("half", "year"):
        return None
    of = OF.at(text, skip(text, unit[0]))
    whole = point(text, skip(text, of[0])) if of is not None else None
    if whole is None:
        whole = _the_unit(text, unit[0])
    if whole is None:
        if side == "end" or unit[1] not in ("month", "quarter") or number[0] == start:
            return None
        whole = unit[0], m.Relative("year", 0)
    if unit[1] == "week" and side == "start" and number[0] == start and _is_month(whole[1]):
        return whole[0], m.Part("week", 1, whole[1])
    return whole[0], m.Some(side, number[1], unit[1], whole[1])


def _is_month(expr: m.TimeExpr) -> bool:
    return (isinstance(expr, m.Part) and expr.unit == "month") or (
        isinstance(expr, m.Relative) and expr.grain == "month"
    )


def _the_unit(text: str, at: int) -> Hit | None:
    """of the year: the running one."""
    of = one_of_the(text, at)
    unit = THE_UNIT.at(text, skip(text, of)) if of is not None else None
    return None if unit is None else (unit[0], m.Relative(unit[1], 0))


def one_of_the(text: str, at: int) -> int | None:
    """The offset after `of` or `in`."""
    start = skip(text, at)
    for word in ("of ", "in "):
        if text.startswith(word, start):
            return start + len(word)
    return None


def _which(text: str, at: int) -> Hit | None:
    """this week, last friday, next month, last august, current quarter."""
    which = WHICH.at(text, at)
    if which is None:
        return None
    start = skip(text, which[0])
    offset, pick = which[1]
    unit = UNIT.at(text, start)
    if unit is not None and unit[1] in ("month", "quarter") and pick == "this":
        end, year = _year_after(text, unit[0])  # this month last year
        if isinstance(year, m.Relative):
            return end, m.Relative(unit[1], year.offset * (12 if unit[1] == "month" else 4))
    if unit is not None and not text[start : unit[0]].endswith("s") and unit[1] != "half":
        return unit[0], m.Relative(unit[1], offset)
    if text.startswith("fiscal year", start) or text.startswith("calendar year", start):
        fiscal = text.startswith("fiscal", start)
        return start + (11 if fiscal else 13), m.Relative("year", offset, fiscal)
    if text.startswith(("fiscal quarter", "financial quarter"), start):
        end = start + (14 if text.startswith("fiscal", start) else 17)
        return end, m.Relative("fiscal_quarter", offset)
    if text.startswith("weekend", start):
        return start + 7, m.Part("weekend", 1, m.Relative("week", offset))
    day = ANY_DAY.at(text, start)
    if day is not None:
        return day[0], m.Part("weekday", day[1], pick=pick)
    month = MONTH.at(text, start)
    return (month[0], m.Part("month", month[1], pick=pick)) if month is not None else None


def _named(text: str, at: int) -> Hit | None:
    """today, monday, national day last year, year-end."""
    day = DAYS.at(text, at)
    if day is not None:
        return day[0], m.Relative("day", day[1])
    edge = EDGE_ALONE.at(text, at)
    if edge is not None:
        return edge[0], m.Edge(edge[1][1], m.Relative(edge[1][0], 0))
    festival = FESTIVAL.at(text, at)
    if festival is not None:
        tail = FESTIVAL_TAIL.at(text, skip(text, festival[0]))
        end = tail[0] if tail is not None else festival[0]
        if text.startswith("itself", skip(text, end)):
            return skip(text, end) + len("itself"), m.Festival(festival[1], None, True)
        end, year = _year_after(text, end)
        return end, m.Festival(festival[1], year)
    weekday = FULL_DAY.at(text, at)
    if weekday is not None and not text.endswith(_EVERY, 0, at):
        return weekday[0], m.Part("weekday", weekday[1])
    if text[:at].endswith("on "):
        short = ANY_DAY.at(text, at)
        return None if short is None else (short[0], m.Part("weekday", short[1]))
    return None


def _edge(text: str, at: int) -> Hit | None:
    """end of august, the beginning of the year."""
    edge = EDGE.at(text, at)
    if edge is None:
        return None
    start = skip(text, edge[0])
    unit = THE_UNIT.at(text, start)
    if unit is not None:
        return unit[0], m.Edge(edge[1], m.Relative(unit[1], 0))
    hit = point(text, start)
    return None if hit is None else (hit[0], m.Edge(edge[1], hit[1]))


def _around(text: str, at: int) -> Hit | None:
    """week of aug 3; the quarter before last, the month after next."""
    unit = UNIT.at(text, at)
    if unit is None or unit[1] == "half":
        return None
    end = skip(text, unit[0])
    for words, offset in (("before last", -2), ("after next", 2)):
        if text.startswith(words, end):
            return end + len(words), m.Relative(unit[1], offset)
    if unit[1] == "week" and text.startswith("of ", end):
        hit = point(text, skip(text, end + 3), bare_year=False)
        day = isinstance(hit[1], m.OnDay | m.Part) if hit is not None else False
        if hit is not None and day and getattr(hit[1], "unit", "day") in ("day", "weekday"):
            return hit[0], m.Around("week", hit[1])
    return None


def _year(text: str, at: int) -> Hit | None:
    """fy2025, fy25q1, calendar year 2025."""
    fiscal = _fiscal(text, at)
    if fiscal is None:
        return _year_name(text, at) if text.startswith(("year 2", "calendar year"), at) else None
    part = _quarter(text, fiscal[0]) if text[fiscal[0] : fiscal[0] + 1] in ("q", "h") else None
    inner = part[1] if part is not None else None
    if part is None or not isinstance(inner, m.Part):
        return fiscal
    rooted = _rooted(inner, fiscal[1])
    return fiscal if rooted is None else (part[0], rooted)


def _possessive(text: str, hit: Hit) -> Hit:
    """last year's q3, 2025 q3, last year august."""
    end, expr = hit
    if not isinstance(expr, m.Relative | m.Year) or (
        isinstance(expr, m.Relative) and expr.grain != "year"
    ):
        return hit
    start = end + 2 if text.startswith("'s", end) else end
    inner = _named_point(text, skip(text, start), bare_year=False)
    if inner is None or not isinstance(inner[1], m.Part | m.Festival) or skip(text, start) == end:
        return hit
    rooted = _rooted(inner[1], expr)
    return hit if rooted is None else (inner[0], rooted)


def _rooted(part: m.Part | m.Festival, of: m.TimeExpr) -> m.TimeExpr | None:
    """The part with its open root put into a year; None where it has a place already."""
    if part.of is None:
        wide = isinstance(part, m.Festival) or part.unit in ("half", "quarter", "month", "week")
        plain = isinstance(part, m.Festival) or part.pick == "look"
        return replace(part, of=of) if wide and plain else None
    if isinstance(part.of, m.Part | m.Festival):
        outer = _rooted(part.of, of)
        return None if outer is None else replace(part, of=outer)
    return None


_PARSERS = (_month, _third, _quarter, _ordinal_part, _which, _named, _edge, _around, _year)
