"""Groups of groups: a SELECT over early groups says what one over the rows themselves would say.

SUM of sums and of counts, MIN of minima, MAX of maxima. Anything else made of an early measure is refused.
So is an early measure as it is, but where each early group is told apart by what is shown of it.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass

from sqlglot import exp

from nl2sql.errors import ReadBackError
from nl2sql.readback.clauses import parts

MEASURES = "early measures"
_AGAIN: dict[type[exp.Expr], type[exp.Expr]] = {
    exp.Sum: exp.Sum,
    exp.Count: exp.Sum,
    exp.Min: exp.Min,
    exp.Max: exp.Max,
}


@dataclass(frozen=True, slots=True)
class Folded:
    """Early groups: their alias, what they are grouped by, and what is measured, each by its name.

    `columns` are the keys that are columns of the rows, by which names may be joined. Where they are
    `told` apart, each is a group as it is, and what was measured stands as it is.
    """

    alias: str
    keys: dict[str, str]
    once: dict[str, exp.Expr]
    columns: frozenset[str]
    measures: dict[str, str]
    told: bool

    def measured(self, item: exp.Expr) -> bool:
        """Whether a column shows what was measured."""
        return any(node.table == MEASURES for node in item.find_all(exp.Column))

    def each(self, text: str) -> str:
        """A sum of what every early group has once."""
        return f"sum(once {sorted(self.keys.values())}: {text})"

    def key(self, name: str) -> str:
        """What a key of the early groups is."""
        if name not in self.keys:
            raise ReadBackError(f"`{name}` is no key of the early groups")
        return self.keys[name]

    def side(self, name: str) -> tuple[str, str]:
        """The table whose column a key is, and the column: what is joined by it joins that table."""
        if name not in self.columns:
            raise ReadBackError(f"`{name}` is no column of the early groups' rows")
        way, _, column = self.keys[name].rpartition(".")
        return way, column


def aggregate_of(item: exp.Expr) -> exp.Expr | None:
    """The aggregate that a column of the early groups is, if it is one that can be made again."""
    node = item.unalias()
    if isinstance(node, exp.Coalesce) and [part.sql() for part in node.expressions] == ["0"]:
        node = node.this
    plain = type(node) in _AGAIN and not isinstance(node.this, exp.Distinct)
    return node if plain else None


def told_apart(select: exp.Select, alias: str, keys: Set[str]) -> bool:
    """Whether no two early groups show the same: each of their keys is shown, or is equal to a shown
    column of what is joined by it, and groups for which nothing was found are left out."""
    if any(node.find_ancestor(exp.Select) is select for node in select.find_all(exp.AggFunc)):
        return False
    shown = {item.unalias().sql() for item in select.expressions}
    found = {
        node.this.this.sql()
        for node in parts(select.args.get("where"))
        if isinstance(node, exp.Not)
        and isinstance(node.this, exp.Is)
        and isinstance(node.this.expression, exp.Null)
    }
    known = set(shown)
    for join in select.args.get("joins") or ():
        pairs = parts(join)
        if (
            len(pairs) == 1
            and isinstance(pairs[0], exp.EQ)
            and pairs[0].this.sql() in shown & found
        ):
            known.add(pairs[0].expression.sql())
    return known >= {f"{alias}.{name}" for name in keys}


def as_measured(select: exp.Select, alias: str, measures: Set[str]) -> None:
    """Mark, in place, what was measured and stands as it is."""
    for item in select.expressions:
        for node in list(item.find_all(exp.Column)):
            if node.table == alias and node.name in measures:
                node.set("table", exp.to_identifier(MEASURES))


def unfold(select: exp.Select, alias: str, measures: dict[str, exp.Expr]) -> dict[str, exp.Expr]:
    """Put what was measured, in place, where its whole is made again.

    Gives the other sums, by a name that stands in their place: each counts every early group once.
    """
    once: dict[str, exp.Expr] = {}
    for node in list(select.find_all(exp.AggFunc)):
        if node.find_ancestor(exp.Select) is not select:
            continue
        column = node.this
        made = measures.get(column.name) if isinstance(column, exp.Column) else None
        if made is not None and column.table == alias:
            if _AGAIN[type(made)] is type(node):
                node.replace(exp.column(column.name, MEASURES))
        elif type(node) is exp.Sum and not isinstance(column, exp.Distinct):
            name = f"once {len(once)}"
            once[name] = column
            node.replace(exp.column(name, MEASURES))
    return once
