"""The statement guard: one SELECT, over registered tables and columns, with allowed functions.

Held on the tree, never on text; an allow-list, so that what is new in a database stays shut.
"""

from __future__ import annotations

import sqlglot
from sqlglot import exp

from nl2sql.errors import GuardError
from semantic_layer.model import Layer

_NODES: frozenset[type[exp.Expression]] = frozenset(
    {
        exp.Select, exp.Union, exp.Subquery, exp.With, exp.CTE, exp.TableAlias, exp.From, exp.Join, exp.Where,
        exp.Group, exp.Having, exp.Order, exp.Ordered, exp.Limit, exp.Distinct, exp.Table, exp.Column,
        exp.Identifier, exp.Alias, exp.Star, exp.Literal, exp.Boolean, exp.Null, exp.Paren, exp.And, exp.Or,
        exp.Not, exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.In, exp.Is, exp.Exists, exp.Between,
        exp.NullSafeNEQ, exp.NullSafeEQ, exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Neg, exp.Case, exp.If,
        exp.Cast, exp.DataType, exp.Interval, exp.Var, exp.Window, exp.WindowSpec, exp.Tuple,
    }
)
_FUNCTIONS: frozenset[type[exp.Expression]] = frozenset(
    {
        exp.Count, exp.Sum, exp.Avg, exp.Min, exp.Max, exp.Median, exp.Coalesce, exp.Nullif, exp.Greatest,
        exp.Least, exp.Abs, exp.Round, exp.DateTrunc, exp.TimestampTrunc, exp.DateDiff, exp.TimestampDiff,
        exp.Extract, exp.StrPosition, exp.Length, exp.Rank, exp.RowNumber, exp.Contains,
    }
)
_NAMED = frozenset({"RANK"})


def check(sql: str, layer: Layer, dialect: str = "duckdb") -> exp.Select:
    """The one statement in `sql`, when it may run. Raises `GuardError` that says what may not."""
    try:
        statements = [item for item in sqlglot.parse(sql, dialect=dialect) if item is not None]
    except sqlglot.ParseError as error:
        raise GuardError(f"not a statement that can be read: {error}") from error
    if len(statements) != 1 or not isinstance(statements[0], exp.Select):
        raise GuardError("only one SELECT may run")
    tree = statements[0]
    check_tree(tree, layer)
    return tree


def check_tree(tree: exp.Select, layer: Layer) -> None:
    """Hold a tree to the allow-lists; see `check`."""
    ctes = {item.alias for item in tree.find_all(exp.CTE)}
    sources = {table.source: table for table in layer.tables.values()}
    made = {item.alias for item in tree.find_all(exp.Alias)} | {"rank_"}
    columns = {column for table in layer.tables.values() for column in table.columns}
    for node in tree.walk():
        kind = type(node)
        if isinstance(node, exp.Anonymous):
            if node.name.upper() not in _NAMED:
                raise GuardError(f"function {node.name} may not run")
        elif kind not in _NODES and kind not in _FUNCTIONS:
            raise GuardError(f"{kind.__name__} may not run: {node.sql()[:80]}")
        if isinstance(node, exp.Table):
            if not isinstance(node.this, exp.Identifier):
                raise GuardError(f"{node.sql()[:80]} is no table")
            if node.args.get("db") or node.args.get("catalog"):
                raise GuardError(f"table {node.sql()} is not registered")
            if node.name not in sources and node.name not in ctes:
                raise GuardError(f"table {node.name} is not registered")
        elif isinstance(node, exp.Column) and node.name not in columns and node.name not in made:
            raise GuardError(f"column {node.name} is not registered")
