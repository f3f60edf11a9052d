"""Pass 1 and 2, *anchor* and *scope*: each metric to its fact table, its date and its ranges."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import date, datetime

from nl2sql.compiler.plan import Key, Leg, Plan, Question, Shift
from nl2sql.errors import QuestionError
from nl2sql.natural import BUCKET
from nl2sql.periods import period_of
from nl2sql.slots import Among, Comparison, Missing, Slots, TimeSlot
from nl2sql.times import (
    Range,
    Resolved,
    add,
    buckets,
    comparison_base,
    same_part,
    united,
    whole_buckets,
)
from nl2sql.together import at_once, by_row, together
from nl2sql.windows import hull, periods, widened
from semantic_layer.model import Layer, Metric, Object, Role, Window

RANK = "rank_"
PLACE = "place_"
TOTAL = "total_"
OTHERS = "others_"
RUNNING = Window("running")


def make_plan(question: Question) -> Plan:
    """The plan of a question about metrics. Raises `QuestionError` where a slot cannot be met."""
    slots, layer = question.slots, question.layer
    for name in needed(slots):
        if name not in layer.metrics:
            raise QuestionError("unknown-metric", {"metric": name})
    check_reach(slots, layer)
    check_beside(slots, layer)
    legs: list[Leg] = []
    found = [leaf for name in needed(slots) for leaf in leaves(layer, slots, name)]
    once: list[Metric] = []
    for leaf in dict.fromkeys(found):
        if together(layer, slots, layer.objects[leaf.object], leaf, found):
            once.append(leaf)
        else:
            add_measure(legs, leaf, question)
    for leaf in once:
        beside(legs, leaf)
    legs = with_presence(legs, question)
    if slots.comparison is not None:
        legs = [paired for leg in legs for paired in in_one(*pair(leg, question), question)]
    legs = [over_window(leg, question) for leg in legs]
    by = keys(slots, layer)
    for key in by:
        if key.alias in needed(slots):
            raise QuestionError("one-name", {"name": key.alias})
    if slots.totals:
        legs += [replace(leg, total=True) for leg in legs if not leg.presence]
    if slots.fill:
        legs.append(bare_buckets(legs[0], question))
    return Plan(question, by, named(legs))


def beside(legs: list[Leg], leaf: Metric) -> None:
    """Put a metric that counts each key once on the leg that passes over its rows."""
    for index, leg in enumerate(legs):
        one = leg.measures[0]
        if (one.object, one.table, one.time) == (leaf.object, leaf.table, leaf.time):
            legs[index] = replace(leg, once=(*leg.once, leaf))
            return
    raise QuestionError("rollups-differ")


def leaves(layer: Layer, slots: Slots, name: str) -> Iterator[Metric]:
    """What is aggregated for a metric; asked as running totals, over that window."""
    for leaf in layer.leaves(name, by_row(layer, slots)):
        if not slots.running or slots.grain is None:
            yield leaf
            continue
        if leaf.window is not None:
            raise QuestionError("window-twice", {"metric": name})
        if layer.objects[leaf.object].time.snapshot:
            raise QuestionError("window-of-snapshots", {"metric": name})
        yield replace(leaf, id=f"{leaf.id}__{RUNNING.name}", window=RUNNING)


def check_beside(slots: Slots, layer: Layer) -> None:
    """Refuse a share, totals, the others or bare buckets where they would not be what they seem."""
    grouped = bool(slots.dimensions or slots.grain)
    others = slots.limit is not None and slots.limit.others
    for name in needed(slots) if others else slots.metrics if slots.share else ():
        if not layer.additive(name):
            raise QuestionError("not-additive", {"metric": name})
        if not slots.dimensions and (slots.running or layer.windowed(name)):
            raise QuestionError("window-twice", {"metric": name})
    if (slots.share or slots.totals) and not grouped:
        raise QuestionError("nothing-to-part")
    kept = bool(slots.having) or slots.limit is not None
    if (
        (slots.totals and (kept or slots.running))
        or (slots.share and slots.having and slots.limit is not None)
        or (others and (slots.having or slots.comparison or slots.limit.first > 1))  # type: ignore[union-attr]
        or (slots.totals and slots.grain and any(map(layer.windowed, needed(slots))))
        or (slots.lifted and not picks(slots))
        or (slots.fill and (slots.dimensions or slots.totals or slots.grain is None))
    ):
        raise QuestionError("not-together")


def picks(slots: Slots) -> bool:
    """Whether the filters on lifted dimensions can pick rows after shares are known."""
    plain = all(isinstance(item.test, Among | Missing) for item in slots.picking)
    return slots.share and plain and set(slots.lifted) <= set(slots.dimensions) and not slots.limit


def over_window(leg: Leg, question: Question) -> Leg:
    """A leg over a window reads the days of the window: of each bucket, or of the one span."""
    if leg.window is None:
        return leg
    slots, today = question.slots, question.clock.date()
    ranges = leg.ranges or (Range(None, None),)
    if slots.grain is None:
        if len(ranges) != 1:
            raise QuestionError("window-of-several-periods")
        whole = widened(leg.window, ranges[0], ranges[0], today, question.calendar)
        return replace(leg, ranges=(whole,), shift=None)
    return with_buckets(leg, question)


def with_buckets(leg: Leg, question: Question) -> Leg:
    """A leg with the buckets it is read by, and the one range that holds them."""
    slots, layer = question.slots, question.layer
    assert slots.grain is not None
    ranges = leg.ranges or (Range(layer.data_from, None),)
    if slots.grain == "hour" or any(item.start is None for item in ranges):
        raise QuestionError("window-needs-period")
    found = periods(
        leg.window,
        Resolved(ranges, "day", "period", None, ()),
        slots.grain,
        question.clock,
        question.calendar,
        None if leg.shift is None else (leg.shift.count, leg.shift.grain),
    )
    if not found:
        raise QuestionError("window-needs-period")
    return replace(leg, ranges=(hull(found),), buckets=found)


def bare_buckets(leg: Leg, question: Question) -> Leg:
    """The buckets of a trend themselves, so that one without facts is seen."""
    plain = replace(
        leg, ranges=ranges_of(question, question.layer.objects[leg.object]), window=None, shift=None
    )
    return replace(with_buckets(plain, question), table="", measures=(), once_per=None, scope=None)


def needed(slots: Slots) -> tuple[str, ...]:
    """Every metric that must be computed: asked for, compared with, or ordered by."""
    found = list(slots.metrics)
    found += [item.metric for item in slots.having]
    by = slots.order.by if slots.order is not None else None
    if by is not None and by != BUCKET and by not in slots.dimensions:
        found.append(by)
    return tuple(dict.fromkeys(found))


def check_reach(slots: Slots, layer: Layer) -> None:
    """Refuse a dimension or filter that an asked object does not have."""
    asked = (
        {slots.object}
        if slots.rows and slots.object
        else {layer.metrics[name].object for name in needed(slots)}
    )
    for name in sorted(asked):
        found = layer.objects[name]
        fields = list(slots.dimensions)
        for item in slots.filters:
            fields.extend(getattr(item.test, "fields", (item.field,)))
        for field in fields:
            if field not in found.dimensions and field not in found.attributes:
                raise QuestionError(
                    "unreachable", {"field": field, "object": name}, found.dimensions
                )


def keys(slots: Slots, layer: Layer) -> tuple[Key, ...]:
    """The grouping columns: the bucket, then each dimension with its parents and label."""
    found: dict[str, Key] = {}
    if slots.grain is not None:
        found[BUCKET] = Key(BUCKET, "bucket", None)
    for name in slots.dimensions:
        for part in layer.path(name):
            if part != name and slots.fixed(part):
                continue
            found.setdefault(part, Key(part, "value", part))
            if layer.dimensions[part].label is not None:
                found.setdefault(f"{part}__label", Key(f"{part}__label", "label", part))
    return tuple(found.values())


def add_measure(legs: list[Leg], leaf: Metric, question: Question) -> None:
    """Put a leaf metric on the leg that passes over its rows, or on a new one."""
    found = question.layer.objects[leaf.object]
    ranges = ranges_of(question, found)
    dated = bool(ranges) or question.slots.grain is not None or leaf.window is not None
    role = role_of(leaf, found, question) if dated else None
    gathered = None if leaf.gathered is None else leaf.gathered.of
    for index, leg in enumerate(legs):
        own = (leg.object, leg.table, leg.gathered, leg.role, leg.once_per, leg.window, leg.take)
        if own == (
            found.id,
            leaf.table,
            gathered,
            role,
            leaf.once_per,
            leaf.window,
            leaf.take if leg.snapshot else "last",
        ):
            if leaf not in leg.measures:
                legs[index] = replace(leg, measures=(*leg.measures, leaf))
            return
    legs.append(
        Leg(
            leaf.table,
            found.id,
            leaf.table,
            found.scope if leaf.table == found.measured else None,
            role,
            ranges,
            found.time.snapshot and role is not None,
            (leaf,),
            leaf.once_per,
            window=leaf.window,
            take=leaf.take if found.time.snapshot else "last",
            gathered=gathered,
        )
    )


def role_of(leaf: Metric, found: Object, question: Question) -> Role | None:
    """The date a metric is measured by: the one that was said, its own, or the object's."""
    time = question.slots.time
    if time is not None and time.role is not None and time.role in found.time.roles:
        return found.time.roles[time.role]
    column = leaf.time or found.time.default
    if column is None:
        return None
    return found.time.roles.get(column) or Role(column, found.words, column, "back")


def resolved(time: TimeSlot) -> Resolved:
    """A time slot as the resolved time it came from."""
    kind = "period" if time.kind == "newest" else time.kind
    return Resolved(time.ranges, time.grain, kind, time.rolling, ())


def ranges_of(question: Question, found: Object) -> tuple[Range, ...]:
    """The ranges that are read: a rolling span shown by its own unit is whole buckets.

    Snapshots are never read all at once: without a period, up to the clock.
    """
    time, grain = period_of(question.slots, found, question.clock), question.slots.grain
    if time is None:
        return (Range(None, add(question.clock.date(), 1, "day")),) if found.time.snapshot else ()
    if grain is not None and whole_buckets(time.rolling, grain) is not None:
        whole = buckets(resolved(time), grain, question.clock, question.calendar)
        return (Range(whole[0].start, whole[-1].end),)
    return time.ranges


def with_presence(legs: list[Leg], question: Question) -> list[Leg]:
    """A measure on a child table shows every group its object has rows in: add the object's own rows.

    What is gathered is of the object's rows: those of the same date and window. Without groups, these
    tell whether there are any, over which a sum of nothing is 0.
    """
    present = list(legs)
    grouped = bool(question.slots.dimensions or question.slots.grain)
    for leg in sorted(legs, key=lambda leg: leg.gathered is None):
        found = question.layer.objects[leg.object]
        if leg.table == found.measured or leg.table not in found.back:
            continue
        if leg.gathered is None and not grouped:
            continue
        own = [
            index
            for index, other in enumerate(present)
            if (other.object, other.table) == (leg.object, found.measured)
            and (leg.gathered is None or _same_rows(other, leg))
        ]
        if not own:
            own = [len(present)]
            present.append(
                Leg(
                    found.measured,
                    found.id,
                    found.measured,
                    found.scope,
                    leg.role,
                    leg.ranges,
                    leg.snapshot,
                    (),
                    presence=True,
                    window=leg.window,
                    take=leg.take,
                )
            )
        if not grouped:
            present[own[0]] = replace(present[own[0]], here=True)
    return present


def _same_rows(one: Leg, other: Leg) -> bool:
    return one.once_per is None and (one.role, one.window) == (other.role, other.window)


def in_one(current: Leg, base: Leg, question: Question) -> tuple[Leg, ...]:
    """A leg and its comparison base; as one that reads the rows of both, where they can be told apart."""
    found, leaves = question.layer.objects[current.object], (*current.measures, *current.once)
    if not at_once(question.slots, found, current.window, leaves):
        return current, base
    compared = current.ranges, base.ranges
    return (replace(current, ranges=united(*current.ranges, *base.ranges), compared=compared),)


def pair(leg: Leg, question: Question) -> tuple[Leg, Leg]:
    """A leg and its comparison base."""
    slots = question.slots
    comparison, time = slots.comparison, slots.time
    assert comparison is not None
    if time is None or leg.role is None or not leg.ranges:
        raise QuestionError("comparison-needs-time")
    if comparison.kind == "fixed":
        return against(leg, comparison, question)
    if leg.snapshot and time.kind == "newest":
        years = -1 if comparison.kind == "yoy" else 0
        end = time.ranges[0].end
        assert end is not None
        base = (
            Range(
                None, add(add(end, years, "year"), -1 if comparison.kind == "pop" else 0, "month")
            ),
        )
        return leg, replace(leg, ranges=base, period="base", shift=None)
    shift = Shift(1, slots.grain if comparison.kind == "pop" and slots.grain else "year")
    if slots.grain is not None and comparison.kind == "pop":
        pairs = tuple(
            (item, Range(back(item.start, shift), back(item.end, shift))) for item in leg.ranges
        )
    else:
        pairs = comparison_base(
            replace(resolved(time), ranges=leg.ranges),
            comparison.kind,
            question.clock,
            question.calendar,
            compared_whole(leg, comparison),
        )
    if len(pairs) != len(leg.ranges):  # an open period has none before it
        raise QuestionError("comparison-needs-period")
    current = replace(leg, ranges=tuple(item for item, _ in pairs))
    return current, replace(
        leg,
        ranges=tuple(item for _, item in pairs),
        period="base",
        shift=shift if slots.grain else None,
    )


def compared_whole(leg: Leg, comparison: Comparison) -> bool:
    """Whether a period that is still open is compared as a whole: a date that looks ahead has rows after
    today, which the same period alone counts."""
    ahead = leg.role is not None and leg.role.looks == "ahead" and leg.window is None
    return comparison.full or leg.snapshot or ahead


def against(leg: Leg, comparison: Comparison, question: Question) -> tuple[Leg, Leg]:
    """A leg and the base that was named; a period still open is compared with as many days of it."""
    if question.slots.grain is not None or len(leg.ranges) != 1 or len(comparison.base) != 1:
        raise QuestionError("fixed-base-by-period")
    current, base = leg.ranges[0], comparison.base[0]
    if not compared_whole(leg, comparison):
        current, base = same_part(current, base, question.clock.date())
    return replace(leg, ranges=(current,)), replace(leg, ranges=(base,), period="base")


def back(moment: date | datetime | None, shift: Shift) -> date | datetime | None:
    """A moment, one shift earlier."""
    if isinstance(moment, datetime):
        return datetime.combine(add(moment.date(), -shift.count, shift.grain), moment.time())
    return None if moment is None else add(moment, -shift.count, shift.grain)


def leg_name(
    table: str, once: str | None, window: Window | None, take: str, total: bool, base: bool
) -> str:
    """What the part of a leg is called in SQL."""
    parts = [table or "trend", "once" if once else "totals"]
    parts += [window.name] if window else []
    parts += [take] if take == "first" else []
    parts += ["together"] if total else []
    return "_".join([*parts, "base"] if base else parts)


def named(legs: list[Leg]) -> tuple[Leg, ...]:
    """Give each leg a name of its own."""
    seen: dict[str, int] = {}
    result: list[Leg] = []
    for leg in legs:
        name = leg_name(
            leg.table, leg.once_per, leg.window, leg.take, leg.total, leg.period == "base"
        )
        seen[name] = seen.get(name, 0) + 1
        result.append(replace(leg, name=f"{name}_{seen[name]}" if seen[name] > 1 else name))
    return tuple(result)
