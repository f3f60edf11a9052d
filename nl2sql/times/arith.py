"""Calendar arithmetic: buckets, clamped steps, numbers of days. Pure functions of dates."""

from __future__ import annotations

from datetime import date, datetime, timedelta

from nl2sql.times.model import Calendar, Grain

MONTHS: dict[Grain, int] = {
    "month": 1, "quarter": 3, "half": 6, "year": 12, "fiscal_quarter": 3, "fiscal_year": 12,
}  # fmt: skip
FISCAL: dict[Grain, Grain] = {"fiscal_quarter": "quarter", "fiscal_year": "year"}
_LENGTHS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
DAY = timedelta(days=1)


def days_in_month(year: int, month: int) -> int:
    """Days of a month.

    >>> days_in_month(2028, 2)
    29
    """
    leap = month == 2 and year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    return _LENGTHS[month - 1] + int(leap)


def day_of(moment: date | datetime) -> date:
    """The day of a date or of a moment."""
    return moment.date() if isinstance(moment, datetime) else moment


def add_months(day: date, count: int) -> date:
    """The same day `count` months on, clamped to the month's last day.

    >>> add_months(date(2026, 3, 31), -1)
    datetime.date(2026, 2, 28)
    """
    year, month = divmod(day.year * 12 + day.month - 1 + count, 12)
    return date(year, month + 1, min(day.day, days_in_month(year, month + 1)))


def add(day: date, n: int, grain: Grain) -> date:
    """`n` units on (hours count as nothing: they live within a day).

    >>> add(date(2026, 9, 28), 2, "week")
    datetime.date(2026, 10, 12)
    >>> add(date(2028, 2, 29), -1, "year")
    datetime.date(2027, 2, 28)
    """
    months = MONTHS.get(grain)
    if months is not None:
        return add_months(day, n * months)
    if grain == "hour":
        return day
    return day + timedelta(days=n * (7 if grain == "week" else 1))


def fiscal_shift(grain: Grain, calendar: Calendar) -> int:
    """How many months a fiscal period starts after the calendar's.

    >>> fiscal_shift("fiscal_quarter", Calendar(fiscal_start=5))
    1
    """
    return (calendar.fiscal_start - 1) % MONTHS[grain]


def bucket(day: date, grain: Grain, calendar: Calendar = Calendar()) -> date:  # noqa: B008
    """The first day of the bucket that holds `day`.

    >>> bucket(date(2026, 9, 30), "week")
    datetime.date(2026, 9, 28)
    >>> bucket(date(2026, 9, 30), "quarter")
    datetime.date(2026, 7, 1)
    >>> bucket(date(2026, 3, 31), "fiscal_year", Calendar(fiscal_start=4))
    datetime.date(2025, 4, 1)
    """
    months = MONTHS.get(grain)
    if grain in FISCAL:
        late = fiscal_shift(grain, calendar)
        return add_months(bucket(add_months(day, -late), FISCAL[grain], calendar), late)
    if months is not None:
        return date(day.year, (day.month - 1) // months * months + 1, 1)
    if grain == "week":
        return day - timedelta(days=(day.weekday() - calendar.week_start) % 7)
    return day


def shift_end(end: date, n: int, grain: Grain) -> date:
    """Move an exclusive end: a month's end stays one, any other moves by its last day.

    >>> shift_end(date(2026, 3, 1), -1, "month")
    datetime.date(2026, 2, 1)
    >>> shift_end(date(2026, 3, 31), -1, "month")
    datetime.date(2026, 3, 1)
    """
    if end.day == 1:
        return add(end, n, grain)
    return add(end - DAY, n, grain) + DAY
