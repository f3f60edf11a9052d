"""Databases that SQLAlchemy reaches: one read-only statement at a time, under a time limit."""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import lru_cache

from sqlalchemy import Engine
from sqlalchemy.exc import SQLAlchemyError
from sqlglot import exp

from nl2sql.dialects import kinds_of, write
from nl2sql.errors import Stopped, WarehouseError, halted
from nl2sql.warehouses.cells import typed
from semantic_layer.model import Layer
from semantic_layer.protocols import Halt, Rows

Fetched = tuple[tuple[str, ...], Sequence[Sequence[object]]]


class SQLWarehouse(ABC):
    """A database behind a pool of connections that can only read.

    The layer says what the tables hold: from it each column of a result gets the Python type that
    DuckDB gives it (`cells.py`), and the version of the data is read from its tables.
    """

    dialect: str
    engine: str

    def __init__(self, pool: Engine, layer: Layer, timeout: float) -> None:
        self._pool = pool
        self._layer = layer
        self._timeout = timeout
        self._kinds = lru_cache(512)(lambda sql: kinds_of(sql, layer, self.dialect))

    @abstractmethod
    def _fetch(self, connection: object, sql: str, limit: int | None, halt: Halt | None) -> Fetched:
        """Run a statement on a connection of the driver. Raises `WarehouseError`."""

    @property
    @abstractmethod
    def data_version(self) -> str:
        """A digest that changes when the data does."""

    def run(self, sql: str, *, limit: int | None = None, halt: Halt | None = None) -> Rows:
        """Run one checked SELECT; stopped when it takes too long or is halted."""
        try:
            with self._pool.connect() as connection:
                driver = connection.connection.driver_connection
                names, rows = self._fetch(driver, sql, limit, halt)
        except SQLAlchemyError as error:
            raise WarehouseError(str(error)) from error
        return Rows(names, typed(rows, self._kinds(sql)))

    def close(self) -> None:
        """Let go of every connection."""
        self._pool.dispose()

    def _stopped(self, halt: Halt | None) -> Stopped:
        """The error of a statement that was stopped: halted, else it took too long."""
        reason = halt.reason if halt is not None else None
        return halted(reason or "timed-out", self._timeout)

    def _facts(self) -> str:
        """A digest of each registered table's count and newest fact; a changed value is not seen."""
        found: list[str] = []
        for name, table in sorted(self._layer.tables.items()):
            columns: set[str] = set()
            for item in self._layer.objects.values():
                if item.measured == name:
                    columns |= {role.column for role in item.time.roles.values()}
                    columns |= {item.time.default} if item.time.default is not None else set()
            select = exp.Select().select(
                exp.Count(this=exp.Star()),
                *(exp.Max(this=exp.column(item)) for item in sorted(columns & set(table.columns))),
            )
            sql = write(select.from_(exp.to_table(table.source)), self._layer, self.dialect)
            found.append(f"{name} {self.run(sql).rows}")
        return hashlib.blake2b("\n".join(found).encode(), digest_size=16).hexdigest()
