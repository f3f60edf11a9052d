"""How many of them: the groups of a condition or of a ranking, counted instead of shown."""

from __future__ import annotations

from dataclasses import replace

from dialogue import refer
from dialogue.filling.base import Filling
from dialogue.state import State
from dialogue.world import World
from nl2sql.edits import Edit
from nl2sql.reading import Reading
from semantic_layer.model import Metric

_KEEPS = frozenset({"filters", "having", "time", "role", "dimensions", "grain"})


def counts_shown(world: World, reading: Reading, state: State) -> Reading:
    """张江的有几家, after a ranking of tenants: those shown are counted, not all tenants there are."""
    slots = state.slots
    if slots is None or not (slots.having or slots.limit) or not slots.dimensions:
        return reading
    if "measured" in reading.cues:
        measured = {cue.partition(":")[2] for cue in reading.cues if cue.startswith("measure:")}
        words = {word for name in measured for word in world.layer.objects[name].words.all()}
        if not words & set(world.layer.dimensions[slots.dimensions[-1]].words.all()):
            return reading
        edits = tuple(edit for edit in reading.edits if edit.slot != "metrics")
        return replace(reading, edits=edits, cues=reading.cues | {"number_of"} - {"measured"})
    if slots.counted and any(edit.slot == "rows" and not edit.value for edit in reading.edits):
        edits = tuple(edit for edit in reading.edits if edit.slot != "rows")
        return replace(reading, edits=edits, cues=reading.cues | {"which"})
    return reading


def counts_before(world: World, reading: Reading, state: State) -> Reading:
    """总共多少套, after 空置房源数 or 空置面积: the vacant units, not all units there are."""
    before = () if state.slots is None else state.slots.metrics
    edit = next((one for one in reading.edits if (one.slot, one.op) == ("metrics", "set")), None)
    if "measured" not in reading.cues or not before or edit is None:
        return reading
    assert isinstance(edit.value, tuple)
    count = world.layer.metrics[edit.value[0]]
    if count.where is not None:
        return reading  # 急诊有多少人次, after 就诊人次: it says itself which
    named = [world.layer.metrics[name] for name in before]
    kept = any(counts_same(world, metric, count) for metric in named)
    twins = [
        other.id
        for metric in named
        for other in world.layer.metrics.values()
        if metric.where is not None
        and other.where is not None
        and other.where.text == metric.where.text
        and not other.hidden
        and counts_same(world, other, count)
    ]
    if not kept and len(twins) != 1:
        return reading
    value = before if kept else (twins[0],)
    edits = tuple(replace(one, value=value) if one is edit else one for one in reading.edits)
    return replace(reading, edits=edits, cues=reading.cues - {"measured"})


def counts_same(world: World, metric: Metric, count: Metric) -> bool:
    """Whether a metric counts the things that a count counts, be it only some of them."""
    same = metric.object == count.object and metric.kind == count.kind and metric.expr == count.expr
    if same or metric.kind != "count_distinct" or metric.expr is None:
        return same
    return (metric.expr.text,) == world.layer.tables[world.layer.objects[count.object].table].key


def counting(f: Filling, edits: list[Edit]) -> None:
    """欠费10万以上的租户有几家: the tenants are counted, by what else is grouped by.

    It stays while only conditions change. Of a ranking, the rows that were shown are counted.
    """
    slots, said = f.slots, {edit.slot for edit in edits}
    by_hand = next((edit for edit in edits if edit.slot == "counted"), None)
    fits = not slots.rows and slots.comparison is None
    if by_hand is not None and by_hand.value in slots.dimensions and fits:
        f.put("counted", by_hand, counted=by_hand.value, share=False, totals=False, order=None)
        return
    asked = "number_of" in f.reading.cues and not f.reading.cues & {"which", "rows_end", "list"}
    kept = slots.counted is not None and said <= _KEEPS and bool(said)
    listed = f.reading.cues & {"which", "rows_end", "list"} or f.reading.references
    if slots.counted is not None and "dimensions" in said and slots.counted not in slots.dimensions:
        dimensions = (*slots.dimensions, slots.counted)  # 按园区看: so many of them in each
        f.slots = slots = replace(slots, dimensions=dimensions)
    elif slots.counted is not None and (listed or "dimensions" in said or not (asked or kept)):
        f.slots = slots = replace(slots, counted=None)
    if not asked or slots.rows or not slots.dimensions or slots.comparison is not None:
        return
    if "metrics" in said and "having" not in said and not slots.having:
        return
    edit = Edit("dimensions", "set", slots.dimensions)
    name = slots.dimensions[-1]
    shown = f.state.shown
    if slots.limit is not None and not said & {"limit", "dimensions"} and f.switch is None:
        if shown is None or name not in shown.fields:
            return
        item = refer.members(f.world, shown, name)
        f.slots = slots = replace(slots.with_filter(item), limit=None, order=None)
        f.said.append((f"filters.{item.field}", edit))
    elif not slots.having:
        return
    f.put("counted", edit, counted=name, share=False, totals=False, order=None)
