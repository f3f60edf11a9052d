"""Dates by which rows are found: a row without one is in no period."""

from __future__ import annotations

from sqlglot import exp

from semantic_layer.lint.report import Report
from semantic_layer.lint.stored import Stored
from semantic_layer.yamldoc import Loc


def check_dates(stored: Stored, report: Report) -> None:
    """The date that each object goes by, and those that metrics have of their own."""
    for found in stored.layer.objects.values():
        at: dict[str, Loc] = {}
        if found.time.default is not None:
            role = found.time.roles.get(found.time.default)
            column = role.column if role is not None else found.time.default
            at[column] = ("objects", found.id, "time", "column")
        for name in found.metrics:
            own = stored.layer.metrics[name].time
            if own is not None:
                at.setdefault(own, ("objects", found.id, "metrics", name, "time"))
        for column, loc in at.items():
            _check(stored, found.measured, column, loc, report)


def _check(stored: Stored, table: str, column: str, loc: Loc, report: Report) -> None:
    if not stored.has(table, column):
        return
    counts = exp.select(exp.Count(this=exp.Star()), exp.Count(this=exp.column(column, "t")))
    ((rows, dated),) = stored.rows(counts.from_(stored.table(table, "t")))
    total, empty = int(str(rows)), int(str(rows)) - int(str(dated))
    if empty:
        report.report(
            loc,
            "time-column-null",
            f"{empty / total:.2%} of the rows of `{stored.layer.tables[table].source}` ({empty}) "
            f"have no `{column}`",
            "they are in no period that is asked by this date",
            "warning",
        )
