"""The one module that opens a database. DuckDB, read-only and locked (docs/nl2sql.md says why each)."""

from __future__ import annotations

import hashlib
import threading
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import date, datetime
from decimal import Decimal
from io import FileIO
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb

from nl2sql.errors import WarehouseError
from semantic_layer.protocols import Cell, Rows

_LOCK: dict[str, str | bool | int | float | list[str]] = {
    "enable_external_access": False,
    "autoload_known_extensions": False,
    "autoinstall_known_extensions": False,
    "allow_community_extensions": False,
    "python_enable_replacements": False,
    "max_temp_directory_size": "2GB",
}


_CHUNK = 1 << 24  # bytes read at once: few, so that the digest seldom waits for its turn


class DuckDBWarehouse:
    """A DuckDB file, opened so that a statement can only read its tables.

    `read_only` alone is no sandbox (files could still be read and written), hence the further settings
    and `lock_configuration`. What that leaves open is the statement guard's job.
    """

    dialect = "duckdb"

    def __init__(
        self, path: Path, *, memory: str = "4GB", threads: int = 2, timeout: float = 30.0
    ) -> None:
        if not path.exists():
            raise WarehouseError(
                f"there is no database at {path}: run `wenshu demo` or `make demo` first"
            )
        try:
            self._connection = duckdb.connect(
                str(path),
                read_only=True,
                config={**_LOCK, "memory_limit": memory, "threads": threads},
            )
        except duckdb.Error as error:
            raise WarehouseError(f"cannot open {path}: {error}") from error
        locked = self._connection.execute("SELECT current_setting('lock_configuration')").fetchone()
        if locked is None or not locked[0]:  # a second connection shares the instance, and its lock
            self._connection.execute("SET lock_configuration = true")
        self._path = path
        self._timeout = timeout
        self.engine = f"duckdb {duckdb.__version__}"
        self._digest = _started(path)

    @property
    def data_version(self) -> str:
        """A digest of the whole file: one changed row is another version."""
        return self._digest.result()

    def run(self, sql: str, *, limit: int | None = None) -> Rows:
        """Run one checked SELECT on a cursor of its own; interrupted when it takes too long."""
        cursor = self._connection.cursor()
        timer = threading.Timer(self._timeout, cursor.interrupt)
        timer.daemon = True
        timer.start()
        try:
            cursor.execute(sql)
            names = tuple(str(item[0]) for item in cursor.description or ())
            rows: list[tuple[Cell, ...]] = (
                cursor.fetchall() if limit is None else cursor.fetchmany(limit)
            )
        except duckdb.InterruptException as error:
            raise WarehouseError(
                f"the query took longer than {self._timeout:g} s and was stopped"
            ) from error
        except duckdb.Error as error:
            raise WarehouseError(str(error)) from error
        finally:
            timer.cancel()
            cursor.close()
        return Rows(names, tuple(tuple(row) for row in rows))

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()


def parquet(rows: Rows) -> bytes:
    """Rows as a Parquet file. Decimals stay exact, whatever their column's widest is."""
    columns = [[row[index] for row in rows.rows] for index in range(len(rows.columns))]
    shown = ", ".join(
        f"""unnest(${index}::{_kind(cells)}[]) AS "{name.replace('"', '""')}\""""
        for index, (name, cells) in enumerate(zip(rows.columns, columns, strict=True), 1)
    )
    with TemporaryDirectory() as folder, duckdb.connect() as connection:
        file = Path(folder) / "rows.parquet"
        connection.execute(f"CREATE TABLE found AS SELECT {shown}", columns)
        connection.execute(f"COPY found TO '{file}' (FORMAT parquet)")
        return file.read_bytes()


def unparquet(data: bytes) -> Rows:
    """The rows of a Parquet file."""
    with TemporaryDirectory() as folder, duckdb.connect() as connection:
        file = Path(folder) / "rows.parquet"
        file.write_bytes(data)
        found = connection.execute(f"SELECT * FROM '{file}'")
        names = tuple(str(item[0]) for item in found.description or ())
        return Rows(names, tuple(map(tuple, found.fetchall())))


def _kind(cells: list[Cell]) -> str:
    """The type of a column that holds these."""
    kinds = {type(cell) for cell in cells if cell is not None}
    if kinds and kinds <= {int, Decimal}:
        parts = [Decimal(cell).as_tuple() for cell in cells if isinstance(cell, int | Decimal)]
        scale = max(max(-int(part.exponent) for part in parts), 0)
        whole = all(abs(part) < 1 << 63 for part in cells if isinstance(part, int))
        return "BIGINT" if kinds == {int} and whole else f"DECIMAL(38, {scale})"
    known = {bool: "BOOLEAN", float: "DOUBLE", date: "DATE", datetime: "TIMESTAMP", str: "VARCHAR"}
    return known[kinds.pop()] if len(kinds) == 1 else "VARCHAR"


def _started(path: Path) -> Future[str]:
    """The digest of a file as it is now, made beside whatever comes next: it takes a while."""
    file = FileIO(path)
    pool = ThreadPoolExecutor(1, "digest")
    found = pool.submit(_digest, file)
    pool.shutdown(wait=False)
    return found


def _digest(file: FileIO) -> str:
    digest, buffer = hashlib.blake2b(digest_size=16), memoryview(bytearray(_CHUNK))
    with file:
        while size := file.readinto(buffer):
            digest.update(buffer[:size])
    return digest.hexdigest()
