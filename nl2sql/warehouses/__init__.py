"""Warehouses by URL: which module opens what. A path, or `duckdb:///path`, is a DuckDB file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from nl2sql.errors import WarehouseError
from semantic_layer.model import Layer
from semantic_layer.protocols import Warehouse

__all__ = ["open_warehouse"]


def _duckdb(url: str, layer: Layer, timeout: float) -> Warehouse:
    from nl2sql.warehouse import DuckDBWarehouse

    return DuckDBWarehouse(Path(url.removeprefix("duckdb:///")), timeout=timeout)


def _sqlite(url: str, layer: Layer, timeout: float) -> Warehouse:
    from nl2sql.warehouses.sqlite import SQLiteWarehouse

    return SQLiteWarehouse(Path(url.removeprefix("sqlite:///")), layer, timeout=timeout)


def _postgres(url: str, layer: Layer, timeout: float) -> Warehouse:
    from nl2sql.warehouses.postgres import PostgresWarehouse

    return PostgresWarehouse(url, layer, timeout=timeout)


SCHEMES: dict[str, Callable[[str, Layer, float], Warehouse]] = {
    "": _duckdb,
    "duckdb": _duckdb,
    "sqlite": _sqlite,
    "postgresql": _postgres,
    "postgres": _postgres,
}


def open_warehouse(url: str, layer: Layer, *, timeout: float = 30.0) -> Warehouse:
    """Open the database at a URL for reading. Raises `WarehouseError`.

    >>> open_warehouse("oracle://host/db", layer=None)
    Traceback (most recent call last):
        ...
    nl2sql.errors.WarehouseError: no warehouse is opened by `oracle:`; known: duckdb, sqlite, postgresql
    """
    scheme = url.partition("://")[0].partition("+")[0] if "://" in url else ""
    if scheme not in SCHEMES:
        raise WarehouseError(
            f"no warehouse is opened by `{scheme}:`; known: duckdb, sqlite, postgresql"
        )
    return SCHEMES[scheme](url, layer, timeout)
