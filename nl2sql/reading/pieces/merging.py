"""Filters of one turn together: side by side, in pairs, a place within another."""

from __future__ import annotations

from dataclasses import replace

from nl2sql.edits import Edit
from nl2sql.reading.pieces.draft import Draft
from nl2sql.slots import Among, Filter, Interval, Members


def together(d: Draft) -> None:
    """Several filters on one field in one turn: values side by side are one filter; 是A不是B is A."""
    pairs(d)
    merged: list[Edit] = []
    for edit in d.edits:
        if edit.slot == "filters" and edit.op == "set" and isinstance(edit.value, Filter):
            index = next(
                (
                    at
                    for at, other in enumerate(merged)
                    if other.slot == "filters"
                    and other.op == "set"
                    and isinstance(other.value, Filter)
                    and other.value.field == edit.value.field
                    and not bounds(other, edit)
                ),
                None,
            )
            inner = None if index is None else within(d, merged[index], edit)
            if inner is not None:
                merged.append(inner)
                continue
            if index is not None:
                merged[index] = joined(merged[index], edit)
                continue
        merged.append(edit)
    d.edits = merged


def within(d: Draft, one: Edit, other: Edit) -> Edit | None:
    """2号楼3楼: right after a building, what may be a building or a floor is a floor of it."""
    if one.others or d.text[one.span[1] : other.span[0]].strip("的 ") or one.note:
        return None
    inner = [
        item
        for item in other.others
        if isinstance(item, Filter)
        and isinstance(one.value, Filter)
        and item.field in d.layer.dimensions
        and d.layer.dimensions[item.field].within == one.value.field
    ]
    return replace(other, value=inner[0], others=()) if len(inner) == 1 else None


def placed(d: Draft) -> None:
    """Shanghai parks, 上海园区: a place right before a smaller one is where those are, not where a
    company is registered."""
    levels = [list(items) for items in d.layer.hierarchies.values()]
    for index, edit in enumerate(d.edits):
        if edit.slot != "filters" or not edit.others or not isinstance(edit.value, Filter):
            continue
        named = {
            name
            for name, span, _ in (*d.weak, *d.dims)
            if span[0] >= edit.span[1] and not d.text[edit.span[1] : span[0]].strip("的 ")
        }
        for items in levels:
            options = [
                item
                for item in (edit.value, *edit.others)
                if isinstance(item, Filter)
                and item.field in items
                and named & set(items[items.index(item.field) + 1 :])
            ]
            if len(options) == 1:
                d.edits[index] = replace(edit, value=options[0], others=())


def pairs(d: Draft) -> None:
    """东湖内科、城南外科 are two pairs, not two places times two departments."""
    said = sorted(
        (edit for edit in d.edits if edit.slot == "filters" and edit.op == "set" and single(edit)),
        key=lambda edit: edit.span,
    )
    fields = [edit.value.field for edit in said if isinstance(edit.value, Filter)]
    if len(fields) < 4 or len(fields) % 2 or fields[::2] != [fields[0]] * (len(fields) // 2):
        return
    child = d.layer.dimensions.get(fields[1])
    if (
        child is None
        or child.within != fields[0]
        or fields[1::2] != [fields[1]] * (len(fields) // 2)
    ):
        return
    keys = [
        edit.value.test.values[0]
        for edit in said
        if isinstance(edit.value, Filter) and isinstance(edit.value.test, Among)
    ]
    rows = tuple(zip(keys[::2], keys[1::2], strict=True))
    d.edits = [edit for edit in d.edits if edit not in said]
    span = (said[0].span[0], said[-1].span[1])
    d.say(
        "filters", "set", Filter(fields[1], Members((fields[0], fields[1]), rows)), span, "several"
    )


def single(edit: Edit) -> bool:
    """Whether an edit filters by one value."""
    return (
        isinstance(edit.value, Filter)
        and isinstance(edit.value.test, Among)
        and len(edit.value.test.values) == 1
        and not edit.value.test.negated
    )


def bounds(one: Edit, other: Edit) -> bool:
    """Whether both set bounds on one attribute: those hold together (dialogue/filling/contradictions)."""
    tests = [edit.value.test for edit in (one, other) if isinstance(edit.value, Filter)]
    return len(tests) == 2 and all(isinstance(test, Interval) for test in tests)


def joined(one: Edit, other: Edit) -> Edit:
    """Two filters on the same field as one."""
    assert isinstance(one.value, Filter)
    assert isinstance(other.value, Filter)
    left, right = one.value.test, other.value.test
    if not isinstance(left, Among) or not isinstance(right, Among):
        return other
    if left.negated != right.negated:
        return one if right.negated else other
    values = tuple(dict.fromkeys((*left.values, *right.values)))
    note = "several" if not left.negated else one.note
    span = (min(one.span[0], other.span[0]), max(one.span[1], other.span[1]))
    return Edit(
        "filters", "set", Filter(one.value.field, Among(values, left.negated)), span, 1.0, note
    )
