"""A stamp on a closed SQLite file, so that a change shows where nothing is read from.

Rows are covered by their own hashes, and on pages of tables that only grow SQLite leaves zero what it does not
use. On other pages (of indexes, of lists that shrink, of the free list) it leaves what stood there before: these
are summed up when the file is closed. Two sums stand in two fields of the file's header that SQLite leaves to its
users, `user_version` and `application_id`. The first writing takes the stamp off again.

Any one changed page shows in the first sum, and both together say which one it is. It is no proof: who changes
these bytes on purpose can sum up anew, and has changed nothing that anybody reads.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass
from zlib import crc32

from dialogue.ledger.pages import Bytes, Damaged, loose, page_size
from dialogue.ledger.schema import GROWN

PRIME = 2**31 - 1  # a field holds 31 bits without its sign
LARGEST = 128 * 2**20  # bytes of a file that is stamped: it is read as a whole for that
# what changes with the stamp itself; the two counters of changes are compared with one another
FREE = (slice(24, 28), slice(60, 64), slice(68, 72), slice(92, 96))
LIBRARY = slice(96, 100)  # the version of SQLite that wrote the header last


@dataclass(frozen=True, slots=True)
class Stamp:
    """Two sums over pages: of their checksums, from 1, and of these times the page's number."""

    first: int = 0
    second: int = 0

    def __bool__(self) -> bool:
        return self.first != 0


def stamp(connection: sqlite3.Connection, *, anew: bool = False) -> None:
    """Stamp the file of a connection as it is now, unless it is stamped or too large, or another one writes."""
    try:
        connection.execute("PRAGMA busy_timeout = 0")
        connection.execute("BEGIN IMMEDIATE")
        try:
            if (anew or not on(connection)) and _size(connection) <= LARGEST:
                _set(connection, _of(connection))
            connection.execute("COMMIT")
        except BaseException:
            connection.execute("ROLLBACK")
            raise
    except (sqlite3.Error, Damaged):
        return  # a file without a stamp is told as such when it is verified


def take_off(connection: sqlite3.Connection) -> None:
    """Before something is written, in the same transaction."""
    if on(connection):
        _set(connection, Stamp())


def on(connection: sqlite3.Connection) -> bool:
    """Whether the file has a stamp."""
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    return bool(version)


def stamp_in(data: Bytes) -> Stamp:
    """The stamp in a file's header."""
    first, second = (int.from_bytes(data[at : at + 4], "big") for at in (60, 68))
    return Stamp(first, second)


def summed(data: Bytes, pages: Iterable[int], library: bytes = b"") -> Stamp:
    """The stamp of pages; `library` is the version of SQLite that will stand in the header, where it is another."""
    size, first, second = page_size(data), 0, 0
    for number in pages:
        page = data[(number - 1) * size : number * size]
        found = crc32(_fixed(page, library) if number == 1 else page)
        first += found
        second += number * found
    return Stamp(1 + first % PRIME, second % PRIME)


def which(told: Stamp, found: Stamp, pages: Iterable[int]) -> int | None:
    """The page that is another, if it is one alone; 0 for the stamp itself, None where several are."""
    first, second = (found.first - told.first) % PRIME, (found.second - told.second) % PRIME
    if not first or not second:
        return 0
    number = second * pow(first, -1, PRIME) % PRIME
    return number if number in set(pages) else None


def _fixed(page: bytes, library: bytes) -> bytes:
    head = bytearray(page)
    for one in FREE:
        head[one] = bytes(4)
    if library:
        head[LIBRARY] = library
    return bytes(head)


def _of(connection: sqlite3.Connection) -> Stamp:
    sql = "SELECT name, rootpage FROM sqlite_master WHERE rootpage > 0"
    data = connection.serialize()
    pages = loose(data, {"sqlite_master": 1, **dict(connection.execute(sql))}, GROWN)
    number = sqlite3.sqlite_version_info
    library = (number[0] * 1_000_000 + number[1] * 1000 + number[2]).to_bytes(4, "big")
    return summed(data, (page for page, _ in pages), library)


def _set(connection: sqlite3.Connection, made: Stamp) -> None:
    connection.execute(f"PRAGMA user_version = {made.first}")
    connection.execute(f"PRAGMA application_id = {made.second}")


def _size(connection: sqlite3.Connection) -> int:
    ((count,),) = connection.execute("PRAGMA page_count")
    ((size,),) = connection.execute("PRAGMA page_size")
    return int(count) * int(size)
