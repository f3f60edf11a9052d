"""What a statement must say, computed from the slots and the layer alone, never from the plan."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property

from sqlglot import exp

from nl2sql.periods import period_of
from nl2sql.readback.dates import BOTH, SHIFTED, bucketed
from nl2sql.readback.from_sql import Passed, Said
from nl2sql.readback.outer import Outer
from nl2sql.readback.rows import (
    From,
    both,
    bounds,
    conjuncts,
    filtered,
    guards,
    on_dimension,
    one_of,
)
from nl2sql.slots import Members
from nl2sql.together import at_once, by_row, together
from semantic_layer.expression import Expression
from semantic_layer.model import HasMany, Metric, Object, Window


@dataclass(frozen=True, slots=True)
class Pass:
    """What tells one pass from another: whose rows of which table, by which date, at which period."""

    object: str
    table: str
    role: str | None
    once_per: str | None
    mark: str
    window: Window | None = None
    take: str = "last"
    total: bool = False
    gathered: HasMany | None = None


class Metrics(Outer):
    """A question about metrics."""

    def said(self) -> Said:
        """Everything the statement must say."""
        leaves = tuple(
            dict.fromkeys(leaf for name in self.asked.needed for leaf in self.leaves(name))
        )
        measured = [(leaf, mark, self.passed(leaf, mark)) for mark in self.marks for leaf in leaves]
        merged: dict[Pass, Passed] = {}
        for leaf, mark, one in measured:
            merge(merged, self.at(leaf, mark), one)
        for at, one in self.presence(leaves, set(merged)):
            merge(merged, at, one)
        if self.slots.totals:
            for mark in self.marks:
                for leaf in leaves:
                    merge(merged, self.at(leaf, mark, True), self.passed(leaf, mark, True))
        passes = list(merged.values())
        keys = self.keys()
        if len(passes) == 1 and self.slots.comparison is None and not self.slots.fill:
            texts = {leaf.id: dict(one.columns)[leaf.id] for leaf, _, one in measured}
            outputs = self.outputs(texts)
            shown = {(alias, dict(measured[0][2].columns)[alias]) for alias in keys}
            kept = {item for item in passes[0].columns if item[0].startswith("distinct ")}
            single = Passed(
                passes[0].table,
                passes[0].where,
                passes[0].groups,
                frozenset({*shown, *outputs, *kept}),
            )
            having = frozenset(
                part
                for item in self.slots.having
                for part in bounds(dict(outputs)[item.metric], item.test)
            )
            return Said(
                frozenset({single}),
                (),
                frozenset(),
                tuple((name, "") for name in (*keys, *(name for name, _ in outputs))),
                frozenset() if self.slots.share else having,
                self.ranks(keys),
                self.order(keys),
                "",
            )
        outputs = self.outputs({leaf.id + mark: leaf.id + mark for leaf, mark, _ in measured})
        having = frozenset(
            part
            for item in self.slots.having
            for part in bounds(dict(outputs)[item.metric], item.test)
        )
        apart = (*keys, "total_") if self.slots.totals else keys
        combined = {(alias, alias) for alias in apart} | {("group", alias) for alias in apart}
        for leaf, mark, _ in measured:
            value, zero = f"max({leaf.id}{mark})", self.zero(leaf, mark, merged)
            combined.add((leaf.id + mark, f"coalesce({value}, {zero})" if zero else value))
        for at, one in merged.items():
            marks = {("total_", str(int(at.total)))} if self.slots.totals else set()
            for mark in self.marks if at.mark == BOTH else (at.mark,):
                if here := self.here(at.object, mark, merged):
                    marks.add((here, "0" if at.total else self.present(at, mark)))
            merged[at] = replace(one, columns=one.columns | marks)
        passes, called = list(merged.values()), names(merged)
        if self.slots.fill:
            text = f"{self.trend(leaves[0])}.bucket"
            passes.append(
                Passed("buckets", frozenset(), frozenset({text}), frozenset({("bucket", text)}))
            )
            called.append("trend_totals")
        return Said(
            frozenset(passes),
            tuple(sorted(called)),
            frozenset(combined if len(passes) > 1 else ()),  # one pass may be of both periods
            (*((alias, alias) for alias in apart), *outputs),
            frozenset() if self.slots.share else having,
            self.ranks(keys),
            self.order(keys),
            "",
        )

    def leaves(self, name: str) -> Iterator[Metric]:
        """What is aggregated from rows for a metric, over the window it is asked in."""
        for leaf in self.layer.leaves(name, by_row(self.layer, self.slots)):
            if self.slots.running and self.slots.grain:
                yield replace(leaf, id=f"{leaf.id}__running", window=Window("running"))
            else:
                yield leaf

    @cached_property
    def beside(self) -> frozenset[str]:
        """The metrics that count each key once and are measured beside others of the same rows."""
        leaves = [leaf for name in self.asked.needed for leaf in self.leaves(name)]
        return frozenset(
            leaf.id
            for leaf in leaves
            if together(self.layer, self.slots, self.layer.objects[leaf.object], leaf, leaves)
        )

    def at(self, leaf: Metric, mark: str, total: bool = False) -> Pass:
        """The pass that a leaf metric belongs to."""
        return self.read(self.rows_of(leaf), mark, total)

    def read(self, rows: Pass, mark: str, total: bool = False) -> Pass:
        """A pass over the same rows for a period: the one for both, where there is one."""
        found, leaves = self.layer.objects[rows.object], self.same_rows.get(rows, [])
        both = at_once(self.slots, found, rows.window, leaves)
        return replace(rows, mark=BOTH if both else mark, total=total)

    @cached_property
    def same_rows(self) -> dict[Pass, list[Metric]]:
        """The leaf metrics that are measured over the same rows."""
        found: dict[Pass, list[Metric]] = {}
        for name in self.asked.needed:
            for leaf in self.leaves(name):
                found.setdefault(self.rows_of(leaf), []).append(leaf)
        return found

    def rows_of(self, leaf: Metric) -> Pass:
        """The pass over the rows of a leaf metric, whatever the period."""
        snapshot = self.layer.objects[leaf.object].time.snapshot
        take = leaf.take if snapshot else "last"
        return Pass(
            leaf.object,
            leaf.table,
            self.dated(leaf),
            None if leaf.id in self.beside else leaf.once_per,
            "",
            leaf.window,
            take,
            False,
            None if leaf.gathered is None else leaf.gathered.of,
        )

    def zero(self, leaf: Metric, mark: str, merged: dict[Pass, Passed]) -> str:
        """What a missing sum is: 0 in a group where its object has facts, else unknown (nothing)."""
        if not leaf.zero:
            return ""
        filled = self.slots.fill and leaf.kind != "count"
        if leaf.gathered is not None and not self.keys():
            return f"max({self.there(leaf, mark)})"
        if leaf.gathered is None and (not self.keys() or mark or filled):
            return ""
        if not filled and all(at.object == leaf.object and not at.mark for at in merged):
            return "0"
        here = self.here(leaf.object, mark, merged)
        return f"max({here})" if here else ""

    def there(self, leaf: Metric, mark: str) -> str:
        """The column that tells whether an object has any facts, where there are no groups."""
        window = f"__{leaf.window.name}" if leaf.window else ""
        return f"here_{leaf.object}{window}{mark}"

    def here(self, name: str, mark: str, merged: dict[Pass, Passed]) -> str:
        """The column that tells where an object has facts, if there must be one."""
        own = [at for at in merged if at.object == name and at.mark in (mark, BOTH)]
        gathered = any(at.gathered is not None for at in own)
        if not self.keys() or len(own) < 2 or (mark and not gathered):
            return ""
        alone = self.slots.comparison is None and len(own) == len(merged)
        beside = not alone or (self.slots.fill and gathered)
        return f"here_{name}{mark}" if beside else ""

    def present(self, at: Pass, mark: str) -> str:
        """0 where a pass has rows of a period."""
        if at.mark != BOTH:
            return "0"
        rows = From(self.layer, at.table)
        period = both(self.during(rows, self.layer.objects[at.object], at.role, mark))
        return f"max(case({period}: 0; else null))"

    def key_text(
        self,
        alias: str,
        rows: From,
        found: Object,
        leaf_role: str | None,
        base: bool,
        window: Window | None = None,
    ) -> str:
        if alias == "bucket":
            assert leaf_role is not None
            if window is not None:
                return f"{self.buckets(found, window, '__base' if base else '')}.bucket"
            back = found.back.get(rows.table, ())
            value = rows.business(back, leaf_role)
            comparison, grain = self.slots.comparison, self.slots.grain
            if base and comparison is not None:
                unit = grain if comparison.kind == "pop" else "year"
                moved = SHIFTED[str(unit)]
                value = f"({value} + interval[{moved}])"
            return bucketed(value, str(grain), self.asked.calendar)
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
            alias
            for alias in self.keys()
            if alias != "bucket"
            and (route := found.route(rows.table, alias.partition("__")[0]))
            and route.many
        ]
        for alias in far:
            name, _, part = alias.partition("__")
            dimension, route = self.layer.dimensions[name], found.route(rows.table, name)
            assert route is not None
            columns.append(
                (
                    alias,
                    below.joined(
                        route.steps,
                        dimension.label if part and dimension.label else dimension.column,
                    ),
                )
            )
        names = {alias.partition("__")[0] for alias in far}
        for item in (*self.slots.limiting, *self.asked.policy):
            if item.field in names:
                route = found.route(rows.table, item.field)
                assert route is not None
                if isinstance(item.test, Members):
                    ways = [found.route(rows.table, name) for name in item.test.fields]
                    where += one_of(below, ways, item.test)
                    continue
                where += on_dimension(
                    below, route.steps, self.layer.dimensions[item.field], item.test
                )
        if many.where is not None:
            where += conjuncts(below, many.where)
        where += [text for text in guards(below, many) if text not in where]
        pairs = ",".join(f"{b}={a}" for a, b in many.back.pairs)
        return f"{rows.source(rows.table)}>distinct {there} {sorted(columns)} where {sorted(where)}[{pairs}]"

    # -- passes ------------------------------------------------------------------------------

    def passed(self, leaf: Metric, mark: str, total: bool = False) -> Passed:
        """The pass that must compute a leaf metric, in groups or (`total`) over all of them."""
        found = self.layer.objects[leaf.object]
        rows = From(
            self.layer,
            leaf.table,
            found if leaf.table == found.measured else None,
            self.today,
            self.asked.policy,
        )
        role, read = self.role(leaf), self.at(leaf, mark).mark
        rows = self.limited(rows, found, role, read, leaf.window)
        scope = found.scope if leaf.table == found.measured else None
        where = self.where(rows, found, leaf, read, scope, total)
        if leaf.gathered is not None:
            where |= belonging(rows, leaf.gathered.of)
        elif not found.time.snapshot:
            rows = replace(rows, within=own_rows(rows, where))
            where = self.where(rows, found, leaf, read, scope, total)
        keys = {
            alias: self.key_text(alias, rows, found, role, bool(mark), leaf.window)
            for alias in self.keys()
            if not total
        }
        if leaf.id in self.beside:
            assert leaf.expr is not None
            once = f"{rows.source(leaf.table)}.{leaf.once_per}"
            by = sorted([once, *([keys["bucket"]] if "bucket" in keys else [])])
            text = f"sum(once {by}: {rows.expression(leaf.expr)})"
            columns = {**keys, leaf.id + mark: text}
            return Passed(
                rows.source(leaf.table), where, frozenset(keys.values()), frozenset(columns.items())
            )
        if leaf.once_per is not None:
            assert leaf.expr is not None
            inner = {f"distinct {alias}": text for alias, text in keys.items()}
            inner[f"distinct {leaf.once_per}"] = rows.column((), leaf.once_per)
            inner["distinct once_value"] = rows.expression(leaf.expr)
            columns = {
                **{alias: f"once.{alias}" for alias in keys},
                leaf.id + mark: "sum(once.once_value)",
                **inner,
            }
            return Passed(
                rows.source(leaf.table),
                where,
                frozenset(f"once.{alias}" for alias in keys),
                frozenset(columns.items()),
            )
        period = self.during(rows, found, role, mark) if read == BOTH else []
        columns = {**keys, leaf.id + mark: self.measure(rows, leaf, bool(keys), period)}
        return Passed(
            rows.source(leaf.table), where, frozenset(keys.values()), frozenset(columns.items())
        )

    def presence(
        self, leaves: tuple[Metric, ...], measured: set[Pass]
    ) -> list[tuple[Pass, Passed]]:
        """The object's own rows, where only child rows would show which groups there are; beside what is
        gathered, those of the same date and window. Without groups, whether there are any such rows."""
        found_ones: list[tuple[Pass, Passed]] = []
        seen = {(at.object, at.table) for at in measured}
        for leaf in sorted(leaves, key=lambda leaf: leaf.gathered is None):
            found = self.layer.objects[leaf.object]
            gathers = leaf.gathered is not None
            if leaf.table == found.measured or leaf.table not in found.back:
                continue
            if not gathers and (not self.keys() or (leaf.object, found.measured) in seen):
                continue
            seen.add((leaf.object, found.measured))
            rows = From(self.layer, found.measured, found, self.today, self.asked.policy)
            role = self.role(leaf)
            own = replace(self.rows_of(leaf), table=found.measured, once_per=None, gathered=None)
            for mark in self.marks:
                at = self.read(own, mark)
                rows = self.limited(rows, found, role, at.mark, leaf.window)
                where = self.where(rows, found, leaf, at.mark, found.scope)
                columns = {
                    alias: self.key_text(alias, rows, found, role, bool(mark), leaf.window)
                    for alias in self.keys()
                }
                by = frozenset(columns.values())
                if not self.keys():
                    any_rows = "case((count(*) > 0): 0; else null)"
                    told = self.present(at, mark) if at.mark == BOTH else any_rows
                    columns[self.there(leaf, mark)] = told
                elif at in measured:
                    continue
                one = Passed(rows.source(found.measured), where, by, frozenset(columns.items()))
                found_ones.append((at, one))
        return found_ones

    def measure(self, rows: From, leaf: Metric, grouped: bool, period: list[str]) -> str:
        """What is measured; of the rows of a `period`, where another's are read with them."""
        where = None if leaf.where is None else rows.expression(leaf.where)
        if period and (leaf.kind == "sum" or (grouped and leaf.kind == "count")):
            added = "1" if leaf.expr is None or leaf.kind == "count" else rows.expression(leaf.expr)
            if leaf.kind == "sum" and grouped and leaf.zero and not always(rows, leaf):
                added = f"coalesce({added}, 0)"
            added = added if where is None else f"case({where}: {added}; else 0)"
            return f"sum(case({both(period)}: {added}; else null))"
        if period:
            where = both(period if where is None else [*period, where])
        if leaf.kind == "count" or leaf.expr is None:
            return "count(*)" if where is None else f"count(case({where}: 1; else null))"
        value = rows.expression(leaf.expr)
        if leaf.kind == "average" and leaf.weight is not None:
            weight, there = rows.expression(leaf.weight), f"not {value} is null"
            product = f"({value} * {weight})"
            if where is not None:
                product, there = f"case({where}: {product}; else null)", both([where, there])
            weights = f"sum(case({there}: {weight}; else null))"
            return f"(sum({product}) / nullif({weights}, 0))"
        if leaf.kind in ("percentile", "median"):
            value = value if where is None else f"case({where}: {value}; else null)"
            value = f"double({value})"
            at = format(leaf.at or 0, "f")
            return (
                f"median({value})"
                if leaf.at in (None, Decimal("0.5"))
                else f"percentile({value}, {at})"
            )
        if leaf.kind == "count_distinct" and len(leaf.expr.refs) == 1:
            (ref,) = leaf.expr.refs
            value = rows.column(ref.path, ref.name) if leaf.expr.tree.key == "column" else value
        if where is not None:
            value = f"case({where}: {value}; else {'0' if leaf.kind == 'sum' else 'null'})"
        if leaf.kind == "sum":
            zero = grouped and leaf.zero and not (where is None and always(rows, leaf))
            return f"coalesce(sum({value}), 0)" if zero else f"sum({value})"
        return (
            f"count(distinct({value}))"
            if leaf.kind == "count_distinct"
            else f"{leaf.kind}({value})"
        )

    def where(
        self,
        rows: From,
        found: Object,
        leaf: Metric,
        mark: str,
        scope: Expression | None,
        total: bool = False,
    ) -> frozenset[str]:
        conditions: list[str] = [] if scope is None else conjuncts(rows, scope)
        period = period_of(self.slots, found, self.asked.clock)
        role, window = self.role(leaf), leaf.window
        back = found.back.get(rows.table, ())
        if role is not None and window is not None:
            conditions += rows.during(back, role, (self.windowed(found, window, mark),))
            if self.slots.grain and not total:
                value = rows.business(back, role)
                conditions.append(f"{value} within {self.buckets(found, window, mark)}")
        elif role is not None and (period is not None or found.time.snapshot):
            grain = None if total else self.slots.grain
            ranges = self.ranges(found, mark, role)
            conditions += self.timed(rows, back, role, found, ranges, grain, leaf.take)
        for item in (*self.slots.limiting, *self.asked.policy):
            listed = self.slots.limiting if item in self.slots.limiting else self.asked.policy
            conditions += filtered(rows, found, item, listed)
        limit = self.slots.limit
        if limit is not None and not self.slots.share and not limit.others:
            for name in self.slots.dimensions:
                route = found.route(rows.table, name)
                if name in limit.per or route is None or not self.slots.keeps_missing(name):
                    continue
                column = route.of(self.layer.dimensions[name]).column
                way = (
                    f"{self.bridge(rows, found, route.many)}.{name}"
                    if route.many
                    else rows.joined(route.steps, column)
                )
                conditions.append(f"not {way} is null")
        return frozenset(conditions)


def belonging(rows: From, many: HasMany) -> set[str]:
    """What makes a row of a table one of the many of some row."""
    owner = rows.joined((many.back.name,), many.back.pairs[0][1])
    where = [] if many.where is None else conjuncts(rows, many.where)
    return {f"not {owner} is null", *where, *guards(rows, many)}


def own_rows(rows: From, where: frozenset[str]) -> tuple[str, ...]:
    """Those of the conditions that read only columns of the rows themselves."""
    source = rows.source(rows.table)
    found = []
    for text in where:
        said = re.sub("'(?:[^']|'')*'", "''", text)
        elsewhere = (f"{source}>", "exists ", " last ", " within buckets[")
        if f"{source}." in said and not any(mark in said for mark in elsewhere):
            found.append(text)
    return tuple(sorted(found))


def always(rows: From, leaf: Metric) -> bool:
    """Whether what a metric sums is there in every row: a rollup, or a COALESCE that ends in a number."""
    assert leaf.expr is not None
    tree = leaf.expr.tree
    if isinstance(tree, exp.Coalesce):
        return isinstance(tree.expressions[-1], exp.Literal)
    rolled = rows.rollups is not None and tree.name in rows.rollups.rollups
    plain = isinstance(tree, exp.Column) and not tree.table
    return plain and rolled and tree.name not in rows.layer.tables[rows.table].columns


def merge(passes: dict[Pass, Passed], at: Pass, one: Passed) -> None:
    """Add the columns of a pass to the pass of the same rows."""
    there = passes.get(at, one)
    passes[at] = replace(there, columns=there.columns | one.columns)


def names(passes: dict[Pass, Passed]) -> list[str]:
    """One name a pass, as many as there must be."""
    stems = [
        f"{at.table}_{'once' if at.once_per else 'totals'}"
        + (f"_{at.window.name}" if at.window else "")
        + ("_first" if at.take == "first" else "")
        + ("_together" if at.total else "")
        + ("_base" if at.mark == "__base" else "")
        for at in passes
    ]
    return [
        f"{stem}_{count}" if (count := stems[: index + 1].count(stem)) > 1 else stem
        for index, stem in enumerate(stems)
    ]
