"""Gold results: what the statements of a question set give, run once for a state of the data.

Kept in memory, and in a file for the next run. A statement over other data, or in another engine, is another.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from dialogue import codec
from dialogue.ledger.chain import sha256
from nl2sql.remembering import Remembering
from semantic_layer import protocols
from semantic_layer.protocols import Rows, Warehouse

_TABLE = "CREATE TABLE IF NOT EXISTS gold (key TEXT PRIMARY KEY, data TEXT, rows TEXT)"


class Gold:
    """Gold results of one warehouse; without a file they are kept for this run only.

    The rows come back exactly: decimals, dates and floats as they were. A file that cannot be used is left
    alone: it only saves time.
    """

    def __init__(self, warehouse: Warehouse, file: Path | None = None) -> None:
        self.warehouse, self._file = warehouse, file
        self._near = Remembering(warehouse)
        if file is not None:
            try:
                with closing(sqlite3.connect(file)) as connection, connection:
                    connection.execute(_TABLE)
                    connection.execute("DELETE FROM gold WHERE data <> ?", (self._data,))
            except sqlite3.Error:
                self._file = None

    @property
    def _data(self) -> str:
        return f"{self.warehouse.engine} {self.warehouse.data_version}"

    def rows(self, sql: str) -> Rows:
        """The rows of a statement. Raises `WarehouseError`."""
        return self._near.found(sql, self._far)

    def _far(self, sql: str) -> Rows:
        """From the file, else from the warehouse."""
        if self._file is None:
            return self.warehouse.run(sql)
        data = self._data
        key = sha256(f"{data}\n{sql}".encode())
        try:
            with closing(sqlite3.connect(self._file)) as connection:
                found = connection.execute("SELECT rows FROM gold WHERE key = ?", (key,)).fetchone()
                if found is not None:
                    return codec.loads(str(found[0]), Rows)
                rows = self.warehouse.run(sql)
                with connection:
                    connection.execute(
                        "INSERT OR REPLACE INTO gold VALUES (?, ?, ?)",
                        (key, data, codec.dumps(rows)),
                    )
                return rows
        except (
            sqlite3.Error,
            TypeError,
            ValueError,
        ):  # busy, a kind of cell not known here, other code's
            return self.warehouse.run(sql)


codec.register(protocols)
