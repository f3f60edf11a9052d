"""Times as people type them: rare ones right, and those not understood left unread, never by half."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from opencc import OpenCC

from dialogue.words import span
from nl2sql.times import Calendar, Range, TimeMatch, UnknownTimeError, resolve, scan
from nl2sql.times.gold import came, faults, read_rows
from semantic_layer.text import normalise

CLOCK = datetime(2026, 9, 28, 12)
ROWS = read_rows(Path(__file__).parent / "typed.csv")
CLOCKS = [
    datetime(2024, 2, 29, 9), datetime(2026, 3, 31, 23, 59), datetime(2026, 12, 31),
    datetime(2027, 1, 3, 8), datetime(2027, 1, 4),
]  # fmt: skip


def test_every_row_is_right() -> None:
    assert len(ROWS) >= 150
    rows = [{**row, "text": normalise(row["text"]).text} for row in ROWS]
    assert list(faults(rows, CLOCK)) == []


def test_the_same_in_traditional_script() -> None:
    turned = OpenCC("s2t")
    rows = [
        {**row, "text": normalise(turned.convert(row["text"])).text}
        for row in ROWS
        if row["lang"] == "zh"
    ]
    assert list(faults(rows, CLOCK)) == []


@pytest.mark.parametrize("clock", CLOCKS)
@pytest.mark.parametrize("row", ROWS, ids=[row["text"] for row in ROWS])
def test_ranges_are_half_open_and_ordered_under_other_clocks(
    row: dict[str, str], clock: datetime
) -> None:
    for match in scan(normalise(row["text"]).text):
        if not isinstance(match, TimeMatch):
            continue
        try:
            resolved = resolve(match.expr, clock)
        except UnknownTimeError:
            assert "31" in row["text"] or "2月29" in row["text"]
            continue
        for item in resolved.ranges:
            assert item.start is None or item.end is None or item.start < item.end


DAYS = st.dates(date(2015, 1, 1), date(2034, 12, 31))
MONTHS = st.tuples(st.integers(2015, 2034), st.integers(1, 12), st.sampled_from([1, 3, 6, 12]))


def _months(start: tuple[int, int, int]) -> Range:
    year, month, count = start
    end = year * 12 + month - 1 + count
    return Range(date(year, month, 1), date(end // 12, end % 12 + 1, 1))


RANGES = st.one_of(
    MONTHS.map(_months),
    st.tuples(DAYS, st.integers(1, 400)).map(
        lambda it: Range(it[0], it[0] + timedelta(days=it[1]))
    ),
    DAYS.map(lambda day: Range(None, day)),
    DAYS.map(lambda day: Range(day, None)),
)


@pytest.mark.parametrize("lang", ["zh", "zh-Hant", "en"])
@given(item=RANGES, clock=st.sampled_from([CLOCK, *CLOCKS]))
def test_what_is_shown_is_read_back(lang: str, item: Range, clock: datetime) -> None:
    """A range in the words of an answer means that range again, whatever the clock."""
    shown = span(item, lang[:2])
    if lang == "zh-Hant":
        shown = OpenCC("s2t").convert(shown)
    (match,) = scan(normalise(shown).text)
    assert isinstance(match, TimeMatch)
    assert (match.start, match.end) == (0, len(shown))
    look = (
        "ahead" if item.end is None else "back"
    )  # from a day on: to today where a date looks back
    assert resolve(match.expr, clock, look=look).ranges == (item,)


@pytest.mark.parametrize(
    "text",
    ["每月15号", "每个月15日", "each month on friday", "on the 15th of each month", "2月30日",
     "2025年2月29日", "中秋国庆", "今天9月28日"],
)  # fmt: skip
def test_half_of_a_phrase_is_no_time(text: str) -> None:
    """What goes on in a way the grammar does not know is left over, not read as a second period."""
    times = [item for item in scan(text) if isinstance(item, TimeMatch)]
    assert len(times) <= 1
    assert sum(item.end - item.start for item in scan(text)) < len(text.replace(" ", ""))


def test_a_day_that_is_not_there_has_no_range() -> None:
    for text in ("feb 29 2025", "去年2月29日", "august's fifth"):
        found = came({"text": text}, CLOCK, Calendar())
        assert found.startswith(("unknown", "only a part", "nothing"))


def test_fiscal_periods_follow_the_calendar() -> None:
    april = Calendar(fiscal_start=4)
    wanted = {
        "本财年": "2026-04-01..2027-04-01 year",
        "上个财年": "2025-04-01..2026-04-01 year",
        "2025财年": "2025-04-01..2026-04-01 year",
        "2025财年q1": "2025-04-01..2025-07-01 quarter",
        "2025财年2月": "2026-02-01..2026-03-01 month",
        "本财季": "2026-07-01..2026-10-01 fiscal_quarter",
        "上财季": "2026-04-01..2026-07-01 fiscal_quarter",
        "fy25q4": "2026-01-01..2026-04-01 quarter",
        "q3 fy2025": "2025-10-01..2026-01-01 quarter",
        "last fiscal year": "2025-04-01..2026-04-01 year",
        "fytd": "2026-04-01..2026-09-29 day",
        "本季度": "2026-07-01..2026-10-01 quarter",
        "去年": "2025-01-01..2026-01-01 year",
    }
    assert {text: came({"text": text}, CLOCK, april) for text in wanted} == wanted
    sunday = Calendar(week_start=6)
    assert came({"text": "上周"}, CLOCK, sunday) == "2026-09-20..2026-09-27 week"
