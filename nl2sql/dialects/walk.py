"""Walking and making trees, for the passes of a dialect."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

_FIRST: tuple[type[exp.Expr], ...] = (exp.With, exp.From, exp.Join)


def inner_first(node: exp.Expr) -> Iterator[exp.Expr]:
    """Every node after those below it, and what a SELECT reads before what it makes of it."""
    below = sorted(
        node.iter_expressions(),
        key=lambda item: next((at for at, kind in enumerate(_FIRST) if type(item) is kind), 9),
    )
    for item in below:
        yield from inner_first(item)
    yield node


def put(node: exp.Expr, new: exp.Expr) -> None:
    """Put `new` in the place of a node, in parentheses where the signs around it ask for them."""
    node.replace(enclosed(new) if isinstance(node.parent, exp.Binary) else new)


def enclosed(value: exp.Expr) -> exp.Expr:
    """A value that can stand beside any sign."""
    return exp.Paren(this=value) if isinstance(value, exp.Binary) else value


def bare(value: exp.Expr) -> exp.Expr:
    """A value without parentheses around it."""
    while isinstance(value, exp.Paren):
        value = value.this
    return value


def number(value: int | str) -> exp.Literal:
    """A number."""
    return exp.Literal(this=str(value), is_string=False)


def cast(value: exp.Expr, kind: exp.DType) -> exp.Cast:
    """CAST."""
    return exp.Cast(this=value, to=exp.DataType(this=kind))


def is_cast(node: object, *kinds: exp.DType) -> bool:
    """Whether a node is a cast to one of some types."""
    return type(node) is exp.Cast and node.to.this in kinds


def operands(node: exp.Expr) -> list[exp.Expr]:
    """The values that a node compares, adds or chooses from."""
    if isinstance(node, exp.Case):
        found = [item.args["true"] for item in node.args["ifs"]]
        return [*found, node.args["default"]] if node.args.get("default") is not None else found
    if isinstance(node, exp.If) and not isinstance(node.parent, exp.Case):
        return [node.args[name] for name in ("true", "false") if node.args.get(name) is not None]
    if isinstance(node, exp.Between):
        return [node.this, node.args["low"], node.args["high"]]
    if isinstance(node, exp.In | exp.Coalesce | exp.Greatest | exp.Least):
        return [node.this, *node.expressions]
    if isinstance(node, exp.Binary | exp.Nullif):
        return [node.this, node.expression]
    return [node.this] if isinstance(node.this, exp.Expr) else []
