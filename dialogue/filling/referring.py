"""References of a turn, carried into its slots."""

from __future__ import annotations

from dataclasses import replace

from dialogue import hierarchy, refer
from dialogue.errors import Ask
from dialogue.filling.base import Filling
from nl2sql.edits import Edit
from nl2sql.slots import (
    Among,
    Filter,
    Members,
    Missing,
    TimeSlot,
)


def still_rows(f: Filling, edits: list[Edit]) -> bool:
    """其中医药行业的, after a list: within the rows listed, which stay a list. Rows that were cut by
    rank cannot be told by a filter."""
    asked = any(edit.slot in ("metrics", "dimensions", "grain") for edit in edits)
    return f.slots.rows and f.slots.limit is None and not asked


def held(f: Filling, found: refer.Referent) -> bool:
    """它7月呢, of what was asked about all along: groups and ranks stay."""
    return bool(found.filters) and all(f.slots.filter(item.field) == item for item in found.filters)


def references(f: Filling, edits: list[Edit]) -> None:
    """Carry what the references of a turn stand for."""
    for reference in f.reading.references:
        found = refer.resolve(f.world, f.state, reference, "within" in f.reading.cues)
        cross = f.switch is not None and f.switch.rule == "object"
        f.crossed = f.crossed or cross
        if cross and not found.filters:  # one number of everything is nothing that could be carried
            raise Ask("reference", reference.kind)
        edit = Edit("filters", "set", None, reference.span, 1.0, "reference")
        if reference.kind == "set" and found.several and not cross and still_rows(f, edits):
            continue
        if reference.kind in ("one", "kind") and not cross and held(f, found):
            f.said += [(f"filters.{item.field}", edit) for item in found.filters]
            if reference.dimension is not None:  # 这栋楼, after a floor of it
                f.slots = f.slots.without_filter(*hierarchy.below(f.world, reference.dimension))
            continue
        if not cross:
            f.slots = replace(f.slots, limit=None, order=None, having=())
            dims = found.dimensions if found.several else ()
            if found.filters or found.several:
                f.slots = replace(
                    f.slots,
                    dimensions=dims or (f.slots.dimensions if found.several else ()),
                )
        elif found.several and "total" not in f.reading.cues:
            f.slots = replace(f.slots, dimensions=found.dimensions)
        for item in found.filters:
            put(f, item, edit)
            if reference.kind == "others":  # 其他园区, after a building of one
                f.slots = f.slots.without_filter(*hierarchy.below(f.world, item.field))


def put(f: Filling, item: Filter, edit: Edit) -> None:
    """Carry one filter that something stands for."""
    if isinstance(item.test, Among | Missing):
        f.slots, _ = hierarchy.place(f.world, f.slots, item)
    else:
        fields = item.test.fields if isinstance(item.test, Members) else ()
        f.slots = f.slots.without_filter(*fields).with_filter(item)
    f.said.append((f"filters.{item.field}", edit))


def summed(f: Filling, edits: list[Edit]) -> None:
    """加起来呢, after 张江 and 临港, or August and July, were asked about one after the other: both, as one
    number, where nothing else was asked anew."""
    slots = f.slots
    several = slots.dimensions or slots.grain or slots.limit or slots.having or slots.rows
    if "total" not in f.reading.cues or edits or several or f.reading.ambiguities:
        return
    if f.said or f.switch is not None or not f.state.past:
        return
    edit = Edit("filters", "set", None, (0, 0), 1.0, "reference")
    both = refer.one_after_the_other(f.state)
    if both is not None and unchanged(f, both):
        put(f, both, edit)
    elif both is None and (time := both_periods(f)) is not None:
        f.put("time", replace(edit, slot="time"), time=time)


def unchanged(f: Filling, both: Filter) -> bool:
    """Whether the turns that asked for these asked for the same of each."""
    fields = both.test.fields if isinstance(both.test, Members) else (both.field,)
    asked = [item.slots for item in f.state.past[1 - refer.size(both) :]]
    plain = f.slots.without_filter(*fields)
    return all(slots is not None and slots.without_filter(*fields) == plain for slots in asked)


def both_periods(f: Filling) -> TimeSlot | None:
    """The period of the last turn and that of the one before, where these were all that was not the same.
    Snapshots do not add up over time."""
    before, now = f.state.past[-1].slots, f.slots.time
    found = f.about
    if before is None or now is None or before.time is None or found is None or found.time.snapshot:
        return None
    ranges = (*before.time.ranges, *now.ranges)
    if replace(before, time=now) != f.slots or before.time == now or len(ranges) != 2:
        return None
    first, second = sorted(ranges, key=lambda item: str(item.start))
    if first.end is None or second.start is None or first.end > second.start:
        return None
    words = f"{before.time.words}、{now.words}"
    return replace(now, words=words, ranges=(first, second), kind="list", rolling=None)
