"""Replies that point at options by their place: 2, 第二个, 1和3, 前两个, the last one."""

from __future__ import annotations

import re

from dialogue.words import LANGUAGES, say
from nl2sql.reading.ranks import number

LAST = -1
_COUNTED = r"(?:个|项|号|种|家|条|吧)*"
_NUMBER = re.compile(rf"(?:选|要|看|就)?(?:第)?(\d{{1,2}}|[一二三四五六七八九十两]){_COUNTED}")
_ENGLISH = re.compile(
    r"(?:the )?(?:option |number |no\.? ?)?(first|second|third|fourth|fifth|sixth|seventh|\d{1,2})(?: one| option)?"
)
_FIRST = re.compile(rf"(?:选|要|看|就)?前面?的?(\d|[二三四五六七两]){_COUNTED}")
_FIRST_ENGLISH = re.compile(r"(?:the )?first (two|three|four|five|six|seven|\d)(?: ones| options)?")
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh")
_BETWEEN = re.compile(r"\s*(?:和|与|跟|及|、|，|,|&|\+|\band\b)\s*")


def pointed(plain: str) -> tuple[int, ...]:
    """The places (from 1; −1 is the last) that a reply points at; none where it does not point.

    >>> pointed("第二个"), pointed("1和3"), pointed("前两个"), pointed("the last one"), pointed("应收")
    ((2,), (1, 3), (1, 2), (-1,), ())
    """
    first = _FIRST.fullmatch(plain) or _FIRST_ENGLISH.fullmatch(plain)
    if first is not None:
        return tuple(range(1, number(first.group(1)) + 1))
    found = tuple(map(_place, _BETWEEN.split(plain)))
    return found if all(found) else ()


def _place(piece: str) -> int:
    """The place of one piece, 0 where it is none."""
    if piece in {word for lang in LANGUAGES for word in say(lang, "reply.last").split("|")}:
        return LAST
    match = _NUMBER.fullmatch(piece) or _ENGLISH.fullmatch(piece)
    if match is None:
        return 0
    word = match.group(1)
    return _ORDINALS.index(word) + 1 if word in _ORDINALS else number(word)
