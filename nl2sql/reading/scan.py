"""The scanner: every matcher's candidates in a normalised text, overlapping ones too."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import cast

from nl2sql.numbers import scan_bounds, scan_numbers
from nl2sql.reading import negations, pinyin, pointers, preambles, ranks, several, stems
from nl2sql.reading.tokens import (
    Entries,
    Meant,
    Payload,
    Quoted,
    Seen,
    Several,
    Token,
    everything,
    read_out,
    visible,
)
from nl2sql.reading.wordlist import WordList, word_list
from nl2sql.times import CompareMatch, Grain, GrainMatch, NoCompareMatch, TimeMatch
from nl2sql.times import scan as scan_times
from semantic_layer.index import Stored
from semantic_layer.lexicon import Lexicon, Meaning
from semantic_layer.spoken import UNITS
from semantic_layer.values import ValueHit, ValueIndex

PER_CHARACTER = 10
A_TOKEN = 4
_REPLIES = frozenset({"all_of_them", "any_of_them", "keep"})
_BONUS = {
    "filler": -2.0,
    "did": -2.0,
    "and": 0.5,
    "have": -1.0,
    "also": -1.0,
    "exclude": -1.0,
    "greet": -1.0,
}
_OPEN, _CLOSE = "\"'“‘「『《", "\"'”’」』》"
_QUOTE = re.compile(f"[{_OPEN}]([^{_OPEN}{_CLOSE}]{{1,60}})[{_CLOSE}]")
_COUNTED = re.compile(
    r"[每哪][\d一二两三四五六七八九十]|[拆分细]一层|[这那][一二三四五六七八九十]+[栋幢层]"
)
_TWO = re.compile("两[栋幢层]")
_THAN = re.compile(r"较(?=\d|[一二三四五六七八九十]{1,3}月|[去前今本上])")
_WEIGHED = re.compile(r"\b(?:vs\.?|versus|than|against|with|to) (may|march|mar)\b")
_WEEKDAY = re.compile("(?:周|星期|礼拜)[天日]$")
_BARE = re.compile(r"\s*([^\s,，。?？!！、;；]{1,30}?)(?=的|[\s,，。?？!！;；]|$)")


def scan(
    text: str,
    lexicon: Lexicon,
    values: ValueIndex,
    seen: Seen = everything,
    words: WordList | None = None,
) -> list[Token]:
    """All candidates in a normalised text. Of values those that may be seen: a name that is hidden is read as if
    there were none. Construction words are those of `words`, the service's own where none are given."""
    found: list[Token] = []
    meant: dict[tuple[int, int], tuple[Meaning, ...]] = {}
    for hit in lexicon.find(text):  # one token a stretch: 2楼 may be a building or a floor
        if _COUNTED.match(text, max(0, hit.start - 1)) or _TWO.match(text, hit.start):
            continue  # 每一层, 哪三栋, 再分一层, 这三栋, 两栋: numbers of them, not the one of that number
        meant[hit.start, hit.end] = (*meant.get((hit.start, hit.end), ()), *hit.meanings)
    named: dict[tuple[int, int], tuple[Stored, ...]] = {}
    for value in values.find(text, visible(values, seen)):
        if value.exact:
            span = value.start, value.end
            named[span] = (*named.get(span, ()), *values.stored(value.entries))
        else:
            found.append(_part(value, values, seen))
    for (start, end), meanings in meant.items():
        word = _word(start, end, meanings)
        if {item.kind for item in meanings} == {"value"}:  # the same word in two dimensions
            both: Meant = (*meanings, *named.pop((start, end), ()))
            word = replace(word, payload=both)
        found.append(word)
    found.extend(
        Token(start, end, "value", stored, _weight(start, end) + 2)
        for (start, end), stored in named.items()
    )
    found.extend(pinyin.find(text, tuple(found)))
    found.extend(_times(text))
    found.extend(_grains(text))
    for bound in scan_bounds(text, lexicon.nouns):
        found.append(
            Token(bound.start, bound.end, "bound", bound, _weight(bound.start, bound.end) + 2)
        )
    for number in scan_numbers(text):
        found.append(
            Token(number.start, number.end, "number", number, _weight(number.start, number.end) - 1)
        )
    found.extend(ranks.find(text))
    found.extend(
        Token(*match.span(), "filler", None, _weight(*match.span()))
        for match in _THAN.finditer(text)
    )
    found.extend(pointers.find(text, lexicon))
    found.extend(negations.find(text, lexicon))
    found.extend(several.find(text, lexicon))
    found.extend(stems.find(text, lexicon))
    found.extend(
        preambles.find(text, lambda word: word in lexicon.table or bool(values.named(word)))
    )
    for start, end, category in (words or word_list()).find(text):
        if category in _REPLIES or _named(text, start, end):
            continue
        if category == "yes":  # ok, by fee type: a nod before what is asked
            found.append(Token(start, end, "filler", None, _weight(start, end) + _BONUS["filler"]))
            continue
        if category in UNITS:
            unit = GrainMatch(start, end, cast(Grain, category))
            found.append(Token(start, end, "grain", unit, _weight(start, end) + 2))
            continue
        if category == "contains":
            found.extend(_contained(text, start, end))
            continue
        weight = _weight(start, end) + _BONUS.get(category, 1.0)
        if category == "filler" and end - start > 1:
            weight += 1.5
        found.append(Token(start, end, category, None, weight))
    for match in _QUOTE.finditer(text):
        found.append(
            Token(
                match.start(),
                match.end(),
                "quoted",
                Quoted(match.group(1)),
                (match.end() - match.start()) * 2,
            )
        )
    return found if seen is everything else [*_visible(found, seen)]


def _visible(tokens: list[Token], seen: Seen) -> Iterator[Token]:
    """Tokens without the values that are hidden: a word that is a value and something else is the other alone."""
    for token in tokens:
        if token.several():
            may = tuple(one for one in token.several() if _all_seen(one, seen))
            if may:
                yield replace(token, payload=may)
            continue
        words = token.payload if isinstance(token.payload, tuple) else ()
        meant = tuple(item for item in words if isinstance(item, Meaning | Stored))
        kept = seen(meant)
        if len(kept) == len(meant):
            yield token
        elif kept:
            others = tuple(item for item in kept if isinstance(item, Meaning))
            values = any(isinstance(item, Stored) or item.kind == "value" for item in kept)
            yield replace(token, payload=kept, kind=token.kind if values else kind_of(others))


def _all_seen(one: Several, seen: Seen) -> bool:
    meant = tuple(Meaning("value", value, one.dimension) for value in one.values)
    return len(seen(meant)) == len(meant)


def _part(value: ValueHit, values: ValueIndex, seen: Seen) -> Token:
    """The beginning of names, as a candidate."""
    payload: Payload = Entries(value.entries)
    more = 0
    if seen is not everything:
        payload, more = read_out(values, value.entries, seen)
    weight = _weight(value.start, value.end) - 7
    return Token(value.start, value.end, "value", payload, weight, "part", more)


def _named(text: str, start: int, end: int) -> bool:
    """Whether a letter is a name beside Chinese: the A of A栋 is no article."""
    beside = text[max(0, start - 1) : start] + text[end : end + 1]
    return end - start == 1 and text[start].isascii() and any(char > "\u2e80" for char in beside)


def _weight(start: int, end: int) -> float:
    return (end - start) * PER_CHARACTER - A_TOKEN


def _word(start: int, end: int, meanings: tuple[Meaning, ...]) -> Token:
    weight = (
        _weight(start, end) + 2 + (end - start) * 0.5
    )  # a layer's own words, the longer the better
    kinds = {item.kind for item in meanings}
    if end - start == 1:
        weight -= 3
    if kinds == {"measure"}:
        return Token(start, end, "measure", meanings, weight)
    return Token(start, end, kind_of(meanings), meanings, weight)


def kind_of(meanings: tuple[Meaning, ...]) -> str:
    """The kind of token that a word of the layer makes; one with two natures has a kind of its own."""
    kinds = {item.kind for item in meanings}
    if "metric" in kinds:
        return "metric_value" if "value" in kinds else "metric"
    if "dimension" in kinds and "value" in kinds:
        return "value"
    if "dimension" in kinds:
        return "entity" if "object" in kinds else "dimension"
    if "object" in kinds and "value" in kinds:
        return "object_value"
    for kind in ("topic", "object", "value", "attribute", "role"):
        if kind in kinds:
            return kind
    return "measure"


_GRAIN_NOUNS: tuple[tuple[re.Pattern[str], Grain], ...] = (
    (re.compile(r"月份|哪一?个?月|which month"), "month"),
    (re.compile(r"哪一?天|哪一?日|which day"), "day"),
    (re.compile(r"哪一?个?(?:周|星期)|which week"), "week"),
    (re.compile(r"哪一?个?季度|季度(?=是|$)|which quarter"), "quarter"),
    (re.compile(r"年份|哪一?年|which year"), "year"),
)


def _grains(text: str) -> Iterator[Token]:
    """最高的月份, 哪个月: a unit of time that is asked for."""
    for pattern, grain in _GRAIN_NOUNS:
        for match in pattern.finditer(text):
            start, end = match.span()
            yield Token(start, end, "grain", GrainMatch(start, end, grain), _weight(start, end) + 2)


# 不分月: the word that cuts is shared with the unit of time (分月)
_UNCUT = re.compile(r"不\s*$")


def _uncut(text: str, match: GrainMatch) -> Iterator[Token]:
    """A unit of time that is no longer asked for: the negation, and the unit."""
    found = _UNCUT.search(text, 0, match.start)
    if found is not None and text[match.start] in "分按":
        yield Token(found.start(), match.start, "undivide", None, PER_CHARACTER + 1.0)


def _times(text: str) -> Iterator[Token]:
    for month in _WEIGHED.finditer(text):  # vs May: no verb there
        named = scan_times(f"in {month.group(1)}")[0]
        assert isinstance(named, TimeMatch)
        start, end = month.span(1)
        weight = _weight(start, end) + 4
        yield Token(start, end, "time", TimeMatch(start, end, named.expr), weight)
    for match in scan_times(text):
        if text[match.start] == "下" and match.end - match.start < 5:
            yield from _inner(text, match.start + 1, match.end)  # 看下8月 is August, looked at
        if _WEEKDAY.search(text, match.start, match.end):
            yield from _inner(text, match.start, match.end - 1)  # 上周天河医院, 上周日用品
        if isinstance(match, TimeMatch):
            yield from _bare(text, match)
        weight = _weight(match.start, match.end) + 4
        kind = {
            TimeMatch: "time",
            GrainMatch: "grain",
            CompareMatch: "compare",
            NoCompareMatch: "nocompare",
        }[type(match)]
        yield Token(match.start, match.end, kind, match, weight)
        if isinstance(match, GrainMatch):
            yield from _uncut(text, match)


def _inner(text: str, start: int, end: int) -> Iterator[Token]:
    """A shorter time within the one that was found, for the cover to choose from."""
    for inner in scan_times(text[start:end]):
        if isinstance(inner, TimeMatch):
            shifted = TimeMatch(inner.start + start, inner.end + start, inner.expr)
            weight = _weight(shifted.start, shifted.end) + 4
            yield Token(shifted.start, shifted.end, "time", shifted, weight)


def _bare(text: str, match: TimeMatch) -> Iterator[Token]:
    """in last month, as last month too: the "in" may be that of "checked in"."""
    at = text.find(" ", match.start, match.end) + 1
    if not at or not text[match.start].isascii():
        return
    for inner in scan_times(text[at : match.end]):
        if (
            isinstance(inner, TimeMatch)
            and (inner.start, inner.end) == (0, match.end - at)
            and inner.expr == match.expr
        ):
            found = TimeMatch(at, match.end, inner.expr)
            yield Token(at, match.end, "time", found, _weight(at, match.end) + 4)


def _contained(text: str, start: int, end: int) -> Iterator[Token]:
    """名字里有“X”: the word and the text it asks for, as one token."""
    quoted = _QUOTE.match(text, end) or _QUOTE.match(text, end + 1)
    if quoted is not None and not text[end : quoted.start()].strip():
        stop = quoted.end()
        for tail in (
            "字样的",
            "字样",
            "这几个字的",
            "这几个字",
            "两个字的",
            "两个字",
            "二字",
            "字的",
        ):
            if text.startswith(tail, stop):
                stop += len(tail)
                break
        yield Token(
            start, stop, "contains", Quoted(quoted.group(1)), (stop - start) * PER_CHARACTER + 8
        )
        return
    bare = _BARE.match(text, end)
    if bare is not None and end - start > 1:
        yield Token(
            start,
            bare.end(),
            "contains",
            Quoted(bare.group(1)),
            (bare.end() - start) * PER_CHARACTER,
        )
