"""How many rows a statement gives, as a statement: for telling what a number was made of."""

from __future__ import annotations

import sqlglot
from sqlglot import exp


def counting(sql: str, dialect: str) -> str:
    """`SELECT COUNT(*)` over a statement of one SELECT.

    >>> counting("SELECT a FROM t ORDER BY a", "duckdb")
    'SELECT COUNT(*) AS n FROM (SELECT a FROM t) AS counted'
    """
    tree = sqlglot.parse_one(sql, dialect=dialect)
    assert isinstance(tree, exp.Select)
    tree.set("order", None)
    counted = exp.select(exp.alias_(exp.Count(this=exp.Star()), "n"))
    return counted.from_(tree.subquery("counted")).sql(dialect=dialect)
