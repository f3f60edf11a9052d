"""Dates written in digits alone: 2026-08-15, 2026/8, 202608, 2026q2, 2026-w35."""

from __future__ import annotations

from datetime import date

from nl2sql.times.arith import days_in_month
from nl2sql.times.model import OnDay, Part, Year
from nl2sql.times.text import Hit, digits, is_digit, is_latin, year_digits

_SEPARATORS = "-/."
_TO = "-~到至—–"
_UNITS_AFTER = "万亿元块平㎡%年月号楼个笔份家套户间栋条"


def numeric(text: str, at: int) -> Hit | None:
    """A date, month, quarter or week in digits at an offset.

    >>> numeric("2026-08-15", 0)
    (10, OnDay(day=datetime.date(2026, 8, 15), grain='day'))
    >>> numeric("202608", 0)[1]
    Part(unit='month', index=8, of=Year(number=2026, fiscal=False), pick='look')
    """
    head = year_digits(text, at)
    if head is None or not is_digit(text[at]):
        return None
    end, year = head
    if end >= len(text):
        return None
    if is_digit(text[end]):
        return _compact(text, at, year)
    hit = _lettered(text, end, year)
    if hit is not None:
        return hit
    if text[end] in _SEPARATORS:
        return _separated(text, end, year)
    return None


def _compact(text: str, at: int, year: int) -> Hit | None:
    """202608 and 20260815."""
    end = at
    while end < len(text) and is_digit(text[end]):
        end += 1
    if end < len(text) and (text[end] in _UNITS_AFTER or text[end] == "." or is_latin(text[end])):
        return None
    month = int(text[at + 4 : at + 6]) if end - at in (6, 8) else 0
    if not 1 <= month <= 12:
        return None
    if end - at == 6:
        return end, Part("month", month, Year(year))
    return _day(end, year, month, int(text[at + 6 : at + 8]))


def _lettered(text: str, at: int, year: int) -> Hit | None:
    """2026q2, 2026-q2, 2026h1, 2026-w35, 2026 q2."""
    at = at + 1 if text[at] in "- " else at
    if at + 1 >= len(text) or text[at] not in "qhw" or not is_digit(text[at + 1]):
        return None
    found = digits(text, at + 1, 2)
    if found is None or (found[0] < len(text) and is_latin(text[found[0]])):
        return None
    end, index = found
    if text[at] == "q" and 1 <= index <= 4:
        return end, Part("quarter", index, Year(year))
    if text[at] == "h" and 1 <= index <= 2:
        return end, Part("half", index, Year(year))
    if text[at] == "w" and 1 <= index <= 53:
        return end, Part("week", index, Year(year))
    return None


def _separated(text: str, at: int, year: int) -> Hit | None:
    """2026-08, 2026/8/15, 2026.08.15 (the same separator twice)."""
    separator = text[at]
    found = digits(text, at + 1, 2)
    if found is None or not 1 <= found[1] <= 12:
        return None
    end, month = found
    if end < len(text) and text[end] == separator:
        day = digits(text, end + 1, 2)
        if day is not None and not (day[0] < len(text) and is_latin(text[day[0]])):
            whole = _day(day[0], year, month, day[1])
            if whole is not None:
                return _with_day_word(text, whole)
            return None
    if separator == "." and end - at < 3 and not _in_range(text, at - 4, end):
        return None
    if end < len(text) and (text[end] in "万亿元平㎡%" or is_latin(text[end])):
        return None
    if end < len(text) and text[end] == "月":
        end += 1
    return end, Part("month", month, Year(year))


def _in_range(text: str, start: int, end: int) -> bool:
    """2025.1-2025.6: one digit is a month only at an end of a range of such."""
    if start > 0 and text[start - 1] in _TO:
        return True
    return text[end : end + 1] in tuple(_TO) and year_digits(text, end + 1) is not None


def _day(end: int, year: int, month: int, day: int) -> Hit | None:
    if not 1 <= day <= days_in_month(year, month):
        return None
    return end, OnDay(date(year, month, day))


def _with_day_word(text: str, hit: Hit) -> Hit:
    end, expr = hit
    return (end + 1, expr) if end < len(text) and text[end] == "日" else hit


def month_day(text: str, at: int) -> Hit | None:
    """8.1, 8/15: a month and a day; only ever read inside a range (8.1-8.15)."""
    month = digits(text, at, 2)
    if month is None or not 1 <= month[1] <= 12:
        return None
    end = month[0]
    if end >= len(text) or text[end] not in "./":
        return None
    day = digits(text, end + 1, 2)
    if day is None or not 1 <= day[1] <= days_in_month(2028, month[1]):
        return None
    end = day[0]
    if end < len(text) and (text[end] in "万亿元平㎡%千百" or is_latin(text[end])):
        return None
    return end, Part("day", day[1], Part("month", month[1]))
