"""Two clocks, against plain zoneinfo: every reading around every change of varied zones."""

import random
from datetime import date, datetime, timedelta

import pytest

from nl2sql.times import Range, zones

ZONES = (
    "UTC", "Europe/Amsterdam", "Asia/Shanghai", "America/New_York", "Asia/Kolkata",
    "Pacific/Apia", "America/Sao_Paulo", "Australia/Lord_Howe", "Africa/Casablanca",
    "America/Havana", "Asia/Tehran",
)  # fmt: skip
QUARTER = timedelta(minutes=15)


@pytest.mark.parametrize("there", ZONES)
def test_a_period_holds_exactly_the_readings_that_show_it(there: str) -> None:
    """Hours, half hours and days; zones that skip a day (Apia), half an hour (Lord Howe), midnight."""
    chance = random.Random(there)
    held = 0
    for _ in range(120):
        here = chance.choice(ZONES)
        changes = [
            at
            for zone in (here, there)
            for year in range(2006, 2027)
            for at, _, _ in zones._changes(zone, year)
        ]
        near = chance.choice(changes or [datetime(2026, 1, 1)])
        start = near.replace(minute=0, second=0) + QUARTER * chance.randrange(-120, 120)
        end = start + QUARTER * chance.randrange(1, 200)
        if chance.random() < 0.3:
            start = datetime.combine(start.date(), datetime.min.time())
            end = datetime.combine(end.date() + timedelta(1), datetime.min.time())
        parts = zones.kept(Range(start, end), here, there)
        reading = start - timedelta(days=2)
        while reading < end + timedelta(days=2):
            shown = start <= zones.read(reading, here, there) < end
            assert shown == any(low <= reading < high for low, high in parts if low and high), (
                here, start, end, reading,
            )  # fmt: skip
            held += shown
            reading += QUARTER
    assert held > 1000


@pytest.mark.parametrize("there", ZONES)
def test_open_periods_end_where_closed_ones_do(there: str) -> None:
    day = date(2026, 10, 25)
    for here in ZONES:
        (closed,) = zones.kept(Range(day, day + timedelta(1)), here, there)[:1]
        assert zones.kept(Range(day, None), here, there) == ((closed[0], None),)
        assert zones.kept(Range(None, day), here, there) == ((None, closed[0]),)
    assert zones.kept(Range(None, None), "UTC", there) == ((None, None),)


def test_stretches_of_sixty_years() -> None:
    """The Netherlands: two changes a year from 1977; China: summer time from 1986 to 1991, no more."""
    whole = (datetime(1970, 1, 1), datetime(2036, 1, 1))
    assert len(zones.stretches("UTC", "Europe/Amsterdam", *whole)) == 2 * (2036 - 1977) + 1
    chinese = zones.stretches("UTC", "Asia/Shanghai", *whole)
    assert [item.start.year for item in chinese if item.start] == [
        year for year in range(1986, 1992) for _ in (1, 2)
    ]
    assert {str(item.ahead) for item in chinese} == {"8:00:00", "9:00:00"}


def test_an_hour_that_comes_twice_is_all_of_it() -> None:
    """At 03:00 on 25 October the Dutch clock goes back to 02:00: 00:30 and 01:30 UTC both show 02:30."""
    at = datetime(2026, 10, 25)
    whole = Range(at.replace(hour=2), at.replace(hour=3))
    half = Range(at.replace(hour=2, minute=30), at.replace(hour=3))
    assert zones.kept(whole, "UTC", "Europe/Amsterdam") == ((at, at.replace(hour=2)),)
    assert zones.kept(half, "UTC", "Europe/Amsterdam") == (
        (at.replace(minute=30), at.replace(hour=1)),
        (at.replace(hour=1, minute=30), at.replace(hour=2)),
    )


def test_an_hour_that_never_comes_is_nothing() -> None:
    at = datetime(2026, 3, 29)
    skipped = Range(at.replace(hour=2), at.replace(hour=3))
    assert zones.kept(skipped, "UTC", "Europe/Amsterdam") == ()


def test_a_reading_that_comes_twice_counts_as_the_first() -> None:
    """By a clock that is set back itself 02:30 may be two moments: the first is 00:30 UTC."""
    assert zones.read(datetime(2026, 10, 25, 2, 30), "Europe/Amsterdam", "UTC") == datetime(
        2026, 10, 25, 0, 30
    )


def test_counts_round_up_to_what_is_not_before() -> None:
    moment = datetime(2026, 1, 1, 0, 0, 0, 1)
    assert zones.count(moment, "seconds") == 1767225601
    assert zones.count(moment, "milliseconds") == 1767225600001
    assert zones.count(moment, "microseconds") == 1767225600000001
    assert zones.count(datetime(1969, 12, 31, 23, 59, 59, 500000), "seconds") == 0
    assert zones.counted(-1500, "milliseconds") == datetime(1969, 12, 31, 23, 59, 58, 500000)


def test_the_ends_of_time_do_not_overflow() -> None:
    for zone in ZONES:
        assert zones.kept(Range(date.min, date.max), "UTC", zone)
