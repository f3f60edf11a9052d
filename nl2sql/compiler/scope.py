"""How one SELECT reaches columns: aliases of joins, taken as they are needed (pass 3, *reach*)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache

from sqlglot import exp

from nl2sql.compiler.moments import Span, by_clock, horizon, midnight
from nl2sql.errors import QuestionError
from nl2sql.slots import Filter
from nl2sql.times import Range
from semantic_layer.expression import Expression, reference
from semantic_layer.model import Dimension, HasMany, Layer, Moment, Rollup

_DONE = "by its clock"  # marks columns that have been put in their place


def column(name: str, table: str | None = None) -> exp.Column:
    """A column, of a table's alias."""
    return exp.column(name, table)


@dataclass
class Scope:
    """The FROM of one SELECT over `table`: the joins taken so far, and the rollups they need."""

    layer: Layer
    table: str
    rollups: dict[str, Rollup] = field(default_factory=dict)
    prefix: str = ""
    today: str = ""
    policy: tuple[Filter, ...] = ()
    called: str = ""
    joins: dict[tuple[str, ...], str] = field(default_factory=dict)
    rolled: dict[str, HasMany] = field(default_factory=dict)
    used: set[str] = field(default_factory=set)
    within: dict[tuple[tuple[str, ...], str], Span] = field(default_factory=dict)

    def inside(self, table: str, prefix: str = "") -> Scope:
        """The scope of an inner SELECT, under the same clock."""
        return Scope(self.layer, table, prefix=prefix, today=self.today, policy=self.policy)

    @property
    def base(self) -> str:
        """The alias of the table itself, or what stands for it."""
        return self.called or self.prefix + self.table

    def alias(self, steps: tuple[str, ...]) -> str:
        """The alias of the table at the end of a path, joined when it is not yet."""
        if not steps:
            return self.base
        if steps not in self.joins:
            self.alias(steps[:-1])
            short = self.prefix + steps[-1]
            taken = {*self.joins.values(), self.base, *self.layer.tables}
            if short in taken:
                short = self.prefix + "_".join(steps)
            while short in taken:
                short += "_"
            self.joins[steps] = short
        return self.joins[steps]

    def column(self, steps: tuple[str, ...], name: str) -> exp.Expr:
        """A column at the end of a path; a join's key columns are read on this side of the join."""
        if steps:
            before = self.layer.follow(self.table, steps[:-1])
            join = self.layer.tables[before].joins[steps[-1]]
            for here, there in join.pairs:
                if there == name:
                    return self.column(steps[:-1], here)
        elif name in self.rollups and name not in self.layer.tables[self.table].columns:
            rollup = self.rollups[name]
            self.rolled[rollup.of.name] = rollup.of
            self.used.add(name)
            return exp.Coalesce(
                this=column(name, gathered(rollup.of)), expressions=[exp.Literal.number(0)]
            )
        return column(name, self.alias(steps))

    def moment(self, steps: tuple[str, ...], name: str) -> Moment | None:
        """How a column keeps its moments, where it does not keep business time."""
        table = self.layer.tables[self.layer.follow(self.table, steps)]
        return table.moments.get(name)

    def limit(self, steps: tuple[str, ...], name: str, ranges: Sequence[Range]) -> None:
        """Note the period that rows are limited to by a column: its clock is known within that."""
        ends = [item.start for item in ranges] + [item.end for item in ranges]
        found = [item for item in ends if item is not None]
        if found and len(found) == len(ends):
            self.within[steps, name] = Span(found, self.layer.calendar.timezone)

    def business(self, steps: tuple[str, ...], name: str) -> exp.Expr:
        """A column in business time: as it stands, or by the clock it was kept by."""
        value, kept = self.column(steps, name), self.moment(steps, name)
        if kept is None:
            return value
        span = self.within.get((steps, name)) or horizon(self.today)
        return by_clock(value, kept, self.layer.calendar.timezone, span)

    def joined(self, steps: tuple[str, ...], name: str) -> exp.Expr:
        """A column of the joined row itself: NULL where the join finds none."""
        return column(name, self.alias(steps)) if steps else self.column(steps, name)

    def expression(
        self, parsed: Expression, back: tuple[str, ...] = (), stored: bool = False
    ) -> exp.Expr:
        """A layer expression in this scope; `back` leads to the table it was written for.

        An expression that is a column alone may be asked for as it is `stored`.

        today() is the turn's clock, so that the same turn gives the same SQL for ever.
        """
        if stored and isinstance(parsed.tree, exp.Column):
            ref = reference(parsed.tree)
            return self.column((*back, *ref.path), ref.name)
        tree = parsed.tree.copy()
        wrapper = exp.Paren(this=tree)
        for call in list(wrapper.find_all(exp.Anonymous)):
            self._apart(call, back)
        for node in list(wrapper.find_all(exp.Column)):
            if not node.meta.get(_DONE):
                ref = reference(node)
                node.replace(self.business((*back, *ref.path), ref.name))
        for clock in list(wrapper.find_all(exp.CurrentDate)):
            clock.replace(exp.cast(exp.Literal.string(self.today), exp.DType.DATE))
        guarded(wrapper)
        for anonymous in list(wrapper.find_all(exp.Anonymous)):
            start, end = anonymous.expressions
            anonymous.replace(
                exp.DateDiff(this=end.copy(), expression=start.copy(), unit=exp.var("MICROSECOND"))
            )
        result = wrapper.this
        assert isinstance(result, exp.Expr)
        return result

    def _apart(self, call: exp.Anonymous, back: tuple[str, ...]) -> None:
        """The two ends of microseconds_between by one clock, where one of them keeps another."""
        refs = [reference(node) for node in call.find_all(exp.Column)]
        if all(self.moment((*back, *ref.path), ref.name) is None for ref in refs):
            return
        zone = self.layer.calendar.timezone
        for item in list(call.expressions):
            if isinstance(item, exp.CurrentDate):
                item.replace(midnight(self.today, zone))
                continue
            ref = reference(item)
            steps = (*back, *ref.path)
            kept = self.moment(steps, ref.name) or Moment(zone)
            value = by_clock(self.column(steps, ref.name), kept, "UTC", horizon(self.today))
            for node in value.find_all(exp.Column):
                node.meta[_DONE] = True
            item.replace(value)

    def from_(self, select: exp.Select, origin: exp.Expr | None = None) -> exp.Select:
        """Add FROM (or the `origin` that stands for the table) and the LEFT JOINs: a missing match
        never loses a row."""
        tables = self.layer.tables
        origin = origin or _table(tables[self.table].source, self.base)
        select = select.from_(origin, copy=False)
        for steps, alias in self.joins.items():
            before = self.layer.follow(self.table, steps[:-1])
            join = tables[before].joins[steps[-1]]
            left = self.alias(steps[:-1])
            on = exp.and_(
                *(
                    exp.EQ(this=column(there, alias), expression=column(here, left))
                    for here, there in join.pairs
                ),
                copy=False,
            )
            select.append("joins", left_join(_table(tables[join.to].source, alias), on))
        for many in self.rolled.values():
            on = exp.and_(
                *(
                    exp.EQ(this=column(here, gathered(many)), expression=column(there, self.base))
                    for here, there in many.back.pairs
                ),
                copy=False,
            )
            select.append("joins", left_join(named(gathered(many)), on))
        return select


def guarded(tree: exp.Expr) -> None:
    """Make every division by zero NULL: databases give infinity, or an error."""
    for node in list(tree.find_all(exp.Div)):
        if not isinstance(node.expression, exp.Literal):
            divisor = exp.Nullif(this=node.expression, expression=exp.Literal.number(0))
            node.set("expression", divisor)


def gathered(many: HasMany) -> str:
    """The name of the CTE in which many rows are gathered."""
    return f"{many.table}_{many.name}"


def left_join(table: exp.Table, on: exp.Expr) -> exp.Join:
    """LEFT JOIN; made by hand, since sqlglot's builder copies the statement and parses the word."""
    return exp.Join(this=table, on=on, side="LEFT")


def named(name: str) -> exp.Table:
    """A part of the statement, by its name."""
    return exp.Table(this=exp.to_identifier(name))


@cache
def _source(source: str) -> exp.Table:
    return exp.to_table(source)


def _table(source: str, alias: str) -> exp.Table:
    table = _source(source).copy()
    if source != alias:
        table.set("alias", exp.TableAlias(this=exp.to_identifier(alias)))
    return table


def written(value: str, dimension: Dimension) -> exp.Expr:
    """A stored value as a literal of its column's type."""
    return literal(value, dimension.type)


def literal(value: str, kind: str) -> exp.Expr:
    """A text value as a literal of a column type."""
    if kind in ("integer", "decimal", "float"):
        if not re.fullmatch(r"-?\d+(\.\d+)?", value, re.ASCII):
            raise QuestionError("bad-value", {"value": value, "type": kind})
        return exp.Literal.number(value)
    if kind == "boolean":
        if value not in ("true", "false"):
            raise QuestionError("bad-value", {"value": value, "type": kind})
        return exp.true() if value == "true" else exp.false()
    if kind in ("date", "timestamp"):
        return exp.cast(exp.Literal.string(value), kind.upper())
    return exp.Literal.string(value)
