"""Whether two results are equal: gold columns matched to result columns by their values (docs/evaluation.md)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import date, datetime
from decimal import Decimal

from dialogue.evaluation.codes import Code, Fault
from dialogue.turn import Column
from nl2sql.slots import Slots
from semantic_layer.model import Layer
from semantic_layer.protocols import Cell, Rows

TOLERANCE = 1e-6
_Key = tuple[int, float, str]


def norm(cell: Cell) -> float | str | None:
    """A cell for comparing: numbers as floats, dates as text, truth as text."""
    if cell is None:
        return None
    if isinstance(cell, bool):
        return str(cell).lower()
    if isinstance(cell, int | float | Decimal):
        return float(cell)
    if isinstance(cell, datetime):
        return (
            cell.date().isoformat()
            if (cell.hour, cell.minute, cell.second) == (0, 0, 0)
            else cell.isoformat(" ")
        )
    if isinstance(cell, date):
        return cell.isoformat()
    return str(cell)


def same(left: float | str | None, right: float | str | None) -> bool:
    """Whether two cells are equal within the tolerance."""
    if isinstance(left, float) and isinstance(right, float):
        return math.isclose(left, right, rel_tol=TOLERANCE, abs_tol=1e-9)
    if (
        isinstance(left, float) != isinstance(right, float)
        and left is not None
        and right is not None
    ):
        return str(left).removesuffix(".0") == str(right).removesuffix(".0")
    return left == right


def _sort(cell: float | str | None) -> _Key:
    if cell is None:
        return (0, 0.0, "")
    if isinstance(cell, float):
        return (1, float(f"{cell:.9g}"), "")
    return (2, 0.0, cell)


def difference(
    gold: Rows,
    columns: Sequence[Column],
    rows: Sequence[Sequence[Cell]],
    slots: Slots | None,
    layer: Layer,
    before: Sequence[str],
    ordered: bool,
) -> Fault | None:
    """Why a result is not the gold one, or None when it is."""
    if len(gold.rows) != len(rows):
        return Fault(Code.WRONG_ROWS, f"{len(rows)} rows, gold has {len(gold.rows)}")
    want = [[norm(row[index]) for row in gold.rows] for index in range(len(gold.columns))]
    have = [[norm(row[index]) for row in rows] for index in range(len(columns))]
    fits = [
        [other for other, values in enumerate(have) if _same_bag(want[index], values)]
        for index in range(len(want))
    ]
    for index, found in enumerate(fits):
        if not found:
            code = Code.MISSING_COLUMN if len(have) < len(want) else Code.WRONG_VALUE
            return Fault(code, f"no column equals gold's {gold.columns[index]}")
    match = _assign(want, have, fits, [])
    if match is None:
        return Fault(Code.WRONG_VALUE, "the columns match one by one, the rows do not")
    extra = unexpected(columns, match, slots, layer, before)
    if extra is not None:
        return Fault(Code.EXTRA_COLUMN, extra)
    if ordered and not _in_order(want, have, match):
        return Fault(Code.WRONG_ORDER, "the rows are in another order")
    return None


def _same_bag(left: Sequence[float | str | None], right: Sequence[float | str | None]) -> bool:
    return all(
        same(a, b) for a, b in zip(sorted(left, key=_sort), sorted(right, key=_sort), strict=True)
    )


def _assign(
    want: list[list[float | str | None]],
    have: list[list[float | str | None]],
    fits: list[list[int]],
    taken: list[int],
) -> list[int] | None:
    """A column of the result for each gold column, such that whole rows agree."""
    if len(taken) == len(want):
        return taken if _same_rows(want, [have[index] for index in taken]) else None
    for index in fits[len(taken)]:
        if index not in taken:
            found = _assign(want, have, fits, [*taken, index])
            if found is not None:
                return found
    return None


def _same_rows(left: list[list[float | str | None]], right: list[list[float | str | None]]) -> bool:
    if not left:
        return True

    def ordered(columns: list[list[float | str | None]]) -> list[tuple[float | str | None, ...]]:
        return sorted(zip(*columns, strict=True), key=lambda row: [_sort(cell) for cell in row])

    return all(
        all(same(a, b) for a, b in zip(one, other, strict=True))
        for one, other in zip(ordered(left), ordered(right), strict=True)
    )


def _in_order(
    want: list[list[float | str | None]], have: list[list[float | str | None]], match: list[int]
) -> bool:
    """The sort key is a gold column of numbers that only rises or only falls."""
    for index, values in reversed(list(enumerate(want))):
        numbers = [value for value in values if isinstance(value, float)]
        if (
            len(numbers) == len(values)
            and len(values) > 1
            and numbers in (sorted(numbers), sorted(numbers, reverse=True))
        ):
            return all(same(a, b) for a, b in zip(values, have[match[index]], strict=True))
    return True


def unexpected(
    columns: Sequence[Column],
    match: Sequence[int],
    slots: Slots | None,
    layer: Layer,
    before: Sequence[str],
) -> str | None:
    """A column that nobody asked for, if there is one."""
    if slots is None or slots.rows:
        return None
    matched = {columns[index].id.partition("__")[0] for index in match}
    named = {item.metric for item in slots.having} | {slots.order.by if slots.order else None}
    no_metric = not any(columns[index].kind == "metric" for index in match)
    for index, column in enumerate(columns):
        if index in match:
            continue
        stem = column.id.partition("__")[0]
        if stem in matched:
            continue
        if column.kind in ("metric", "base", "diff", "change"):
            if stem in named or stem in before or no_metric:
                continue
            return f"metric {stem} was not asked for"
        if column.kind in ("value", "label"):
            parents = {
                parent
                for name in matched
                if name in layer.dimensions
                for parent in layer.path(name)
            }
            if (
                stem in parents
                or slots.pinned(stem) is not None
                or any(stem in layer.path(name) for name in matched if name in layer.dimensions)
            ):
                continue
            return f"dimension {stem} was not asked for"
    return None
