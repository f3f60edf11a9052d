"""SQLite: a file opened read-only, where a statement can do nothing but read its tables."""

from __future__ import annotations

import hashlib
import sqlite3
import time
from pathlib import Path
from urllib.parse import quote

from sqlalchemy import create_engine
from sqlalchemy.pool import QueuePool

from nl2sql.errors import WarehouseError
from nl2sql.warehouses.sql import Fetched, SQLWarehouse
from semantic_layer.model import Layer
from semantic_layer.protocols import Halt

_READING = frozenset(
    {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE}
)
_STEPS = 5_000  # instructions of SQLite's machine between two looks at the clock and the halt


class SQLiteWarehouse(SQLWarehouse):
    """A SQLite file. Decimals are whole numbers of their smallest unit, as the layer's `scale` says.

    Opened `mode=ro` and `query_only`; an authorizer lets statements only read, so that no other
    file can be attached, no pragma set, no extension loaded. 3.39 or newer (IS DISTINCT FROM).
    """

    dialect = "sqlite"

    def __init__(self, path: Path, layer: Layer, *, timeout: float = 30.0) -> None:
        if not path.exists():
            raise WarehouseError(f"there is no database at {path}")
        if sqlite3.sqlite_version_info < (3, 39):
            raise WarehouseError(f"SQLite {sqlite3.sqlite_version} is too old: 3.39 or newer")
        self._path = path
        self.engine = f"sqlite {sqlite3.sqlite_version}"
        pool = create_engine("sqlite://", creator=self._open, poolclass=QueuePool, pool_size=4)
        super().__init__(pool, layer, timeout)
        self._seen: tuple[tuple[int, ...], str] | None = None
        self._check_scales()

    def _open(self) -> sqlite3.Connection:
        connection = self._bare()
        connection.execute("PRAGMA query_only = ON")
        connection.execute("PRAGMA trusted_schema = OFF")
        return connection

    def _bare(self) -> sqlite3.Connection:
        uri = f"file:{quote(str(self._path.resolve()))}?mode=ro"
        return sqlite3.connect(uri, uri=True, check_same_thread=False, isolation_level=None)

    def _check_scales(self) -> None:
        """Refuse decimals that are not whole numbers: SQLite's own decimals are inexact."""
        try:
            connection = self._bare()
            try:
                for table in self._layer.tables.values():
                    rows = connection.execute(f"PRAGMA table_info({_quoted(table.source)})")
                    stored = {str(row[1]): str(row[2]).upper() for row in rows}
                    for column, kind in table.columns.items():
                        if kind != "decimal" or column not in stored:
                            continue
                        if column not in table.scales:
                            raise WarehouseError(
                                f"{table.source}.{column} is a decimal, which SQLite does not have: "
                                "keep it as a whole number of its smallest unit, and say in the layer "
                                f"`{column}: {{type: decimal, scale: 2}}`, or declare it float"
                            )
                        if "INT" not in stored[column]:
                            raise WarehouseError(
                                f"{table.source}.{column} has a scale in the layer, so it must be "
                                f"declared INTEGER in SQLite, not {stored[column] or 'nothing'}"
                            )
            finally:
                connection.close()
        except sqlite3.Error as error:
            raise WarehouseError(f"cannot open {self._path}: {error}") from error

    def _fetch(self, connection: object, sql: str, limit: int | None, halt: Halt | None) -> Fetched:
        assert isinstance(connection, sqlite3.Connection)
        until = time.monotonic() + self._timeout

        def over() -> bool:
            return time.monotonic() > until or (halt is not None and halt.reason is not None)

        if over():
            raise self._stopped(halt)
        connection.set_progress_handler(over, _STEPS)
        connection.set_authorizer(_only_reading)
        try:
            cursor = connection.execute(sql)
            names = tuple(str(item[0]) for item in cursor.description or ())
            rows = cursor.fetchall() if limit is None else cursor.fetchmany(limit)
            cursor.close()
        except sqlite3.Error as error:
            if over():
                raise self._stopped(halt) from error
            raise WarehouseError(str(error)) from error
        finally:
            connection.set_authorizer(None)
            connection.set_progress_handler(None, 0)
        return names, rows

    @property
    def data_version(self) -> str:
        """A digest of the file and its log; read anew when either has changed."""
        files = [self._path, self._path.with_name(self._path.name + "-wal")]
        there = [file for file in files if file.exists()]
        marks = tuple(mark for file in there for mark in _marks(file))
        if self._seen is None or self._seen[0] != marks:
            digest = hashlib.blake2b(digest_size=16)
            for file in there:
                with file.open("rb") as stream:
                    while block := stream.read(1 << 20):
                        digest.update(block)
            self._seen = (marks, digest.hexdigest())
        return self._seen[1]


def _marks(file: Path) -> tuple[int, int, int]:
    found = file.stat()
    return found.st_size, found.st_mtime_ns, found.st_ino


def _only_reading(action: int, first: str | None, second: str | None, *_: str | None) -> int:
    if action not in _READING or (action == sqlite3.SQLITE_FUNCTION and second == "load_extension"):
        return sqlite3.SQLITE_DENY
    return sqlite3.SQLITE_OK


def _quoted(name: str) -> str:
    return '"' + name.rpartition(".")[2].replace('"', '""') + '"'
