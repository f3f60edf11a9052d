"""One tree, many dialects: what sqlglot does not print rightly, each dialect's passes put right.

`write` prints a tree for a database, `read` is its way back: it parses a statement and undoes the
passes, and holds the statement to what `write` makes of that. So the guard and the read-back check
see the same tree for every database, and no changed pass gets by.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from nl2sql.dialects import others, postgres, sqlite
from nl2sql.dialects.kinds import Columns, Kind, Kinds, columns_of
from nl2sql.dialects.reserved import quote
from semantic_layer.model import Layer

__all__ = ["UnreadableError", "kinds_of", "read", "write"]

Pass = Callable[[exp.Expr, Columns], None]


@dataclass(frozen=True, slots=True)
class Passes:
    """A dialect's passes, there and back."""

    adapt: Pass
    restore: Pass


# Databases that are asked: their SQL is read back. The tree is made as DuckDB needs it.
ASKED: dict[str, Passes] = {
    "sqlite": Passes(sqlite.adapt, sqlite.restore),
    "postgres": Passes(postgres.adapt, postgres.restore),
}


class UnreadableError(Exception):
    """A statement that is not one SELECT, or not written as its dialect is written here."""


def write(tree: exp.Select, layer: Layer, dialect: str, *, pretty: bool = True) -> str:
    """A statement in a dialect. Raises `QuestionError` where the dialect has no word for a part of it."""
    if dialect == "duckdb":
        return tree.sql(
            dialect="duckdb", pretty=pretty, copy=False
        )  # the tree is ours, and done with
    adapted = tree.copy()
    if dialect in ASKED:
        ASKED[dialect].adapt(adapted, columns_of(layer))
    else:
        others.adapt(adapted, dialect)
    quote(adapted, dialect)
    return adapted.sql(dialect=dialect, pretty=pretty)


def read(sql: str, layer: Layer, dialect: str) -> exp.Select:
    """The tree of a statement, as it is written for every dialect. Raises `UnreadableError`."""
    try:
        found = [item for item in sqlglot.parse(sql, dialect=dialect) if item is not None]
    except (SqlglotError, RecursionError) as error:
        raise UnreadableError(f"not a statement that can be read: {error}") from error
    if len(found) != 1 or not isinstance(found[0], exp.Select):
        raise UnreadableError("only one SELECT may run")
    tree = found[0]
    if dialect not in ASKED:
        return tree
    written = tree.sql(dialect=dialect)
    try:
        restored = _restored(tree, layer, dialect)
        again = write(restored, layer, dialect, pretty=False)
    except Exception as error:  # whatever a form that is not ours breaks
        raise UnreadableError(f"not written as {dialect} is written here: {error!r}") from error
    if again != written:
        raise UnreadableError(f"not written as {dialect} is written here: {sql[:120]}")
    return restored


def kinds_of(sql: str, layer: Layer, dialect: str) -> tuple[Kind, ...]:
    """What the columns of a statement are; nothing when it is not one of ours."""
    try:
        tree = sqlglot.parse_one(sql, dialect=dialect)
        if dialect in ASKED:
            tree = _restored(tree, layer, dialect)
        return tuple(Kinds(tree, columns_of(layer)).outputs(tree).values())
    except Exception:  # a statement of another making: its cells stay as they came
        return ()


def _restored(tree: exp.Expr, layer: Layer, dialect: str) -> exp.Select:
    """A statement with its dialect's passes undone, in place."""
    for node in tree.walk():
        node.meta.clear()  # where each name stood in the text: slow to copy, and not needed
    ASKED[dialect].restore(tree, columns_of(layer))
    assert isinstance(tree, exp.Select)
    return tree
