"""What a statement must say, computed from the slots and the layer alone, never from the plan."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date, datetime
from decimal import Decimal

from sqlglot import exp

from nl2sql.periods import period_of
from nl2sql.readback.from_sql import Passed, Said
from nl2sql.readback.moments import Limits
from nl2sql.readback.render import render, when
from nl2sql.readback.rows import (
    From,
    both,
    bounds,
    conjuncts,
    filtered,
    guards,
    null_by_zero,
    on_dimension,
    one_of,
    tested,
)
from nl2sql.slots import Filter, Members, Slots
from nl2sql.times import (
    Calendar,
    Grain,
    Range,
    Resolved,
    add,
    buckets,
    comparison_base,
    same_part,
)
from nl2sql.together import together
from nl2sql.windows import Period, hull, periods, widened
from semantic_layer.expression import Expression
from semantic_layer.model import HasMany, Layer, Metric, Object, Window

_SHIFTED = {
    "day": "1 DAY",
    "week": "7 DAY",
    "month": "1 MONTH",
    "quarter": "3 MONTH",
    "half": "6 MONTH",
    "year": "1 YEAR",
    "fiscal_quarter": "3 MONTH",
    "fiscal_year": "1 YEAR",
}


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
        return tuple(
            dict.fromkeys(
                (
                    *self.slots.metrics,
                    *(item.metric for item in self.slots.having),
                    *([by] if by else []),
                )
            )
        )


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


class Metrics:
    """A question about metrics."""

    def __init__(self, asked: Asked) -> None:
        self.asked, self.slots, self.layer = asked, asked.slots, asked.layer
        self.today = asked.clock.date().isoformat()
        self.marks = ("", "__base") if asked.slots.comparison else ("",)

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
        if len(passes) == 1 and len(self.marks) == 1 and not self.slots.fill:
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
            if mark := self.here(at.object, at.mark, merged):
                marks.add((mark, "0"))
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
            frozenset(combined),
            (*((alias, alias) for alias in apart), *outputs),
            frozenset() if self.slots.share else having,
            self.ranks(keys),
            self.order(keys),
            "",
        )

    def leaves(self, name: str) -> Iterator[Metric]:
        """What is aggregated from rows for a metric, over the window it is asked in."""
        for leaf in self.layer.leaves(name):
            if self.slots.running and self.slots.grain:
                yield replace(leaf, id=f"{leaf.id}__running", window=Window("running"))
            else:
                yield leaf

    def beside(self, leaf: Metric) -> bool:
        """Whether a metric that counts each key once is measured beside others of the same rows."""
        others = [other for name in self.asked.needed for other in self.leaves(name)]
        found = self.layer.objects[leaf.object]
        return together(self.layer, self.slots, found, leaf, others)

    def at(self, leaf: Metric, mark: str, total: bool = False) -> Pass:
        """The pass that a leaf metric belongs to."""
        snapshot = self.layer.objects[leaf.object].time.snapshot
        take = leaf.take if snapshot else "last"
        return Pass(
            leaf.object,
            leaf.table,
            self.dated(leaf),
            None if self.beside(leaf) else leaf.once_per,
            mark,
            leaf.window,
            take,
            total,
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
        own = [at for at in merged if (at.object, at.mark) == (name, mark)]
        gathered = any(at.gathered is not None for at in own)
        if not self.keys() or len(own) < 2 or (mark and not gathered):
            return ""
        beside = len(own) < len(merged) or (self.slots.fill and gathered)
        return f"here_{name}{mark}" if beside else ""

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
            back = () if rows.table == found.measured else found.back.get(rows.table, ())
            value = rows.business(back, leaf_role)
            comparison, grain = self.slots.comparison, self.slots.grain
            if base and comparison is not None:
                unit = grain if comparison.kind == "pop" else "year"
                moved = _SHIFTED[str(unit)]
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
        role = self.role(leaf)
        rows = self.limited(rows, found, role, mark, leaf.window)
        scope = found.scope if leaf.table == found.measured else None
        where = self.where(rows, found, leaf, mark, scope, total)
        if leaf.gathered is not None:
            where |= belonging(rows, leaf.gathered.of)
        elif not found.time.snapshot:
            rows = replace(rows, within=own_rows(rows, where))
            where = self.where(rows, found, leaf, mark, scope, total)
        keys = {
            alias: self.key_text(alias, rows, found, role, bool(mark), leaf.window)
            for alias in self.keys()
            if not total
        }
        if self.beside(leaf):
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
        columns = {**keys, leaf.id + mark: self.measure(rows, leaf, bool(keys))}
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
            for mark in self.marks:
                rows = self.limited(rows, found, role, mark, leaf.window)
                at = replace(
                    self.at(leaf, mark), table=found.measured, once_per=None, gathered=None
                )
                where = self.where(rows, found, leaf, mark, found.scope)
                columns = {
                    alias: self.key_text(alias, rows, found, role, bool(mark), leaf.window)
                    for alias in self.keys()
                }
                by = frozenset(columns.values())
                if not self.keys():
                    columns[self.there(leaf, mark)] = "case((count(*) > 0): 0; else null)"
                elif at in measured:
                    continue
                one = Passed(rows.source(found.measured), where, by, frozenset(columns.items()))
                found_ones.append((at, one))
        return found_ones

    def measure(self, rows: From, leaf: Metric, grouped: bool) -> str:
        where = None if leaf.where is None else rows.expression(leaf.where)
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

    def role(self, leaf: Metric) -> str | None:
        found = self.layer.objects[leaf.object]
        time = self.slots.time
        if time is not None and time.role and time.role in found.time.roles:
            return found.time.roles[time.role].column
        return leaf.time or (
            found.time.roles[found.time.default].column
            if found.time.default in found.time.roles and found.time.default
            else found.time.default
        )

    def dated(self, leaf: Metric) -> str | None:
        """The date of a leaf metric, where one plays a part: in a period or a bucket."""
        found = self.layer.objects[leaf.object]
        period = period_of(self.slots, found, self.asked.clock)
        windowed = leaf.window is not None
        if period is None and self.slots.grain is None and not found.time.snapshot and not windowed:
            return None
        return self.role(leaf)

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
        back = () if rows.table == found.measured else found.back.get(rows.table, ())
        if role is not None and window is not None:
            conditions += rows.during(back, role, (self.windowed(found, window, mark),))
            if self.slots.grain and not total:
                value = rows.business(back, role)
                conditions.append(f"{value} within {self.buckets(found, window, mark)}")
        elif role is not None and (period is not None or found.time.snapshot):
            grain = None if total else self.slots.grain
            ranges = self.ranges(found, mark)
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

    def limited(
        self, rows: From, found: Object, role: str | None, mark: str, window: Window | None = None
    ) -> From:
        """Rows that know by which column they are limited to a period, if they are."""
        period = period_of(self.slots, found, self.asked.clock)
        if role is not None and window is not None:
            back = () if rows.table == found.measured else found.back.get(rows.table, ())
            return replace(rows, limits=Limits(back, role, (self.windowed(found, window, mark),)))
        if role is None or (period is None and not found.time.snapshot):
            return rows
        back = () if rows.table == found.measured else found.back.get(rows.table, ())
        return replace(rows, limits=Limits(back, role, self.ranges(found, mark)))

    def ranges(self, found: Object, mark: str) -> tuple[Range, ...]:
        slots = self.slots
        time = period_of(slots, found, self.asked.clock)
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
        if slots.comparison.kind == "fixed":
            current, base = ranges[0], slots.comparison.base[0]
            if not slots.comparison.full and not found.time.snapshot:
                current, base = same_part(current, base, self.asked.clock.date())
            return (base if mark else current,)
        if found.time.snapshot and time.kind == "newest":
            end = ranges[0].end
            assert end is not None
            if not mark:
                return ranges
            moved = (
                add(end, -1, "year") if slots.comparison.kind == "yoy" else add(end, -1, "month")
            )
            return (Range(None, moved),)
        if slots.comparison.kind == "pop" and slots.grain:
            if not mark:
                return ranges
            return tuple(
                Range(
                    item.start and add(item.start, -1, slots.grain),
                    item.end and add(item.end, -1, slots.grain),
                )
                for item in ranges
            )
        pairs = comparison_base(
            Resolved(ranges, time.grain, kind, time.rolling, ()),
            slots.comparison.kind,
            self.asked.clock,
            self.asked.calendar,
            slots.comparison.full or found.time.snapshot,
        )
        return tuple(base if mark else current for current, base in pairs)

    def windowed(self, found: Object, window: Window, mark: str) -> Range:
        """All days that a window reads."""
        if self.slots.grain is not None:
            return hull(self.listed(found, window, mark))
        spans = self.spans(found, mark, None)
        today = self.asked.clock.date()
        return widened(window, spans[0], spans[0], today, self.asked.calendar)

    def spans(self, found: Object, mark: str, first: date | None) -> tuple[Range, ...]:
        """The ranges asked for; without a period, all there is."""
        period = period_of(self.slots, found, self.asked.clock)
        return (Range(first, None),) if period is None else self.ranges(found, mark)

    def listed(self, found: Object, window: Window | None, mark: str) -> tuple[Period, ...]:
        """The buckets of a trend, with the days that each is made of."""
        grain, comparison = self.slots.grain, self.slots.comparison
        assert grain is not None
        moved = None
        if mark and comparison is not None:
            moved = (1, grain if comparison.kind == "pop" else "year")
        spans = self.spans(found, mark, self.layer.data_from)
        whole = Resolved(spans, "day", "period", None, ())
        return periods(window, whole, grain, self.asked.clock, self.asked.calendar, moved)

    def buckets(self, found: Object, window: Window, mark: str) -> str:
        """The buckets that rows are read by, as they must be listed."""
        rows = (
            f"bucket {when(item.bucket)}, start_ {when(item.start)}, end_ {when(item.end)}"
            for item in self.listed(found, window, mark)
        )
        return f"buckets[{'; '.join(rows)}]"

    def trend(self, leaf: Metric) -> str:
        """The buckets of a trend without facts."""
        found = self.layer.objects[leaf.object]
        rows = (f"bucket {when(item.bucket)}" for item in self.listed(found, None, ""))
        return f"buckets[{'; '.join(rows)}]"

    def timed(
        self,
        rows: From,
        back: tuple[str, ...],
        role: str,
        found: Object,
        ranges: tuple[Range, ...],
        grain: Grain | None,
        take: str,
    ) -> list[str]:
        """The period of rows: as it is, or the last snapshot in it, in each bucket, of each key."""
        if not found.time.snapshot:
            return rows.during(back, role, ranges)
        value, source = rows.column(back, role), self.layer.tables[found.measured].source
        below = replace(rows.below(found.measured), limits=Limits((), role, ranges))
        day = below.column((), role)
        where = sorted(below.during((), role, ranges))
        per = [f"{source}.{name}" for name in found.time.per]
        chosen = ", ".join([*per, f"{'max' if take == 'last' else 'min'}({day})"])
        keys = ", ".join([*(rows.column(back, name) for name in found.time.per), value])
        shown = below.business((), role)
        by = [*per, *([bucketed(shown, grain, self.asked.calendar)] if grain else [])]
        sign = "in" if by else "="
        return [f"{keys} {sign} last {chosen} of {source} where {where} by {by}"]

    # -- outer parts -------------------------------------------------------------------------

    def outputs(self, leaf: dict[str, str]) -> tuple[tuple[str, str], ...]:
        found: list[tuple[str, str]] = []
        over = "__running" if self.slots.running and self.slots.grain else ""
        for name in self.asked.needed:
            current = self.formula(self.layer.metrics[name], leaf, over)
            found.append((name, current))
            if len(self.marks) > 1:
                base = self.formula(self.layer.metrics[name], leaf, f"{over}__base")
                base = f"nullif({base}, 0)"
                found.append((f"{name}__base", base))
                found.append((f"{name}__diff", f"({current} - {base})"))
                found.append((f"{name}__change", f"(({current} / {base}) - 1)"))
        return tuple(found)

    def formula(self, metric: Metric, leaf: dict[str, str], mark: str) -> str:
        if metric.window is not None:
            part = self.layer.metrics[metric.parts[0]]
            return self.formula(part, leaf, f"__{metric.window.name}{mark}")
        if metric.kind != "formula":
            return leaf[metric.id + mark]
        assert metric.expr is not None
        tree = exp.Paren(this=metric.expr.tree.copy())
        null_by_zero(tree)
        return render(
            tree.this, lambda node: self.formula(self.layer.metrics[node.name], leaf, mark)
        )

    def ranked_by(self) -> str:
        order = self.slots.order
        return order.by if order and order.by else (*self.slots.metrics, *self.asked.needed)[0]

    def ranked_terms(self) -> list[str]:
        by, down = self.ranked_by(), self.direction()
        return [term.removesuffix("asc") + down for term in natural(self.layer, by)]

    def direction(self) -> str:
        return "desc" if self.slots.order is None or self.slots.order.descending else "asc"

    def within(self, keys: tuple[str, ...]) -> list[str]:
        per = {
            part
            for name in (self.slots.limit.per if self.slots.limit else ())
            for part in self.layer.path(name)
        }
        return [alias for alias in keys if alias in per]

    def ranks(self, keys: tuple[str, ...]) -> frozenset[str]:
        limit, share = self.slots.limit, self.slots.share
        if limit is None and not share:
            return frozenset()
        found = {"over groups"}
        totals = ["total_"] if self.slots.totals else []
        if share:
            within = ["bucket"] if self.slots.grain and self.slots.dimensions else []
            for name in self.slots.metrics:
                total = f"sum({name}) within {sorted((*within, *totals))}"
                found.add(f"{name}__share: {name} of {total}")
        placed: list[str] = []
        if limit is not None:
            missing = [
                name
                for name in (self.slots.dimensions if share or limit.others else ())
                if name not in limit.per and self.slots.keeps_missing(name)
            ]
            placed = [f"(rank_ <= {limit.last})"]
            placed += [f"(rank_ >= {limit.first})"] if limit.first > 1 else []
            placed += [f"not {name} is null" for name in missing]
            within = sorted((*self.within(keys), *(f"{name} is null" for name in missing)))
            found.add(f"rank_: RANK() within {within} by {self.ranked_terms()}")
        if limit is not None and limit.others:
            found |= self.parted(keys, both(placed))
        else:
            found |= set(placed)
        for item in self.slots.picking:
            found |= set(tested(item.field, item.test, self.layer.dimensions[item.field].type))
        if share:
            found |= {part for item in self.slots.having for part in bounds(item.metric, item.test)}
        names = [*keys, *totals, *(["others_"] if limit is not None and limit.others else [])]
        for name in self.asked.needed:
            names += [
                name,
                *(
                    [f"{name}__base", f"{name}__diff", f"{name}__change"]
                    if len(self.marks) > 1
                    else []
                ),
                *([f"{name}__share"] if share and name in self.slots.metrics else []),
            ]
        found.add(f"shows {tuple(names)}")
        return frozenset(found)

    def parted(self, keys: tuple[str, ...], placed: str) -> set[str]:
        """The groups with a place, and the rest of each partition as one more row."""
        per = self.within(keys)
        found = {"others_": f"case({placed}: 0; else 1)"}
        for alias in keys:
            stays = alias.removesuffix("__label") in per
            found[alias] = alias if stays else f"case({placed}: {alias}; else null)"
        said = {f"parted {name}: {text}" for name, text in found.items()}
        said |= {f"parted by {text}" for text in found.values()}
        names = [
            *self.asked.needed,
            *(f"{name}__share" for name in self.slots.metrics if self.slots.share),
        ]
        return said | {f"parted {name}: sum({name})" for name in names}

    def order(self, keys: tuple[str, ...]) -> tuple[str, ...]:
        if not keys:
            return ()
        terms: list[str] = ["total_ asc"] if self.slots.totals else []
        for alias in self.within(keys):
            terms += natural(self.layer, alias)
        if self.slots.limit is not None and self.slots.limit.others:
            terms.append("others_ asc")
        if self.slots.order is not None or self.slots.limit is not None:
            terms += self.ranked_terms()
        said = {term.rpartition(" ")[0] for term in terms}
        for alias in keys:
            if not alias.endswith("__label"):
                terms += [
                    term
                    for term in natural(self.layer, alias)
                    if term.rpartition(" ")[0] not in said
                ]
        return tuple(terms)


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
        + ("_base" if at.mark else "")
        for at in passes
    ]
    return [
        f"{stem}_{count}" if (count := stems[: index + 1].count(stem)) > 1 else stem
        for index, stem in enumerate(stems)
    ]


def natural(layer: Layer, alias: str) -> list[str]:
    """Numbered texts by length first."""
    dimension = layer.dimensions.get(alias)
    numbered = dimension is not None and dimension.pattern is not None and dimension.type == "text"
    return [f"length({alias}) asc", f"{alias} asc"] if numbered else [f"{alias} asc"]


def bucketed(value: str, grain: str, calendar: Calendar) -> str:
    """The first day of a bucket."""
    week_start = calendar.week_start
    fiscal, _, plain = grain.partition("_")
    if fiscal == "fiscal":
        late = (calendar.fiscal_start - 1) % {"quarter": 3, "year": 12}[plain]
        if late:
            step = f"interval[{late} MONTH]"
            return f"date((bucket[{plain}](({value} - {step})) + {step}))"
        grain = plain
    if grain == "half":
        year = f"bucket[year]({value})"
        return (
            f"date(case((extract[MONTH]({value}) > 6): ({year} + interval[6 MONTH]); else {year}))"
        )
    if grain == "week" and week_start != 0:
        step = f"interval[{7 - week_start} DAY]"
        return f"date((bucket[week](({value} + {step})) - {step}))"
    return f"date(bucket[{grain}]({value}))"
