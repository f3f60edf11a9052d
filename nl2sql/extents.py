"""The first and the last day of business time that an object's rows have in a date column."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime

from sqlglot import exp

from nl2sql.compiler.predicates import in_ranges
from nl2sql.compiler.scope import Scope
from nl2sql.dialects import write
from nl2sql.times import Range, add, zones
from semantic_layer.model import Layer, Object
from semantic_layer.protocols import Cell, Warehouse


@dataclass(frozen=True, slots=True)
class Extent:
    """The first and last moment that an object's rows have in a date column."""

    first: date | None
    last: date | None


def extent(
    layer: Layer,
    warehouse: Warehouse,
    found: Object,
    column: str,
    clock: datetime,
    within: Range | None = None,
) -> Extent:
    """The extent of a date column (within a range), up to the clock where the object is a snapshot."""
    scope = Scope(layer, found.measured)
    value = scope.column((), column)
    select = exp.Select().select(exp.Min(this=value), exp.Max(this=value.copy()))
    if within is not None:
        select = select.where(in_ranges(scope, (), column, (within,)))
    if found.time.snapshot:
        until = Range(None, add(clock.date(), 1, "day"))
        select = select.where(in_ranges(scope, (), column, (until,)))
    rows = warehouse.run(write(scope.from_(select), layer, warehouse.dialect)).rows
    first, last = rows[0] if rows else (None, None)
    return Extent(*(day(layer, found.measured, column, cell) for cell in (first, last)))


def day(layer: Layer, table: str, column: str, value: Cell) -> date | None:
    """The day of business time that a stored moment falls in."""
    kept = layer.tables[table].moments.get(column)
    if kept is not None and kept.unit is not None and isinstance(value, int):
        value = zones.counted(value, kept.unit)
    if not isinstance(value, datetime):
        return value if isinstance(value, date) else None
    if kept is not None:
        value = zones.read(value, kept.zone, layer.calendar.timezone)
    return value.date()
