"""Columns that do not keep business time: how each keeps its moments, and where it may stand.

Such a column is read as if its business time stood in it. Where that has no meaning (a sum of
moments, a dimension made of them) it is refused here, so that no question meets it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from sqlglot import exp

from semantic_layer import model
from semantic_layer.expression import Expression, reference
from semantic_layer.format import TableSpec

if TYPE_CHECKING:
    from semantic_layer.building.found import Found
    from semantic_layer.building.parts import Source

_RECKONED = (exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Neg, exp.Abs, exp.Round)
_ADDED = ("sum", "average", "median")


def zone_known(name: str) -> bool:
    """Whether there is a time zone of this name.

    >>> zone_known("Europe/Amsterdam"), zone_known("Europe/Nowhere")
    (True, False)
    """
    for zone in (
        name,
        "UTC",
    ):  # without a time zone database nothing is known, and nothing is wrong
        try:
            return ZoneInfo(zone).key == name
        except (KeyError, ValueError, OSError):
            continue
    return True


def moments_of(found: Found, spec: TableSpec, source: Source) -> Mapping[str, model.Moment]:
    """The columns of a table whose times do not stand there in business time."""
    business = next((head.calendar.timezone for _, head in found.parts.heads if head.layer), None)
    moments: dict[str, model.Moment] = {}
    for name, column in spec.columns.items():
        if column.type == "epoch":
            moments[name] = model.Moment("UTC", column.unit)
        elif column.zone is not None and not zone_known(column.zone):
            found.parts.report(
                (source[0], (*source[1], "columns", name, "zone")),
                "bad-value",
                f"`zone`: there is no time zone `{column.zone}`",
                "such as UTC",
            )
        elif column.zone is not None and column.zone != business:
            moments[name] = model.Moment(column.zone)
    return MappingProxyType(moments)


def check_joins(found: Found, table: model.Table, source: Source) -> None:
    """Report joins of two columns that keep their moments differently."""
    for join in table.joins.values():
        for here, there in join.pairs:
            if table.moments.get(here) != found.tables[join.to].moments.get(there):
                found.parts.report(
                    (source[0], (*source[1], "joins", join.name)),
                    "bad-moment",
                    f"`{here}` and `{there}` do not keep their moments alike",
                    "join by columns of one clock",
                )


def is_moment(found: Found, table: str, column: str, at: Source, what: str) -> bool:
    """Whether a column is one of these, where none can stand; reported when it is."""
    if column not in found.tables[table].moments:
        return False
    found.parts.report(
        at,
        "bad-moment",
        f"`{column}` keeps moments, and they cannot be {what}",
        "make it a date of the object (`time`) or an attribute",
    )
    return True


def check_use(found: Found, parsed: Expression, table: str, at: Source) -> bool:
    """Whether every moment in an expression stands where it has a meaning; reported when not.

    The key that an expression stands under tells how it is aggregated, if it is.
    """
    columns = [node for node in parsed.tree.find_all(exp.Column) if _kept(found, node, table)]
    kind, message = str(at[1][-1]), ""
    if kind in _ADDED or "rollups" in at[1]:
        if any(node is one for node in values(parsed.tree) for one in columns):
            message = f"moments have no {kind}"
    for node in columns:
        above = node.parent
        while above is not None and not isinstance(above, exp.Predicate | exp.Anonymous):
            if isinstance(above, _RECKONED):
                message = "moments cannot be reckoned with"
            above = above.parent
        if above is not None and any(
            isinstance(item, exp.Literal) and not item.is_string
            for item in above.iter_expressions()
        ):
            message = "moments are compared with dates"
    for call in parsed.tree.find_all(exp.Anonymous):
        plain = all(isinstance(item, exp.Column | exp.CurrentDate) for item in call.expressions)
        if not plain and any(node in columns for node in call.find_all(exp.Column)):
            message = "microseconds_between takes plain columns and today() where a zone is said"
    if message:
        found.parts.report(
            at,
            "bad-moment",
            f"`{parsed.text}`: {message}",
            "microseconds_between(a, b) is the time between two",
        )
    return not message


def values(tree: exp.Expr) -> Iterator[exp.Expr]:
    """The parts of an expression of which one is its value."""
    if isinstance(tree, exp.Paren):
        yield from values(tree.this)
    elif isinstance(tree, exp.Case):
        for item in tree.args["ifs"]:
            yield from values(item.args["true"])
        if tree.args.get("default") is not None:
            yield from values(tree.args["default"])
    elif isinstance(tree, exp.Coalesce | exp.Greatest | exp.Least):
        for item in (tree.this, *tree.expressions):
            yield from values(item)
    else:
        yield tree


def _kept(found: Found, node: exp.Column, table: str) -> bool:
    ref = reference(node)
    for step in ref.path:
        table = found.tables[table].joins[step].to
    return ref.name in found.tables[table].moments
