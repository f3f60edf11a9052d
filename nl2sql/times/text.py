"""The scanner's hands: word tables, small numbers and spaces at an offset."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Generic, TypeAlias, TypeVar

from nl2sql.times.model import TimeExpr

V = TypeVar("V")
Hit: TypeAlias = tuple[int, TimeExpr]

MOST_ITEMS = 12  # a list of times that anyone would say is shorter
MOST_UNITS = 1500  # longer spans are no time that anyone means
_LATIN = frozenset("abcdefghijklmnopqrstuvwxyz")
_DIGITS = frozenset("0123456789")
_ZH_DIGITS = {c: i for i, c in enumerate("零一二三四五六七八九")} | {"两": 2, "〇": 0}
_EN_NUMBERS = {
    "a": 1, "an": 1, "one": 1, "two": 2, "couple": 2, "couple of": 2, "a couple of": 2, "three": 3,
    "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10, "eleven": 11,
    "twelve": 12, "fourteen": 14, "fifteen": 15, "eighteen": 18, "twenty": 20, "thirty": 30,
    "sixty": 60, "ninety": 90, "a hundred": 100, "one hundred": 100,
}  # fmt: skip


def is_latin(char: str) -> bool:
    """Whether a character belongs to a latin word."""
    return char in _LATIN


def is_digit(char: str) -> bool:
    """Whether a character is an ASCII digit."""
    return char in _DIGITS


def starts_word(text: str, at: int) -> bool:
    """Whether a latin word or a number may start here (not within P001 or 3.15)."""
    if at == 0:
        return True
    before = text[at - 1]
    if before in _LATIN or before in _DIGITS or before == "_":
        return text[at] not in _LATIN and text[at] not in _DIGITS
    return not (before in ".," and text[at] in _DIGITS and at > 1 and text[at - 2] in _DIGITS)


class Words(Generic[V]):
    """A table of words, found longest first by their first character and their length.

    >>> Words({"上周": 1, "上周末": 2}).at("上周末", 0)
    (3, 2)
    """

    __slots__ = ("_lengths", "_words")

    def __init__(self, words: Mapping[str, V]) -> None:
        self._words = dict(words)
        lengths: dict[str, set[int]] = {}
        for word in words:
            lengths.setdefault(word[0], set()).add(len(word))
        self._lengths = {first: sorted(found, reverse=True) for first, found in lengths.items()}

    @property
    def firsts(self) -> frozenset[str]:
        """The characters a word of the table can start with."""
        return frozenset(self._lengths)

    def at(self, text: str, at: int) -> tuple[int, V] | None:
        """End and value of the longest word at an offset; latin words end at a boundary."""
        if at >= len(text):
            return None
        for length in self._lengths.get(text[at], ()):
            word = text[at : at + length]
            if word in self._words:
                end = at + len(word)
                if end < len(text) and (word[-1] in _LATIN or word[-1] in _DIGITS):
                    after = text[end]
                    if after in _DIGITS or after in _LATIN:
                        continue
                    if after in "._@" and text[end + 1 : end + 2] in _LATIN:
                        continue
                return end, self._words[word]
        return None


def one_of(*words: str) -> Words[None]:
    """A table whose values do not matter."""
    return Words(dict.fromkeys(words))


def skip(text: str, at: int, chars: str = " ") -> int:
    """The offset after any of `chars`."""
    while at < len(text) and text[at] in chars:
        at += 1
    return at


def integer(text: str, at: int) -> tuple[int, int] | None:
    """End and value of a small number: digits (up to four) or Chinese up to 999.

    >>> integer("二十五日", 0), integer("12个月", 0), integer("十月", 0), integer("一百二十天", 0)
    ((3, 25), (2, 12), (1, 10), (4, 120))
    """
    if at >= len(text):
        return None
    if text[at] in _DIGITS:
        return digits(text, at)
    return _chinese(text, at)


def digits(text: str, at: int, most: int = 4) -> tuple[int, int] | None:
    """End and value of one to `most` digits that no further digit or decimal follows."""
    end = at
    while end < len(text) and text[end] in _DIGITS and end - at <= most:
        end += 1
    if end == at or end - at > most:
        return None
    return end, int(text[at:end])


def _chinese(text: str, at: int) -> tuple[int, int] | None:
    end, tens = at, 0
    first = _ZH_DIGITS.get(text[end])
    if first is not None:
        end += 1
        if end < len(text) and text[end] == "十" and first > 0:
            tens, end = first * 10, end + 1
        elif end < len(text) and text[end] == "百" and first > 0:
            return _hundreds(text, end + 1, first * 100)
        else:
            return end, first
    elif text[end] == "十":
        tens, end = 10, end + 1
    else:
        return None
    unit = _ZH_DIGITS.get(text[end]) if end < len(text) else None
    if unit:
        return end + 1, tens + unit
    return end, tens


def _hundreds(text: str, at: int, hundreds: int) -> tuple[int, int]:
    """What follows 百: nothing, 零五, 二十, 二十五 (一百二 is an amount of something else)."""
    zero = text.startswith("零", at)
    rest = _chinese(text, at + zero) if at + zero < len(text) else None
    if rest is None or (rest[1] < 10) != zero or rest[1] > 99:
        return at, hundreds
    return rest[0], hundreds + rest[1]


def english_number(text: str, at: int) -> tuple[int, int] | None:
    """End and value of a number word or digits, and the spaces or hyphen after it."""
    found = _EN_WORDS.at(text, at) or digits(text, at)
    if found is None:
        return None
    return skip(text, found[0], " -"), found[1]


def compound(text: str, at: int, chars: str) -> bool:
    """Whether the character at an offset makes another word of the one before it: 周报, 日均.

    上周报修 is last week's 报修: 报 begins a word of its own there.

    >>> compound("上周报告", 2, "报期"), compound("上周报修量", 2, "报期")
    (True, False)
    """
    char = text[at : at + 1]
    return bool(char) and char in chars and not (char == "报" and text[at + 1 : at + 2] in _REPORTS)


_REPORTS = tuple("修障事警损案")


def year_digits(text: str, at: int) -> tuple[int, int] | None:
    """Four characters that name a year from 2000 to 2099: 2025, 二〇二五, 二零二五."""
    if at + 4 > len(text):
        return None
    value = 0
    for char in text[at : at + 4]:
        digit = ord(char) - 48 if char in _DIGITS else _ZH_DIGITS.get(char)
        if digit is None:
            return None
        value = value * 10 + digit
    if not 2000 <= value <= 2099:
        return None
    return at + 4, value


_EN_WORDS = Words(_EN_NUMBERS)
# after a number that looks like a year: in 2025 units
COUNTED = one_of("units", "rooms", "contracts", "bills", "parks", "tenants", "buildings", "sqm",
                  "orders", "tickets", "yuan", "square", "or", "people", "companies")  # fmt: skip
