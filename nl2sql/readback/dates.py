"""The dates that a statement must name: periods and their bases, snapshots, the buckets of windows."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

from nl2sql.periods import period_of
from nl2sql.readback.asked import Asked
from nl2sql.readback.moments import Limits
from nl2sql.readback.render import when
from nl2sql.readback.rows import (
    From,
)
from nl2sql.times import (
    Calendar,
    Grain,
    Range,
    Resolved,
    add,
    buckets,
    comparison_base,
    same_part,
    united,
    whole_buckets,
)
from nl2sql.windows import Period, hull, periods, widened
from semantic_layer.model import Metric, Object, Window

BOTH = "__both"  # marks what is of a period and of its base
SHIFTED = {
    "day": "1 DAY",
    "week": "7 DAY",
    "month": "1 MONTH",
    "quarter": "3 MONTH",
    "half": "6 MONTH",
    "year": "1 YEAR",
    "fiscal_quarter": "3 MONTH",
    "fiscal_year": "1 YEAR",
}


class Dates:
    """A question, and the dates it is about."""

    def __init__(self, asked: Asked) -> None:
        self.asked, self.slots, self.layer = asked, asked.slots, asked.layer
        self.today = asked.clock.date().isoformat()
        self.marks = ("", "__base") if asked.slots.comparison else ("",)

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

    def limited(
        self, rows: From, found: Object, role: str | None, mark: str, window: Window | None = None
    ) -> From:
        """Rows that know by which column they are limited to a period, if they are."""
        period = period_of(self.slots, found, self.asked.clock)
        back = found.back.get(rows.table, ())
        if role is not None and window is not None:
            return replace(rows, limits=Limits(back, role, (self.windowed(found, window, mark),)))
        if role is None or (period is None and not found.time.snapshot):
            return rows
        return replace(rows, limits=Limits(back, role, self.ranges(found, mark, role)))

    def during(self, rows: From, found: Object, role: str | None, mark: str) -> list[str]:
        """What tells the rows of a period from those of the other that it is compared with."""
        assert role is not None
        return rows.during(found.back.get(rows.table, ()), role, self.ranges(found, mark, role))

    def ranges(self, found: Object, mark: str, role: str | None = None) -> tuple[Range, ...]:
        """The periods of an object's rows, or of those they are compared with. An open one of a date that
        looks ahead (`role`, a column) is compared as a whole, as snapshots are."""
        if mark == BOTH:
            return united(*(item for one in self.marks for item in self.ranges(found, one, role)))
        slots = self.slots
        dates = (item for item in found.time.roles.values() if item.column == role)
        whole_period = found.time.snapshot or any(item.looks == "ahead" for item in dates)
        time = period_of(slots, found, self.asked.clock)
        if time is None:
            return (Range(None, add(self.asked.clock.date(), 1, "day")),)
        ranges = time.ranges
        kind = "period" if time.kind == "newest" else time.kind
        whole = Resolved(ranges, time.grain, kind, time.rolling, ())
        if slots.grain is not None and whole_buckets(time.rolling, slots.grain) is not None:
            listed = buckets(whole, slots.grain, self.asked.clock, self.asked.calendar)
            ranges = (Range(listed[0].start, listed[-1].end),)
        if slots.comparison is None:
            return ranges
        if slots.comparison.kind == "fixed":
            current, base = ranges[0], slots.comparison.base[0]
            if not slots.comparison.full and not whole_period:
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
            slots.comparison.full or whole_period,
        )
        return tuple(base if mark else current for current, base in pairs)

    def windowed(self, found: Object, window: Window, mark: str) -> Range:
        """All days that a window reads."""
        if self.slots.grain is not None:
            return hull(self.listed(found, window, mark))
        spans = self.spans(found, mark, None)
        today = self.asked.clock.date()
        return widened(window, spans[0], spans[0], today, self.asked.calendar)

    def spans(
        self, found: Object, mark: str, first: date | None, role: str | None = None
    ) -> tuple[Range, ...]:
        """The ranges asked for; without a period, all there is."""
        period = period_of(self.slots, found, self.asked.clock)
        return (Range(first, None),) if period is None else self.ranges(found, mark, role)

    def listed(
        self, found: Object, window: Window | None, mark: str, role: str | None = None
    ) -> tuple[Period, ...]:
        """The buckets of a trend, with the days that each is made of."""
        grain, comparison = self.slots.grain, self.slots.comparison
        assert grain is not None
        moved = None
        if mark and comparison is not None:
            moved = (1, grain if comparison.kind == "pop" else "year")
        spans = self.spans(found, mark, self.layer.data_from, role)
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
        listed = self.listed(found, None, "", self.role(leaf))
        rows = (f"bucket {when(item.bucket)}" for item in listed)
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
