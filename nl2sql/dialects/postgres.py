"""PostgreSQL: typed NULLs under UNION, exact averages, binary order of texts.

- **nulls** — in a stack of three branches PostgreSQL takes the first two alone and makes text of two
  NULLs: every NULL of a UNION is cast to what its column is.
- **averages** — AVG of exact numbers has 16 digits: their sum over their count, with 20 digits after
  the point, is rounded to a float once.
- **order** — texts sort by code point (`COLLATE "C"`), whatever the database's own collation; and
  an alias inside an expression of ORDER BY is not known there: the expression stands in its place.
- **moments** — a count of microseconds is 1970 and so many of them: TO_TIMESTAMP has a zone.

Each pass has its way back, which `read` follows before the SQL is held to the slots.
"""

from __future__ import annotations

from sqlglot import exp

from nl2sql.dialects.kinds import Columns, Kind, Kinds
from nl2sql.dialects.walk import bare, cast, enclosed, inner_first, is_cast, operands, put

_TYPES: dict[str, exp.DType] = {
    "integer": exp.DType.BIGINT,
    "decimal": exp.DType.DECIMAL,
    "float": exp.DType.DOUBLE,
    "date": exp.DType.DATE,
    "timestamp": exp.DType.TIMESTAMP,
    "boolean": exp.DType.BOOLEAN,
    "text": exp.DType.TEXT,
}
_DIGITS = "DECIMAL(38, 20)"
_EPOCH = exp.cast(exp.Literal.string("1970-01-01"), "TIMESTAMP")
_MICRO = exp.Interval(this=exp.Literal.string("1"), unit=exp.var("MICROSECOND"))


def adapt(tree: exp.Expr, columns: Columns) -> None:
    """Change a tree, in place, to what PostgreSQL understands."""
    kinds = Kinds(tree, columns)
    nodes = list(inner_first(tree))
    known = [[kinds.of(item) for item in operands(node)] for node in nodes]
    nulls = [
        (item, kind)
        for node in nodes
        if isinstance(node, exp.Union) and not isinstance(node.parent, exp.Union)
        for item, kind in _nulls(node, kinds)
    ]
    for item, kind in nulls:
        if kind.type in _TYPES:
            item.this.replace(cast(exp.null(), _TYPES[kind.type]))
    for node, its in zip(nodes, known, strict=True):
        if isinstance(node, exp.Ordered):
            _ordered(node, its[0])
        else:
            _numbers(node, its)


def restore(tree: exp.Expr, columns: Columns) -> None:
    """The way back of `adapt`, in place."""
    for node in list(inner_first(tree)):
        if isinstance(node, exp.Cast) and isinstance(node.this, exp.Null):
            node.replace(node.this)
        elif isinstance(node, exp.Ordered):
            _ordered_back(node)
        else:
            _numbers_back(node)


def _nulls(union: exp.Union, kinds: Kinds) -> list[tuple[exp.Expr, Kind]]:
    """The NULL columns of the branches of a UNION, each with the kind its column has elsewhere."""
    whole = list(kinds.outputs(union).values())
    found: list[tuple[exp.Expr, Kind]] = []
    stack: list[exp.Expr] = [union]
    while stack:
        node = stack.pop()
        if isinstance(node, exp.Union):
            stack += [node.this, node.expression]
        elif isinstance(node, exp.Select):
            pairs = zip(node.selects, whole, strict=False)
            found += [(item, kind) for item, kind in pairs if isinstance(item.this, exp.Null)]
    return found


def _numbers(node: exp.Expr, its: list[Kind]) -> None:
    if isinstance(node, exp.Div):
        node.set("typed", True)
        if its[0].type != "float":
            node.set("this", cast(node.this, exp.DType.DOUBLE))
    elif isinstance(node, exp.Avg) and its[0].type in ("integer", "decimal"):
        count = exp.cast(exp.Count(this=node.this.copy()), _DIGITS)
        whole = exp.Div(this=exp.Sum(this=node.this), expression=count, typed=True)
        node.replace(cast(whole, exp.DType.DOUBLE))
    elif isinstance(node, exp.DateDiff):
        ends = [cast(end, exp.DType.TIMESTAMP) for end in (node.this, node.expression)]
        seconds = exp.Extract(
            this=exp.var("EPOCH"), expression=exp.Sub(this=ends[0], expression=ends[1])
        )
        micros = exp.Mul(this=seconds, expression=exp.Literal.number(1_000_000))
        node.replace(cast(micros, exp.DType.BIGINT))
    elif isinstance(node, exp.UnixToTime):
        micros = exp.Mul(this=enclosed(node.this), expression=_MICRO.copy())
        put(node, exp.Add(this=_EPOCH.copy(), expression=micros))
    elif isinstance(node, exp.Round) and its[0].type == "float" and node.args.get("decimals"):
        node.set("this", cast(node.this, exp.DType.DECIMAL))
        put(node, cast(node.copy(), exp.DType.DOUBLE))


def _numbers_back(node: exp.Expr) -> None:
    if isinstance(node, exp.Add) and node.this == _EPOCH and isinstance(node.expression, exp.Mul):
        moment = exp.UnixToTime(this=bare(node.expression.this), scale=exp.Literal.number(6))
        (node.parent if isinstance(node.parent, exp.Paren) else node).replace(moment)
        return
    if isinstance(node, exp.Div) and is_cast(node.expression, exp.DType.DECIMAL):
        return  # the inside of an average
    if isinstance(node, exp.Div):
        node.set("typed", None)
        node.set("safe", None)
        if is_cast(node.this, exp.DType.DOUBLE):
            node.set("this", node.this.this)
    elif is_cast(node, exp.DType.DOUBLE) and isinstance(node.this, exp.Div):
        if isinstance(node.this.this, exp.Sum):
            node.replace(exp.Avg(this=node.this.this.this))
    elif is_cast(node, exp.DType.DOUBLE) and isinstance(node.this, exp.Round):
        if is_cast(node.this.this, exp.DType.DECIMAL):
            node.this.set("this", node.this.this.this)
            node.replace(node.this)
    elif is_cast(node, exp.DType.BIGINT) and isinstance(node.this, exp.Mul):
        seconds = node.this.this
        if isinstance(seconds, exp.Extract) and isinstance(bare(seconds.expression), exp.Sub):
            ends = bare(seconds.expression)
            unit = exp.var("MICROSECOND")
            node.replace(
                exp.DateDiff(this=ends.this.this, expression=ends.expression.this, unit=unit)
            )
    elif isinstance(node, exp.WithinGroup) and isinstance(node.this, exp.PercentileCont):
        if len(node.expression.expressions) == 1:
            value, at = node.expression.expressions[0].this, node.this.this
            node.replace(
                exp.Median(this=value)
                if at.name == "0.5"
                else exp.PercentileCont(this=value, expression=at)
            )


def _ordered(node: exp.Ordered, kind: Kind) -> None:
    if kind.type == "text":
        node.set("this", exp.Collate(this=node.this, expression=exp.to_identifier("C", True)))
    select = node.find_ancestor(exp.Select)
    if select is None or isinstance(node.this, exp.Column) or node.find_ancestor(exp.Window):
        return
    shown = {item.alias: item.this for item in select.selects if isinstance(item, exp.Alias)}
    for column in list(node.find_all(exp.Column)):
        if not column.table and column.name in shown:
            column.replace(shown[column.name].copy())


def _ordered_back(node: exp.Ordered) -> None:
    if isinstance(node.this, exp.Collate):
        node.set("this", node.this.this)
    select = node.find_ancestor(exp.Select)
    if select is None or not select.args.get("group") or node.find_ancestor(exp.Window):
        return
    for column in list(node.find_all(exp.Column)):
        for item in select.selects if column.table else ():
            if isinstance(item, exp.Alias) and item.this == column:
                column.replace(exp.column(item.alias))
                break
