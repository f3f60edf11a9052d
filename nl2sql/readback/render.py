"""SQL expressions as canonical text: what two ways of writing the same thing have in common."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime

from sqlglot import exp

Resolve = Callable[[exp.Column], str]
_SIGNS: dict[type[exp.Expression], str] = {
    exp.EQ: "=", exp.NEQ: "<>", exp.GT: ">", exp.GTE: ">=", exp.LT: "<", exp.LTE: "<=",
    exp.Add: "+", exp.Sub: "-", exp.Mul: "*", exp.Div: "/", exp.NullSafeNEQ: "is not",
}
_NAMES: dict[type[exp.Expression], str] = {
    exp.Sum: "sum", exp.Count: "count", exp.Avg: "average", exp.Min: "min", exp.Max: "max", exp.Median: "median",
    exp.Coalesce: "coalesce", exp.Nullif: "nullif", exp.Greatest: "greatest", exp.Least: "least", exp.Abs: "abs",
    exp.Round: "round", exp.Length: "length", exp.StrPosition: "position", exp.Distinct: "distinct",
}


def render(node: exp.Expression, resolve: Resolve) -> str:
    """Canonical text of an expression; `resolve` names its columns. Unknown forms give their class name,
    so that they never equal what was expected."""
    if isinstance(node, exp.Paren | exp.Alias | exp.Subquery) and not isinstance(node.this, exp.Select):
        return render(node.this, resolve)
    if isinstance(node, exp.Column):
        return resolve(node)
    if isinstance(node, exp.Literal):
        return f"'{node.name}'" if node.is_string else node.name
    if isinstance(node, exp.Boolean):
        return "true" if node.this else "false"
    if isinstance(node, exp.Null):
        return "null"
    if isinstance(node, exp.Star):
        return "*"
    if isinstance(node, exp.Cast):
        return _cast(node, resolve)
    if isinstance(node, exp.And | exp.Or):
        parts = sorted(render(part, resolve) for part in node.flatten())
        return f"({(' and ' if isinstance(node, exp.And) else ' or ').join(parts)})"
    if isinstance(node, exp.Not):
        return f"not {render(node.this, resolve)}"
    if isinstance(node, exp.Is):
        return f"{render(node.this, resolve)} is {render(node.expression, resolve)}"
    if isinstance(node, exp.In) and not node.args.get("query"):
        values = sorted(render(item, resolve) for item in node.expressions)
        return f"{render(node.this, resolve)} in ({', '.join(values)})"
    if type(node) in _SIGNS:
        assert isinstance(node, exp.Binary)
        return f"({render(node.this, resolve)} {_SIGNS[type(node)]} {render(node.expression, resolve)})"
    if isinstance(node, exp.Case):
        whens = "; ".join(f"{render(item.this, resolve)}: {render(item.args['true'], resolve)}" for item in node.args["ifs"])
        default = node.args.get("default")
        return f"case({whens}; else {render(default, resolve) if default is not None else 'null'})"
    if isinstance(node, exp.DateDiff | exp.TimestampDiff):
        unit = node.text("unit").upper()
        return f"between[{unit}]({render(node.expression, resolve)}, {render(node.this, resolve)})"
    if isinstance(node, exp.DateTrunc | exp.TimestampTrunc):
        return f"bucket[{node.text('unit').lower()}]({render(node.this, resolve)})"
    if isinstance(node, exp.Extract):
        return f"extract[{node.name.upper()}]({render(node.expression, resolve)})"
    if isinstance(node, exp.Interval):
        return f"interval[{node.this.name} {node.text('unit').upper()}]"
    if isinstance(node, exp.Ordered):
        return f"{render(node.this, resolve)} {'desc' if node.args.get('desc') else 'asc'}"
    if isinstance(node, exp.Neg):
        return f"-{render(node.this, resolve)}"
    if type(node) in _NAMES:
        args = [node.this, node.args.get("substr"), node.args.get("expression"), *node.expressions]
        return f"{_NAMES[type(node)]}({', '.join(render(arg, resolve) for arg in args if isinstance(arg, exp.Expression))})"
    return f"<{type(node).__name__}>"


def _cast(node: exp.Cast, resolve: Resolve) -> str:
    inner = node.this
    if isinstance(inner, exp.Literal) and inner.is_string:
        return when(inner.name)
    return f"{node.to.sql().lower()}({render(inner, resolve)})"


def when(moment: str | date | datetime) -> str:
    """A date or timestamp as text; midnight is the day itself."""
    if isinstance(moment, datetime):
        moment = moment.isoformat(" ")
    text = moment if isinstance(moment, str) else moment.isoformat()
    return f"@{text.removesuffix(' 00:00:00')}"
