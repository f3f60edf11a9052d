"""The small expression language of a layer: columns, joins by dots, arithmetic, conditions.

`today()` is the clock of the turn, never the database's; `microseconds_between(a, b)` is b − a.
`room.area_sqm` follows the join `room`. Parsed by sqlglot, then held to an allow-list; what is not
on it is an issue, never passed to a database.
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import ParseError, exp, parse_one
from sqlglot.errors import SqlglotError

_ALLOWED: tuple[type[exp.Expr], ...] = (
    exp.Column,
    exp.Identifier,
    exp.Literal,
    exp.Boolean,
    exp.Null,
    exp.Paren,
    exp.Neg,
    exp.Add,
    exp.Sub,
    exp.Mul,
    exp.Div,
    exp.EQ,
    exp.NEQ,
    exp.GT,
    exp.GTE,
    exp.LT,
    exp.LTE,
    exp.And,
    exp.Or,
    exp.Not,
    exp.In,
    exp.Is,
    exp.Between,
    exp.Case,
    exp.If,
    exp.Coalesce,
    exp.Greatest,
    exp.Least,
    exp.Abs,
    exp.Round,
    exp.CurrentDate,
)
FUNCTIONS = frozenset({"microseconds_between"})


@dataclass(frozen=True, slots=True)
class Ref:
    """A column reached from a table by a path of joins (or a rollup, with an empty path)."""

    path: tuple[str, ...]
    name: str


@dataclass(frozen=True, slots=True)
class Expression:
    """A checked expression; `tree` is shared and must be copied before it is changed."""

    text: str
    tree: exp.Expr
    refs: tuple[Ref, ...]

    @property
    def linear(self) -> bool:
        """Whether it only adds, subtracts and scales its references: sums of it are it of sums.

        >>> parse("due - paid").linear, parse("2 * (a + b)").linear, parse("paid / due").linear
        (True, True, False)
        """
        return _linear(self.tree)


class ExpressionError(ValueError):
    """An expression that cannot be read, with the reason in words."""


def parse(text: str) -> Expression:
    """Parse and check an expression.

    >>> [ref.name for ref in parse("greatest(receivable_amount - paid, 0)").refs]
    ['receivable_amount', 'paid']
    >>> parse("read_csv('x')")
    Traceback (most recent call last):
        ...
    semantic_layer.expression.ExpressionError: `READ_CSV('x')` is not allowed in a layer
    """
    try:
        tree = parse_one(text, dialect="duckdb")
    except SqlglotError as error:
        found = error.errors if isinstance(error, ParseError) else []
        reason = str(found[0]["description"] if found else error).splitlines()[0]
        raise ExpressionError(f"cannot be read: {reason}") from error
    refs: list[Ref] = []
    for node in tree.walk():
        node._meta = None  # where it stood in the text: slow to copy, and not needed
        if isinstance(node, exp.Anonymous):
            if node.name.lower() not in FUNCTIONS:
                raise ExpressionError(f"function `{node.name}` is not allowed in a layer")
        elif not isinstance(node, _ALLOWED):
            raise ExpressionError(f"`{node.sql()}` is not allowed in a layer")
        if isinstance(node, exp.Column):
            parts = [part.name for part in node.parts]
            ref = Ref(tuple(parts[:-1]), parts[-1])
            if ref not in refs:
                refs.append(ref)
    return Expression(text, tree, tuple(refs))


def _linear(node: exp.Expr) -> bool:
    if isinstance(node, exp.Paren | exp.Neg):
        return _linear(node.this)
    if isinstance(node, exp.Add | exp.Sub):
        return _linear(node.this) and _linear(node.expression)
    if isinstance(node, exp.Mul):
        sides = (node.this, node.expression)
        return any(isinstance(side, exp.Literal) for side in sides) and any(map(_linear, sides))
    if isinstance(node, exp.Div):
        return isinstance(node.expression, exp.Literal) and _linear(node.this)
    return isinstance(node, exp.Column)


def reference(node: exp.Expr) -> Ref:
    """The reference that a column node stands for."""
    assert isinstance(node, exp.Column)
    parts = [part.name for part in node.parts]
    return Ref(tuple(parts[:-1]), parts[-1])
