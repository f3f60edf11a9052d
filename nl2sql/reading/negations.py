"""What is said not to be so: 未完成 where 已完成 is a value, 没租 where 未租 is one, unfinished."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache

from nl2sql.reading.tokens import Token
from semantic_layer.lexicon import Lexicon, Meaning, joined

_NOT_YET = re.compile(
    "(?:尚|还|并|从|仍)?(?:未能|未被|未曾|未|没有|没能|没被|没|不)(?=[\u4e00-\u9fff])"
)
_UN = re.compile(r"(?<![a-z])(?:un|non-|non )(?=[a-z])")
_ASPECT = re.compile("^(?:已经|已|被)|(?:的|了|完|好|中)+$")
_DONE = "已"
_LONGEST = 12
_PER_CHARACTER = 10


def find(text: str, lexicon: Lexicon) -> Iterator[Token]:
    """Negators and what they negate, as tokens side by side; a registered 未… is one token."""
    known = _stems(lexicon)
    for pattern in (_NOT_YET, _UN):
        for match in pattern.finditer(text):
            start, at = match.span()
            own = _longest(text, at, {word[1:]: word for word in lexicon.table if word[0] == "未"})
            if own is not None and pattern is _NOT_YET:
                if match.group() != "未":  # 没处理 is 未处理, which is found by itself
                    yield from _registered(start, own, lexicon.table[f"未{text[at:own]}"])
                continue
            end = _longest(text, at, known)
            if end is not None:
                yield Token(start, at, "exclude", None, (at - start) * _PER_CHARACTER)
                weight = (end - at) * _PER_CHARACTER
                yield Token(at, end, "value", known[text[at:end]], weight)


def _registered(start: int, end: int, meanings: tuple[Meaning, ...]) -> Iterator[Token]:
    from nl2sql.reading.scan import kind_of

    weight = (end - start) * _PER_CHARACTER
    yield Token(start, end, kind_of(meanings), meanings, weight)


def _longest(text: str, at: int, words: Mapping[str, object]) -> int | None:
    """Where the longest of some words that stands at a place ends."""
    for end in range(min(len(text), at + _LONGEST), at, -1):
        if text[at:end] in words and not (end < len(text) and joined(text[end - 1], text[end])):
            return end
    return None


@lru_cache(maxsize=8)
def _stems(lexicon: Lexicon) -> dict[str, tuple[Meaning, ...]]:
    """The values of lists by what a negator leaves of their words: 完成 of 已完成, and 空置 itself.

    Where 处理 could be of 已处理 and of 处理中, what has been done is meant.
    """
    done: dict[str, tuple[Meaning, ...]] = {}
    other: dict[str, tuple[Meaning, ...]] = {}
    for word, meanings in lexicon.table.items():
        values = tuple(item for item in meanings if item.kind == "value")
        stem = _ASPECT.sub("", word)
        if not values or len(stem) < 2 or stem[0] in "未非无不待":
            continue
        found = done if word.startswith(_DONE) else other
        found[stem] = tuple(dict.fromkeys((*found.get(stem, ()), *values)))
    return {**other, **done}
