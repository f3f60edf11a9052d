"""Holidays of China as ranges: announced ones from `chinese_calendar`, later ones by statute.

The statutory days are those in force since 2025 (Spring Festival: the eve and three days). The
lunar dates reach from 2020 to 2035; a festival beyond the table has no range.
"""

from __future__ import annotations

from datetime import date, timedelta
from functools import lru_cache

import chinese_calendar

NOT_ANNOUNCED = "holiday_not_announced"

_SOLAR: dict[str, tuple[int, int, int]] = {
    "new_year": (1, 1, 1),
    "labour_day": (5, 1, 2),
    "national_day": (10, 1, 3),
}
_NAMES = {
    "new_year": "New Year's Day",
    "spring_festival": "Spring Festival",
    "qingming": "Tomb-sweeping Day",
    "labour_day": "Labour Day",
    "dragon_boat": "Dragon Boat Festival",
    "mid_autumn": "Mid-autumn Festival",
    "national_day": "National Day",
}
# Days that are kept, but no days off: one day, always known.
_PLAIN = {
    "double_11": (11, 11),
    "double_12": (12, 12),
    "mid_year_sale": (6, 18),
    "christmas": (12, 25),
    "valentine": (2, 14),
    "womens_day": (3, 8),
    "childrens_day": (6, 1),
}
_LUNAR: dict[str, dict[int, tuple[int, int]]] = {
    "spring_festival": {
        2020: (1, 25), 2021: (2, 12), 2022: (2, 1), 2023: (1, 22), 2024: (2, 10), 2025: (1, 29),
        2026: (2, 17),
        2027: (2, 6), 2028: (1, 26), 2029: (2, 13), 2030: (2, 3), 2031: (1, 23),
        2032: (2, 11), 2033: (1, 31), 2034: (2, 19), 2035: (2, 8),
    },
    "qingming": {
        2020: (4, 4), 2021: (4, 4), 2022: (4, 5), 2023: (4, 5), 2024: (4, 4), 2025: (4, 4),
        2026: (4, 5),
        2027: (4, 5), 2028: (4, 4), 2029: (4, 4), 2030: (4, 5), 2031: (4, 5),
        2032: (4, 4), 2033: (4, 4), 2034: (4, 5), 2035: (4, 5),
    },
    "dragon_boat": {
        2020: (6, 25), 2021: (6, 14), 2022: (6, 3), 2023: (6, 22), 2024: (6, 10), 2025: (5, 31),
        2026: (6, 19),
        2027: (6, 9), 2028: (5, 28), 2029: (6, 16), 2030: (6, 5), 2031: (6, 24),
        2032: (6, 12), 2033: (6, 1), 2034: (6, 20), 2035: (6, 10),
    },
    "mid_autumn": {
        2020: (10, 1), 2021: (9, 21), 2022: (9, 10), 2023: (9, 29), 2024: (9, 17), 2025: (10, 6),
        2026: (9, 25),
        2027: (9, 15), 2028: (10, 3), 2029: (9, 22), 2030: (9, 12), 2031: (10, 1),
        2032: (9, 19), 2033: (9, 8), 2034: (9, 27), 2035: (9, 16),
    },
}  # fmt: skip


def holiday(code: str, year: int) -> tuple[date, date, tuple[str, ...]] | None:
    """First day, day after the last and notes of a festival, or None where it is not known.

    >>> holiday("national_day", 2025)
    (datetime.date(2025, 10, 1), datetime.date(2025, 10, 9), ())
    >>> holiday("spring_festival", 2027)[2]
    ('holiday_not_announced',)
    """
    if code in _PLAIN:
        day = date(year, *_PLAIN[code])
        return day, day + timedelta(days=1), ()
    announced = _announced_year(year).get(code)
    if announced is not None:
        return announced[0], announced[1], ()
    return _statutory(code, year)


def festival_day(code: str, year: int) -> date | None:
    """The day that a festival is, without the days off around it; None where it is not known.

    >>> festival_day("mid_autumn", 2026), festival_day("national_day", 2025)
    (datetime.date(2026, 9, 25), datetime.date(2025, 10, 1))
    """
    if code in _PLAIN:
        return date(year, *_PLAIN[code])
    if code in _SOLAR:
        return date(year, *_SOLAR[code][:2])
    lunar = _LUNAR.get(code, {}).get(year)
    return None if lunar is None else date(year, *lunar)


@lru_cache(maxsize=64)
def _announced_year(year: int) -> dict[str, tuple[date, date]]:
    """Every festival of an announced year; empty for the others."""
    found: dict[str, tuple[date, date]] = {}
    codes = {name: code for code, name in _NAMES.items()}
    for day in sorted(day for day in chinese_calendar.holidays if day.year == year):
        code = codes.get(chinese_calendar.holidays[day])
        if code is None or (code == "new_year" and day.month == 12):
            continue
        first = found[code][0] if code in found else day
        found[code] = (first, day + timedelta(days=1))
    return {code: _with_core(code, year, span) for code, span in found.items()}


def _with_core(code: str, year: int, span: tuple[date, date]) -> tuple[date, date]:
    """A solar festival holds its own day even where another shares it; New Year its December."""
    first, end = span
    if code in _SOLAR:
        month, day, _ = _SOLAR[code]
        first = min(first, date(year, month, day))
        end = max(end, date(year, month, day) + timedelta(days=1))
    if code == "new_year":
        before = first - timedelta(days=1)
        while chinese_calendar.holidays.get(before) == _NAMES["new_year"]:
            first, before = before, before - timedelta(days=1)
    return first, end


def _statutory(code: str, year: int) -> tuple[date, date, tuple[str, ...]] | None:
    if code in _SOLAR:
        month, day, count = _SOLAR[code]
        first = date(year, month, day)
        return first, first + timedelta(days=count), (NOT_ANNOUNCED,)
    lunar = _LUNAR.get(code, {}).get(year)
    if lunar is None:
        return None
    day_one = date(year, *lunar)
    if code == "spring_festival":
        return day_one - timedelta(days=1), day_one + timedelta(days=3), (NOT_ANNOUNCED,)
    return day_one, day_one + timedelta(days=1), (NOT_ANNOUNCED,)
