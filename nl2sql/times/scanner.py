"""One walk over the text: at each place a time can start, the longest thing there."""

from __future__ import annotations

from collections.abc import Callable

from nl2sql.times import en, words, zh
from nl2sql.times.model import Edge, GrainMatch, Match, Part, TimeExpr, TimeMatch
from nl2sql.times.text import is_digit, is_latin, starts_word

_BEHIND, _AHEAD = 16, 120  # no time is longer, and none looks further back: a linear cost


def scan(text: str) -> tuple[Match, ...]:
    """Times, units, comparisons and their ends: longest, left to right, not overlapping.

    >>> [text_match.start for text_match in scan("8月张江和临港一共欠费多少")]
    [0]
    >>> scan("今日头条的三星手机大于2025")
    ()
    """
    found: list[Match] = []
    at = 0
    while at < len(text):
        match = _at(text, at)
        if match is not None:
            if found and _recurring(text, found[-1], match):
                found[-1:] = [one for one in (found[-1], match) if isinstance(one, GrainMatch)]
            elif not (found and _broken(text, found[-1], match)):
                found.append(match)
            at = match.end
        else:
            at = _next(text, at)
    return tuple(found)


def _broken(text: str, before: Match, match: Match) -> bool:
    """Whether a time goes on from the one before it in a way the grammar does not know: it is left
    unread, for half of what was said is another time (2月30日, 中秋国庆, Monday of May).
    """
    both = isinstance(before, TimeMatch) and isinstance(match, TimeMatch)
    return both and not text[before.end : match.start].strip(" 的")


def _recurring(text: str, one: Match, other: Match) -> bool:
    """每月15号, the 15th of each month: a day that comes again is no period; only the unit is kept."""
    between = text[one.end : other.start].strip(" 的")
    if isinstance(one, GrainMatch) and isinstance(other, TimeMatch):
        each = text[one.start] in "每各" or text.startswith(("each", "every"), one.start)
        yearly = one.grain == "year" and each and _open_part(other.expr)  # 每年8月
        return not between and (yearly or _open_day(other.expr))
    if isinstance(one, TimeMatch) and isinstance(other, GrainMatch):
        return between in ("of", "in") and _open_day(one.expr)
    return False


def _open_part(expr: TimeExpr) -> bool:
    return isinstance(expr, Part) and expr.of is None


def _open_day(expr: TimeExpr) -> bool:
    """Whether an expression is a day that does not say of which month or week."""
    days = ("day", "weekday", "weekend", "tenday")
    return isinstance(expr, Edge) or (
        isinstance(expr, Part) and expr.of is None and expr.unit in days
    )


def _next(text: str, at: int) -> int:
    """The next place something can start: past the rest of a latin word or number."""
    char = text[at]
    at += 1
    if is_latin(char):
        while at < len(text) and is_latin(text[at]):
            at += 1
    elif is_digit(char):
        while at < len(text) and is_digit(text[at]):
            at += 1
    return at


def _at(text: str, at: int) -> Match | None:
    char = text[at]
    latin = is_latin(char)
    if (latin or is_digit(char)) and not starts_word(text, at):
        return None
    best: Match | None = None
    if char in words.STARTS:
        for reader in _WORDS:
            found = reader(text, at)
            if found is not None and (best is None or found.end > best.end):
                best = found
    time = _time(text, at, latin)
    if time is not None and (best is None or time.end > best.end):
        return time
    return best


def _time(text: str, at: int, latin: bool) -> TimeMatch | None:
    start = at
    if len(text) > 2 * _AHEAD:
        cut = max(0, at - _BEHIND)
        text, at = text[cut : at + _AHEAD], at - cut
    hit = None
    if latin or is_digit(text[at]):
        hit = en.span(text, at)
    if text[at] in zh.STARTS:
        other = zh.span(text, at)
        if other is not None and (hit is None or other[0] >= hit[0]):
            hit = other
    return None if hit is None else TimeMatch(start, hit[0] + start - at, hit[1])


_WORDS: tuple[Callable[[str, int], Match | None], ...] = (
    words.no_compare_word,
    words.compare_word,
    words.grain_word,
)
