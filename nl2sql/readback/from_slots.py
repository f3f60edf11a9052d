"""What a statement must say, computed from the slots and the layer alone, never from the plan."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal

from sqlglot import exp

from nl2sql.readback.from_sql import Passed, Said
from nl2sql.readback.render import quoted, render, when
from nl2sql.slots import (
    Among, Contains, During, Filter, Interval, Members, Missing, Slots, Test,
)
from nl2sql.times import Calendar, Range, Resolved, add, buckets, comparison_base
from semantic_layer.expression import Expression, reference
from semantic_layer.model import Dimension, HasMany, Layer, Metric, Object, Route
from semantic_layer.paths import shortest


@dataclass(frozen=True, slots=True)
class Asked:
    """What was asked, under which layer, at which clock, with which policy filters."""

    slots: Slots
    layer: Layer
    clock: datetime
    policy: tuple[Filter, ...]

    @property
    def calendar(self) -> Calendar:
        """The layer's weeks and years."""
        return Calendar(self.layer.calendar.week_start, self.layer.calendar.fiscal_start)

    @property
    def needed(self) -> tuple[str, ...]:
        """Metrics asked for, compared with or ordered by."""
        by = self.slots.order.by if self.slots.order else None
        if by == "bucket" or by in self.slots.dimensions:
            by = None
        return tuple(dict.fromkeys((*self.slots.metrics, *(item.metric for item in self.slots.having), *([by] if by else []))))


@dataclass(frozen=True, slots=True)
class From:
    """Rows of a table, and how their columns are named."""

    layer: Layer
    table: str
    rollups: Object | None = None
    today: str = ""

    def below(self, table: str) -> From:
        """Rows of another table, under the same clock."""
        return From(self.layer, table, None, self.today)

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

    def rollup(self, name: str) -> str:
        """What a rollup gathers."""
        assert self.rollups is not None
        found = self.rollups.rollups[name]
        many = found.of
        below, there = self.below(many.to), self.source(many.to)
        keys = sorted(f"{there}.{here}" for here, _ in many.back.pairs)
        where = [] if many.where is None else conjuncts(below, many.where)
        pairs = ",".join(f"{b}={a}" for a, b in many.back.pairs)
        value = "count(*)" if found.expr is None else f"{found.kind}({below.expression(found.expr)})"
        return f"{self.source(self.table)}>rollup {there} by {keys} where {sorted(where)}[{pairs}].{value}"

    def expression(self, parsed: Expression, back: tuple[str, ...] = ()) -> str:
        """A layer expression on these rows."""
        tree = parsed.tree.copy()
        wrapper = exp.Paren(this=tree)
        for node in list(wrapper.find_all(exp.CurrentDate)):
            node.replace(exp.cast(exp.Literal.string(self.today), "DATE"))
        for anonymous in list(wrapper.find_all(exp.Anonymous)):
            start, end = anonymous.expressions
            anonymous.replace(exp.DateDiff(this=end.copy(), expression=start.copy(), unit=exp.var("MICROSECOND")))

        null_by_zero(wrapper)

        def resolve(node: exp.Column) -> str:
            ref = reference(node)
            return self.column((*back, *ref.path), ref.name)

        return render(wrapper.this, resolve)


def expected(asked: Asked) -> Said:
    """Everything the statement must say."""
    if asked.slots.rows:
        return _listing(asked)
    return _Metrics(asked).said()


class _Metrics:
    def __init__(self, asked: Asked) -> None:
        self.asked, self.slots, self.layer = asked, asked.slots, asked.layer
        self.today = asked.clock.date().isoformat()
        self.marks = ("", "__base") if asked.slots.comparison else ("",)

    def said(self) -> Said:
        leaves = tuple(dict.fromkeys(leaf for name in self.asked.needed for leaf in self.layer.leaves(name)))
        measured = [(leaf, mark, self.passed(leaf, mark)) for mark in self.marks for leaf in leaves]
        merged: dict[tuple[str, frozenset[str], frozenset[str], frozenset[tuple[str, str]]], set[tuple[str, str]]] = {}
        for _leaf, _mark, one in measured:
            fixed = frozenset(item for item in one.columns if item[0].startswith("distinct "))
            merged.setdefault((one.table, one.where, one.groups, fixed), set()).update(one.columns)
        for one in self.presence(leaves):
            fixed = frozenset[tuple[str, str]]()
            merged.setdefault((one.table, one.where, one.groups, fixed), set()).update(one.columns)
        passes = [Passed(table, where, groups, frozenset(columns)) for (table, where, groups, _), columns in merged.items()]
        keys = self.keys()
        if len(passes) == 1 and len(self.marks) == 1:
            texts = {leaf.id: dict(one.columns)[leaf.id] for leaf, _, one in measured}
            outputs = self.outputs(texts)
            shown = {(alias, dict(measured[0][2].columns)[alias]) for alias in keys}
            kept = {item for item in passes[0].columns if item[0].startswith("distinct ")}
            single = Passed(passes[0].table, passes[0].where, passes[0].groups, frozenset({*shown, *outputs, *kept}))
            having = frozenset(part for item in self.slots.having for part in bounds(dict(outputs)[item.metric], item.test))
            return Said(
                frozenset({single}), (), frozenset(),
                tuple((name, "") for name in (*keys, *(name for name, _ in outputs))),
                having, self.ranks(keys), self.order(keys), "",
            )
        outputs = self.outputs({leaf.id + mark: leaf.id + mark for leaf, mark, _ in measured})
        having = frozenset(part for item in self.slots.having for part in bounds(dict(outputs)[item.metric], item.test))
        combined = {(alias, alias) for alias in keys} | {("group", alias) for alias in keys}
        owners = {leaf.object for leaf in leaves}
        for leaf, mark, _ in measured:
            value = f"max({leaf.id}{mark})"
            filled = keys and leaf.additive and len(self.marks) == 1 and len(owners) == 1
            combined.add((leaf.id + mark, f"coalesce({value}, 0)" if filled else value))
        names = self.names(leaves)
        return Said(
            frozenset(passes), tuple(sorted(names)), frozenset(combined),
            (*((alias, alias) for alias in keys), *outputs),
            having, self.ranks(keys), self.order(keys), "",
        )

    def names(self, leaves: tuple[Metric, ...]) -> list[str]:
        """One name a pass, as many as there must be."""
        seen: dict[str, int] = {}
        found: list[str] = []
        different: list[tuple[str, str, str | None, str | None]] = []
        for leaf in leaves:
            role = self.role(leaf)
            one = (leaf.object, leaf.table, role, leaf.once_per)
            if one not in different:
                different.append(one)
        stems = [f"{table}_{'once' if once else 'totals'}" for _, table, _, once in different]
        stems += [f"{one.table}_totals" for one in self.presence(leaves) if len(self.marks) == 1 or True]
        if len(self.marks) > 1:
            stems = [f"{stem}{end}" for stem in stems for end in ("", "_base")]
        for stem in stems:
            seen[stem] = seen.get(stem, 0) + 1
            found.append(f"{stem}_{seen[stem]}" if seen[stem] > 1 else stem)
        return found

    # -- keys --------------------------------------------------------------------------------

    def keys(self) -> tuple[str, ...]:
        found = ["bucket"] if self.slots.grain else []
        for name in self.slots.dimensions:
            for part in self.layer.path(name):
                if part == name or not self.slots.fixed(part):
                    found.append(part)
                    if self.layer.dimensions[part].label:
                        found.append(f"{part}__label")
        return tuple(dict.fromkeys(found))

    def key_text(self, alias: str, rows: From, found: Object, leaf_role: str | None, base: bool) -> str:
        if alias == "bucket":
            assert leaf_role is not None
            back = () if rows.table == found.measured else found.back.get(rows.table, ())
            value = rows.column(back, leaf_role)
            comparison, grain = self.slots.comparison, self.slots.grain
            if base and comparison is not None:
                unit = grain if comparison.kind == "pop" else "year"
                moved = "6 MONTH" if unit == "half" else f"1 {str(unit).upper()}"
                value = f"({value} + interval[{moved}])"
            return bucketed(value, str(grain), self.asked.calendar.week_start)
        name, _, part = alias.partition("__")
        route = found.route(rows.table, name)
        assert route is not None
        dimension = route.of(self.layer.dimensions[name])
        column = dimension.label if part and dimension.label else dimension.column
        if route.many is None:
            return rows.joined(route.steps, column)
        return f"{self.bridge(rows, found, route.many)}.{alias}"

    def bridge(self, rows: From, found: Object, many: HasMany) -> str:
        """The distinct keys of a many side."""
        below, there = rows.below(many.to), rows.source(many.to)
        columns = [(here, f"{there}.{here}") for here, _ in many.back.pairs]
        where: list[str] = []
        far = [
            alias for alias in self.keys()
            if alias != "bucket" and (route := found.route(rows.table, alias.partition("__")[0])) and route.many
        ]
        for alias in far:
            name, _, part = alias.partition("__")
            dimension, route = self.layer.dimensions[name], found.route(rows.table, name)
            assert route is not None
            columns.append((alias, below.joined(route.steps, dimension.label if part and dimension.label else dimension.column)))
        names = {alias.partition("__")[0] for alias in far}
        for item in (*self.slots.filters, *self.asked.policy):
            if item.field in names:
                route = found.route(rows.table, item.field)
                assert route is not None
                where += on_dimension(below, route.steps, self.layer.dimensions[item.field], item.test)
        if many.where is not None:
            where += conjuncts(below, many.where)
        pairs = ",".join(f"{b}={a}" for a, b in many.back.pairs)
        return f"{rows.source(rows.table)}>distinct {there} {sorted(columns)} where {sorted(where)}[{pairs}]"

    # -- passes ------------------------------------------------------------------------------

    def passed(self, leaf: Metric, mark: str) -> Passed:
        """The pass that must compute a leaf metric."""
        found = self.layer.objects[leaf.object]
        rows = From(self.layer, leaf.table, found if leaf.table == found.measured else None, self.today)
        role = self.role(leaf)
        where = self.where(rows, found, role, mark, found.scope if leaf.table == found.measured else None)
        keys = {alias: self.key_text(alias, rows, found, role, bool(mark)) for alias in self.keys()}
        if leaf.once_per is not None:
            assert leaf.expr is not None
            inner = {f"distinct {alias}": text for alias, text in keys.items()}
            inner[f"distinct {leaf.once_per}"] = rows.column((), leaf.once_per)
            inner["distinct once_value"] = rows.expression(leaf.expr)
            columns = {**{alias: f"once.{alias}" for alias in keys}, leaf.id + mark: "sum(once.once_value)", **inner}
            return Passed(rows.source(leaf.table), where, frozenset(f"once.{alias}" for alias in keys), frozenset(columns.items()))
        columns = {**keys, leaf.id + mark: self.measure(rows, leaf)}
        return Passed(rows.source(leaf.table), where, frozenset(keys.values()), frozenset(columns.items()))

    def presence(self, leaves: tuple[Metric, ...]) -> list[Passed]:
        """The object's own rows, where only child rows would show which groups there are."""
        if not self.keys():
            return []
        found_ones: list[Passed] = []
        seen: set[tuple[str, str]] = {(leaf.object, leaf.table) for leaf in leaves}
        for leaf in leaves:
            found = self.layer.objects[leaf.object]
            if leaf.table == found.measured or leaf.table not in found.back or (leaf.object, found.measured) in seen:
                continue
            seen.add((leaf.object, found.measured))
            rows = From(self.layer, found.measured, found, self.today)
            role = self.role(leaf)
            for mark in self.marks:
                where = self.where(rows, found, role, mark, found.scope)
                keys = {alias: self.key_text(alias, rows, found, role, bool(mark)) for alias in self.keys()}
                found_ones.append(Passed(rows.source(found.measured), where, frozenset(keys.values()), frozenset(keys.items())))
        return found_ones

    def measure(self, rows: From, leaf: Metric) -> str:
        where = None if leaf.where is None else rows.expression(leaf.where)
        if leaf.kind == "count" or leaf.expr is None:
            return "count(*)" if where is None else f"count(case({where}: 1; else null))"
        value = rows.expression(leaf.expr)
        if where is not None:
            value = f"case({where}: {value}; else {'0' if leaf.kind == 'sum' else 'null'})"
        return f"count(distinct({value}))" if leaf.kind == "count_distinct" else f"{leaf.kind}({value})"

    def role(self, leaf: Metric) -> str | None:
        found = self.layer.objects[leaf.object]
        time = self.slots.time
        if time is not None and time.role and time.role in found.time.roles:
            return found.time.roles[time.role].column
        return leaf.time or (found.time.roles[found.time.default].column if found.time.default in found.time.roles and found.time.default else found.time.default)

    def where(
        self, rows: From, found: Object, role: str | None, mark: str, scope: Expression | None
    ) -> frozenset[str]:
        conditions: list[str] = [] if scope is None else conjuncts(rows, scope)
        if role is not None and (self.slots.time is not None or found.time.snapshot):
            back = () if rows.table == found.measured else found.back.get(rows.table, ())
            conditions += self.timed(rows.column(back, role), role, found, self.ranges(found, mark))
        for item in (*self.slots.filters, *self.asked.policy):
            listed = self.slots.filters if item in self.slots.filters else self.asked.policy
            conditions += filtered(rows, found, item, listed)
        limit = self.slots.limit
        if limit is not None:
            for name in self.slots.dimensions:
                route = found.route(rows.table, name)
                if name not in limit.per and route and not route.many and not self.slots.filter(name):
                    conditions.append(f"not {rows.joined(route.steps, route.of(self.layer.dimensions[name]).column)} is null")
        return frozenset(conditions)

    def ranges(self, found: Object, mark: str) -> tuple[Range, ...]:
        time, slots = self.slots.time, self.slots
        if time is None:
            return (Range(None, add(self.asked.clock.date(), 1, "day")),)
        ranges = time.ranges
        kind = "period" if time.kind == "newest" else time.kind
        whole = Resolved(ranges, time.grain, kind, time.rolling, ())
        if time.rolling and slots.grain == time.rolling[1] != "day":
            listed = buckets(whole, time.rolling[1], self.asked.clock, self.asked.calendar)
            ranges = (Range(listed[0].start, listed[-1].end),)
        if slots.comparison is None:
            return ranges
        if found.time.snapshot and time.kind == "newest":
            end = ranges[0].end
            assert end is not None
            if not mark:
                return ranges
            moved = add(end, -1, "year") if slots.comparison.kind == "yoy" else add(end, -1, "month")
            return (Range(None, moved),)
        if slots.comparison.kind == "pop" and slots.grain:
            if not mark:
                return ranges
            return tuple(
                Range(item.start and add(item.start, -1, slots.grain), item.end and add(item.end, -1, slots.grain))
                for item in ranges
            )
        pairs = comparison_base(
            Resolved(ranges, time.grain, kind, time.rolling, ()), slots.comparison.kind, self.asked.clock,
            self.asked.calendar, slots.comparison.full or found.time.snapshot,
        )
        return tuple(base if mark else current for current, base in pairs)

    def timed(self, value: str, role: str, found: Object, ranges: tuple[Range, ...]) -> list[str]:
        if not found.time.snapshot:
            return during(value, ranges)
        source = self.layer.tables[found.measured].source
        day = f"{source}.{role}"
        where = sorted(during(day, ranges))
        grain = None if self.slots.rows else self.slots.grain
        by = [bucketed(day, grain, self.asked.calendar.week_start)] if grain else []
        return [f"{value} {'in' if by else '='} last max({day}) of {source} where {where} by {by}"]

    # -- outer parts -------------------------------------------------------------------------

    def outputs(self, leaf: dict[str, str]) -> tuple[tuple[str, str], ...]:
        found: list[tuple[str, str]] = []
        for name in self.asked.needed:
            current = self.formula(self.layer.metrics[name], leaf, "")
            found.append((name, current))
            if len(self.marks) > 1:
                base = f"nullif({self.formula(self.layer.metrics[name], leaf, '__base')}, 0)"
                found.append((f"{name}__base", base))
                found.append((f"{name}__diff", f"({current} - {base})"))
                found.append((f"{name}__change", f"(({current} / {base}) - 1)"))
        return tuple(found)

    def formula(self, metric: Metric, leaf: dict[str, str], mark: str) -> str:
        if metric.kind != "formula":
            return leaf[metric.id + mark]
        assert metric.expr is not None
        tree = exp.Paren(this=metric.expr.tree.copy())
        null_by_zero(tree)
        return render(tree.this, lambda node: self.formula(self.layer.metrics[node.name], leaf, mark))

    def ranked_by(self) -> str:
        order = self.slots.order
        return order.by if order and order.by else (*self.slots.metrics, *self.asked.needed)[0]

    def ranked_terms(self) -> list[str]:
        by, down = self.ranked_by(), self.direction()
        return [term.removesuffix("asc") + down for term in natural(self.layer, by)]

    def direction(self) -> str:
        return "desc" if self.slots.order is None or self.slots.order.descending else "asc"

    def within(self, keys: tuple[str, ...]) -> list[str]:
        per = {part for name in (self.slots.limit.per if self.slots.limit else ()) for part in self.layer.path(name)}
        return [alias for alias in keys if alias in per]

    def ranks(self, keys: tuple[str, ...]) -> frozenset[str]:
        limit = self.slots.limit
        if limit is None:
            return frozenset()
        found = {f"(rank_ <= {limit.last})", "over groups"}
        if limit.first > 1:
            found.add(f"(rank_ >= {limit.first})")
        found.add(f"rank_: RANK() within {sorted(self.within(keys))} by {self.ranked_terms()}")
        names = list(keys)
        for name in self.asked.needed:
            names += [name, *([f"{name}__base", f"{name}__diff", f"{name}__change"] if len(self.marks) > 1 else [])]
        found.add(f"shows {tuple(names)}")
        return frozenset(found)

    def order(self, keys: tuple[str, ...]) -> tuple[str, ...]:
        if not keys:
            return ()
        terms: list[str] = []
        for alias in self.within(keys):
            terms += natural(self.layer, alias)
        if self.slots.order is not None or self.slots.limit is not None:
            terms += self.ranked_terms()
        said = {term.rpartition(" ")[0] for term in terms}
        for alias in keys:
            if not alias.endswith("__label"):
                terms += [term for term in natural(self.layer, alias) if term.rpartition(" ")[0] not in said]
        return tuple(terms)


def null_by_zero(tree: exp.Expr) -> None:
    """A division by zero is NULL."""
    for node in list(tree.find_all(exp.Div)):
        if not isinstance(node.expression, exp.Literal):
            node.set("expression", exp.Nullif(this=node.expression, expression=exp.Literal.number(0)))


def natural(layer: Layer, alias: str) -> list[str]:
    """Numbered texts by length first."""
    dimension = layer.dimensions.get(alias)
    numbered = dimension is not None and dimension.pattern is not None and dimension.type == "text"
    return [f"length({alias}) asc", f"{alias} asc"] if numbered else [f"{alias} asc"]


def bucketed(value: str, grain: str, week_start: int) -> str:
    """The first day of a bucket."""
    if grain == "half":
        year = f"bucket[year]({value})"
        return f"date(case((extract[MONTH]({value}) > 6): ({year} + interval[6 MONTH]); else {year}))"
    if grain == "week" and week_start != 0:
        step = f"interval[{7 - week_start} DAY]"
        return f"date((bucket[week](({value} + {step})) - {step}))"
    return f"date(bucket[{grain}]({value}))"


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
    if test.low is not None and test.low == test.high and test.low_inclusive and test.high_inclusive:
        return [f"({value} = {number(test.low)})"]
    found = []
    if test.low is not None:
        found.append(f"({value} {'>=' if test.low_inclusive else '>'} {number(test.low)})")
    if test.high is not None:
        found.append(f"({value} {'<=' if test.high_inclusive else '<'} {number(test.high)})")
    return found


def number(value: Decimal) -> str:
    """A decimal, never in exponent form."""
    text = format(value, "f")
    return text


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
                return [f"({value} is not {written[0]})" if negated else f"({value} = {written[0]})"]
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
        if limit is not None and way is not None and way.many is None and not isinstance(limit.test, Members):
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
    return f"exists {source} where {sorted((*tied, *where))}"


def _members(rows: From, found: Object, test: Members) -> list[str]:
    layer = rows.layer
    routes = [found.route(rows.table, name) for name in test.fields]
    many = next((route.many for route in routes if route and route.many), None)
    below = rows if many is None else rows.below(many.to)
    far = next((route for route in routes if route and route.many), None)
    columns = []
    for name, route in zip(test.fields, routes, strict=True):
        assert route is not None
        steps = route.steps if many is None or route.many or far is None else _beside(layer, far, name)
        columns.append(below.column(steps, route.of(layer.dimensions[name]).column))
    kinds = [layer.dimensions[name].type for name in test.fields]
    if len(columns) == 1 and all(row[0] is not None for row in test.rows):
        parts = tested(columns[0], Among(tuple(row[0] or "" for row in test.rows)), kinds[0])
    elif not test.rows:
        parts = ["false"]
    else:
        options = [
            [
                f"{column} is null" if value is None else f"({column} = {literal(value, kind)})"
                for column, value, kind in zip(columns, row, kinds, strict=True)
            ]
            for row in test.rows
        ]
        parts = options[0] if len(options) == 1 else [either([both(cells) for cells in options])]
    return parts if many is None else [exists(rows, many, parts)]


def _listing(asked: Asked) -> Said:
    slots, layer = asked.slots, asked.layer
    assert slots.object is not None
    found = layer.objects[slots.object]
    rows = From(
        layer, found.table, found if found.table == found.measured else None, asked.clock.date().isoformat()
    )
    columns: list[tuple[str, str]] = []
    for name in dict.fromkeys((*found.listed, *slots.shown)):
        if name in layer.dimensions and name in found.dimensions:
            route = found.route(found.table, name)
            assert route is not None
            dimension = route.of(layer.dimensions[name])
            columns.append((name, rows.joined(route.steps, dimension.column)))
            if dimension.label:
                columns.append((f"{name}__label", rows.joined(route.steps, dimension.label)))
        else:
            columns.append((name, rows.expression(found.attributes[name].expr)))
    metrics = _Metrics(asked)
    where: list[str] = []
    terms: list[str] = []
    role = slots.time.role if slots.time else None
    column = found.time.roles[role].column if role and role in found.time.roles else found.time.default
    if column is not None and role not in found.time.roles and found.time.default in found.time.roles:
        column = found.time.roles[found.time.default or ""].column
    if column is not None and found.table == found.measured:
        value = rows.column((), column)
        terms.append(f"{value} asc")
        if slots.time is not None or found.time.snapshot:
            where += metrics.timed(value, column, found, metrics.ranges(found, ""))
    for item in (*slots.filters, *asked.policy):
        where += filtered(rows, found, item, slots.filters if item in slots.filters else asked.policy)
    said = _said_order(rows, found, slots)
    terms = [*said, *terms]
    terms += [term for key in layer.tables[found.table].key if (term := f"{rows.column((), key)} asc") not in terms]
    ranks: set[str] = set()
    limit, order = "", tuple(terms)
    if slots.limit is not None and (said or slots.limit.first > 1 or slots.limit.per):
        within = []
        for name in (part for per in slots.limit.per for part in layer.path(per)):
            way = found.route(found.table, name)
            assert way is not None
            within.append(rows.joined(way.steps, way.of(layer.dimensions[name]).column))
        ranks = {
            f"(rank_ <= {slots.limit.last})",
            f"rank_: RANK() within {sorted(within)} by {said or terms}",
            f"place_: ROW_NUMBER() within [] by {terms}",
            f"shows {tuple(name for name, _ in columns)}",
        }
        if slots.limit.first > 1:
            ranks.add(f"(rank_ >= {slots.limit.first})")
        order = ("place_ asc",)
    elif slots.limit is not None:
        limit = str(slots.limit.last)
    return Said(
        frozenset({Passed(rows.source(found.table), frozenset(where), frozenset(), frozenset(columns))}), (),
        frozenset(), tuple((name, "") for name, _ in columns), frozenset(), frozenset(ranks), order, limit,
    )


def _said_order(rows: From, found: Object, slots: Slots) -> list[str]:
    if slots.order is None or not slots.order.by:
        return []
    by = slots.order.by
    if by in found.attributes:
        text = rows.expression(found.attributes[by].expr)
    elif by in found.time.roles:
        text = rows.column((), found.time.roles[by].column)
    else:
        way = found.route(found.table, by)
        assert way is not None
        text = rows.joined(way.steps, way.of(rows.layer.dimensions[by]).column)
    return [f"{text} {'desc' if slots.order.descending else 'asc'}"]
