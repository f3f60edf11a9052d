"""SQLite: no decimals, no dates, integer division, and MAX(a, b) for GREATEST.

- **exact** — a decimal is the whole number of its smallest unit (`scale` in the layer), so that sums,
  ranks and conditions are exact. Scales are brought together by `CAST(x * 10 AS INTEGER)`; a quotient
  is made of REALs, `x / 100.0`. The warehouse gives a column back as the decimal it is (`kinds.py`).
- **times** — dates are ISO text (`2026-08-01`, `2026-08-01 09:30:00[.ffffff]`), which sorts as time does.
  Buckets are modifiers of DATE; a month later is clamped to the month's end, as everywhere else.
  Other clocks than that of business time: `sqlite_moments.py`.

Each pass has its way back, which `read` follows before the SQL is held to the slots.
"""

from __future__ import annotations

from sqlglot import exp, parse_one

from nl2sql.dialects import sqlite_moments as moments
from nl2sql.dialects.kinds import Columns, Kind, Kinds, common
from nl2sql.dialects.walk import bare, cast, enclosed, inner_first, is_cast, number, operands, put
from nl2sql.errors import QuestionError

_COMPARED = (
    exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.NullSafeEQ, exp.NullSafeNEQ, exp.In,
    exp.Between, exp.Nullif,
)  # fmt: skip
_NULL_SAFE = (exp.NullSafeEQ, exp.NullSafeNEQ)
_MADE = (exp.Add, exp.Sub, exp.Case, exp.If, exp.Coalesce, exp.Greatest, exp.Least)
_INTEGERS = (exp.DType.INT, exp.DType.BIGINT)
_STARTS: dict[str, tuple[str, ...]] = {
    "day": ("start of day",),
    "week": ("-6 days", "weekday 1", "start of day"),
    "month": ("start of month",),
    "year": ("start of year",),
}
_QUARTER = "'-' || ((STRFTIME('%m', x) - 1) % 3) || ' months'"
_BETWEEN = (
    "(CAST(STRFTIME('%s', SUBSTRING(b, 1, 19)) AS INTEGER)"
    " - CAST(STRFTIME('%s', SUBSTRING(a, 1, 19)) AS INTEGER)) * 1000000"
    " + (CAST(SUBSTRING(SUBSTRING(b, 21) || '000000', 1, 6) AS INTEGER)"
    " - CAST(SUBSTRING(SUBSTRING(a, 21) || '000000', 1, 6) AS INTEGER))"
)
_REAL = "real"  # marks, on the way back, a value that the statement makes a REAL of


def adapt(tree: exp.Expr, columns: Columns) -> None:
    """Change a tree, in place, to what SQLite understands."""
    kinds = Kinds(tree, columns)
    nodes = list(inner_first(tree))
    known = [[kinds.of(item) for item in operands(node)] for node in nodes]
    for node in nodes:
        if isinstance(node, exp.Column) and kinds.of(node) == Kind("decimal"):
            raise QuestionError("decimal-without-scale", {"column": node.sql()})
    for node, its in zip(nodes, known, strict=True):
        _exact(node, its)
        _times(node, its)


def restore(tree: exp.Expr, columns: Columns) -> None:
    """The way back of `adapt`, in place."""
    kinds = Kinds(tree, columns)
    for node in list(inner_first(tree)):
        if isinstance(node, exp.Div):
            _quotient_back(node, kinds)
        elif isinstance(node, _NULL_SAFE) and kinds.of(node.this).type == "boolean":
            if isinstance(node.expression, exp.Literal) and node.expression.name in ("0", "1"):
                truth = exp.true() if node.expression.name == "1" else exp.false()
                node.set("expression", truth)
        elif not _times_back(node):
            _exact_back(node)


# -- exact -----------------------------------------------------------------------------------


def _exact(node: exp.Expr, its: list[Kind]) -> None:
    if isinstance(node, _NULL_SAFE) and isinstance(node.expression, exp.Boolean):
        node.set("expression", number(int(node.expression.this)))  # IS NOT FALSE is another sign
    elif isinstance(node, exp.Median | exp.PercentileCont):
        what = "MEDIAN" if isinstance(node, exp.Median) else "PERCENTILE"
        raise QuestionError("not-in-dialect", {"dialect": "sqlite", "what": what})
    if isinstance(node, exp.Round) and its[0].exact:
        raise QuestionError("not-in-dialect", {"dialect": "sqlite", "what": "ROUND"})
    if isinstance(node, exp.Avg) and its[0].type in ("integer", "decimal"):
        count: exp.Expr = exp.Count(this=node.this.copy())
        if its[0].exact:
            count = exp.Paren(this=exp.Mul(this=count, expression=number(_ten(its[0]))))
        put(node, _divided(cast(exp.Sum(this=node.this), exp.DType.DOUBLE), count))
    elif isinstance(node, exp.Div):
        node.set("typed", True)
        if not its[0].exact and its[0].type != "float":
            node.set("this", cast(node.this, exp.DType.DOUBLE))
        _natural(node, its)
    elif isinstance(node, exp.Mul):
        if common(its).type == "float":
            _natural(node, its)
        else:
            _aligned(node, [Kind("unknown") if not _fraction(item) else kind
                            for item, kind in zip(operands(node), its, strict=True)])  # fmt: skip
    elif isinstance(node, _MADE) or (isinstance(node, _COMPARED) and _some_exact(node, its)):
        if common(its).type == "float":
            _natural(node, its)
        else:
            _aligned(node, its)


def _some_exact(node: exp.Expr, its: list[Kind]) -> bool:
    pairs = zip(operands(node), its, strict=True)
    return any(kind.exact and not isinstance(item, exp.Literal) for item, kind in pairs)


def _fraction(node: exp.Expr) -> bool:
    return isinstance(node, exp.Literal) and not node.is_string and "." in node.name


def _aligned(node: exp.Expr, its: list[Kind]) -> None:
    """Bring exact numbers to the finest scale among them."""
    scale = common(kind for kind in its if kind.type in ("integer", "decimal")).scale
    for item, kind in zip(operands(node), its, strict=True):
        if not scale or kind.scale is None:
            continue
        if _fraction(item):
            shifted = exp.Mul(this=item.copy(), expression=number(10**scale))
            item.replace(cast(exp.Round(this=shifted), exp.DType.INT))
        elif kind.scale < scale and not (isinstance(item, exp.Literal) and item.name == "0"):
            factor = number(10 ** (scale - kind.scale))
            value = exp.Mul(this=enclosed(item.copy()), expression=factor)
            item.replace(cast(value, exp.DType.INT))


def _natural(node: exp.Expr, its: list[Kind]) -> None:
    """Make REALs of exact numbers."""
    for item, kind in zip(operands(node), its, strict=True):
        if kind.exact and not isinstance(item, exp.Literal):
            inner = item
            while isinstance(inner, exp.Nullif):
                inner = inner.this
            value = _divided(enclosed(inner.copy()), number(f"{_ten(kind)}.0"))
            aside = isinstance(inner.parent, exp.Binary) and not (
                isinstance(inner.parent, exp.Div) and inner is inner.parent.this
            )
            inner.replace(enclosed(value) if aside else value)


def _ten(kind: Kind) -> int:
    assert kind.scale is not None
    return int(10**kind.scale)


def _divided(value: exp.Expr, by: exp.Expr) -> exp.Div:
    return exp.Div(this=value, expression=by, typed=True)


def _quotient_back(node: exp.Div, kinds: Kinds) -> None:
    left, right = node.this, node.expression
    node.set("typed", None)
    node.set("safe", None)
    if is_cast(left, exp.DType.DOUBLE):
        count = bare(right).this if isinstance(bare(right), exp.Mul) else right
        if isinstance(left.this, exp.Sum) and isinstance(count, exp.Count):
            node.replace(exp.Avg(this=left.this.this))
            return
        node.set("this", left.this)
        return
    kind = kinds.of(left)
    if kind.exact and not _is_real(left) and right.name == f"{_ten(kind)}.0":
        bare(left).meta[_REAL] = True
        around = node.parent
        within = isinstance(around, exp.Paren) and not isinstance(left, exp.Binary)
        (around if within and around is not None else node).replace(left)


def _is_real(node: exp.Expr) -> bool:
    inner = bare(node)
    while isinstance(inner, exp.Nullif):
        inner = bare(inner.this)
    return bool(inner.meta.get(_REAL))


def _exact_back(node: exp.Expr) -> None:
    if is_cast(node, *_INTEGERS):
        inner = node.this.this if isinstance(node.this, exp.Round) else node.this
        if isinstance(inner, exp.Mul) and isinstance(inner.expression, exp.Literal):
            node.replace(inner.this)
    elif isinstance(node, exp.Greatest | exp.Least):
        rest = node.expressions
        if isinstance(node.this, exp.Coalesce) and len(rest) == 1:
            if isinstance(rest[0], exp.Coalesce):
                node.set("expressions", [rest[0].this])
                node.set("this", node.this.this)
                node.set("ignore_nulls", True)


# -- times -----------------------------------------------------------------------------------


def _times(node: exp.Expr, its: list[Kind]) -> None:
    if moments.adapt(node):
        return
    moved = isinstance(node, exp.DateTrunc | exp.TimestampTrunc) or (
        isinstance(node, exp.Add | exp.Sub) and isinstance(node.expression, exp.Interval)
    )
    if moved and its[0].type == "timestamp" and not _is_whole(node.this):
        node.set("this", _seconds(node.this))
    if isinstance(node, exp.DateTrunc | exp.TimestampTrunc):
        unit = node.text("unit").lower()
        if unit == "quarter":
            back = parse_one(_QUARTER, dialect="sqlite")
            for column in list(back.find_all(exp.Column)):
                column.replace(node.this.copy())
            put(node, _moved(node.this, exp.Literal.string("start of month"), back))
        else:
            put(node, _moved(node.this, *map(exp.Literal.string, _STARTS[unit])))
    elif isinstance(node, exp.Add | exp.Sub) and isinstance(node.expression, exp.Interval):
        put(node, _later(node.this, node.expression, "-" if isinstance(node, exp.Sub) else "+"))
    elif is_cast(node, exp.DType.DATE) and _is_moved(node.this):
        node.replace(exp.Anonymous(this="DATE", expressions=node.this.expressions))
    elif isinstance(node, exp.Extract):
        text = parse_one("STRFTIME('%m', x)", dialect="sqlite")
        next(iter(text.find_all(exp.Column))).replace(node.expression)
        put(node, cast(text, exp.DType.INT))
    elif isinstance(node, exp.DateDiff):
        whole = parse_one(_BETWEEN, dialect="sqlite")
        for column in list(whole.find_all(exp.Column)):
            column.replace((node.this if column.name == "b" else node.expression).copy())
        put(node, whole)


def _seconds(value: exp.Expr) -> exp.Substring:
    """A time without its fraction, which the functions of SQLite round up to the next second."""
    return exp.Substring(this=value, start=number(1), length=number(19))


def _moved(value: exp.Expr, *steps: exp.Expr) -> exp.Anonymous:
    return exp.Anonymous(this="DATETIME", expressions=[value, *steps])


def _is_whole(node: exp.Expr) -> bool:
    """Whether a time has no fraction of a second."""
    return _is_moved(node) or isinstance(node, exp.Least)


def _is_moved(node: object) -> bool:
    return isinstance(node, exp.Anonymous) and node.name == "DATETIME" and len(node.expressions) > 1


def _later(value: exp.Expr, step: exp.Interval, sign: str) -> exp.Expr:
    """A time moved by an interval; no month later than the month that is meant."""
    unit = step.text("unit").lower()
    move = exp.Literal.string(f"{sign}{step.this.name} {unit}s")
    if unit == "day" or (_is_moved(value) and value.expressions[1].name.startswith("start of ")):
        return _moved(value, move)
    last = ("start of month", move.name, "+1 months", "-1 seconds")
    end = _moved(value.copy(), *map(exp.Literal.string, last))
    return exp.Least(this=_moved(value, move), expressions=[end], ignore_nulls=False)


def _times_back(node: exp.Expr) -> bool:
    """Undo one step of `_times`; whether there was one."""
    if moments.restore(node):
        return True
    if isinstance(node, exp.Date) and node.this is not None and not node.expressions:
        node.replace(cast(node.this, exp.DType.DATE))
        return True
    if isinstance(node, exp.Anonymous) and node.name.upper() in ("DATE", "DATETIME"):
        value, *steps = node.expressions
        if isinstance(value, exp.Substring) and steps:
            value = value.this
        name = node.name.upper()
        if not steps and name == "DATETIME":
            node.replace(cast(value, exp.DType.TIMESTAMP))
            return True
        moved = _moved_back(value, steps)
        if moved is not None:
            node.replace(cast(moved, exp.DType.DATE) if name == "DATE" else moved)
        return True
    if isinstance(node, exp.Least) and isinstance(node.this, exp.Add | exp.Sub):
        if isinstance(node.this.expression, exp.Interval):
            put(node, node.this)
            return True
    if is_cast(node, *_INTEGERS) and isinstance(node.this, exp.TimeToStr):
        if node.this.args["format"].name == "%m":
            node.replace(exp.Extract(this=exp.var("MONTH"), expression=node.this.this.this))
        return True
    if isinstance(node, exp.Add) and isinstance(node.this, exp.Mul):
        seconds = bare(node.this.this)
        if isinstance(seconds, exp.Sub) and is_cast(seconds.this, *_INTEGERS):
            ends = [item.this.this.this.this for item in (seconds.this, seconds.expression)]
            unit = exp.var("MICROSECOND")
            node.replace(exp.DateDiff(this=ends[0], expression=ends[1], unit=unit))
            return True
    return False


def _moved_back(value: exp.Expr, steps: list[exp.Expr]) -> exp.Expr | None:
    texts = tuple(item.name if isinstance(item, exp.Literal) else "" for item in steps)
    for unit, starts in (*_STARTS.items(), ("quarter", ("start of month", ""))):
        if texts == starts:
            make: type[exp.Func] = exp.DateTrunc
            return make(this=value, unit=exp.Literal.string(unit))
    count, _, unit = texts[0].partition(" ")
    if len(texts) != 1 or count[:1] not in ("+", "-") or not unit.endswith("s"):
        return None
    step = exp.Interval(
        this=exp.Literal.string(count[1:]), unit=exp.var(unit.removesuffix("s").upper())
    )
    return (exp.Sub if count[0] == "-" else exp.Add)(this=value, expression=step)
