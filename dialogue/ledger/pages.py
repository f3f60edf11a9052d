"""What every byte of a SQLite file belongs to (the file format: https://sqlite.org/fileformat2.html).

The rows of a ledger cover their own bytes, `PRAGMA integrity_check` the links between pages and the entries
of indexes. What is left are bytes that hold nothing. On the pages of tables that only grow SQLite leaves
them zero, so that one that is not was written by someone else. On other pages (`loose`) it leaves what stood
there: these are summed up when the file is closed (`stamp`).
"""

from __future__ import annotations

import mmap
import struct
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

Bytes: TypeAlias = bytes | mmap.mmap
Kind: TypeAlias = Literal["header", "links", "row", "entry", "unused"]
LEAF_TABLE, INNER_TABLE, LEAF_INDEX, INNER_INDEX = 13, 5, 10, 2


@dataclass(frozen=True, slots=True)
class Region:
    """Bytes `start` to before `end`: of which table or index, and for a row its rowid.

    `clean` holds for bytes on a page where SQLite leaves zero what it does not use, as long as rows are only
    added: leaves of tables, the first page of a tree, and pages that go on with a row. Pages of indexes that
    were split from one another keep what stood there.
    """

    start: int
    end: int
    kind: Kind
    owner: str
    rowid: int = 0
    clean: bool = False


class Damaged(Exception):
    """The pages do not hang together; `PRAGMA integrity_check` says how."""


def regions(data: Bytes, roots: Mapping[str, int]) -> Iterator[Region]:
    """Every region that is reached from the roots (`sqlite_master` and its tables and indexes).

    Pages of the free list are not reached. Raises `Damaged`.
    """
    pages = _Pages(data, page_size(data))
    yield Region(0, 100, "header", "")
    for owner, root in {"sqlite_master": 1, **roots}.items():
        yield from pages.tree(root, owner)


def page_size(data: Bytes) -> int:
    """Bytes of a page. Raises `Damaged`."""
    if len(data) < 512:
        raise Damaged("shorter than a page")
    size = int.from_bytes(data[16:18], "big")
    if size != 1 and (size < 512 or size & (size - 1)):
        raise Damaged(f"pages of {size} bytes")
    return 65536 if size == 1 else size


def loose(data: Bytes, roots: Mapping[str, int], grown: Collection[str]) -> list[tuple[int, str]]:
    """The pages on which SQLite leaves what it does not use any more, each with the tree it belongs to.

    That is all but the leaves of the tables in `grown`, and the pages that go on with their rows; the free list
    too. Raises `Damaged`.
    """
    pages = _Pages(data, page_size(data))
    found = [one for owner, root in roots.items() for one in pages.loose(root, owner, grown)]
    return [*found, *((number, "the free list") for number in pages.free())]


def header_faults(data: Bytes) -> Iterator[str]:
    """What in the file's header no ledger has."""
    fixed = {
        (0, 16): b"SQLite format 3\0",
        (20, 24): b"\0\x40\x20\x20",
        (44, 48): b"\0\0\0\x04",
        (48, 56): bytes(8),
        (56, 60): b"\0\0\0\x01",
        (64, 68): bytes(4),
        (72, 92): bytes(20),
    }
    for (start, end), expected in fixed.items():
        if data[start:end] != expected:
            yield f"bytes {start} to {end - 1} are {data[start:end].hex()}, not {expected.hex()}"
    if data[18:20] not in (b"\1\1", b"\2\2"):  # rolled back, or with a log written ahead
        yield f"bytes 18 to 19 are {data[18:20].hex()}, not 0101 or 0202"
    if data[24:28] != data[92:96]:
        yield "the two counters of changes (bytes 24 and 92) differ"
    size, count = (int.from_bytes(data[at:end], "big") for at, end in ((16, 18), (28, 32)))
    if (65536 if size == 1 else size) * count != len(data):
        yield f"{count} pages of {size} bytes (bytes 28 and 16) are not the {len(data)} of the file"


class _Pages:
    def __init__(self, data: Bytes, size: int) -> None:
        self._data, self._size = data, size
        self._usable = size - data[20]
        self._seen: set[int] = set()

    def tree(self, number: int, owner: str, above: int = 0) -> Iterator[Region]:
        """The pages under a page."""
        base, head = (number - 1) * self._size, self._head(number, above)
        kind, first_free, cells = struct.unpack(">BHH", self._data[head : head + 5])
        if kind not in (LEAF_TABLE, INNER_TABLE, LEAF_INDEX, INNER_INDEX):
            raise Damaged(f"page {number} is of no known kind")
        inner = kind in (INNER_TABLE, INNER_INDEX)
        start = head + (12 if inner else 8)
        end = start + 2 * cells
        found = [Region(head, end, "links", owner)]
        pointers = struct.unpack(f">{cells}H", self._data[start:end])
        below = [self._page(head + 8)] if inner else []
        for pointer in pointers:
            cell = list(self._cell(base + pointer, kind, owner))
            found += cell
            if inner:
                below.append(self._page(base + pointer))
        found += self._free_blocks(base, first_free, owner)
        clean = kind == LEAF_TABLE or (not above and kind != INNER_INDEX)
        yield from found
        on_page = [item for item in found if base <= item.start < base + self._size]
        yield from gaps(on_page, head, base + self._usable, owner, clean)
        for one in below:
            yield from self.tree(one, owner, number)

    def loose(
        self, number: int, owner: str, grown: Collection[str], above: int = 0
    ) -> Iterator[tuple[int, str]]:
        """The pages under a page that keep what stood there."""
        head = self._head(number, above)
        kind, _, cells = struct.unpack(">BHH", self._data[head : head + 5])
        if kind == LEAF_TABLE and owner in grown:
            return
        yield number, owner
        if kind in (INNER_TABLE, INNER_INDEX):
            base = (number - 1) * self._size
            pointers = struct.unpack(f">{cells}H", self._data[head + 12 : head + 12 + 2 * cells])
            for at in (head + 8, *(base + pointer for pointer in pointers)):
                yield from self.loose(self._page(at), owner, grown, number)

    def free(self) -> Iterator[int]:
        """The pages of the free list."""
        trunk = self._page(32)
        while trunk:
            base = self._head(trunk)
            yield trunk
            following, count = struct.unpack(">II", self._data[base : base + 8])
            for index in range(count):
                leaf = self._page(base + 8 + 4 * index)
                self._head(leaf)
                yield leaf
            trunk = following

    def _head(self, number: int, above: int = 0) -> int:
        """Where a page begins that was not met before, behind the file's header."""
        if number in self._seen or not 0 < number * self._size <= len(self._data):
            named = f", which page {above} names," if above else ""
            raise Damaged(f"page {number}{named} is not where it should be")
        self._seen.add(number)
        return (number - 1) * self._size + (100 if number == 1 else 0)

    def _page(self, at: int) -> int:
        return int(struct.unpack(">I", self._data[at : at + 4])[0])

    def _free_blocks(self, base: int, first: int, owner: str) -> Iterator[Region]:
        at = first
        while at:
            following, _ = struct.unpack(">HH", self._data[base + at : base + at + 4])
            yield Region(base + at, base + at + 4, "links", owner)
            if following and following <= at:
                raise Damaged("free blocks run in a circle")
            at = following

    def _cell(self, at: int, kind: int, owner: str) -> Iterator[Region]:
        start, rowid = at, 0
        if kind in (INNER_TABLE, INNER_INDEX):
            at += 4
        if kind == INNER_TABLE:
            _, at = self._varint(at)
            yield Region(start, at, "links", owner)
            return
        payload, at = self._varint(at)
        if kind == LEAF_TABLE:
            rowid, at = self._varint(at)
        what: Kind = "row" if kind == LEAF_TABLE else "entry"
        local = self._local(payload, kind)
        end = at + local
        if local < payload:
            yield from self._overflow(self._page(end), payload - local, what, owner, rowid)
            end += 4
        yield Region(start, end, what, owner, rowid)

    def _local(self, payload: int, kind: int) -> int:
        """How much of a payload stands on the page itself."""
        usable = self._usable
        most = usable - 35 if kind == LEAF_TABLE else (usable - 12) * 64 // 255 - 23
        if payload <= most:
            return payload
        least = (usable - 12) * 32 // 255 - 23
        some = least + (payload - least) % (usable - 4)
        return some if some <= most else least

    def _overflow(
        self, number: int, left: int, what: Kind, owner: str, rowid: int
    ) -> Iterator[Region]:
        while left > 0:
            base = self._head(number)
            taken = min(left, self._usable - 4)
            yield Region(base, base + 4 + taken, what, owner, rowid)
            rest = Region(
                base + 4 + taken, base + self._usable, "unused", owner, clean=what == "row"
            )
            if rest.start < rest.end:
                yield rest
            left -= taken
            number = self._page(base)

    def _varint(self, at: int) -> tuple[int, int]:
        value = 0
        for index in range(8):
            byte = self._data[at + index]
            value = value << 7 | byte & 0x7F
            if byte < 0x80:
                return value, at + index + 1
        return value << 8 | self._data[at + 8], at + 9


def gaps(found: list[Region], start: int, end: int, owner: str, clean: bool) -> Iterator[Region]:
    """The bytes of a page between its regions."""
    for item in sorted(found, key=lambda one: one.start):
        if item.start > start:
            yield Region(start, item.start, "unused", owner, clean=clean)
        start = max(start, item.end)
    if start < end:
        yield Region(start, end, "unused", owner, clean=clean)
