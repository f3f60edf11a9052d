"""Cells as DuckDB would give them, whatever a driver gives: so that rows and their digests compare."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date, datetime
from decimal import Context, Decimal

from nl2sql.dialects.kinds import Kind
from nl2sql.errors import WarehouseError
from semantic_layer.protocols import Cell

_WIDE = Context(prec=80)


def typed(rows: Iterable[Sequence[object]], kinds: Sequence[Kind]) -> tuple[tuple[Cell, ...], ...]:
    """Rows with the Python types of their kinds; without kinds, as the driver gave them."""
    if not kinds:
        return tuple(tuple(plain(cell) for cell in row) for row in rows)
    return tuple(
        tuple(cell_of(cell, kind) for cell, kind in zip(row, kinds, strict=True)) for row in rows
    )


def cell_of(cell: object, kind: Kind) -> Cell:
    """One cell.

    >>> cell_of(12345, Kind("decimal", 2)), cell_of("2026-08-01", Kind("date"))
    (Decimal('123.45'), datetime.date(2026, 8, 1))
    >>> cell_of(Decimal("5"), Kind("integer", 0)), cell_of(1, Kind("boolean"))
    (5, True)
    """
    if cell is None:
        return None
    try:
        return _made(cell, kind)
    except (ValueError, TypeError, ArithmeticError) as error:
        raise WarehouseError(f"{cell!r} is no {kind.type}") from error


def _made(cell: object, kind: Kind) -> Cell:
    match kind.type:
        case "decimal":
            return _decimal(cell, kind.scale)
        case "integer":
            whole = int(cell) if isinstance(cell, int | float | Decimal) else None
            if whole is None or whole != cell:
                raise ValueError("not a whole number")
            return whole
        case "float":
            return float(str(cell)) if not isinstance(cell, float) else cell
        case "date":
            if isinstance(cell, str):
                return date.fromisoformat(cell[:10])
            return cell.date() if isinstance(cell, datetime) else plain(cell)
        case "timestamp":
            return datetime.fromisoformat(cell) if isinstance(cell, str) else plain(cell)
        case "boolean":
            return bool(cell)
    return plain(cell)


def _decimal(cell: object, scale: int | None) -> Decimal:
    """A decimal; a whole number stands for that many of its smallest unit."""
    if isinstance(cell, Decimal):
        return cell if scale is None else cell.quantize(Decimal(1).scaleb(-scale), context=_WIDE)
    if isinstance(cell, int) and scale is not None:
        return Decimal(cell).scaleb(-scale, context=_WIDE)
    raise ValueError("not exact")


def plain(cell: object) -> Cell:
    """A cell of a type that the protocol knows; any other as text."""
    if cell is None or isinstance(cell, bool | int | float | Decimal | str | date):
        return cell
    return str(cell)
