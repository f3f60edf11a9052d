"""The one module that opens a database. DuckDB, read-only and locked (docs/nl2sql.md says why each)."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from datetime import date, datetime
from decimal import Decimal
from io import FileIO
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp

import duckdb

from nl2sql.errors import Stopped, WarehouseError, halted
from nl2sql.warehouses.watchdog import WATCHDOG, Watch
from semantic_layer.protocols import Cell, Halt, Rows

_LOCK: dict[str, str | bool | int | float | list[str]] = {
    "enable_external_access": False,
    "autoload_known_extensions": False,
    "autoinstall_known_extensions": False,
    "allow_community_extensions": False,
    "python_enable_replacements": False,
    "max_temp_directory_size": "2GB",
}


_CHUNK = 1 << 24  # bytes read at once: few, so that the digest seldom waits for its turn
SHARED = "shared"
_LINKED = r"\.wenshu-[^/]+/"  # the folder of a name of its own, which nobody finds any more
_FETCH = 20_000  # rows fetched at once: what is halted meanwhile is noticed after them


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
        self._path, self._timeout, self._memory = path, timeout, memory
        self._files: list[FileIO] = []
        try:
            self._connection = self._open({**_LOCK, "memory_limit": memory, "threads": threads})
        except (OSError, duckdb.Error, WarehouseError) as error:
            _closed(self._files)
            if isinstance(error, WarehouseError):
                raise
            told = re.sub(_LINKED, "", str(error))
            raise WarehouseError(f"cannot open {path}: {told}") from error
        self.engine = f"duckdb {duckdb.__version__}"
        self._digest = _started(self._files)

    def _open(
        self, config: dict[str, str | bool | int | float | list[str]]
    ) -> duckdb.DuckDBPyConnection:
        path = self._path
        with _name_of_its_own(path) as (name, token):
            config["temp_directory"] = f"{path}.{token}.tmp"
            for file in (name, wal(name)):  # what is opened here is what the digest is of
                if file.exists():
                    self._files.append(FileIO(file))
            connection = duckdb.connect(str(name), read_only=True, config=config)
        found = connection.execute("SELECT current_setting('lock_configuration')").fetchone()
        if found == (True,):
            raise WarehouseError(
                f"{path} is open in this process, and whether as it is now cannot be told, since "
                f"no link can be made in {path.parent}: let this user write there"
            )
        if token == SHARED and not _same(path, self._files[0]):
            raise WarehouseError(f"{path} was replaced while it was opened: try again")
        connection.execute("SET lock_configuration = true")
        return connection

    @property
    def data_version(self) -> str:
        """A digest of the whole file, as it was opened: one changed row is another version."""
        return self._digest.result()

    def run(self, sql: str, *, limit: int | None = None, halt: Halt | None = None) -> Rows:
        """Run one checked SELECT on a cursor of its own; interrupted when it takes too long or is halted."""
        cursor = self._connection.cursor()
        try:
            with WATCHDOG.watching(cursor.interrupt, self._timeout, halt) as watch:
                try:
                    self._go_on(watch)
                    cursor.execute(sql)
                    names = tuple(str(item[0]) for item in cursor.description or ())
                    rows: list[tuple[Cell, ...]] = []
                    while limit is None or len(rows) < limit:
                        left = _FETCH if limit is None else min(_FETCH, limit - len(rows))
                        found = cursor.fetchmany(left)
                        rows += found
                        self._go_on(watch)
                        if len(found) < left:
                            break
                except duckdb.OutOfMemoryException as error:
                    raise Stopped("out-of-memory", {"memory": self._memory}) from error
                except duckdb.Error as error:
                    self._go_on(watch)
                    raise WarehouseError(str(error)) from error
        finally:
            cursor.close()
        return Rows(names, tuple(rows))

    def _go_on(self, watch: Watch) -> None:
        if watch.why is not None:
            raise halted(watch.why, self._timeout)

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()
        self._digest.add_done_callback(lambda _: _closed(self._files))


def wal(path: Path) -> Path:
    """Where DuckDB keeps what is not yet in a file."""
    return path.with_name(f"{path.name}.wal")


@contextmanager
def _name_of_its_own(path: Path) -> Iterator[tuple[Path, str]]:
    """A name that nobody else knows for the file (and its log) that stands at a path now; and a token of it.

    DuckDB gives whoever opens a path again the database that it has open by that path, even where the
    file was replaced since; it resolves symbolic links, so the name is a hard link. It need not stay: what is
    open is open. Where no link can be made, the path itself is given, and the token is `SHARED`.
    """
    folder: Path | None = None
    try:
        folder = Path(mkdtemp(prefix=".wenshu-", dir=path.parent))
        os.link(path, folder / path.name)
        with suppress(FileNotFoundError):
            os.link(wal(path), wal(folder / path.name))
    except OSError:
        if folder is not None:
            _cleared(folder)
        yield path, SHARED
        return
    try:
        yield folder / path.name, folder.name.rpartition("-")[2]
    finally:
        _cleared(folder)


def _cleared(folder: Path) -> None:
    for file in folder.iterdir():
        file.unlink()
    folder.rmdir()


def _same(path: Path, file: FileIO) -> bool:
    """Whether an open file is the one that stands at a path."""
    return os.path.samestat(path.stat(), os.fstat(file.fileno()))


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


def _closed(files: Sequence[FileIO]) -> None:
    for file in files:
        file.close()


def _started(files: Sequence[FileIO]) -> Future[str]:
    """The digest of files as they are now, made beside whatever comes next: it takes a while.

    They stay open: closing a file lets go of the locks that this process has on it, DuckDB's too.
    """
    pool = ThreadPoolExecutor(1, "digest")
    found = pool.submit(_digest, files)
    pool.shutdown(wait=False)
    return found


def _digest(files: Sequence[FileIO]) -> str:
    digest, buffer = hashlib.blake2b(digest_size=16), memoryview(bytearray(_CHUNK))
    for file in files:
        while size := file.readinto(buffer):
            digest.update(buffer[:size])
    return digest.hexdigest()
