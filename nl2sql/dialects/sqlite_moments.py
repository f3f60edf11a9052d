"""SQLite and the clocks of others: hours ahead, and counts of a unit since 1970, as text of a time.

The functions of SQLite know whole seconds: a fraction is set aside, and put back at the end.
"""

from __future__ import annotations

from sqlglot import exp, parse_one

from nl2sql.dialects.walk import number, put

_STEPS = ("HOUR", "MINUTE", "SECOND")
_AHEAD = "DATETIME(SUBSTRING(x, 1, 19), '{step}') || SUBSTRING(x, 20)"
_SECONDS = "DATETIME(x, 'unixepoch')"
# a part of a second counts from the second before, before 1970 too
_PARTS = (
    "DATETIME((x - ((x % {n}) + {n}) % {n}) / {n}, 'unixepoch') || CASE WHEN x % {n} = 0 THEN ''"
    " ELSE '.' || PRINTF('%06d', ((x % {n}) + {n}) % {n} * {m}) END"
)
_MILLION = 1_000_000


def adapt(node: exp.Expr) -> bool:
    """Write a clock's difference, or a moment by its count; whether there was one."""
    if isinstance(node, exp.Add | exp.Sub) and isinstance(node.expression, exp.Interval):
        unit = node.expression.text("unit").upper()
        if unit not in _STEPS:
            return False
        sign = "-" if isinstance(node, exp.Sub) else "+"
        step = f"{sign}{node.expression.this.name} {unit.lower()}s"
        put(node, _filled(_AHEAD.format(step=step), node.this))
        return True
    if isinstance(node, exp.UnixToTime):
        micros = node.this
        wide = isinstance(micros, exp.Mul)
        value, size = (micros.this.this, int(micros.expression.name)) if wide else (micros, 1)
        per_second = _MILLION // size
        text = _SECONDS if per_second == 1 else _PARTS.format(n=per_second, m=size)
        put(node, _filled(text, value))
        return True
    return False


def restore(node: exp.Expr) -> bool:
    """Undo a step of `adapt`; whether there was one."""
    if isinstance(node, exp.Anonymous) and node.name.upper() == "DATETIME":
        if len(node.expressions) == 2 and node.expressions[1].name == "unixepoch":
            node.replace(_moment(node.expressions[0], _MILLION))
            return True
    if not isinstance(node, exp.DPipe):
        return False
    if isinstance(node.this, exp.Add | exp.Sub) and isinstance(node.expression, exp.Substring):
        put(node, node.this)
        return True
    if isinstance(node.this, exp.UnixToTime) and isinstance(node.expression, exp.Case):
        value, per_second = next(
            (item.this, int(item.expression.name)) for item in node.expression.find_all(exp.Mod)
        )
        node.replace(_moment(value, _MILLION // per_second))
        return True
    return False


def _moment(value: exp.Expr, size: int) -> exp.UnixToTime:
    micros = value.copy()
    if size > 1:
        micros = exp.Mul(this=exp.cast(micros, "BIGINT"), expression=number(size))
    return exp.UnixToTime(this=micros, scale=number(6))


def _filled(text: str, value: exp.Expr) -> exp.Expr:
    """A form, with a value in the place of its x."""
    form = exp.Paren(this=parse_one(text, dialect="sqlite"))
    for column in list(form.find_all(exp.Column)):
        column.replace(value.copy())
    found = form.this
    assert isinstance(found, exp.Expr)
    return found
