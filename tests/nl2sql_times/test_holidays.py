"""Festivals as ranges: announced years as the calendar has them, the others by statute."""

from datetime import date

import chinese_calendar
import pytest

from nl2sql.times.holidays import NOT_ANNOUNCED, holiday

D = date


@pytest.mark.parametrize(
    ("code", "year", "first", "end"),
    [
        ("new_year", 2024, D(2023, 12, 30), D(2024, 1, 2)),  # its days off begin in December
        ("new_year", 2026, D(2026, 1, 1), D(2026, 1, 4)),
        ("new_year", 2004, D(2004, 1, 1), D(2004, 1, 2)),  # the calendar's first year
        ("spring_festival", 2026, D(2026, 2, 15), D(2026, 2, 24)),
        ("mid_autumn", 2025, D(2025, 10, 6), D(2025, 10, 7)),  # within the National Day's
        ("national_day", 2025, D(2025, 10, 1), D(2025, 10, 9)),
        ("national_day", 2020, D(2020, 10, 1), D(2020, 10, 9)),
        ("labour_day", 2026, D(2026, 5, 1), D(2026, 5, 6)),
    ],
)
def test_an_announced_year(code: str, year: int, first: date, end: date) -> None:
    assert holiday(code, year) == (first, end, ())


@pytest.mark.parametrize(
    ("code", "year", "first", "end"),
    [
        ("new_year", 2003, D(2003, 1, 1), D(2003, 1, 2)),  # before the calendar begins
        ("new_year", 2027, D(2027, 1, 1), D(2027, 1, 2)),
        ("national_day", 2030, D(2030, 10, 1), D(2030, 10, 4)),
        ("spring_festival", 2027, D(2027, 2, 5), D(2027, 2, 9)),
    ],
)
def test_a_year_not_announced(code: str, year: int, first: date, end: date) -> None:
    assert holiday(code, year) == (first, end, (NOT_ANNOUNCED,))


def test_every_year_of_the_calendar_is_announced() -> None:
    for year in range(2004, max(chinese_calendar.holidays).year + 1):
        found = holiday("labour_day", year)
        assert found is not None
        first, end, notes = found
        assert notes == ()
        assert chinese_calendar.holidays[first] == "Labour Day"
        assert chinese_calendar.holidays.get(end) != "Labour Day"
