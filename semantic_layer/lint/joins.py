"""Keys that must be unique, and joins that must lead to one row: else rows are lost or repeated."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from semantic_layer.lint.report import Report
from semantic_layer.lint.stored import Stored
from semantic_layer.model import Join
from semantic_layer.protocols import Cell


def check_keys(stored: Stored, report: Report) -> None:
    """A table's key is held by one row only."""
    for table in stored.layer.tables.values():
        if table.key and stored.has(table.name, *table.key):
            twice = repeated(stored, table.name, table.key)
            if twice is not None:
                report.report(
                    ("tables", table.name, "key"),
                    "key-not-unique",
                    f"{twice[-1]} rows of `{table.source}` have the key {shown(twice[:-1])}",
                    "name the columns that tell its rows apart",
                )


def check_joins(stored: Stored, report: Report) -> None:
    """A join leads to one row at most, and finds it."""
    for table in stored.layer.tables.values():
        for join in table.joins.values():
            here, there = zip(*join.pairs, strict=True)
            if not (stored.has(table.name, *here) and stored.has(join.to, *there)):
                continue
            at = ("tables", table.name, "joins", join.name)
            target = stored.layer.tables[join.to]
            if set(there) != set(target.key):
                twice = repeated(stored, join.to, there, known=True)
                if twice is not None:
                    report.report(
                        at,
                        "join-cardinality",
                        f"`{join.name}` leads to {twice[-1]} rows of `{target.source}` "
                        f"where {', '.join(there)} is {shown(twice[:-1])}",
                        "join by columns that are unique there, or turn it round with `has_many`",
                    )
            orphans(stored, join, report)


def orphans(stored: Stored, join: Join, report: Report) -> None:
    """Rows that name a key which the joined table does not have."""
    here, _ = zip(*join.pairs, strict=True)
    source = stored.layer.tables[join.table].source
    tied = [exp.column(b, "there").eq(exp.column(a, "here")) for a, b in join.pairs]
    match = exp.select(exp.Literal.number(1)).from_(stored.table(join.to, "there")).where(*tied)
    lost = exp.and_(*present(here, "here"), exp.Not(this=exp.Exists(this=match)))
    select = exp.select(
        exp.Count(this=exp.Star()), *(exp.Min(this=exp.column(name, "here")) for name in here)
    ).from_(stored.table(join.table, "here"))
    count, *example = stored.rows(select.where(lost))[0]
    if not count:
        return
    rows = stored.count(exp.select(exp.Count(this=exp.Star())).from_(stored.table(join.table, "t")))
    report.report(
        ("tables", join.table, "joins", join.name),
        "join-orphans",
        f"{int(str(count)) / rows:.2%} of the rows of `{source}` ({count}) find no "
        f"`{stored.layer.tables[join.to].source}`, such as {shown(example)}",
        "they are shown as 未知",
        "warning",
    )


def repeated(
    stored: Stored, table: str, columns: Sequence[str], known: bool = False
) -> tuple[Cell, ...] | None:
    """The values that most rows share in columns, and how many do; None where all differ.

    `known` passes over rows with a NULL among them.
    """
    names = [exp.column(name, "t") for name in columns]
    select = (
        exp.select(*names, exp.alias_(exp.Count(this=exp.Star()), "n"))
        .from_(stored.table(table, "t"))
        .group_by(*(name.copy() for name in names))
        .having(exp.GT(this=exp.Count(this=exp.Star()), expression=exp.Literal.number(1)))
        .order_by(exp.Ordered(this=exp.column("n"), desc=True), *(name.copy() for name in names))
        .limit(1)
    )
    rows = stored.rows(select.where(*present(columns, "t")) if known else select)
    return rows[0] if rows else None


def present(columns: Sequence[str], table: str) -> list[exp.Expr]:
    """Conditions: none of the columns is NULL."""
    return [exp.Not(this=exp.column(name, table).is_(exp.null())) for name in columns]


def shown(cells: Sequence[Cell]) -> str:
    """An example's cells for a message."""
    texts = ["NULL" if cell is None else f"`{cell}`" for cell in cells]
    return texts[0] if len(texts) == 1 else f"({', '.join(texts)})"
