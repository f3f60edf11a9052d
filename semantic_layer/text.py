"""Normalised text with a map back to the original: the one form in which words are compared.

NFKC, lower case, simplified characters, no zero-width characters; runs of blanks become one.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from opencc import OpenCC

_PLAIN = re.compile("[ -~\u4e00-\u9fff（）]*")  # characters that stand for themselves, but for case
_HALF = re.compile("[\ud800-\udfff]")
_VARIANTS = str.maketrans("帐著", "账着")  # left by the conversion: 帳單 is 账单, 沿著 is 沿着
_IGNORED = frozenset("\u200b\u200c\u200d\u2060\ufeff\u00ad\ufe0e\ufe0f")


@dataclass(frozen=True, slots=True)
class Normalised:
    """`text` in normal form; `origin[i]` is the offset in `original` of its i-th character."""

    original: str
    text: str
    origin: tuple[int, ...]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The span of the original text that `text[start:end]` came from."""
        if start >= end:
            return (self.origin[start] if start < len(self.origin) else len(self.original),) * 2
        return self.origin[start], self.origin[end - 1] + 1


@lru_cache(maxsize=1)
def _converter() -> OpenCC:
    from opencc import OpenCC

    return OpenCC("t2s")


def _simplified(text: str) -> str:
    if text.isascii():
        return text
    text = _HALF.sub("\ufffd", text)  # half a surrogate pair is no character
    converted: str = _converter().convert(text)
    if len(converted) != len(text):
        converted = "".join(_converter().convert(char)[:1] or char for char in text)
    return converted.translate(_VARIANTS)


def normalise(text: str) -> Normalised:
    """Bring `text` to normal form.

    >>> normalise("Ｑ３ 張江").text
    'q3 张江'
    >>> normalise("a\\u200bb").span(1, 2)
    (2, 3)
    """
    chars: list[str] = []
    origin: list[int] = []
    for offset, char in enumerate(text):
        if char in _IGNORED:
            continue
        for plain in unicodedata.normalize("NFKC", char).lower():
            blank = plain.isspace()
            if blank and (not chars or chars[-1] == " "):
                continue
            chars.append(" " if blank else plain)
            origin.append(offset)
    return Normalised(text, _simplified("".join(chars)), tuple(origin))


@lru_cache(maxsize=65536)
def fold(text: str) -> str:
    """The normal form alone: for words and stored values.

    >>> fold(" 華芯（上海） ")
    '华芯(上海)'
    """
    if _PLAIN.fullmatch(text):  # the most of them, and a million of them are folded at a time
        return _simplified(" ".join(text.lower().replace("（", "(").replace("）", ")").split()))
    return normalise(text).text.strip()
