"""The clauses of a SELECT, each in full or refused."""

from __future__ import annotations

from collections.abc import Set

from sqlglot import exp

from nl2sql.errors import ReadBackError
from nl2sql.readback.render import render


def only(node: exp.Expr, allowed: Set[str]) -> None:
    """Refuse a clause that is not read."""
    for name, value in node.args.items():
        if value and name not in allowed:
            raise ReadBackError(
                f"{type(node).__name__} has an unknown part `{name}`: {node.sql()[:120]}"
            )


def parted(item: exp.Expr) -> str:
    """A column over the groups with a place and the rest."""
    if isinstance(item, exp.Column):
        return f"{named(item)}: {item.name}"
    if not isinstance(item, exp.Alias):
        raise ReadBackError(f"{item.sql()} has no name")
    return f"{item.alias}: {render(item.this, plain)}"


def plain(column: exp.Column) -> str:
    """A column of an inner result, by its name."""
    return column.sql() if column.table else column.name


def named(item: exp.Expr) -> str:
    """The name of a column that is shown as it is."""
    if not isinstance(item, exp.Column) or item.table:
        raise ReadBackError(f"{item.sql()} is no plain column")
    return item.name


def columns(select: exp.Select) -> list[exp.Expr]:
    """The columns of a SELECT, ranks aside."""
    return [item for item in select.expressions if not isinstance(item.this, exp.Window)]


def source(select: exp.Select) -> str:
    """The name of the part or table that a SELECT reads; none of one that goes by another name."""
    origin = select.args.get("from_")
    if origin is None:
        raise ReadBackError("a SELECT reads nothing")
    only(origin, {"this"})
    node = origin.this
    if not isinstance(node, exp.Table):
        return ""
    only(node, {"this", "db", "alias"})
    return "" if node.args.get("db") or node.args.get("alias") else node.name


def parts(clause: exp.Expr | None) -> list[exp.Expr]:
    """The conjuncts of a WHERE, HAVING or ON."""
    if clause is None:
        return []
    found: list[exp.Expr] = []
    stack = [clause.args["on"] if isinstance(clause, exp.Join) else clause.this]
    while stack:
        node = stack.pop()
        if isinstance(node, exp.And):
            stack += [node.expression, node.this]
        elif isinstance(node, exp.Paren):
            stack.append(node.this)
        else:
            found.append(node)
    return found


def groups(select: exp.Select) -> list[exp.Expr]:
    """The GROUP BY expressions."""
    group = select.args.get("group")
    if group is None:
        return []
    only(group, {"expressions"})
    return list(group.expressions)


def select_of(ctes: dict[str, exp.Query], name: str) -> exp.Select:
    """The SELECT of a CTE."""
    found = ctes.get(name)
    if not isinstance(found, exp.Select):
        raise ReadBackError(f"there is no part `{name}`")
    return found


def branches(select: exp.Select) -> list[exp.Select]:
    """The SELECTs under a UNION ALL."""
    origin = select.args["from_"].this
    only(origin, {"this", "alias"})
    stack: list[exp.Expr] = [origin.this]
    found: list[exp.Select] = []
    while stack:
        node = stack.pop()
        if isinstance(node, exp.Union):
            if node.args.get("distinct"):
                raise ReadBackError("UNION drops equal groups")
            only(node, {"this", "expression"})
            stack += [node.this, node.expression]
        elif isinstance(node, exp.Select):
            found.append(node)
        else:
            raise ReadBackError(f"{node.sql()[:80]} is no SELECT")
    return found
