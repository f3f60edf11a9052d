"""Values that repeat under different parents, as 1号楼 does in every park: they need `within`."""

from __future__ import annotations

from sqlglot import exp

from semantic_layer.lint.joins import present, repeated, shown
from semantic_layer.lint.report import Report
from semantic_layer.lint.stored import Stored
from semantic_layer.model import Dimension
from semantic_layer.paths import shortest
from semantic_layer.protocols import Cell


def check_parents(stored: Stored, report: Report) -> None:
    """A dimension whose values mean different things under different parents says within what it lives.

    Certain for the levels of a hierarchy. Elsewhere it is a guess (a warning): values that name one
    row each under the row's parent, and come again under other parents.
    """
    layer = stored.layer
    above = {
        level: levels[index - 1]
        for levels in layer.hierarchies.values()
        for index, level in enumerate(levels)
        if index
    }
    for dimension in layer.dimensions.values():
        key = layer.tables[dimension.table].key
        if (
            dimension.within is not None
            or key == (dimension.column,)
            or not stored.has(dimension.table, dimension.column)
        ):
            continue
        if dimension.id in above:
            under = _under_level(stored, dimension, layer.dimensions[above[dimension.id]])
            if under is not None:
                _tell(report, dimension, under, above[dimension.id], "error")
        elif dimension.enum is None and dimension.type != "boolean":
            _guess(stored, dimension, report)


def _tell(
    report: Report, dimension: Dimension, found: tuple[Cell, ...], parent: str, severity: str
) -> None:
    value, count = found
    report.report(
        ("dimensions", dimension.id),
        "within-not-unique",
        f"{shown([value])} of `{dimension.id}` stands under {count} different values of `{parent}`",
        f"say within which dimension its values are unique, such as `within: {parent}`",
        severity,
    )


def _under_level(
    stored: Stored, dimension: Dimension, parent: Dimension
) -> tuple[Cell, ...] | None:
    """A value with the most values of the level above, when more than one."""
    layer = stored.layer
    ways = shortest(layer.tables, dimension.table, parent.table)
    if len(ways) != 1 or not stored.has(parent.table, parent.column):
        return None
    select, here, alias = exp.Select().from_(stored.table(dimension.table, "t0")), "t0", "t0"
    table = dimension.table
    for index, step in enumerate(ways[0]):
        join = layer.tables[table].joins[step]
        if not (
            stored.has(table, *(a for a, _ in join.pairs))
            and stored.has(join.to, *(b for _, b in join.pairs))
        ):
            return None
        alias = f"t{index + 1}"
        on = exp.and_(*(exp.column(b, alias).eq(exp.column(a, here)) for a, b in join.pairs))
        select = select.join(stored.table(join.to, alias), on=on)
        table, here = join.to, alias
    return _spread(
        stored, select, exp.column(dimension.column, "t0"), exp.column(parent.column, alias)
    )


def _guess(stored: Stored, dimension: Dimension, report: Report) -> None:
    """Values that name one row each under a joined parent, and come again under others."""
    for join in stored.layer.tables[dimension.table].joins.values():
        (here, _), *more = join.pairs
        if more or here == dimension.column or not stored.has(dimension.table, here):
            continue
        if (
            repeated(stored, dimension.table, [here], known=True) is None
            or repeated(stored, dimension.table, [here, dimension.column], known=True) is not None
        ):
            continue
        found = _spread(
            stored,
            exp.Select().from_(stored.table(dimension.table, "t0")),
            exp.column(dimension.column, "t0"),
            exp.column(here, "t0"),
        )
        if found is not None:
            parent = next(
                (
                    item.id
                    for item in stored.layer.dimensions.values()
                    if (item.table, item.column) == (join.to, join.pairs[0][1])
                ),
                join.name,
            )
            _tell(report, dimension, found, parent, "warning")
            return


def _spread(
    stored: Stored, select: exp.Select, value: exp.Column, parent: exp.Column
) -> tuple[Cell, ...] | None:
    """The value that stands under the most parents and how many, when more than one."""
    parents = exp.Count(this=exp.Distinct(expressions=[parent]))
    select = (
        select.select(value, exp.alias_(parents, "n"))
        .where(*present([value.name], value.table))
        .group_by(value.copy())
        .having(exp.GT(this=parents.copy(), expression=exp.Literal.number(1)))
        .order_by(exp.Ordered(this=exp.column("n"), desc=True), value.copy())
        .limit(1)
    )
    rows = stored.rows(select)
    return rows[0] if rows else None
