"""Dialects that are printed and parsed, but that no test here can run: what they lack, by name.

Only sqlglot's printing is known of them. `GAPS` says which parts of a statement a dialect has no word
for, and why: such a question is refused, never answered with something near.
"""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from nl2sql.dialects.walk import inner_first, put
from nl2sql.errors import QuestionError

# dialect → part → why it is not written
GAPS: dict[str, dict[str, str]] = {
    "mysql": {
        "MEDIAN": "MySQL has no median and no percentile",
        "PERCENTILE": "MySQL has no median and no percentile",
        "WEEK": "sqlglot truncates to weeks by their number, which ends with the year",
    },
    "clickhouse": {},
    "trino": {
        "MEDIAN": "Trino has only approximate percentiles",
        "PERCENTILE": "Trino has only approximate percentiles",
        "MICROSECOND": "Trino's date_diff ends at milliseconds",
    },
    "starrocks": {"MICROSECOND": "StarRocks's date_diff ends at milliseconds"},
    "doris": {},
    "spark": {},
    "snowflake": {},
    "bigquery": {
        "MEDIAN": "BigQuery has percentiles over windows only",
        "PERCENTILE": "BigQuery has percentiles over windows only",
        "WEEK": "sqlglot writes BigQuery's weeks that begin on Sunday",
    },
}
# GREATEST and LEAST of a NULL are NULL here, and elsewhere the other value
_NULL_WINS = frozenset({"mysql", "trino", "starrocks", "doris", "bigquery", "clickhouse"})


def adapt(tree: exp.Expr, dialect: str) -> None:
    """Change a tree, in place, to what a dialect understands, as far as is known."""
    for node in list(inner_first(tree)):
        if isinstance(node, exp.Median):
            lacking(dialect, "MEDIAN")
            if dialect in _PERCENTILES:
                node.replace(_PERCENTILES[dialect](node.this, exp.Literal.number("0.5")))
        elif isinstance(node, exp.PercentileCont):
            lacking(dialect, "PERCENTILE")
            if dialect in _PERCENTILES:
                node.replace(_PERCENTILES[dialect](node.this, node.expression))
        elif isinstance(node, exp.DateTrunc) and node.text("unit").lower() == "week":
            lacking(dialect, "WEEK")
        elif isinstance(node, exp.UnixToTime):  # sqlglot's forms follow the session's time zone
            raise QuestionError("not-in-dialect", {"dialect": dialect, "what": "EPOCH"})
        elif isinstance(node, exp.DateDiff):
            lacking(dialect, "MICROSECOND")
            if dialect in _MICROSECONDS:
                put(node, _MICROSECONDS[dialect](node.expression, node.this))
        elif isinstance(node, exp.Greatest | exp.Least) and dialect in _NULL_WINS:
            _beside_null(node, dialect)


def lacking(dialect: str, what: str) -> None:
    """Refuse what a dialect has no word for."""
    if what in GAPS.get(dialect, {}):
        raise QuestionError("not-in-dialect", {"dialect": dialect, "what": what})


def _beside_null(node: exp.Greatest | exp.Least, dialect: str) -> None:
    """GREATEST(COALESCE(a, b), COALESCE(b, a)): the other value where one is NULL."""
    values = [node.this, *node.expressions]
    node.set("ignore_nulls", False)
    turned = [
        exp.Coalesce(
            this=value.copy(),
            expressions=[other.copy() for other in (*values[at + 1 :], *values[:at])],
        )
        for at, value in enumerate(values)
    ]
    node.set("this", turned[0])
    node.set("expressions", turned[1:])


def _named(name: str, *values: exp.Expr) -> exp.Anonymous:
    return exp.Anonymous(this=name, expressions=list(values))


_PERCENTILES: dict[str, Callable[[exp.Expr, exp.Expr], exp.Expr]] = {
    "doris": lambda value, at: _named("PERCENTILE", value, at),
    "starrocks": lambda value, at: _named("PERCENTILE_CONT", value, at),
    "spark": lambda value, at: _named("PERCENTILE", value, at),
    "clickhouse": lambda value, at: exp.ParameterizedAgg(
        this="quantileExactInclusive", expressions=[at], params=[value]
    ),
}
# (from, to) → whole microseconds between them
_MICROSECONDS: dict[str, Callable[[exp.Expr, exp.Expr], exp.Expr]] = {
    "mysql": lambda start, end: exp.TimestampDiff(
        this=end, expression=start, unit=exp.var("MICROSECOND")
    ),
    "bigquery": lambda start, end: exp.DatetimeDiff(
        this=end, expression=start, unit=exp.var("MICROSECOND")
    ),
    "doris": lambda start, end: _named("MICROSECONDS_DIFF", end, start),
}
