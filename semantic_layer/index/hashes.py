"""Sorted arrays in the place of dictionaries: which ids have a 32-bit hash. Small, and saved as they are.

Different keys may share a hash, so what is found is a candidate: the caller looks at the thing itself.
"""

from __future__ import annotations

import sys
from array import array
from bisect import bisect_left
from collections.abc import Sequence
from typing import TypeAlias

Buffer: TypeAlias = bytes | memoryview
BUCKETS = 64
_LOW = 0 if sys.byteorder == "little" else 1


class Hashes:
    """Ids by hash: `hashes` is sorted, `ids` stands beside it."""

    def __init__(self, hashes: Sequence[int], ids: Sequence[int]) -> None:
        self._hashes, self._ids = hashes, ids

    def get(self, value: int) -> list[int]:
        """The ids that have a hash, in order.

        >>> gathered = Gather()
        >>> for value, one in [(7, 1), (9, 2), (7, 0)]:
        ...     gathered.add(value, one)
        >>> Hashes(*gathered.arrays()).get(7)
        [0, 1]
        """
        hashes = self._hashes
        at = bisect_left(hashes, value)
        found: list[int] = []
        while at < len(hashes) and hashes[at] == value:
            found.append(self._ids[at])
            at += 1
        return found


class Gather:
    """Pairs of hash and id on their way to sorted arrays; in buckets, so that sorting needs little memory."""

    def __init__(self) -> None:
        self.buckets = [array("Q") for _ in range(BUCKETS)]

    def add(self, value: int, one: int) -> None:
        """One pair more."""
        self.buckets[value >> 26].append(value << 32 | one)

    def arrays(self) -> tuple[array[int], array[int]]:
        """The hashes, sorted, and their ids. Empties the buckets."""
        hashes, ids = array("I"), array("I")
        for index, bucket in enumerate(self.buckets):
            self.buckets[index] = array("Q")
            halves = memoryview(array("Q", sorted(bucket))).cast("B").cast("I")
            ids.frombytes(halves[_LOW::2].tobytes())
            hashes.frombytes(halves[1 - _LOW :: 2].tobytes())
        return hashes, ids


def raw(values: array[int]) -> memoryview:
    """An array as bytes, without a copy."""
    return memoryview(values).cast("B")
