"""Conditions on metrics (having)."""

from __future__ import annotations

from dataclasses import replace

from dialogue.errors import Ask, Refuse
from dialogue.filling.base import Filling
from dialogue.words import joined, say
from nl2sql.edits import OF_ROWS, Edit
from nl2sql.reading.pieces.bounds import measured
from nl2sql.slots import (
    Filter,
    Having,
    Interval,
)

_NUMBERS = frozenset({"integer", "decimal", "float"})


def numbers(f: Filling, edits: list[Edit]) -> None:
    """Apply the conditions on metrics."""
    for edit in edits:
        if edit.slot == "having" and edit.op == "clear":
            left = tuple(item for item in f.slots.having if edit.value not in (None, item.metric))
            f.put("having", edit, having=left)
        if edit.slot != "having" or not isinstance(edit.value, Having):
            continue
        value = edit.value
        if edit.note.startswith(OF_ROWS):
            raise not_of_rows(f, value.metric, edit.note.removeprefix(OF_ROWS))
        if not value.metric:
            attribute = last_condition(f) or by_unit(f, edit)
            if attribute is not None:
                item = Filter(attribute, value.test)
                f.slots = f.slots.with_filter(item)
                f.said.append((f"filters.{attribute}", edit))
                continue
            value = bare_bound(f, edit, value)
        if whether(f):
            f.asked.append(value)
            continue
        kept = tuple(item for item in f.slots.having if item.metric != value.metric)
        f.put(f"having.{value.metric}", edit, having=(*kept, value))
    if f.slots.having and not f.slots.dimensions and not f.slots.grain:
        shown = f.state.shown
        if shown is not None and shown.fields and f.switch is None:
            f.slots = replace(f.slots, dimensions=(shown.fields[-1],))


def not_of_rows(f: Filling, metric: str, owner: str) -> Refuse:
    """列出收缴率低于90%的账单: no single bill has a rate; the numbers that a row has are named."""
    lang, found = f.reading.lang, f.world.layer.objects[owner]
    usable = [
        f.world.field_label(item.id, lang, owner)
        for item in found.attributes.values()
        if item.type in _NUMBERS
    ]
    named = say(lang, "decline.row-condition.usable", fields=joined(usable, lang))
    facts = {
        "metric": f.names((metric,)),
        "object": found.words.label(lang, owner),
        "usable": named if usable else "",
    }
    return Refuse("row-condition", facts)


def whether(f: Filling) -> bool:
    """临港收缴率到90%了吗: no groups are chosen by it, the number itself is asked about."""
    return (
        "whether" in f.reading.cues
        and not f.reading.cues & {"which", "rows_end", "count", "clause"}
        and not any(edit.slot in ("limit", "rows") for edit in f.reading.edits)
    )


def by_unit(f: Filling, edit: Edit) -> str | None:
    """100平以上, of rooms: the attribute that is measured so, where the metric is not."""
    found = f.about
    if found is None or f.slots.having:
        return None
    units = [f.world.layer.metrics[name].unit or "" for name in f.slots.metrics]
    said = edit.note.partition(":")[2]
    return measured(f.world.layer, found.id, said, units[0] if len(units) == 1 else None)


def bare_bound(f: Filling, edit: Edit, value: Having) -> Having:
    """超过三个的呢: the same condition as before, with another number."""
    if f.slots.having:
        name = f.slots.having[-1].metric
    elif len(f.slots.metrics) == 1 and (f.slots.dimensions or whether(f)):
        name = f.slots.metrics[0]
    else:
        raise Ask("condition", "bound", (), {"word": edit.words})
    metric = f.world.layer.metrics[name]
    test = value.test
    if metric.percent and edit.note.startswith("bare"):
        test = replace(
            test,
            low=test.low / 100 if test.low is not None and abs(test.low) > 1 else test.low,
            high=test.high / 100 if test.high is not None and abs(test.high) > 1 else test.high,
        )
    return Having(name, test)


def last_condition(f: Filling) -> str | None:
    """The attribute that the last condition was on, when it was one on single rows."""
    turns = {item.key: item.turn for item in f.state.provenance}
    attributes = [item.field for item in f.slots.filters if isinstance(item.test, Interval)]
    if not attributes:
        return None
    latest = max(attributes, key=lambda name: turns.get(f"filters.{name}", 0))
    metrics = [turns.get(f"having.{item.metric}", 0) for item in f.slots.having]
    return latest if turns.get(f"filters.{latest}", 0) >= max(metrics, default=-1) else None
