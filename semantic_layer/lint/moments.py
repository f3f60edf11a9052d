"""Counts since 1970: whether the unit that the layer says makes sensible years of what is stored."""

from __future__ import annotations

from sqlglot import exp

from semantic_layer.lint.report import Report
from semantic_layer.lint.stored import Stored

_SIZES = {"seconds": 1, "milliseconds": 1_000, "microseconds": 1_000_000}
_YEAR = 31_556_952  # seconds
_FIRST, _LAST = 1971, 2200  # years that the newest of real data is in


def check_epochs(stored: Stored, report: Report) -> None:
    """The first and last year of each epoch column, under its unit."""
    for table in stored.layer.tables.values():
        for column, kept in table.moments.items():
            if kept.unit is None or not stored.has(table.name, column):
                continue
            value = exp.column(column, "t")
            ends = exp.select(exp.Min(this=value), exp.Max(this=value.copy()))
            ((first, last),) = stored.rows(ends.from_(stored.table(table.name, "t")))
            wide = [item for item in (first, last) if isinstance(item, int)]
            if not wide or _sensible(wide, kept.unit):
                continue
            fits = [unit for unit in _SIZES if _sensible(wide, unit)]
            report.report(
                ("tables", table.name, "columns", column),
                "epoch-unit",
                f"as {kept.unit} `{column}` ends in the year {_year(wide[-1], kept.unit)}",
                f"declare it `unit: {fits[0]}`" if fits else "no unit makes years of it",
            )


def _sensible(wide: list[int], unit: str) -> bool:
    """Whether the last is neither long ago, as too fine a unit has it, nor far off."""
    return _FIRST <= _year(wide[-1], unit) <= _LAST


def _year(value: int, unit: str) -> int:
    return 1970 + value // _SIZES[unit] // _YEAR
