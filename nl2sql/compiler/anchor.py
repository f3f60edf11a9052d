"""Pass 1 and 2, *anchor* and *scope*: each metric to its fact table, its date and its ranges."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, datetime

from nl2sql.compiler.plan import Key, Leg, Plan, Question, Shift
from nl2sql.errors import QuestionError
from nl2sql.periods import period_of
from nl2sql.slots import Slots, TimeSlot
from nl2sql.times import Range, Resolved, add, buckets, comparison_base
from semantic_layer.model import Layer, Metric, Object, Role

BUCKET = "bucket"
RANK = "rank_"
PLACE = "place_"


def make_plan(question: Question) -> Plan:
    """The plan of a question about metrics. Raises `QuestionError` where a slot cannot be met."""
    slots, layer = question.slots, question.layer
    for name in needed(slots):
        if name not in layer.metrics:
            raise QuestionError("unknown-metric", {"metric": name})
    check_reach(slots, layer)
    legs: list[Leg] = []
    for name in needed(slots):
        for leaf in layer.leaves(name):
            add_measure(legs, leaf, question)
    if slots.dimensions or slots.grain:
        legs = with_presence(legs, question)
    if slots.comparison is not None:
        legs = [paired for leg in legs for paired in pair(leg, question)]
    by = keys(slots, layer)
    for key in by:
        if key.alias in needed(slots):
            raise QuestionError("one-name", {"name": key.alias})
    return Plan(question, by, named(legs))


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
    dated = bool(ranges) or question.slots.grain is not None
    role = role_of(leaf, found, question) if dated else None
    for index, leg in enumerate(legs):
        if (leg.object, leg.table, leg.role, leg.once_per) == (
            found.id,
            leaf.table,
            role,
            leaf.once_per,
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
    if (
        time.rolling is not None
        and grain is not None
        and grain == time.rolling[1]
        and grain != "day"
    ):
        whole = buckets(resolved(time), grain, question.clock, question.calendar)
        return (Range(whole[0].start, whole[-1].end),)
    return time.ranges


def with_presence(legs: list[Leg], question: Question) -> list[Leg]:
    """A measure on a child table shows every group its object has rows in: add the object's own rows."""
    present = list(legs)
    for leg in legs:
        found = question.layer.objects[leg.object]
        child = leg.table != found.measured and leg.table in found.back
        if child and not any(
            other.table == found.measured and other.object == leg.object for other in present
        ):
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
                )
            )
    return present


def pair(leg: Leg, question: Question) -> tuple[Leg, ...]:
    """A leg and its comparison base."""
    slots = question.slots
    comparison, time = slots.comparison, slots.time
    assert comparison is not None
    if time is None or leg.role is None or not leg.ranges:
        raise QuestionError("comparison-needs-time")
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
        whole = comparison.full or leg.snapshot
        pairs = comparison_base(
            replace(resolved(time), ranges=leg.ranges),
            comparison.kind,
            question.clock,
            question.calendar,
            whole,
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


def back(moment: date | datetime | None, shift: Shift) -> date | datetime | None:
    """A moment, one shift earlier."""
    if isinstance(moment, datetime):
        return datetime.combine(add(moment.date(), -shift.count, shift.grain), moment.time())
    return None if moment is None else add(moment, -shift.count, shift.grain)


def named(legs: list[Leg]) -> tuple[Leg, ...]:
    """Give each leg a name of its own."""
    seen: dict[str, int] = {}
    result: list[Leg] = []
    for leg in legs:
        name = f"{leg.table}_{'once' if leg.once_per else 'totals'}{'_base' if leg.period == 'base' else ''}"
        seen[name] = seen.get(name, 0) + 1
        result.append(replace(leg, name=f"{name}_{seen[name]}" if seen[name] > 1 else name))
    return tuple(result)
