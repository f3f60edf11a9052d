"""Asking slots: compiled, read back, guarded, and run on the park database."""

from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path

import duckdb
import pytest

from nl2sql import guard, readback
from nl2sql.compiler import Question, build
from nl2sql.slots import Filter, Slots
from nl2sql.warehouse import DuckDBWarehouse
from semantic_layer.model import Layer
from semantic_layer.protocols import Rows

CLOCK = datetime(2026, 9, 28)
Ask = Callable[..., Rows]


@pytest.fixture(scope="session")
def warehouse(park_database: Path) -> Iterator[DuckDBWarehouse]:
    """The park warehouse, opened as the service opens it."""
    opened = DuckDBWarehouse(park_database)
    yield opened
    opened.close()


@pytest.fixture(scope="session")
def ask(warehouse: DuckDBWarehouse, park_layer: Layer) -> Ask:
    """The rows of slots; what a layer, clock or policy changes may be given."""

    def asked(
        slots: Slots,
        policy: tuple[Filter, ...] = (),
        layer: Layer = park_layer,
        clock: datetime = CLOCK,
    ) -> Rows:
        compiled = build(Question(slots, layer, clock, policy))
        readback.check(compiled.sql, slots, layer, clock, policy)
        guard.check(compiled.sql, layer)
        return warehouse.run(compiled.sql)

    return asked


@pytest.fixture(scope="session")
def gold(warehouse: DuckDBWarehouse) -> Callable[[str], list[tuple[object, ...]]]:
    """The rows of SQL written by hand, on the same database."""

    def rows(sql: str) -> list[tuple[object, ...]]:
        try:
            return list(warehouse.run(sql).rows)
        except duckdb.Error as error:
            raise AssertionError(sql) from error

    return rows
