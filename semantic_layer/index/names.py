"""Distinct names in order, in one stretch of bytes: found by binary search, a million in some tens of megabytes.

UTF-8 sorts as its characters do. Every name ends in a line feed, which no folded name holds.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence

from semantic_layer.index.hashes import Buffer, raw

LONGEST = 80
_NONE = 0xFFFFFFFF


class Names(Sequence[str]):
    """Distinct folded names, sorted. `heads` are the first two characters there are, `at` where each begins."""

    def __init__(self, sections: Mapping[str, memoryview]) -> None:
        self.blob = sections["names"]
        self._starts = sections["names.starts"].cast("I")
        self._above = sections["names.above"].cast("I")
        self._heads = sections["names.heads"].cast("Q")
        self._at = sections["names.at"].cast("I")

    @staticmethod
    def sections(names: Sequence[str]) -> dict[str, Buffer]:
        """The arrays of sorted distinct names."""
        blob = bytearray()
        starts, above, at = array("I"), array("I"), array("I")
        heads = array("Q")
        chain: list[int] = []  # the names that the present one begins with, shortest first
        for index, name in enumerate(names):
            starts.append(len(blob))
            blob += encode(name) + b"\n"
            while chain and not name.startswith(names[chain[-1]]):
                chain.pop()
            above.append(chain[-1] if chain else _NONE)
            chain.append(index)
            head = pair(name, 0)
            if not heads or heads[-1] != head:
                heads.append(head)
                at.append(index)
        starts.append(len(blob))
        at.append(len(names))
        return {
            "names": bytes(blob),
            "names.starts": raw(starts),
            "names.above": raw(above),
            "names.heads": raw(heads),
            "names.at": raw(at),
        }

    def __len__(self) -> int:
        return len(self._starts) - 1

    def __getitem__(self, index: int) -> str:  # type: ignore[override]  # slices are not needed
        return self.raw(index).decode("utf-8", "surrogatepass")

    def raw(self, index: int) -> bytes:
        """A name as it is kept."""
        return bytes(self.blob[self._starts[index] : self._starts[index + 1] - 1])

    def holding(self, offset: int) -> int:
        """The name that a byte of the stretch belongs to."""
        return bisect_right(self._starts, offset) - 1

    def position(self, name: str) -> int | None:
        """Where a name stands, None when it is not there."""
        low, high = self._range(pair(name, 0))
        if low == high:
            return None
        wanted = encode(name)
        at = bisect_left(range(high), wanted, low, high, key=self.raw)
        return at if at < high and self.raw(at) == wanted else None

    def beginning(self, text: str, start: int) -> tuple[list[int], int, tuple[int, int]]:
        """Of the text from `start` on: the names it begins with; how much of it a name begins with, and the
        range of the names that do."""
        exact: list[int] = []
        alone, _ = self._range(ord(text[start]) << 21)
        if alone < len(self) and self[alone] == text[start]:
            exact.append(alone)
        low, high = self._range(pair(text, start))
        if start + 1 >= len(text) or low == high:
            return exact, 0, (0, 0)
        asked = text[start : start + LONGEST]
        at = bisect_right(range(high), encode(asked), low, high, key=self.raw)
        length = max(
            common(asked, self[at - 1]) if at > low else 0,
            common(asked, self[at]) if at < high else 0,
        )
        one = at - 1 if at > low else _NONE
        while one != _NONE and one >= low:
            name = self[one]
            if len(name) <= length and asked.startswith(name):
                exact.append(one)
            one = self._above[one]
        return exact, length, self._within(asked[:length], low, high)

    def begun(self, part: str) -> tuple[int, int]:
        """The range of the names that begin with a part of two characters or more."""
        return self._within(part, *self._range(pair(part, 0)))

    def _within(self, part: str, low: int, high: int) -> tuple[int, int]:
        asked = encode(part)
        first = bisect_left(range(high), asked, low, high, key=self.raw)
        return first, bisect_left(range(high), asked + b"\xff", low, high, key=self.raw)

    def going_on(self, part: str, low: str, high: str, first: int, last: int) -> tuple[int, int]:
        """Of the names from `first` on that begin with a part, those that go on from `low` to before `high`."""
        begin = bisect_left(range(last), encode(part + low), first, last, key=self.raw)
        return begin, bisect_left(range(last), encode(part + high), begin, last, key=self.raw)

    def _range(self, head: int) -> tuple[int, int]:
        at = bisect_left(self._heads, head)
        if at == len(self._heads) or self._heads[at] != head:
            return len(self), len(self)
        return self._at[at], self._at[at + 1]


def encode(text: str) -> bytes:
    """The bytes of a text; half a surrogate pair too, which people can send."""
    return text.encode("utf-8", "surrogatepass")


def pair(text: str, at: int) -> int:
    """Two characters as one number that sorts as they do; a last character stands alone, no text is 0."""
    if at >= len(text):
        return 0
    return ord(text[at]) << 21 | (ord(text[at + 1]) if at + 1 < len(text) else 0)


def common(left: str, right: str) -> int:
    """How many characters two texts begin with together.

    >>> common("张江科技园", "张江高科")
    2
    """
    size = min(len(left), len(right))
    for index in range(size):
        if left[index] != right[index]:
            return index
    return size
