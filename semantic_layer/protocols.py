"""What the floors above hand down: a warehouse and a clock. Only `api` knows which ones are meant."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Literal, Protocol

Cell = None | bool | int | float | Decimal | str | date | datetime


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows of a query: column names and cells, all of them."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]


HaltReason = Literal["cancelled", "timed-out", "closing"]


class Halt:
    """Stops the queries of one turn from another thread: the one that runs, and every later one.

    `user` is who waits for them: a queue is fair by it. Any thread may call anything here.
    """

    __slots__ = ("_lock", "_reason", "_told", "user")

    def __init__(self, user: str) -> None:
        self.user = user
        self._lock = threading.Lock()
        self._reason: HaltReason | None = None
        self._told: list[Callable[[HaltReason], None]] = []

    @property
    def reason(self) -> HaltReason | None:
        """Why it was halted, None while it was not."""
        return self._reason

    def now(self, reason: HaltReason = "cancelled") -> None:
        """Halt, for good. The first reason stands."""
        with self._lock:
            if self._reason is not None:
                return
            self._reason = reason
            told = tuple(self._told)
        for tell in told:
            tell(reason)

    @contextmanager
    def telling(self, tell: Callable[[HaltReason], None]) -> Iterator[None]:
        """Within it `tell` is called when this is halted; at once where it was. It must not wait for long."""
        with self._lock:
            reason = self._reason
            self._told.append(tell)
        try:
            if reason is not None:
                tell(reason)
            yield
        finally:
            with self._lock:
                self._told.remove(tell)


class Warehouse(Protocol):
    """A database that answers one read-only SELECT at a time."""

    @property
    def dialect(self) -> str:
        """The sqlglot name of its SQL dialect."""

    @property
    def engine(self) -> str:
        """Name and version of the engine, for the record."""

    @property
    def data_version(self) -> str:
        """A digest that changes when the data does."""

    def run(self, sql: str, *, limit: int | None = None, halt: Halt | None = None) -> Rows:
        """Run a checked statement, to its first `limit` rows, unless halted.

        Raises `WarehouseError` (nl2sql) when it cannot; its kind `Stopped` tells why it was not run to its end.
        """


class Clock(Protocol):
    """What time it is, in the zone of the layer."""

    def now(self) -> datetime:
        """The instant that counts as now."""


@dataclass(frozen=True, slots=True)
class User:
    """Who asks. `attributes` drive the row policies; `everything` is the explicit all-access principal."""

    id: str = "local"
    attributes: tuple[tuple[str, tuple[str, ...]], ...] = ()
    everything: bool = False

    def attribute(self, name: str) -> Sequence[str] | None:
        """The values of an attribute, None when the user does not have it."""
        return dict(self.attributes).get(name)


LOCAL = User("local", (), True)
