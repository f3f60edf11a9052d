"""Rows of a table as they must be named, and the conditions on them that the slots mean."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from sqlglot import exp

from nl2sql.readback.moments import Limits, bounds_by_clock, in_zone, midnight
from nl2sql.readback.render import quoted, render, when
from nl2sql.slots import Among, Contains, During, Filter, Interval, Members, Missing, Test
from nl2sql.times import Range
from semantic_layer.expression import Expression, reference
from semantic_layer.model import Dimension, HasMany, Layer, Moment, Object, Route
from semantic_layer.paths import aside, shortest


@dataclass(frozen=True, slots=True)
class From:
    """Rows of a table, and how their columns are named; rollups gather for those `within` conditions."""

    layer: Layer
    table: str
    rollups: Object | None = None
    today: str = ""
    policy: tuple[Filter, ...] = ()
    limits: Limits | None = None
    within: tuple[str, ...] = ()

    def below(self, table: str) -> From:
        """Rows of another table, under the same clock."""
        return From(self.layer, table, None, self.today, self.policy)

    def source(self, table: str) -> str:
        """What a table is called in the warehouse."""
        return self.layer.tables[table].source

    def way(self, steps: tuple[str, ...]) -> str:
        """The table at the end of a path."""
        text, here = self.source(self.table), self.table
        for step in steps:
            join = self.layer.tables[here].joins[step]
            text += f">{self.source(join.to)}[{','.join(f'{a}={b}' for a, b in join.pairs)}]"
            here = join.to
        return text

    def joined(self, steps: tuple[str, ...], name: str) -> str:
        """A column of the joined row itself."""
        return f"{self.way(steps)}.{name}" if steps else self.column(steps, name)

    def column(self, steps: tuple[str, ...], name: str) -> str:
        """A column; a join's key is read on this side of the join."""
        if steps:
            before = self.layer.follow(self.table, steps[:-1])
            for here, there in self.layer.tables[before].joins[steps[-1]].pairs:
                if there == name:
                    return self.column(steps[:-1], here)
        elif self.rollups is not None and name in self.rollups.rollups:
            if name not in self.layer.tables[self.table].columns:
                return f"coalesce({self.rollup(name)}, 0)"
        return f"{self.way(steps)}.{name}"

    def moment(self, steps: tuple[str, ...], name: str) -> Moment | None:
        """How a column keeps its moments, where that is not business time."""
        return self.layer.tables[self.layer.follow(self.table, steps)].moments.get(name)

    def by_clock(self, steps: tuple[str, ...], name: str, zone: str) -> str:
        """A column by the clock of a zone."""
        business = self.layer.calendar.timezone
        kept = self.moment(steps, name) or Moment(business)
        here = self.limits is not None and (self.limits.way, self.limits.column) == (steps, name)
        limits = self.limits if here and zone == business else None
        return in_zone(self.column(steps, name), kept, zone, business, self.today, limits)

    def business(self, steps: tuple[str, ...], name: str) -> str:
        """A column in business time."""
        if self.moment(steps, name) is None:
            return self.column(steps, name)
        return self.by_clock(steps, name, self.layer.calendar.timezone)

    def during(self, steps: tuple[str, ...], name: str, ranges: tuple[Range, ...]) -> list[str]:
        """Half-open ranges of business time on a column."""
        value, kept = self.column(steps, name), self.moment(steps, name)
        if kept is None:
            return during(value, ranges)
        options = bounds_by_clock(value, kept, self.layer.calendar.timezone, ranges)
        if len(options) < 2:
            return options[0] or ["true"] if options else ["false"]
        return [either([both(ends or ["true"]) for ends in options])]

    def apart(self, call: exp.Anonymous, back: tuple[str, ...]) -> bool:
        """Whether the ends of a microseconds_between do not both keep business time."""
        refs = [reference(node) for node in call.find_all(exp.Column)]
        return any(self.moment((*back, *ref.path), ref.name) for ref in refs)

    def end(self, item: exp.Expr) -> exp.Expr:
        """One of its ends; today begins at midnight of business time."""
        if not isinstance(item, exp.CurrentDate):
            return item.copy()
        begins = midnight(self.today, self.layer.calendar.timezone)
        return exp.cast(exp.Literal.string(begins.isoformat(" ")), "TIMESTAMP")

    def rollup(self, name: str) -> str:
        """What a rollup gathers."""
        assert self.rollups is not None
        found = self.rollups.rollups[name]
        many = found.of
        below, there = self.below(many.to), self.source(many.to)
        keys = sorted(f"{there}.{here}" for here, _ in many.back.pairs)
        where = [] if many.where is None else conjuncts(below, many.where)
        where += guards(below, many)
        if self.within and len(many.back.pairs) == 1:
            parent = self.source(self.table)
            (here, key), where_rows = many.back.pairs[0], sorted(self.within)
            rows = f"last {parent}.{key} of {parent} where {where_rows} by []"
            where.append(f"{there}.{here} in {rows}")
        pairs = ",".join(f"{b}={a}" for a, b in many.back.pairs)
        value = (
            "count(*)" if found.expr is None else f"{found.kind}({below.expression(found.expr)})"
        )
        return f"{self.source(self.table)}>rollup {there} by {keys} where {sorted(where)}[{pairs}].{value}"

    def expression(self, parsed: Expression, back: tuple[str, ...] = ()) -> str:
        """A layer expression on these rows."""
        tree = parsed.tree.copy()
        wrapper = exp.Paren(this=tree)
        utc: set[int] = set()
        for call in list(wrapper.find_all(exp.Anonymous)):
            start, end = (
                self.end(item) if self.apart(call, back) else item.copy()
                for item in call.expressions
            )
            if self.apart(call, back):
                utc |= {id(start), id(end)}
            call.replace(exp.DateDiff(this=end, expression=start, unit=exp.var("MICROSECOND")))
        for node in list(wrapper.find_all(exp.CurrentDate)):
            node.replace(exp.cast(exp.Literal.string(self.today), "DATE"))

        null_by_zero(wrapper)

        def resolve(node: exp.Column) -> str:
            ref = reference(node)
            if id(node) in utc:
                return self.by_clock((*back, *ref.path), ref.name, "UTC")
            return self.business((*back, *ref.path), ref.name)

        return render(wrapper.this, resolve)


def null_by_zero(tree: exp.Expr) -> None:
    """A division by zero is NULL."""
    for node in list(tree.find_all(exp.Div)):
        if not isinstance(node.expression, exp.Literal):
            node.set(
                "expression", exp.Nullif(this=node.expression, expression=exp.Literal.number(0))
            )


def conjuncts(rows: From, parsed: Expression) -> list[str]:
    """The parts of a layer condition that must all hold."""
    tree = parsed.tree
    if not isinstance(tree, exp.And):
        return [rows.expression(parsed)]
    return [rows.expression(replace(parsed, tree=part.copy())) for part in tree.flatten()]


def both(parts: list[str]) -> str:
    """Conditions that must all hold, as one."""
    return parts[0] if len(parts) == 1 else f"({' and '.join(sorted(parts))})"


def either(parts: list[str]) -> str:
    """Conditions of which one must hold, as one."""
    return parts[0] if len(parts) == 1 else f"({' or '.join(sorted(parts))})"


def literal(value: str, kind: str) -> str:
    """A stored value as it must be written."""
    if kind in ("date", "timestamp"):
        return when(value)
    return value if kind in ("integer", "decimal", "float", "boolean") else quoted(value)


def bounds(value: str, test: Interval) -> list[str]:
    """Bounds on a number."""
    if (
        test.low is not None
        and test.low == test.high
        and test.low_inclusive
        and test.high_inclusive
    ):
        return [f"({value} = {number(test.low)})"]
    found = []
    if test.low is not None:
        found.append(f"({value} {'>=' if test.low_inclusive else '>'} {number(test.low)})")
    if test.high is not None:
        found.append(f"({value} {'<=' if test.high_inclusive else '<'} {number(test.high)})")
    return found


def number(value: Decimal) -> str:
    """A decimal, never in exponent form."""
    return format(value, "f")


def during(value: str, ranges: tuple[Range, ...]) -> list[str]:
    """Half-open ranges, as conditions that must all hold."""
    options = []
    for item in ranges:
        ends = [] if item.start is None else [f"({value} >= {when(item.start)})"]
        ends += [] if item.end is None else [f"({value} < {when(item.end)})"]
        options.append(ends or ["true"])
    return options[0] if len(options) == 1 else [either([both(ends) for ends in options])]


def tested(value: str, test: Test, kind: str) -> list[str]:
    """A test on a value, as conditions that must all hold."""
    match test:
        case Among(values, negated):
            written = sorted(literal(item, kind) for item in values)
            if not values:
                return ["false"]
            if len(written) == 1:
                return [
                    f"({value} is not {written[0]})" if negated else f"({value} = {written[0]})"
                ]
            listed = f"{value} in ({', '.join(written)})"
            return [either([f"not {listed}", f"{value} is null"]) if negated else listed]
        case Missing(negated):
            return [f"not {value} is null" if negated else f"{value} is null"]
        case Contains(text, negated):
            found = f"(position({value}, {quoted(text)}) > 0)"
            return [either([f"not {found}", f"{value} is null"]) if negated else found]
        case Interval():
            return bounds(value, test)
        case During(ranges):
            return during(value, ranges)
    return ["<members>"]


def on_dimension(rows: From, steps: tuple[str, ...], dimension: Dimension, test: Test) -> list[str]:
    """A test on a dimension."""
    if isinstance(test, Among) and not test.values:
        return ["true" if test.negated else "false"]
    if isinstance(test, Contains) and dimension.label:
        return tested(rows.joined(steps, dimension.label), test, "text")
    if isinstance(test, Missing):
        return tested(rows.joined(steps, dimension.column), test, dimension.type)
    return tested(rows.column(steps, dimension.column), test, dimension.type)


def filtered(rows: From, found: Object, item: Filter, listed: tuple[Filter, ...]) -> list[str]:
    """The conditions of one filter."""
    layer = rows.layer
    if item.field not in layer.dimensions:
        attribute = found.attributes[item.field]
        back = () if rows.table == found.table else found.back.get(rows.table, ())
        if isinstance(item.test, During) and isinstance(attribute.expr.tree, exp.Column):
            ref = reference(attribute.expr.tree)
            return rows.during((*back, *ref.path), ref.name, item.test.ranges)
        return tested(rows.expression(attribute.expr, back), item.test, attribute.type)
    if isinstance(item.test, Members):
        return _members(rows, found, item.test)
    route = found.route(rows.table, item.field)
    assert route is not None
    dimension = route.of(layer.dimensions[item.field])
    if route.many is None:
        return on_dimension(rows, route.steps, dimension, item.test)
    test, negated = item.test, False
    if isinstance(test, Among | Contains) and test.negated:
        negated = True
        test = Among(test.values) if isinstance(test, Among) else Contains(test.text)
    elif isinstance(test, Missing):
        test, negated = Missing(True), not test.negated
    below = rows.below(route.many.to)
    where = on_dimension(below, route.steps, dimension, test)
    for parent in layer.path(item.field)[:-1]:
        limit = next((other for other in listed if other.field == parent), None)
        way = found.route(rows.table, parent)
        if (
            limit is not None
            and way is not None
            and way.many is None
            and not isinstance(limit.test, Members)
        ):
            steps = _beside(layer, route, parent)
            where = where + on_dimension(below, steps, layer.dimensions[parent], limit.test)
    text = exists(rows, route.many, where)
    return [f"not {text}" if negated else text]


def _beside(layer: Layer, route: Route, parent: str) -> tuple[str, ...]:
    assert route.many is not None
    end = layer.follow(route.many.to, route.steps)
    return (*route.steps, *shortest(layer.tables, end, layer.dimensions[parent].table)[0])


def exists(rows: From, many: HasMany, where: list[str]) -> str:
    """A related row."""
    source, outer = rows.source(many.to), rows.source(rows.table)
    tied = [f"({source}.{here} = outer.{outer}.{there})" for here, there in many.back.pairs]
    if many.where is not None:
        where = [*where, *conjuncts(rows.below(many.to), many.where)]
    where = sorted({*tied, *where, *guards(rows.below(many.to), many)})  # said twice is said once
    return f"exists {source} where {where}"


def guards(below: From, many: HasMany) -> list[str]:
    """What a policy must impose on the rows of a many side."""
    found: list[str] = []
    for item in below.policy:
        dimension = below.layer.dimensions[item.field]
        steps = aside(below.layer.tables, many, dimension.table)
        if steps is not None:
            found += on_dimension(below, steps, dimension, item.test)
    return found


def _members(rows: From, found: Object, test: Members) -> list[str]:
    routes = [found.route(rows.table, name) for name in test.fields]
    many = next((route.many for route in routes if route and route.many), None)
    if many is None or not test.rows:
        return one_of(rows, routes, test)
    return [exists(rows, many, one_of(rows.below(many.to), routes, test))]


def one_of(below: From, routes: Sequence[Route | None], test: Members) -> list[str]:
    """Members as conditions on the rows where they are found."""
    if not test.rows:
        return ["false"]
    layer = below.layer
    far = next((route for route in routes if route and route.many), None)
    columns = []
    for name, route in zip(test.fields, routes, strict=True):
        assert route is not None
        steps = route.steps if far is None or route.many else _beside(layer, far, name)
        columns.append(below.column(steps, route.of(layer.dimensions[name]).column))
    kinds = [layer.dimensions[name].type for name in test.fields]
    if len(columns) == 1 and all(row[0] is not None for row in test.rows):
        return tested(columns[0], Among(tuple(row[0] or "" for row in test.rows)), kinds[0])
    options = [
        [
            f"{column} is null" if value is None else f"({column} = {literal(value, kind)})"
            for column, value, kind in zip(columns, row, kinds, strict=True)
        ]
        for row in test.rows
    ]
    return options[0] if len(options) == 1 else [either([both(cells) for cells in options])]
