"""What the floors above hand down: a warehouse and a clock. Only `api` knows which ones are meant."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Protocol

Cell = None | bool | int | float | Decimal | str | date | datetime


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows of a query: column names and cells, all of them."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]


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

    def run(self, sql: str, *, limit: int | None = None) -> Rows:
        """Run a checked statement; raises `WarehouseError` (nl2sql) when it cannot."""


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
