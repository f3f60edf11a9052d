"""Order and limit."""

from __future__ import annotations

from dataclasses import replace

from dialogue.errors import Ask
from dialogue.filling.base import Filling, others
from dialogue.filling.grouping import within
from dialogue.state import Option
from dialogue.turn import Alternative
from dialogue.words import say
from nl2sql.edits import Edit
from nl2sql.slots import (
    BUCKET,
    Limit,
    Order,
)


def order(f: Filling, edits: list[Edit]) -> None:
    """Apply the edits on order and ranks."""
    named = next((edit.value for edit in edits if (edit.slot, edit.op) == ("metrics", "set")), ())
    assert isinstance(named, tuple)
    for edit in edits:
        if edit.slot == "limit" and edit.op == "clear":
            f.put("limit", edit, limit=None)
        elif edit.slot == "order" and edit.op == "clear":
            f.put("order", edit, order=None, limit=None)
        elif edit.slot == "limit" and isinstance(edit.value, Limit):
            if edit.note == "uncounted" and f.slots.limit is not None and bare_rank(f, edits):
                continue
            each = within(f, edits) or in_each(f, edits) or as_before(f, edits)
            limit = edit.value if edit.value.per else replace(edit.value, per=each)
            f.put("limit", edit, limit=limit)
        elif edit.slot == "order" and isinstance(edit.value, Order):
            value = edit.value
            if value.by is None and len(named) == 1 and named[0] in f.slots.metrics:
                value = replace(value, by=named[0] if named[0] != f.slots.metrics[0] else None)
            if that(f):
                assert f.state.slots is not None
                value = replace(value, by=f.state.slots.metrics[0])
            if edit.note == "undirected" and f.slots.order is not None and bare_rank(f, edits):
                value = f.slots.order
            elif edit.note == "undirected":
                up = Edit("order", "set", replace(value, descending=False))
                label = say(f.reading.lang, "order.asc")
                f.assume("order", "desc", Alternative(label, (up,)))
            if (
                value.by is not None
                and value.by in f.world.layer.metrics
                and value.by not in f.slots.metrics
            ):
                if len(f.slots.metrics) == 0:
                    f.slots = replace(f.slots, metrics=(value.by,))
            if edit.note == "judged" and lower(f, value):
                value = replace(value, descending=not value.descending)
            f.put("order", edit, order=value)
    if f.slots.limit is not None and f.slots.order is None:
        f.slots = replace(f.slots, order=Order())
    side_by_side(f, edits)
    by = f.slots.order.by if f.slots.order else None
    if that(f) or any(edit.note == "ranked" for edit in edits):
        return
    if by is not None and by in f.world.layer.metrics and by not in f.slots.metrics:
        assert f.slots.order is not None
        f.slots = replace(f.slots, order=replace(f.slots.order, by=None))


def side_by_side(f: Filling, edits: list[Edit]) -> None:
    """7月和8月应收最高的园区: periods side by side are ranked each by itself."""
    limit, time = f.slots.limit, f.slots.time
    if limit is None or time is None or BUCKET in limit.per or not f.slots.dimensions:
        return
    said = any(edit.slot == "grain" for edit in edits)
    if len(time.ranges) > 1 and f.slots.grain is not None and not said:
        f.slots = replace(f.slots, limit=replace(limit, per=(*limit.per, BUCKET)))


def in_each(f: Filling, edits: list[Edit]) -> tuple[str, ...]:
    """每月前3, after 各园区每月应收: in each month, as where it is all said in one turn."""
    buckets = any(edit.slot == "grain" and edit.value and not edit.note for edit in edits)
    named = any(edit.slot == "dimensions" for edit in edits)
    return (BUCKET,) if buckets and f.slots.dimensions and not named else ()


def as_before(f: Filling, edits: list[Edit]) -> tuple[str, ...]:
    """改成前2名, after 每个园区前3: still in each of them."""
    before = f.slots.limit
    if before is None or any(edit.slot == "dimensions" for edit in edits):
        return ()
    cut = {*f.slots.dimensions, *((BUCKET,) if f.slots.grain else ())}
    return before.per if set(before.per) < cut else ()


def that(f: Filling) -> bool:
    """最多的那栋的满意度: the one that was most of what was shown before."""
    before = f.state.slots
    return (
        "that" in f.reading.cues
        and f.switch is None
        and before is not None
        and bool(before.metrics)
    )


def lower(f: Filling, order: Order) -> bool:
    """Whether the metric that is ranked by is better when it is low: the worst vacancy rate is the highest."""
    by = order.by or (f.slots.metrics[0] if f.slots.metrics else None)
    metric = f.world.layer.metrics.get(by or "")
    return metric is not None and metric.better == "lower"


def bare_rank(f: Filling, edits: list[Edit]) -> bool:
    """Whether a turn is only about ranks."""
    return not any(edit.slot == "metrics" for edit in edits) and f.switch is None


def who(f: Filling) -> None:
    """谁欠得最多: whoever can be asked who, where the object has one kind of them."""
    layer, found = f.world.layer, f.about
    if f.slots.rows or found is None or not (f.slots.limit or f.slots.having):
        return
    things = {word for item in layer.objects.values() for word in item.words.all()}
    names = [name for name in found.dimensions if things & set(layer.dimensions[name].words.all())]
    if len(names) == 1:
        edit = Edit("dimensions", "set", (names[0],))
        f.put("dimensions", edit, dimensions=(names[0],))
        f.assume("dimensions", names[0], *others(f, "dimensions", names[0], found.dimensions))


def which_dimension(f: Filling) -> Ask:
    """The question what is to be ranked."""
    found = f.about
    assert found is not None
    options = tuple(
        Option(
            name,
            f.world.field_label(name, f.reading.lang),
            (Edit("dimensions", "set", (name,)),),
        )
        for name in found.dimensions
    )
    return Ask("dimension", "limit", options)


def ranked(f: Filling, edits: list[Edit]) -> None:
    """A ranking needs something to rank."""
    if "who" in f.reading.cues and not f.slots.dimensions and not f.slots.grain:
        who(f)
    slots = f.slots
    if slots.having and not slots.dimensions and not slots.grain:
        raise which_dimension(f)
    sorted_now = any(edit.slot == "order" and edit.op == "set" for edit in edits)
    if sorted_now and not slots.dimensions and not slots.grain and not slots.rows:
        raise which_dimension(f)
    if slots.limit is not None and not slots.dimensions and not slots.grain and not slots.rows:
        raise which_dimension(f)
    if any(edit.slot == "limit" and edit.op == "set" for edit in edits):
        ranked_together(f, edits)


def ranked_together(f: Filling, edits: list[Edit]) -> None:
    """前5的租户, after 按月看: the months stay (RULES.md §3), and are ranked with the tenants; told, with
    what else may be meant: tenants over all of the period, or those of each month."""
    limit, grain, lang = f.slots.limit, f.slots.grain, f.reading.lang
    if limit is None or grain is None or not f.slots.dimensions or BUCKET in limit.per:
        return
    if any(edit.slot == "grain" for edit in edits):
        return
    unit = say(lang, f"bucket.{grain}")
    clear = Edit("grain", "clear", None)
    whole = Alternative(say(lang, "alternatives.whole", bucket=unit), (clear,))
    each: tuple[Alternative, ...] = ()
    if len(f.slots.dimensions) == 1 and limit.first == 1 and (f.slots.order or Order()).descending:
        dimension = f.world.field_label(f.slots.dimensions[0], lang)
        facts = {"bucket": unit, "count": limit.last, "dimension": dimension}
        label = say(lang, "alternatives.each", **facts)
        anew = replace(limit, per=(*limit.per, BUCKET))
        each = (Alternative(label, (Edit("limit", "set", anew),)),)
    f.assume("limit", "together", whole, *each)
