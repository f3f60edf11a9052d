"""All stored values of a layer as flat arrays: made once from the values, saved, and mapped back as they are."""

from __future__ import annotations

import json
import re
from array import array
from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias
from zlib import crc32

from semantic_layer.index.hashes import Buffer, Gather, Hashes, raw
from semantic_layer.index.names import Names, encode
from semantic_layer.index.near import Near
from semantic_layer.index.parts import Parts
from semantic_layer.text import fold

CODE = re.compile(r"[a-z0-9]+(?:[-_./][a-z0-9]+)*")
Place: TypeAlias = tuple[str | None, ...]


@dataclass(frozen=True, slots=True)
class Stored:
    """A stored value of a dimension: its key, and the name people see."""

    dimension: str
    key: str
    name: str


class Base:
    """The stored values by entry: entries are in the order of their folded names, then of their keys."""

    def __init__(self, sections: Mapping[str, Buffer]) -> None:
        views = {name: memoryview(data).cast("B") for name, data in sections.items()}
        self.names = Names(views)
        self.parts = Parts(views, self.names)
        self.near = Near(views, self.names)
        self._dimensions: list[str] = json.loads(bytes(views["dimensions"]))
        self._of = views["of"].cast("I")
        self._first = views["first"].cast("I")
        self._texts = views["texts"]
        self._ends = views["texts.ends"].cast("I")
        self._keys = Hashes(views["keys"].cast("I"), views["keys.ids"].cast("I"))
        self._codes = Hashes(views["codes"].cast("I"), views["codes.ids"].cast("I"))
        self._placed = views["places"]

    def __len__(self) -> int:
        return len(self._of)

    def entry(self, index: int) -> Stored:
        """The value of an entry."""
        ends = self._ends
        start = ends[2 * index - 1] if index else 0
        middle, end = ends[2 * index], ends[2 * index + 1]
        texts = bytes(self._texts[start:end])
        key = texts[: middle - start].decode("utf-8", "surrogatepass")
        name = texts[middle - start :].decode("utf-8", "surrogatepass") if end > middle else key
        return Stored(self._dimensions[self._of[index]], key, name)

    def dimension_of(self, index: int) -> int:
        """The number of the dimension of an entry."""
        return self._of[index]

    def sizes(self, most: int) -> Counter[str]:
        """How many of the first `most` entries are of each dimension."""
        counted = Counter(self._of[: min(most, len(self._of))])
        return Counter({self._dimensions[one]: count for one, count in counted.items()})

    def entries(self, first: int, last: int) -> range:
        """The entries of the names from `first` to before `last`."""
        return range(self._first[first], self._first[last])

    def name_of(self, entry: int) -> int:
        """The name that an entry has."""
        return bisect_right(self._first, entry) - 1

    def coded(self, code: str) -> list[int]:
        """The entries whose (folded) key is a code that is not their name."""
        found = self._codes.get(crc32(encode(code)))
        return [index for index in found if fold(self.entry(index).key) == code]

    def label(self, dimension: str, key: str) -> str | None:
        """The name of a value, None when there is no such value."""
        for index in self._keys.get(_hash(dimension, key)):
            found = self.entry(index)
            if (found.dimension, found.key) == (dimension, key):
                return found.name
        return None

    def places(self) -> dict[str, tuple[Place, ...]]:
        """Which values of each hierarchy occur together."""
        read: dict[str, list[list[str | None]]] = json.loads(bytes(self._placed))
        return {name: tuple(tuple(row) for row in rows) for name, rows in read.items()}


def build(values: list[Stored], placed: Mapping[str, Sequence[Place]]) -> dict[str, Buffer]:
    """The arrays of values and places. Takes the values out of the list: a million weigh too much twice."""
    numbers = {name: at for at, name in enumerate(dict.fromkeys(one.dimension for one in values))}
    ordered: list[tuple[str, str, int, str]] = []
    while values:
        value = values.pop()
        ordered.append((fold(value.name), value.key, numbers[value.dimension], value.name))
    ordered.sort()
    dimensions = list(numbers)
    names: list[str] = []
    first, of, ends = array("I"), array("I"), array("I")
    texts = bytearray()
    keys, codes = Gather(), Gather()
    for index, (folded, key, dimension, name) in enumerate(ordered):
        if not names or names[-1] != folded:
            names.append(folded)
            first.append(index)
        of.append(dimension)
        texts += encode(key)
        ends.append(len(texts))
        if name != key:
            texts += encode(name)
        ends.append(len(texts))
        keys.add(_hash(dimensions[dimension], key), index)
        if name != key and is_code(code := fold(key)):
            codes.add(crc32(encode(code)), index)
    first.append(len(ordered))
    del ordered
    hashes, ids = keys.arrays()
    by_code, coded = codes.arrays()
    found = Names.sections(names)
    del names
    small = Names({name: memoryview(data).cast("B") for name, data in found.items()})
    return {
        **found,
        **Parts.sections(small),
        **Near.sections(small),
        "dimensions": json.dumps(dimensions).encode(),
        "of": raw(of),
        "first": raw(first),
        "texts": bytes(texts),
        "texts.ends": raw(ends),
        "keys": raw(hashes),
        "keys.ids": raw(ids),
        "codes": raw(by_code),
        "codes.ids": raw(coded),
        "places": json.dumps(placed, ensure_ascii=False).encode("utf-8", "surrogatepass"),
    }


def is_code(text: str) -> bool:
    """Whether a folded text is a code: letters and digits, and nothing that a language has.

    >>> is_code("t00302"), is_code("ht-2026/7"), is_code("1001"), is_code("华芯1号")
    (True, True, False, False)
    """
    return (
        CODE.fullmatch(text) is not None
        and any(char.isalpha() for char in text)
        and any(char.isdigit() for char in text)
    )


def _hash(dimension: str, key: str) -> int:
    return crc32(encode(f"{dimension}\0{key}"))
