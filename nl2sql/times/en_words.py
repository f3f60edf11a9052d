"""The words of English periods: august, last, national day, month end."""

from __future__ import annotations

from nl2sql.times import model as m
from nl2sql.times.text import Words, one_of

_MONTH_NAMES = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
]
MONTH: Words[int] = Words(
    {name: i for i, name in enumerate(_MONTH_NAMES, 1)}
    | {name[:3]: i for i, name in enumerate(_MONTH_NAMES, 1)}
    | {name[:3] + ".": i for i, name in enumerate(_MONTH_NAMES, 1)}
    | {"sept": 9, "sept.": 9}
)
# may i see, march on, mar the day: words that are months only beside other words of time
UNSURE = frozenset({"may", "march", "mar"})
_DAY_NAMES = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
FULL_DAY: Words[int] = Words({name: i for i, name in enumerate(_DAY_NAMES)})
ANY_DAY: Words[int] = Words(
    {name: i for i, name in enumerate(_DAY_NAMES)}
    | {name[:3]: i for i, name in enumerate(_DAY_NAMES)}
    | {"tues": 1, "thurs": 3, "thur": 3}
)
UNIT: Words[m.Grain] = Words(
    {"day": "day", "days": "day", "week": "week", "weeks": "week", "month": "month",
     "months": "month", "quarter": "quarter", "quarters": "quarter", "year": "year",
     "years": "year", "calendar month": "month", "calendar year": "year", "half": "half",
     "calendar months": "month", "calendar quarter": "quarter"}
)  # fmt: skip
WHICH: Words[tuple[int, m.Pick]] = Words(
    {"this": (0, "this"), "current": (0, "this"), "the current": (0, "this"),
     "last": (-1, "last"), "previous": (-1, "last"), "prior": (-1, "last"),
     "the last": (-1, "last"), "the previous": (-1, "last"), "preceding": (-1, "last"),
     "next": (1, "next"), "the next": (1, "next"), "coming": (1, "next"),
     "the coming": (1, "next"), "upcoming": (1, "next"), "following": (1, "next")}
)  # fmt: skip
DAYS: Words[int] = Words(
    {"today": 0, "yesterday": -1, "tomorrow": 1, "day before yesterday": -2,
     "the day before yesterday": -2, "day after tomorrow": 2, "the day after tomorrow": 2}
)  # fmt: skip
ORDINAL: Words[int] = Words(
    {"first": 1, "1st": 1, "second": 2, "2nd": 2, "third": 3, "3rd": 3, "fourth": 4, "4th": 4}
)
THIRD: Words[int] = Words({"early": 1, "mid": 2, "late": 3})
FESTIVAL: Words[str] = Words(
    {"national day": "national_day", "spring festival": "spring_festival",
     "chinese new year": "spring_festival", "lunar new year": "spring_festival",
     "new year's day": "new_year", "labor day": "labour_day", "labour day": "labour_day",
     "may day": "labour_day", "mid-autumn festival": "mid_autumn", "mid-autumn": "mid_autumn",
     "dragon boat festival": "dragon_boat", "qingming": "qingming", "christmas": "christmas",
     "double 11": "double_11", "singles' day": "double_11", "singles day": "double_11",
     "golden week": "national_day", "tomb-sweeping day": "qingming"}
)  # fmt: skip
FESTIVAL_TAIL = one_of("holiday", "holidays", "week", "festival")
_EDGE_WORDS: tuple[tuple[str, m.Side], ...] = (
    ("end", "end"), ("start", "start"), ("beginning", "start"), ("last day", "end"),
    ("first day", "start"),
)  # fmt: skip
EDGE: Words[m.Side] = Words({f"{word} of": side for word, side in _EDGE_WORDS})
EDGE_ALONE: Words[tuple[m.Grain, m.Side]] = Words(
    {"month end": ("month", "end"), "month-end": ("month", "end"), "year end": ("year", "end"),
     "year-end": ("year", "end"), "quarter end": ("quarter", "end"),
     "quarter-end": ("quarter", "end"), "eom": ("month", "end"), "eoq": ("quarter", "end"),
     "eoy": ("year", "end")}
)  # fmt: skip
OF = one_of("of", "in", "of the", "in the")
THE_UNIT: Words[m.Grain] = Words(
    {"the month": "month", "the year": "year", "the quarter": "quarter", "the week": "week",
     "month": "month", "year": "year", "quarter": "quarter"}
)  # fmt: skip
FISCAL = one_of("fy", "fiscal year", "fiscal", "financial year")
GOES_ON = frozenset("0123456789abcdefghijklmnopqrstuvwxyz%/")
CALENDAR_YEAR = one_of("year", "calendar year", "the year")
