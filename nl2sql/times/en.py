"""English spans: past 7 days, since June, between Aug 1 and Aug 15, Jan to Mar, MTD."""

from __future__ import annotations

from dataclasses import replace

from nl2sql.times import model as m
from nl2sql.times.day_parts import part_of_day, with_its_day
from nl2sql.times.en_point import point
from nl2sql.times.en_words import MONTH, UNIT, UNSURE
from nl2sql.times.text import (
    COUNTED,
    MOST_ITEMS,
    MOST_UNITS,
    Hit,
    Words,
    digits,
    english_number,
    is_digit,
    is_latin,
    one_of,
    skip,
    starts_word,
)

_TODAY = m.Relative("day", 0)
_LEAD = one_of("in", "on", "during", "for", "of", "over", "within", "throughout", "from", "at",
               "in the", "during the", "for the", "over the", "within the", "of the", "as in",
               "on the", "from the", "throughout the", "across", "across the")  # fmt: skip
_BACK = one_of("last", "past", "the last", "the past", "trailing", "rolling", "the trailing",
               "most recent", "the most recent", "latest", "recent")  # fmt: skip
_BEFORE_NOW = one_of("previous", "the previous", "prior", "the prior", "preceding")
_AHEAD = one_of("next", "the next", "coming", "the coming", "upcoming", "following")
_COMPLETE = one_of("complete", "full", "whole", "completed")
_TO_DATE: Words[m.Grain] = Words(
    {"mtd": "month", "ytd": "year", "qtd": "quarter", "wtd": "week",
     "month to date": "month", "month-to-date": "month", "year to date": "year",
     "year-to-date": "year", "quarter to date": "quarter", "quarter-to-date": "quarter",
     "week to date": "week", "week-to-date": "week", "so far this year": "year",
     "this year so far": "year", "so far this month": "month", "this month so far": "month",
     "so far this quarter": "quarter", "this quarter so far": "quarter",
     "so far this week": "week", "this week so far": "week", "this year to date": "year",
     "this month to date": "month", "this quarter to date": "quarter"}
)  # fmt: skip
# to-date and trailing spans whose names are no phrase of their parts
_NAMED: Words[m.TimeExpr] = Words(
    {word: m.Since(m.Relative("year", 0, fiscal=True))
     for word in ("fytd", "fiscal year to date", "fiscal ytd", "financial year to date",
                  "fiscal year-to-date", "this fiscal year to date")}
    | {word: m.Rolling(12, "month") for word in ("ttm", "ltm", "t12m")}
)  # fmt: skip
_HALF_YEAR = one_of("half year", "half-year", "half a year")
_FORTNIGHT = one_of("fortnight", "fortnights")
_HALVES = one_of("and a half", ".5")
_RECENT = one_of("recently", "lately")
_OR_AFTER = one_of(
    "on or after", "in or after", "not before", "no earlier than", "not earlier than"
)
_OR_BEFORE = one_of("on or before", "in or before", "not after", "not later than")
_SINCE = one_of("since", "ever since", "since the")
_BEFORE = one_of("before", "prior to", "earlier than", "before the")
_AFTER = one_of("after", "later than", "following", "after the", "beyond")
_UNTIL = one_of("until", "till", "through", "up to", "by", "as of", "no later than", "up until",
                "by the", "until the", "through the", "as at", "up to the")  # fmt: skip
_NOW = one_of("now", "today", "date", "present")
_TO = one_of("to", "until", "till", "through", "thru", "-", "–", "—", "~", "up to", "to the")
_ONWARDS = one_of("on", "onwards", "onward", "forward", "and later", "or later", "and after")
_AND = one_of("and", "vs", "vs.", "versus", "or", "&", ",", ", and", "and the", "compared with",
              "compared to", "against")  # fmt: skip
_WEIGHING = frozenset({"compared with", "compared to", "against"})
_AGO = one_of("ago", "earlier", "back")
_FROM_NOW = one_of("from now", "from today", "later")


def span(text: str, at: int) -> Hit | None:
    """The longest English time at an offset, prepositions included.

    >>> span("in the last 30 days", 0)
    (19, Rolling(count=30, grain='day', direction='back', half=False))
    >>> span("since june", 0)[1]
    Since(of=Part(unit='month', index=6, of=None, pick='look'))
    """
    if not starts_word(text, at):
        return None
    best: Hit | None = None
    for parser in _PARSERS:
        hit = parser(text, at)
        if hit is not None and (best is None or hit[0] > best[0]):
            best = hit
    return best


def _plain(text: str, at: int) -> Hit | None:
    """A time without a preposition; unsure month names are left alone."""
    hit = _spanning(text, at, bare_year=False)
    if is_digit(text[at]) and not text[:at].strip():
        whole = _spanning(text, at, bare_year=True)  # 2025, 2024 and 2025: nothing else is said
        hit = whole if whole is not None and not text[whole[0] :].strip(" ?!.") else hit
    return None if hit is None or _unsure(text, at, hit[0]) else hit


def _unsure(text: str, at: int, end: int) -> bool:
    """may, march alone are verbs: they need a preposition, a number or a word of time."""
    month = MONTH.at(text, at)
    return month is not None and month[0] == end and text[at:end] in UNSURE


def _led(text: str, at: int) -> Hit | None:
    """A time after a preposition: in 2025, during august, over the last 30 days."""
    lead = _LEAD.at(text, at)
    if lead is None:
        return None
    start = skip(text, lead[0])
    measured = text.startswith(("over", "at", "within", "across"), at)
    hit = _spanning(text, start, bare_year=not measured)
    if hit is None:
        return None
    end, expr = hit
    if isinstance(expr, m.Year) and end - start == 4 and COUNTED.at(text, skip(text, end)):
        return None
    if text[at : at + 2] == "of" and _unsure(text, start, end) and end < len(text):
        return hit if text[end] in " ,.?" else None
    if text.startswith("from", at):
        after = _ONWARDS.at(text, skip(text, end))
        if after is not None:
            return after[0], m.Starting(expr)
    return hit


def _spanning(text: str, at: int, bare_year: bool) -> Hit | None:
    """A rolling span, or a period with what may follow it."""
    counted = _rolling(text, at) or _ago(text, at)
    named = _NAMED.at(text, at)
    if named is not None:
        return named
    whole = _TO_DATE.at(text, at)
    if whole is not None:
        return whole[0], m.Since(m.Relative(whole[1], 0))
    if text.startswith("the ", at):
        whole = _TO_DATE.at(text, at + 4)
        if whole is not None:
            return whole[0], m.Since(m.Relative(whole[1], 0))
    recent = _RECENT.at(text, at)
    if recent is not None:
        return recent[0], m.Rolling(30, "day")
    days = _days_of_month(text, at)
    if days is not None:
        return days
    hit = point(text, at, bare_year) or with_its_day(text, at)
    if hit is not None and _unit(hit[1]) == "day":
        hit = part_of_day(text, hit) or hit
    if counted is not None and (hit is None or hit[0] <= counted[0]):
        return counted
    if hit is None:
        return None
    return _to(text, hit) or _listed(text, hit) or hit


def _to(text: str, hit: Hit) -> Hit | None:
    """Jan to Mar, Aug 1 - 15, last October until this March, June to now."""
    end, first = hit
    word = _TO.at(text, skip(text, end))
    if word is None:
        return None
    start = skip(text, word[0])
    now = _NOW.at(text, start)
    if now is not None:
        return now[0], m.Since(first)
    last = point(text, start)
    if last is None:
        last = _bare_day(text, start, first)
    return None if last is None else (last[0], m.Between(first, last[1]))


def _days_of_month(text: str, at: int) -> Hit | None:
    """1-15 aug, 1 to 15 august 2025: the month after both days."""
    first = digits(text, at, 2)
    word = _TO.at(text, skip(text, first[0])) if first is not None else None
    hit = point(text, skip(text, word[0]), bare_year=False) if word is not None else None
    if first is None or hit is None or not 1 <= first[1] <= 31:
        return None
    last = hit[1]
    if not isinstance(last, m.Part) or last.unit != "day" or last.index < first[1]:
        return None
    return hit[0], m.Between(replace(last, index=first[1]), last)


def _bare_day(text: str, at: int, first: m.TimeExpr) -> Hit | None:
    """The 15 of Aug 1 to 15."""
    if not isinstance(first, m.Part) or first.unit != "day":
        return None
    found = digits(text, at, 2)
    if found is None or not 1 <= found[1] <= 31:
        return None
    end = found[0] + 2 * (text[found[0] : found[0] + 2] in ("st", "nd", "rd", "th"))
    if end < len(text) and is_latin(text[end]):
        return None
    return end, m.Part("day", found[1])


def _listed(text: str, hit: Hit) -> Hit | None:
    """July and August, this quarter vs last quarter, Q1, Q2 and Q3 of 2025."""
    items, end = [hit[1]], hit[0]
    while len(items) < MOST_ITEMS:
        word = _AND.at(text, skip(text, end))
        if word is None:
            break
        start = skip(text, word[0])
        after = point(text, start, bare_year=isinstance(items[0], m.Year))
        if after is None or not _alike(items[0], after[1]):
            break
        if text[skip(text, end) : word[0]] in _WEIGHING and isinstance(after[1], m.Relative):
            break
        items.append(after[1])
        end = after[0]
    return (end, m.Several(_shared(items))) if len(items) > 1 else None


def _alike(first: m.TimeExpr, other: m.TimeExpr) -> bool:
    """Whether two periods stand side by side: both of one unit."""
    return _unit(first) == _unit(other)


def _unit(expr: m.TimeExpr) -> str:
    match expr:
        case m.Relative(grain) | m.OnDay(_, grain) | m.Around(grain, _):
            return grain
        case m.Part(unit):
            return "day" if unit == "weekday" else unit
        case m.Year():
            return "year"
    return type(expr).__name__


def _shared(items: list[m.TimeExpr]) -> tuple[m.TimeExpr, ...]:
    """A year said once, after the last item or the first, belongs to all."""
    parts = [item for item in items if isinstance(item, m.Part)]
    if len(parts) != len(items):
        return tuple(items)
    said = [part.of for part in parts if part.of is not None]
    if len(said) != 1:
        return tuple(items)
    if parts[0].of is None and parts[-1].of is None:
        return tuple(items)
    return tuple(replace(part, of=said[0]) if part.of is None else part for part in parts)


def _rolling(text: str, at: int) -> Hit | None:
    """past 7 days, last 2 complete quarters, trailing 4 weeks, next 3 months, past month."""
    for table, direction in ((_BACK, "back"), (_BEFORE_NOW, "before"), (_AHEAD, "ahead")):
        word = table.at(text, at)
        if word is None:
            continue
        start = skip(text, word[0])
        complete = _complete(text, start)
        if complete is not None:
            end, count, grain = complete
            return end, m.Run(count, grain, "after" if direction == "ahead" else "before")
        months = _months_and_a_half(text, start)
        if months is not None and direction != "before":
            end, count = months
            return end, m.Rolling(count, "month", "ahead" if direction == "ahead" else "back", True)
        amount = _amount(text, start, bare=text[at : word[0]].endswith("past"))
        if amount is None:
            continue
        end, count, grain = amount
        if text.startswith((" of ", " in 2"), end) and direction == "back":
            return None
        if direction == "before" and grain != "half":
            return end, m.Run(count, grain, "before")
        return end, m.Rolling(count, grain, "ahead" if direction == "ahead" else "back")
    return _within_days(text, at)


def _complete(text: str, at: int) -> tuple[int, int, m.Grain] | None:
    """2 complete quarters, full month: end, count and unit."""
    number = english_number(text, at) or (at, 1)
    word = _COMPLETE.at(text, number[0])
    unit = UNIT.at(text, skip(text, word[0])) if word is not None else None
    if unit is None or unit[1] == "half" or not 1 <= number[1] <= MOST_UNITS:
        return None
    return unit[0], number[1], unit[1]


def _amount(text: str, at: int, bare: bool = False) -> tuple[int, int, m.Grain] | None:
    """End, count and unit of 30 days, a fortnight, half a year, one and a half years, 1.5 years;
    with `bare`, of year alone.

    >>> _amount("a year and a half", 0), _amount("1.5 years", 0), _amount("two fortnights", 0)
    ((17, 18, 'month'), (9, 18, 'month'), (14, 4, 'week'))
    """
    half = _HALF_YEAR.at(text, at)
    if half is not None:
        return half[0], 1, "half"
    number = english_number(text, at)
    if number is None and not bare and _FORTNIGHT.at(text, at) is None:
        return None
    start, count = number or (at, 1)
    weeks = _FORTNIGHT.at(text, start)
    if weeks is not None:
        return weeks[0], 2 * count, "week"
    before = _HALVES.at(text, start)
    unit = UNIT.at(text, skip(text, before[0], " -") if before is not None else start)
    if unit is None or unit[1] == "half" or not 1 <= count <= MOST_UNITS:
        return None
    end, grain = unit
    after = _HALVES.at(text, skip(text, end))
    if before is None and after is None:
        return end, count, grain
    if grain != "year" or count > 99 or (before is not None and after is not None):
        return None
    return (end if after is None else after[0]), 12 * count + 6, "month"


def _months_and_a_half(text: str, at: int) -> tuple[int, int] | None:
    """End and count of two and a half months, 2.5 months, (a) month and a half."""
    number = english_number(text, at)
    start, count = number or (at, 1)
    before = _HALVES.at(text, start) if number is not None else None
    unit = UNIT.at(text, skip(text, before[0], " -") if before is not None else start)
    if unit is None or unit[1] != "month" or not 1 <= count <= MOST_UNITS:
        return None
    after = _HALVES.at(text, skip(text, unit[0])) if before is None else before
    return None if after is None else (max(after[0], unit[0]), count)


def _within_days(text: str, at: int) -> Hit | None:
    """within 30 days: back or ahead, as the field looks."""
    if not text[:at].rstrip().endswith("within"):
        return None
    amount = _amount(text, at)
    return None if amount is None else (amount[0], m.Rolling(amount[1], amount[2], "look"))


def _ago(text: str, at: int) -> Hit | None:
    """three days ago, a year ago, half a year ago until now, 2 months from now."""
    amount = _amount(text, at)
    if amount is None:
        return None
    stop, count, grain = amount
    end = skip(text, stop)
    ago = _AGO.at(text, end)
    if ago is not None:
        word = _TO.at(text, skip(text, ago[0]))
        now = _NOW.at(text, skip(text, word[0])) if word is not None else None
        if now is not None:
            return now[0], m.Since(m.Ago(count, grain))
        return ago[0], m.Ago(count, grain)
    ahead = _FROM_NOW.at(text, end)
    return None if ahead is None else (ahead[0], m.Ago(-count, grain))


def _since(text: str, at: int) -> Hit | None:
    word = _SINCE.at(text, at)
    hit = _anchor(text, word[0]) if word is not None else None
    return None if hit is None else (hit[0], m.Since(hit[1]))


def _before(text: str, at: int) -> Hit | None:
    word = _BEFORE.at(text, at)
    hit = _anchor(text, word[0]) if word is not None else None
    return None if hit is None else (hit[0], m.Before(hit[1]))


def _inclusive(text: str, at: int) -> Hit | None:
    """on or after Aug 15, not before 2025, on or before June 30."""
    word = _OR_AFTER.at(text, at)
    if word is not None:
        hit = _anchor(text, word[0])
        return None if hit is None else (hit[0], m.Starting(hit[1]))
    word = _OR_BEFORE.at(text, at)
    hit = _anchor(text, word[0]) if word is not None else None
    return None if hit is None else (hit[0], m.Before(hit[1], inclusive=True))


def _after(text: str, at: int) -> Hit | None:
    word = _AFTER.at(text, at)
    hit = _anchor(text, word[0]) if word is not None else None
    return None if hit is None else (hit[0], m.After(hit[1]))


def _until(text: str, at: int) -> Hit | None:
    """until August, by the end of August, as of today; by month is no time."""
    word = _UNTIL.at(text, at)
    if word is None:
        return None
    now = _NOW.at(text, skip(text, word[0]))
    if now is not None:
        return now[0], m.Before(_TODAY, inclusive=True)
    hit = _anchor(text, word[0])
    if hit is None or (text.startswith("up to", at) and isinstance(hit[1], m.Year)):
        return None
    if text[at : word[0]] in ("by", "by the") and isinstance(hit[1], m.Year) and _bare(text, hit):
        return None
    return hit[0], m.Before(hit[1], inclusive=True)


def _bare(text: str, hit: Hit) -> bool:
    return COUNTED.at(text, skip(text, hit[0])) is not None


def _anchor(text: str, at: int) -> Hit | None:
    start = skip(text, at)
    return _ago(text, start) or point(text, start)


def _between(text: str, at: int) -> Hit | None:
    """between Aug 1 and Aug 15."""
    if not text.startswith("between ", at):
        return None
    first = point(text, skip(text, at + 8))
    if first is None:
        return None
    end = skip(text, first[0])
    for word in ("and ", "to ", "& "):
        if text.startswith(word, end):
            start = skip(text, end + len(word))
            last = point(text, start) or _bare_day(text, start, first[1])
            return None if last is None else (last[0], m.Between(first[1], last[1]))
    return None


_PARSERS = (_plain, _led, _inclusive, _since, _before, _after, _until, _between)
