"""A warehouse that keeps what it found, for many who ask at the same time.

Rows are kept by the statement's text and the version of the data. What a user may see stands in the statement
as predicates, so the same text may be answered to anyone alike: nothing else of the user is looked at.
"""

from __future__ import annotations

import sys
import threading
from concurrent.futures import Future
from dataclasses import dataclass
from typing import TypeAlias

from cachetools import TTLCache

from nl2sql.errors import Stopped, WarehouseError, halted
from nl2sql.warehouses.wrapped import Wrapped
from semantic_layer.protocols import Cell, Halt, Rows, Warehouse

_Key: TypeAlias = tuple[str, str, int | None]
_Flight: TypeAlias = Future[
    Rows | None
]  # a query that runs; None where it ended for its asker alone
_OF_ONE = frozenset({"cancelled", "closing", "busy"})  # whoever asks the same may have better luck
_MEASURED = 1_000  # rows that are weighed; of more, so many evenly spread


@dataclass(frozen=True, slots=True)
class Kept:
    """How a cache is used. `joined` waited for a query of others that ran already."""

    hits: int
    joined: int
    misses: int
    entries: int
    bytes: int


class Cached(Wrapped):
    """A warehouse that keeps rows: at most so many bytes and entries, those asked for last, so long.

    One query that several ask at once runs once. A result of more than a quarter of the bytes is not kept.
    An age is for live databases, whose version does not tell every change.
    """

    def __init__(
        self,
        inner: Warehouse,
        *,
        most_bytes: int = 256 << 20,
        entries: int = 4096,
        seconds: float = 3600.0,
    ) -> None:
        super().__init__(inner)
        self._largest, self._entries = most_bytes // 4, entries
        self._rows: TTLCache[_Key, tuple[Rows, int]] = TTLCache(
            most_bytes, seconds, getsizeof=lambda kept: kept[1]
        )
        self._flights: dict[_Key, _Flight] = {}
        self._lock = threading.Lock()
        self._hits = self._joined = self._misses = 0

    @property
    def kept(self) -> Kept:
        """How it is used."""
        with self._lock:
            size = int(self._rows.currsize)
            return Kept(self._hits, self._joined, self._misses, len(self._rows), size)

    def run(self, sql: str, *, limit: int | None = None, halt: Halt | None = None) -> Rows:
        """The rows, found now or before. Raises `WarehouseError`, which is not kept."""
        key = (sql, self._inner.data_version, limit)
        while True:
            if halt is not None and halt.reason is not None:
                raise halted(halt.reason)
            with self._lock:
                known = self._rows.get(key)
                if known is not None:
                    self._hits += 1
                    return known[0]
                flight = self._flights.get(key)
                if flight is None:
                    self._misses += 1
                    mine = self._flights[key] = Future()
                    break
                self._joined += 1
            rows = _landed(flight, halt)
            if rows is not None:
                return rows
        return self._fly(mine, key, halt)

    def _fly(self, flight: _Flight, key: _Key, halt: Halt | None) -> Rows:
        rows: Rows | None = None
        shared: WarehouseError | None = None
        try:
            rows = self._inner.run(key[0], limit=key[2], halt=halt)
            self._keep(key, rows)
            return rows
        except WarehouseError as error:
            if not (isinstance(error, Stopped) and error.code in _OF_ONE):
                shared = error
            raise
        finally:
            with self._lock:
                del self._flights[key]
            if shared is not None:
                flight.set_exception(shared)
            else:
                flight.set_result(rows)

    def _keep(self, key: _Key, rows: Rows) -> None:
        size = weight(rows)
        if size > self._largest:
            return
        with self._lock:
            self._rows[key] = rows, size
            while len(self._rows) > self._entries:
                self._rows.popitem()


def _landed(flight: _Flight, halt: Halt | None) -> Rows | None:
    """What a query of others came to; None where that is theirs alone, or one is halted oneself."""
    if halt is None:
        return flight.result()
    either = threading.Event()
    flight.add_done_callback(lambda _: either.set())
    with halt.telling(lambda _: either.set()):
        either.wait()
    return flight.result() if flight.done() else None


def weight(rows: Rows) -> int:
    """About how many bytes rows take in memory.

    >>> weight(Rows(("n",), ((1,), (2,)))) < weight(Rows(("n",), (("one",), ("two",)))) < 1000
    True
    """
    step = max(1, len(rows.rows) // _MEASURED)
    some = rows.rows[::step]
    measured = sum(sys.getsizeof(row) + sum(map(_cell, row)) for row in some)
    return sys.getsizeof(rows.rows) + sum(map(len, rows.columns)) + measured * step + 200


def _cell(cell: Cell) -> int:
    return sys.getsizeof(cell) if not isinstance(cell, bool | None) else 0
