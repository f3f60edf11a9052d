"""PostgreSQL: a pool of sessions that only read, under the server's own time limit."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from sqlalchemy import Engine, create_engine, event
from sqlalchemy.engine import make_url
from sqlalchemy.exc import SQLAlchemyError

from nl2sql.errors import WarehouseError
from nl2sql.warehouses.sql import Fetched, SQLWarehouse
from nl2sql.warehouses.watchdog import WATCHDOG
from semantic_layer.model import Layer
from semantic_layer.protocols import Halt, Rows

if TYPE_CHECKING:
    import psycopg

_QUERY = re.compile(r"\s*(SELECT|WITH)\b", re.IGNORECASE)
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_REACHED = 2.0  # seconds for the server to take a cancellation
_FRESH = 60.0  # seconds for which a version of the data is believed


class PostgresWarehouse(SQLWarehouse):
    """A PostgreSQL database, by URL. Give it a role that can only SELECT from the layer's tables.

    Each statement is one of its own (extended protocol: no second one behind a semicolon), in a
    READ ONLY transaction that is rolled back: what it might SET is gone with it. The time limit is
    the server's; the search path names one schema, temporary tables last; the time zone is UTC.
    """

    dialect = "postgres"

    def __init__(
        self, url: str, layer: Layer, *, schema: str = "public", timeout: float = 30.0
    ) -> None:
        if not _NAME.fullmatch(schema):
            raise WarehouseError(f"`{schema}` is no name of a schema")
        pool = _pool(url, schema, timeout)
        super().__init__(pool, layer, timeout)
        self._version: tuple[float, str] | None = None
        self.engine = f"postgresql {self.run('SHOW server_version', checked=False).rows[0][0]}"

    def run(
        self,
        sql: str,
        *,
        limit: int | None = None,
        halt: Halt | None = None,
        checked: bool = True,
    ) -> Rows:
        """Run one checked SELECT; stopped when it takes too long or is halted."""
        if checked and not _QUERY.match(sql):
            raise WarehouseError("only a SELECT may run")
        return super().run(sql, limit=limit, halt=halt)

    def _fetch(self, connection: object, sql: str, limit: int | None, halt: Halt | None) -> Fetched:
        import psycopg

        assert isinstance(connection, psycopg.Connection)
        try:
            with (
                WATCHDOG.watching(lambda: _cancel(connection), math.inf, halt) as watch,
                connection.cursor() as cursor,
            ):
                if watch.why is not None:
                    raise self._stopped(halt)
                cursor.execute(sql.encode(), None, prepare=True)
                names = tuple(item.name for item in cursor.description or ())
                rows: Sequence[Sequence[object]] = (
                    cursor.fetchall() if limit is None else cursor.fetchmany(limit)
                )
        except psycopg.errors.QueryCanceled as error:
            raise self._stopped(halt) from error
        except psycopg.Error as error:
            raise WarehouseError(str(error)) from error
        finally:
            connection.rollback()
        return names, rows

    @property
    def data_version(self) -> str:
        """A digest of the tables' counts and newest facts, not older than a minute."""
        now = time.monotonic()
        if self._version is None or now - self._version[0] > _FRESH:
            self._version = (now, self._facts())
        return self._version[1]


def _cancel(connection: psycopg.Connection) -> None:
    connection.cancel_safe(timeout=_REACHED)


def _pool(url: str, schema: str, timeout: float) -> Engine:
    settings = {
        "default_transaction_read_only": "on",
        "statement_timeout": str(max(1, int(timeout * 1000))),
        "lock_timeout": str(max(1, int(timeout * 1000))),
        "idle_in_transaction_session_timeout": "60000",
        "search_path": f"pg_catalog,{schema},pg_temp",
        "timezone": "UTC",
        "datestyle": "ISO",
        "client_encoding": "UTF8",
    }
    try:
        place = make_url(url).set(drivername="postgresql+psycopg")
        pool = create_engine(
            place,
            pool_size=4,
            pool_pre_ping=True,
            connect_args={
                "options": " ".join(f"-c {name}={value}" for name, value in settings.items()),
                "connect_timeout": 10,
                "application_name": "wenshu",
            },
        )
    except ModuleNotFoundError as error:
        raise WarehouseError("PostgreSQL needs `pip install wenshu[postgres]`") from error
    except SQLAlchemyError as error:
        raise WarehouseError(str(error)) from error

    @event.listens_for(pool, "connect")
    def _read_only(connection: psycopg.Connection, _record: object) -> None:
        connection.rollback()
        connection.read_only = True

    return pool
