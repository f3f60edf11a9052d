"""SQL expressions as canonical text: what two ways of writing the same thing have in common."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import date, datetime

from sqlglot import exp

from nl2sql.errors import ReadBackError

Resolve = Callable[[exp.Column], str]
_SIGNS: dict[type[exp.Expr], str] = {
    exp.EQ: "=",
    exp.NEQ: "<>",
    exp.GT: ">",
    exp.GTE: ">=",
    exp.LT: "<",
    exp.LTE: "<=",
    exp.Add: "+",
    exp.Sub: "-",
    exp.Mul: "*",
    exp.Div: "/",
    exp.NullSafeNEQ: "is not",
    exp.NullSafeEQ: "is the same as",
}
_NAMES: dict[type[exp.Expr], str] = {
    exp.Sum: "sum",
    exp.Count: "count",
    exp.Avg: "average",
    exp.Min: "min",
    exp.Max: "max",
    exp.Median: "median",
    exp.PercentileCont: "percentile",
    exp.Coalesce: "coalesce",
    exp.Nullif: "nullif",
    exp.Greatest: "greatest",
    exp.Least: "least",
    exp.Abs: "abs",
    exp.Round: "round",
    exp.Length: "length",
    exp.StrPosition: "position",
    exp.UnixToTime: "moment",
    exp.Distinct: "distinct",
}

_MOMENTS = (exp.DType.DATE, exp.DType.TIMESTAMP, exp.DType.TIMESTAMPNTZ)


def render(node: exp.Expr, resolve: Resolve) -> str:
    """Canonical text of an expression; `resolve` names its columns. An unknown form is an error."""
    if isinstance(node, exp.Paren | exp.Alias):
        return render(node.this, resolve)
    if isinstance(node, exp.Column):
        return resolve(node)
    if isinstance(node, exp.Literal):
        return quoted(node.name) if node.is_string else node.name
    if isinstance(node, exp.Boolean):
        return "true" if node.this else "false"
    if isinstance(node, exp.Null):
        return "null"
    if isinstance(node, exp.Star):
        return "*"
    if type(node) is exp.Cast:
        return _cast(node, resolve)
    if isinstance(node, exp.And | exp.Or):
        parts = sorted(render(part, resolve) for part in node.flatten())
        return f"({(' and ' if isinstance(node, exp.And) else ' or ').join(parts)})"
    if isinstance(node, exp.Not):
        return f"not {render(node.this, resolve)}"
    if isinstance(node, exp.Is):
        return f"{render(node.this, resolve)} is {render(node.expression, resolve)}"
    if isinstance(node, exp.In) and not any(
        node.args.get(name) for name in ("query", "unnest", "field", "is_global")
    ):
        values = sorted(render(item, resolve) for item in node.expressions)
        return f"{render(node.this, resolve)} in ({', '.join(values)})"
    if isinstance(node, exp.Between) and not node.args.get("symmetric"):
        ends = (node.this, node.args["low"], node.args["high"])
        return "({} between {} and {})".format(*(render(item, resolve) for item in ends))
    if isinstance(node, exp.Binary) and type(node) in _SIGNS:
        return f"({render(node.this, resolve)} {_SIGNS[type(node)]} {render(node.expression, resolve)})"
    if isinstance(node, exp.Case | exp.If):
        return _case(node, resolve)
    if isinstance(node, exp.DateDiff | exp.TimestampDiff):
        unit = node.text("unit").upper()
        return f"between[{unit}]({render(node.expression, resolve)}, {render(node.this, resolve)})"
    if isinstance(node, exp.DateTrunc | exp.TimestampTrunc) and not node.args.get("zone"):
        return f"bucket[{node.text('unit').lower()}]({render(node.this, resolve)})"
    if isinstance(node, exp.Extract):
        return f"extract[{node.name.upper()}]({render(node.expression, resolve)})"
    if isinstance(node, exp.Interval):
        return f"interval[{node.this.name} {node.text('unit').upper()}]"
    if isinstance(node, exp.Ordered) and not node.args.get("with_fill"):
        first = " nulls first" if node.args.get("nulls_first") else ""
        return f"{render(node.this, resolve)} {'desc' if node.args.get('desc') else 'asc'}{first}"
    if isinstance(node, exp.Neg):
        return f"-{render(node.this, resolve)}"
    if type(node) in _NAMES:
        return f"{_NAMES[type(node)]}({', '.join(_arguments(node, resolve))})"
    raise ReadBackError(f"{type(node).__name__} is not known: {node.sql()[:120]}")


def _case(node: exp.Case | exp.If, resolve: Resolve) -> str:
    if isinstance(node, exp.Case) and node.this is not None:
        raise ReadBackError(f"CASE of a value is not known: {node.sql()[:120]}")
    options = node.args["ifs"] if isinstance(node, exp.Case) else [node]
    default = node.args.get("default" if isinstance(node, exp.Case) else "false")
    whens = "; ".join(
        f"{render(item.this, resolve)}: {render(item.args['true'], resolve)}" for item in options
    )
    return f"case({whens}; else {render(default, resolve) if default is not None else 'null'})"


def _arguments(node: exp.Expr, resolve: Resolve) -> Iterator[str]:
    """Every argument of a function, in the order of its signature."""
    for name in node.arg_types:
        value = node.args.get(name)
        if isinstance(value, exp.Expr):
            yield render(value, resolve)
        elif isinstance(value, list):
            yield from (render(item, resolve) for item in value)


def quoted(text: str) -> str:
    """A text in quotes, told apart from everything around it."""
    return "'" + text.replace("'", "''") + "'"


def _cast(node: exp.Cast, resolve: Resolve) -> str:
    inner = node.this
    if isinstance(inner, exp.Literal) and inner.is_string and node.to.this in _MOMENTS:
        return when(inner.name)
    return f"{node.to.sql().lower()}({render(inner, resolve)})"


def when(moment: str | date | datetime) -> str:
    """A date or timestamp as text; midnight is the day itself."""
    if isinstance(moment, datetime):
        moment = moment.isoformat(" ")
    text = moment if isinstance(moment, str) else moment.isoformat()
    return f"@{text.removesuffix(' 00:00:00')}"
