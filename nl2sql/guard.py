"""The statement guard: one SELECT, over registered tables and columns, with allowed functions.

Held on the tree, never on text; an allow-list, so that what is new in a database stays shut.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeVar

from sqlglot import exp

from nl2sql.dialects import UnreadableError, read
from nl2sql.errors import GuardError
from semantic_layer.model import Layer

N = TypeVar("N", bound=exp.Expr)

_NODES: frozenset[type[exp.Expr]] = frozenset(
    {
        exp.Select,
        exp.Union,
        exp.Subquery,
        exp.With,
        exp.CTE,
        exp.TableAlias,
        exp.From,
        exp.Join,
        exp.Where,
        exp.Group,
        exp.Having,
        exp.Order,
        exp.Ordered,
        exp.Limit,
        exp.Distinct,
        exp.Table,
        exp.Column,
        exp.Identifier,
        exp.Alias,
        exp.Star,
        exp.Literal,
        exp.Boolean,
        exp.Null,
        exp.Paren,
        exp.And,
        exp.Or,
        exp.Not,
        exp.EQ,
        exp.NEQ,
        exp.GT,
        exp.GTE,
        exp.LT,
        exp.LTE,
        exp.In,
        exp.Is,
        exp.Exists,
        exp.Between,
        exp.NullSafeNEQ,
        exp.NullSafeEQ,
        exp.Add,
        exp.Sub,
        exp.Mul,
        exp.Div,
        exp.Neg,
        exp.Case,
        exp.If,
        exp.Cast,
        exp.DataType,
        exp.Interval,
        exp.Var,
        exp.Window,
        exp.WindowSpec,
        exp.Tuple,
    }
)
_FUNCTIONS: frozenset[type[exp.Expr]] = frozenset(
    {
        exp.Count,
        exp.Sum,
        exp.Avg,
        exp.Min,
        exp.Max,
        exp.Median,
        exp.PercentileCont,
        exp.Coalesce,
        exp.Nullif,
        exp.Greatest,
        exp.Least,
        exp.Abs,
        exp.Round,
        exp.DateTrunc,
        exp.TimestampTrunc,
        exp.DateDiff,
        exp.TimestampDiff,
        exp.UnixToTime,
        exp.Extract,
        exp.StrPosition,
        exp.Length,
        exp.Rank,
        exp.RowNumber,
        exp.Contains,
    }
)
_NAMED = frozenset({"RANK"})


def check(sql: str, layer: Layer, dialect: str = "duckdb") -> exp.Select:
    """The one statement in `sql`, as it is written for every dialect, when it may run.

    Raises `GuardError` that says what may not.
    """
    try:
        tree = read(sql, layer, dialect)
    except UnreadableError as error:
        raise GuardError(str(error)) from error
    check_tree(tree, layer)
    return tree


def check_tree(tree: exp.Select, layer: Layer) -> None:
    """Hold a tree to the allow-lists; see `check`."""
    nodes = list(tree.walk())
    for node in nodes:
        if isinstance(node, exp.Anonymous):
            if node.name.upper() not in _NAMED:
                raise GuardError(f"function {node.name} may not run")
        elif type(node) not in _NODES and type(node) not in _FUNCTIONS:
            raise GuardError(f"{type(node).__name__} may not run: {node.sql()[:80]}")
        if isinstance(node, exp.With) and (node.parent is not tree or node.args.get("recursive")):
            raise GuardError("WITH may only begin the statement, and not recurse")
    parts = _parts(tree)
    columns = _tables(nodes, layer, parts)
    _columns(nodes, layer, parts, columns)


def _of(nodes: Sequence[exp.Expr], kind: type[N]) -> Iterator[N]:
    """The nodes of a kind."""
    return (node for node in nodes if isinstance(node, kind))


def _parts(tree: exp.Select) -> dict[str, exp.CTE]:
    """The statement's own parts by name."""
    clause = tree.args.get("with_")
    found: dict[str, exp.CTE] = {}
    for item in clause.expressions if clause is not None else ():
        if item.alias in found:
            raise GuardError(f"two parts are named {item.alias}")
        found[item.alias] = item
    return found


def _tables(
    nodes: Sequence[exp.Expr], layer: Layer, parts: dict[str, exp.CTE]
) -> dict[str, set[str]]:
    """Hold every table to the registered ones and the parts defined before it. Gives, by alias,
    the columns of the registered ones."""
    sources: dict[str, set[str]] = {}
    for table in layer.tables.values():
        sources.setdefault(table.source, set()).update(table.columns)
    order = {id(item): index for index, item in enumerate(parts.values())}
    found: dict[str, set[str]] = {}
    for node in _of(nodes, exp.Table):
        if not isinstance(node.this, exp.Identifier):
            raise GuardError(f"{node.sql()[:80]} is no table")
        name = ".".join(part.name for part in node.parts)
        around = node.find_ancestor(exp.CTE)
        before = order[id(around)] if around is not None else len(order)
        if name in parts and order[id(parts[name])] < before:
            found.setdefault(node.alias_or_name, set()).update(_shown(parts[name].this))
        elif name in sources:
            found.setdefault(node.alias_or_name, set()).update(sources[name])
        else:
            raise GuardError(f"table {name} is not registered")
    for inner in _of(nodes, exp.Subquery):
        if inner.alias:
            found.setdefault(inner.alias, set()).update(_shown(inner.this))
    return found


def _shown(query: exp.Expr) -> set[str]:
    """The names of a query's columns."""
    names = (
        {item.alias_or_name for item in query.selects} if isinstance(query, exp.Query) else set()
    )
    return names - {"*"}


def _columns(
    nodes: Sequence[exp.Expr],
    layer: Layer,
    parts: dict[str, exp.CTE],
    columns: dict[str, set[str]],
) -> None:
    """Hold every column to those of its table; a star to what a part shows."""
    made = {item.alias for item in _of(nodes, exp.Alias)}
    known = {column for table in layer.tables.values() for column in table.columns} | made
    for node in _of(nodes, exp.Column):
        allowed = columns.get(node.table, set()) if node.table else known
        if node.name not in allowed:
            raise GuardError(f"column {node.sql()} is not registered")
    for star in _of(nodes, exp.Star):
        above = star.parent
        if isinstance(above, exp.Select):
            origin = above.args["from_"].this if above.args.get("from_") else None
            plain = (
                isinstance(origin, exp.Table)
                and origin.name in parts
                and not above.args.get("joins")
            )
            if plain:
                continue
        if not isinstance(above, exp.Count):
            raise GuardError("only a part's own columns may be shown by *")
