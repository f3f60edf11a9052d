"""Gold results: what the statements of a question set give, run once for a state of the data.

Kept in memory, and in a file for the next run. A statement over other data, or in another engine, is another.
"""

from __future__ import annotations

import sqlite3
from contextlib import suppress
from pathlib import Path

from dialogue import codec
from dialogue.ledger.chain import sha256
from nl2sql.remembering import Remembering
from semantic_layer import protocols
from semantic_layer.protocols import Rows, Warehouse

_TABLE = "CREATE TABLE IF NOT EXISTS gold (key TEXT PRIMARY KEY, data TEXT, rows TEXT)"


class Gold:
    """Gold results of one warehouse; without a file they are kept for this run only.

    The rows come back exactly: decimals, dates and floats as they were. Processes share a file. One that cannot
    be used is left alone: it only saves time.
    """

    def __init__(self, warehouse: Warehouse, file: Path | None = None) -> None:
        self.warehouse = warehouse
        self._near = Remembering(warehouse)
        self._file = None if file is None else self._opened(file)

    def _opened(self, file: Path) -> sqlite3.Connection | None:
        """The file, for any number of processes; what other data gave is dropped from it."""
        try:
            connection = sqlite3.connect(file, isolation_level=None)
            connection.execute(
                "PRAGMA synchronous=OFF"
            )  # a result that a power cut takes is run again
            connection.execute(_TABLE)
            connection.execute("DELETE FROM gold WHERE data <> ?", (self._data,))
        except sqlite3.Error:
            return None
        return connection

    @property
    def _data(self) -> str:
        return f"{self.warehouse.engine} {self.warehouse.data_version}"

    def rows(self, sql: str) -> Rows:
        """The rows of a statement. Raises `WarehouseError`."""
        return self._near.found(sql, self._far)

    def close(self) -> None:
        """Let go of the file."""
        if self._file is not None:
            self._file.close()

    def _far(self, sql: str) -> Rows:
        """From the file, else from the warehouse."""
        data = self._data
        key = sha256(f"{data}\n{sql}".encode())
        kept = self._kept(key)
        if kept is None:
            kept = self.warehouse.run(sql)
            self._keep(key, data, kept)
        return kept

    def _kept(self, key: str) -> Rows | None:
        if self._file is None:
            return None
        try:
            found = self._file.execute("SELECT rows FROM gold WHERE key = ?", (key,)).fetchone()
            return None if found is None else codec.loads(str(found[0]), Rows)
        except (sqlite3.Error, TypeError, ValueError):  # busy, or what other code wrote
            return None

    def _keep(self, key: str, data: str, rows: Rows) -> None:
        if self._file is None:
            return
        # busy, or a kind of cell not known here: it will be run again
        with suppress(sqlite3.Error, TypeError):
            self._file.execute(
                "INSERT OR REPLACE INTO gold VALUES (?, ?, ?)", (key, data, codec.dumps(rows))
            )


codec.register(protocols)
