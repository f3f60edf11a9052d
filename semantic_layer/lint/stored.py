"""What a database holds of the layer's tables: found once, then asked with built SELECTs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sqlglot import exp
from sqlglot.errors import SqlglotError

from semantic_layer.errors import did_you_mean
from semantic_layer.format import ColumnType
from semantic_layer.lint.report import Report
from semantic_layer.model import Layer
from semantic_layer.protocols import Cell, Warehouse

_KINDS: tuple[tuple[ColumnType, frozenset[exp.DType]], ...] = (
    ("text", frozenset({*exp.DataType.TEXT_TYPES, exp.DType.ENUM, exp.DType.UUID})),
    ("integer", frozenset(exp.DataType.INTEGER_TYPES)),
    ("decimal", frozenset({exp.DType.DECIMAL, exp.DType.DECIMAL128, exp.DType.BIGDECIMAL})),
    ("float", frozenset({exp.DType.FLOAT, exp.DType.DOUBLE})),
    ("date", frozenset({exp.DType.DATE, exp.DType.DATE32})),
    (
        "timestamp",
        frozenset(exp.DataType.TEMPORAL_TYPES)
        - {exp.DType.DATE, exp.DType.DATE32, exp.DType.TIME, exp.DType.TIMETZ},
    ),
    ("boolean", frozenset({exp.DType.BOOLEAN})),
)

_ZONED = (exp.DType.TIMESTAMPTZ, exp.DType.TIMESTAMPLTZ)


@dataclass(frozen=True, slots=True)
class Stored:
    """A layer's tables that are in a database, each with its columns that have their declared type."""

    layer: Layer
    warehouse: Warehouse
    columns: Mapping[str, frozenset[str]]

    def has(self, table: str, *columns: str) -> bool:
        """Whether columns of a table can be asked for."""
        return table in self.columns and self.columns[table] >= set(columns)

    def table(self, name: str, alias: str) -> exp.Expr:
        """A table of the layer, under an alias."""
        return exp.alias_(exp.to_table(self.layer.tables[name].source), alias, table=True)

    def rows(self, select: exp.Select) -> tuple[tuple[Cell, ...], ...]:
        """The rows of a SELECT."""
        return self.warehouse.run(select.sql(dialect=self.warehouse.dialect)).rows

    def count(self, select: exp.Select) -> int:
        """The number that a SELECT of one count gives."""
        return int(str(self.rows(select)[0][0]))


def find_stored(layer: Layer, warehouse: Warehouse, report: Report) -> Stored:
    """Compare the layer's tables and columns with the database's, and report where they differ."""
    there = _there(warehouse)
    found: dict[str, frozenset[str]] = {}
    for table in layer.tables.values():
        stored = there.get(table.source.casefold())
        if stored is None:
            report.report(
                ("tables", table.name, "source"),
                "missing-table",
                f"there is no table `{table.source}` in the database",
                did_you_mean(table.source, [name for name in there if "." not in name])
                or "name the stored table with `source`",
            )
            continue
        good: set[str] = set()
        for column, declared in table.columns.items():
            at = ("tables", table.name, "columns", column)
            if column.casefold() not in stored:
                report.report(
                    at,
                    "missing-column",
                    f"`{table.source}` has no column `{column}` in the database",
                    did_you_mean(column, stored) or f"it has: {', '.join(stored)}",
                )
            elif zoned(stored[column.casefold()], warehouse.dialect):
                report.report(
                    at,
                    "column-zone",
                    f"`{column}` is stored as {stored[column.casefold()]}, which every session shows "
                    "by its own clock",
                    "a view that casts it AT TIME ZONE 'UTC', and `{type: timestamp, zone: UTC}`",
                )
            elif (kind := kind_of(stored[column.casefold()], warehouse.dialect)) != (
                "integer" if declared == "epoch" else declared
            ):
                report.report(
                    at,
                    "column-type",
                    f"`{column}` is declared {declared} and stored as {stored[column.casefold()]}",
                    "an epoch is a whole number: declare it timestamp, with its zone"
                    if kind == "timestamp" and declared == "epoch"
                    else f"declare it {kind}"
                    if kind
                    else "the format has no such type: cast it in a view",
                )
            else:
                good.add(column)
        found[table.name] = frozenset(good)
    return Stored(layer, warehouse, found)


def kind_of(stored: str, dialect: str) -> ColumnType | None:
    """The type of the format that a stored type is, None when there is none.

    >>> kind_of("DECIMAL(14,2)", "duckdb"), kind_of("TIMESTAMP WITH TIME ZONE", "duckdb")
    ('decimal', 'timestamp')
    >>> kind_of("INTEGER[]", "duckdb")
    """
    try:
        found = exp.DataType.build(stored, dialect=dialect).this
    except SqlglotError:
        return None
    return next((kind for kind, types in _KINDS if found in types), None)


def zoned(stored: str, dialect: str) -> bool:
    """Whether a stored type is a moment that each session shows by its own clock.

    >>> zoned("TIMESTAMP WITH TIME ZONE", "duckdb"), zoned("TIMESTAMP", "duckdb")
    (True, False)
    """
    try:
        return exp.DataType.build(stored, dialect=dialect).this in _ZONED
    except SqlglotError:
        return False


def _there(warehouse: Warehouse) -> dict[str, dict[str, str]]:
    """Every table of the database with its columns and their types, all names folded.

    A table of the current schema is known by its bare name too.
    """
    names = ("table_schema", "table_name", "column_name", "data_type")
    current = exp.EQ(this=exp.column("table_schema"), expression=exp.func("current_schema"))
    select = (
        exp.select(*(exp.column(name) for name in names), exp.alias_(current, "here"))
        .from_(exp.to_table("information_schema.columns"))
        .order_by(exp.column("ordinal_position"))
    )
    found: dict[str, dict[str, str]] = {}
    for schema, table, column, kind, here in warehouse.run(
        select.sql(dialect=warehouse.dialect)
    ).rows:
        for name in (f"{schema}.{table}", str(table)) if here else (f"{schema}.{table}",):
            found.setdefault(name.casefold(), {})[str(column).casefold()] = str(kind)
    return found
