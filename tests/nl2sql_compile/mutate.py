"""Every small change of a statement: what a faulty compiler might have written instead."""

from collections.abc import Callable, Iterator
from datetime import date, timedelta

from sqlglot import exp

Change = Callable[[exp.Expr], object]

FLIPPED: dict[type[exp.Expr], tuple[type[exp.Binary], ...]] = {
    exp.EQ: (exp.NEQ, exp.GTE),
    exp.NEQ: (exp.EQ,),
    exp.GT: (exp.GTE, exp.LT),
    exp.GTE: (exp.GT, exp.LTE),
    exp.LT: (exp.LTE, exp.GT),
    exp.LTE: (exp.LT, exp.GTE),
    exp.NullSafeNEQ: (exp.NEQ, exp.EQ),
    exp.And: (exp.Or,),
    exp.Or: (exp.And,),
    exp.Add: (exp.Sub,),
    exp.Sub: (exp.Add,),
    exp.Mul: (exp.Div,),
    exp.Div: (exp.Mul,),
}
AGGREGATES = (exp.Sum, exp.Avg, exp.Min, exp.Max, exp.Count)
LISTS = ("expressions", "joins", "partition_by")
CLAUSES = ("where", "having", "group", "order", "limit", "distinct", "default", "joins")


def mutations(
    tree: exp.Select, columns: dict[str, str], dialect: str = "duckdb"
) -> Iterator[tuple[str, str]]:
    """What was changed, and the changed statement; `columns` names another one for each column."""
    original = tree.sql(dialect)
    seen = {original}
    for index, node in enumerate(tree.walk()):
        for name, change in changes(node, columns):
            copy = tree.copy()
            target = next(item for at, item in enumerate(copy.walk()) if at == index)
            change(target)
            sql = copy.sql(dialect)
            if sql not in seen:
                seen.add(sql)
                yield f"{name}: {node.sql(dialect)[:80]}", sql


def changes(node: exp.Expr, columns: dict[str, str]) -> Iterator[tuple[str, Change]]:
    """The changes that fit a node."""
    yield from _dropped(node)
    yield from _added(node)
    for kind in FLIPPED.get(type(node), ()):
        yield f"to {kind.__name__}", lambda it, kind=kind: _become(it, kind)
    if isinstance(node, AGGREGATES):
        for kind in AGGREGATES:
            if kind is not type(node) and not isinstance(node.this, exp.Star | exp.Distinct):
                yield f"to {kind.__name__}", lambda it, kind=kind: it.replace(kind(this=it.this))
        if isinstance(node.this, exp.Distinct):
            yield "not distinct", lambda it: it.set("this", it.this.expressions[0])
    if isinstance(node, exp.And | exp.Or):
        yield "left only", lambda it: it.replace(it.this)
        yield "right only", lambda it: it.replace(it.expression)
    if isinstance(node, exp.Union):
        yield "first branches only", lambda it: it.replace(it.this)
        yield "last branch only", lambda it: it.replace(it.expression)
        yield "distinct", lambda it: it.set("distinct", True)
    if isinstance(node, exp.Not | exp.Coalesce | exp.Nullif | exp.Cast | exp.Greatest | exp.Abs):
        yield "bare", lambda it: it.replace(it.this)
    if isinstance(node, exp.Literal):
        yield "another literal", lambda it: it.replace(_other(it))
    if isinstance(node, exp.Null):
        yield "null to 0", lambda it: it.replace(exp.Literal.number(0))
    if isinstance(node, exp.Boolean):
        yield "another boolean", lambda it: it.set("this", not it.this)
    if isinstance(node, exp.Column):
        other = columns.get(node.name)
        if other is not None:
            yield "another column", lambda it: it.this.set("this", other)
        yield "a constant", lambda it: it.replace(exp.Literal.number(0))
    if isinstance(node, exp.Alias):
        yield "another name", lambda it: it.set("alias", exp.to_identifier("other"))
    if isinstance(node, exp.Table):
        yield "another table", lambda it: it.set("this", exp.to_identifier("dim_park2"))
    if isinstance(node, exp.Join):
        for side in ("", "RIGHT", "FULL"):
            yield f"{side or 'INNER'} join", lambda it, side=side: it.set("side", side)
    if isinstance(node, exp.Ordered):
        yield "other way", lambda it: it.set("desc", not it.args.get("desc"))
        yield "nulls first", lambda it: it.set("nulls_first", True)
    if isinstance(node, exp.DateTrunc | exp.TimestampTrunc):
        yield "another bucket", lambda it: it.set("unit", exp.var("DECADE"))
    if isinstance(node, exp.Window):
        for rank in ("DENSE_RANK", "ROW_NUMBER", "PERCENT_RANK"):
            yield rank, lambda it, rank=rank: it.set("this", exp.Anonymous(this=rank))


def _dropped(node: exp.Expr) -> Iterator[tuple[str, Change]]:
    for name in LISTS:
        for at in range(len(node.args.get(name) or ())):
            yield f"without {name}[{at}]", lambda it, name=name, at=at: _pop(it, name, at)
        if isinstance(node, exp.Select) and len(node.args.get(name) or ()) > 1:
            place = (
                "by place" if node.parent is None or isinstance(node.parent, exp.Union) else "inner"
            )
            yield f"{place} {name} turned", lambda it, name=name: it.args[name].reverse()
    for name in CLAUSES:
        if node.args.get(name):
            yield f"without {name}", lambda it, name=name: it.set(name, None)


def _added(node: exp.Expr) -> Iterator[tuple[str, Change]]:
    if not isinstance(node, exp.Select):
        return
    yield "and 1 = 0", lambda it: it.where("1 = 0", copy=False)
    yield "or true", lambda it: it.set("where", exp.Where(this=exp.true()))
    yield "limit 5", lambda it: it.limit(5, copy=False)
    yield "offset 5", lambda it: it.offset(5, copy=False)
    yield "having", lambda it: it.having("count(*) > 1", copy=False)
    yield "qualify", lambda it: it.qualify("row_number() over () = 1", copy=False)
    yield "group by 1", lambda it: it.group_by("1", copy=False)
    yield "cross join", lambda it: it.join("dim_park AS extra", join_type="cross", copy=False)
    yield (
        "left join",
        lambda it: it.join(
            "dim_park AS extra", on="extra.city = extra.city", join_type="left", copy=False
        ),
    )
    if not node.args.get("distinct"):
        yield "distinct", lambda it: it.distinct(copy=False)
    if node.args.get("from_") is None:
        return
    from_ = node.args["from_"].this
    if isinstance(from_, exp.Table):
        yield (
            "sample",
            lambda it: it.args["from_"].this.set(
                "sample", exp.TableSample(percent=exp.Literal.number(10))
            ),
        )


def _pop(node: exp.Expr, name: str, at: int) -> None:
    items = list(node.args[name])
    del items[at]
    node.set(name, items or None)
    if isinstance(node, exp.Group | exp.Order) and not items:
        node.pop()


def _become(node: exp.Expr, kind: type[exp.Binary]) -> None:
    node.replace(kind(this=node.args["this"], expression=node.args["expression"]))


def _other(node: exp.Expr) -> exp.Expr:
    assert isinstance(node, exp.Literal)
    if not node.is_string:
        return exp.Literal.number(node.name + "1")
    try:
        return exp.Literal.string((date.fromisoformat(node.name[:10]) + timedelta(1)).isoformat())
    except ValueError:
        return exp.Literal.string("quarter" if node.name == "month" else node.name + "1")
