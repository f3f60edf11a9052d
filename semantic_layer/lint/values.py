"""Values that a layer names, against those that are stored: enums, aliases, labels."""

from __future__ import annotations

from sqlglot import exp

from semantic_layer.lint.joins import present, shown
from semantic_layer.lint.report import Report
from semantic_layer.lint.stored import Stored
from semantic_layer.model import Dimension

MANY = 10_000
TOLD = 5


def check_enums(stored: Stored, report: Report) -> None:
    """An enum lists every stored value, and no other."""
    for dimension in stored.layer.dimensions.values():
        if dimension.enum is None:
            continue
        counts = _counts(stored, dimension)
        if not counts:
            continue
        missing = [value for value in counts if value not in dimension.enum]
        if missing:
            told = ", ".join(f"`{value}` ({counts[value]} rows)" for value in missing[:TOLD])
            more = f" and {len(missing) - TOLD} more" if len(missing) > TOLD else ""
            report.report(
                ("dimensions", dimension.id, "enum"),
                "enum-missing",
                f"the enum of `{dimension.id}` does not list {told}{more}",
                "add each with what people call it",
            )
        for value in dimension.enum:
            if value not in counts and len(counts) < MANY:
                report.report(
                    ("dimensions", dimension.id, "enum", value),
                    "enum-unused",
                    f"no row has the value `{value}` of `{dimension.id}`",
                    "keep it if it may come",
                    "warning",
                )


def check_aliases(stored: Stored, report: Report) -> None:
    """Other names are given to values that are stored."""
    for dimension in stored.layer.dimensions.values():
        if not dimension.aliases:
            continue
        counts = _counts(stored, dimension, tuple(dimension.aliases))
        if not counts and not _counts(stored, dimension, most=1):
            continue
        for value in dimension.aliases:
            if value not in counts:
                report.report(
                    ("dimensions", dimension.id, "values", value),
                    "unknown-value",
                    f"no row has the value `{value}` of `{dimension.id}`",
                    "other names are given to a value as it is stored",
                )


def check_labels(stored: Stored, report: Report) -> None:
    """A label stands for one value: else people cannot tell the values apart."""
    for dimension in stored.layer.dimensions.values():
        label = dimension.label
        if label is None or not stored.has(dimension.table, dimension.column, label):
            continue
        keys = exp.Count(this=exp.Distinct(expressions=[exp.column(dimension.column, "t")]))
        select = (
            exp.select(exp.column(label, "t"), exp.alias_(keys, "n"))
            .from_(stored.table(dimension.table, "t"))
            .where(*present([label], "t"))
            .group_by(exp.column(label, "t"))
            .having(exp.GT(this=keys.copy(), expression=exp.Literal.number(1)))
            .order_by(exp.Ordered(this=exp.column("n"), desc=True), exp.column(label, "t"))
            .limit(1)
        )
        for name, count in stored.rows(select):
            report.report(
                ("dimensions", dimension.id, "label"),
                "label-not-unique",
                f"{count} values of `{dimension.id}` are called {shown([name])}",
                "it will be asked which is meant",
                "warning",
            )


def sources(stored: Stored, dimension: Dimension) -> tuple[tuple[str, str], ...]:
    """The columns in which a dimension's values stand: its own, and those that objects have instead."""
    found = {(dimension.table, dimension.column): None}
    for item in stored.layer.objects.values():
        for (table, name), route in item.routes.items():
            if name == dimension.id and route.column is not None:
                found[stored.layer.follow(table, route.steps), route.column] = None
    return tuple(pair for pair in found if stored.has(pair[0], pair[1]))


def _counts(
    stored: Stored, dimension: Dimension, among: tuple[str, ...] = (), most: int = MANY
) -> dict[str, int]:
    """The stored values of a dimension as text, the most frequent first, each with its rows."""
    found: dict[str, int] = {}
    for table, column in sources(stored, dimension):
        value, count = exp.column(column, "t"), exp.Count(this=exp.Star())
        select = (
            exp.select(value, exp.alias_(count, "n"))
            .from_(stored.table(table, "t"))
            .where(*present([column], "t"))
            .group_by(value.copy())
            .order_by(exp.Ordered(this=exp.column("n"), desc=True), value.copy())
            .limit(most)
        )
        if among:
            texts = [exp.Literal.string(item) for item in among]
            select = select.where(exp.In(this=exp.cast(value.copy(), "TEXT"), expressions=texts))
        for cell, rows in stored.rows(select):
            text = str(cell).lower() if isinstance(cell, bool) else str(cell)
            found[text] = found.get(text, 0) + int(str(rows))
    return found
