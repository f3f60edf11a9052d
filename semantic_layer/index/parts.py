"""Parts of names: every beginning of a part, sorted by what follows it, so that any part is a stretch of them.

A part begins at any character, or at the first letter of a Latin word. Endings that too many names share
(有限公司) point at none of them and are left out.
"""

from __future__ import annotations

import json
from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from semantic_layer.index.hashes import Buffer, raw
from semantic_layer.index.names import Names, common, encode, pair
from semantic_layer.lexicon import joined

LONGEST = 32
MANY = 2000
DIGITS = frozenset("0123456789")
_BYTES = 4 * LONGEST
_SAMPLE = 100_000
_ENDING = 12


class Parts:
    """Where the parts of names stand. `heads` are the first two characters there are, `from` where each begins."""

    def __init__(self, sections: Mapping[str, memoryview], names: Names) -> None:
        self._names = names
        self._blob = names.blob
        self._at = sections["parts.at"].cast("I")
        self._heads = sections["parts.heads"].cast("Q")
        self._from = sections["parts.from"].cast("I")
        self._endings: list[str] = json.loads(bytes(sections["parts.endings"]))

    @staticmethod
    def sections(names: Names) -> dict[str, Buffer]:
        """The arrays of the parts of sorted distinct names."""
        blob = bytes(names.blob)
        shared = endings(names)
        buckets: dict[int, array[int]] = {}
        offset = 0
        for name in names:
            size = len(name)
            widths = None if name.isascii() else _widths(name)
            for start in beginnings(name):
                if size - start < 2 or (size - start <= _ENDING and name[start:] in shared):
                    continue
                head = pair(name, start)
                bucket = buckets.get(head)
                if bucket is None:
                    bucket = buckets[head] = array("I")
                bucket.append(offset + (start if widths is None else widths[start]))
            offset += (size if widths is None else widths[size]) + 1
        at, heads, begins = array("I"), array("Q"), array("I")
        for head in sorted(buckets):
            heads.append(head)
            begins.append(len(at))
            at.extend(sorted(buckets.pop(head), key=lambda place: blob[place : place + _BYTES]))
        begins.append(len(at))
        return {
            "parts.at": raw(at),
            "parts.heads": raw(heads),
            "parts.from": raw(begins),
            "parts.endings": json.dumps(sorted(shared)).encode(),
        }

    def longest(self, text: str, start: int) -> int:
        """How many characters of the text from `start` on some name holds; 0 for fewer than two."""
        piece = text[start : start + LONGEST]
        found = self._shared(piece)
        low, high = self._range(piece)
        if low < high:
            asked = encode(piece)
            at = bisect_left(range(high), asked, low, high, key=lambda one: self._raw(one, _BYTES))
            for one in (at - 1, at):
                if low <= one < high:
                    found = max(found, _common(asked, self._raw(one, _BYTES)))
        return found if found > 1 else 0

    def holding(self, piece: str, most: int = MANY) -> tuple[int, ...] | None:
        """The names that hold a piece of two characters or more; None when they are too many."""
        if self._shared(piece) == len(piece):
            return None
        low, high = self._range(piece)
        asked = encode(piece[:LONGEST])
        size = len(asked)
        first = bisect_left(range(high), asked, low, high, key=lambda index: self._raw(index, size))
        last = bisect_left(
            range(high), asked + b"\xff", first, high, key=lambda index: self._raw(index, size)
        )
        if last - first > most * 2:
            return None
        found = {self._names.holding(self._at[index]) for index in range(first, last)}
        if piece[-1:] in DIGITS:
            found = {one for one in found if _uncut(self._names[one], piece)}
        return tuple(sorted(found)) if len(found) <= most else None

    def _shared(self, piece: str) -> int:
        """How much of a piece an ending begins with that too many names share."""
        at = bisect_left(self._endings, piece)
        return max(
            (common(piece, one) for one in self._endings[max(0, at - 1) : at + 1]), default=0
        )

    def _range(self, piece: str) -> tuple[int, int]:
        if len(piece) < 2:
            return 0, 0
        head = pair(piece, 0)
        at = bisect_left(self._heads, head)
        if at == len(self._heads) or self._heads[at] != head:
            return 0, 0
        return self._from[at], self._from[at + 1]

    def _raw(self, index: int, size: int) -> bytes:
        place = self._at[index]
        return bytes(self._blob[place : place + size])


def beginnings(name: str) -> Iterator[int]:
    """Where a part of a name may begin: not within a Latin word, nor after a digit that belongs to it.

    >>> list(beginnings("华芯 ai lab")), list(beginnings("店12号"))
    ([0, 1, 3, 6], [0, 1])
    """
    before = ""
    for index, char in enumerate(name):
        if char != " " and not (before and (before.isdigit() or joined(before, char))):
            yield index
        before = char


def cut(name: str, piece: str, at: int) -> bool:
    """Whether a piece that ends in a digit leaves out the next one."""
    end = at + len(piece)
    return piece[-1] in DIGITS and name[end : end + 1] in DIGITS


def endings(names: Sequence[str]) -> frozenset[str]:
    """Endings that more names have than can be asked about: those found so often in a sample of them."""
    step = max(1, len(names) // _SAMPLE)
    counted: Counter[str] = Counter()
    for index in range(0, len(names), step):
        name = names[index]
        for size in range(2, min(_ENDING, len(name)) + 1):
            counted[name[-size:]] += 1
    return frozenset(ending for ending, count in counted.items() if count > MANY)


def _uncut(name: str, piece: str) -> bool:
    return any(name.startswith(piece, at) and not cut(name, piece, at) for at in beginnings(name))


def _widths(name: str) -> list[int]:
    """Before each character of a name, and after the last: how many bytes."""
    found = [0]
    for char in name:
        code = ord(char)
        found.append(
            found[-1] + (1 if code < 0x80 else 2 if code < 0x800 else 3 if code < 0x10000 else 4)
        )
    return found


def _common(left: bytes, right: bytes) -> int:
    """How many whole characters two texts begin with together."""
    size = min(len(left), len(right))
    at = next((index for index in range(size) if left[index] != right[index]), size)
    while at and at < len(left) and left[at] & 0xC0 == 0x80:  # within a character
        at -= 1
    return sum(byte & 0xC0 != 0x80 for byte in left[:at])
