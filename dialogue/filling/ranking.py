"""Order and limit."""

from __future__ import annotations

from dataclasses import replace

from dialogue.errors import Ask
from dialogue.filling.base import LISTED, Filling
from dialogue.state import Option
from nl2sql.edits import Edit
from nl2sql.slots import (
    Limit,
    Order,
)


def order(f: Filling, edits: list[Edit]) -> None:
    """Apply the edits on order and ranks."""
    for edit in edits:
        if edit.slot == "limit" and edit.op == "clear":
            f.put("limit", edit, limit=None)
        elif edit.slot == "limit" and isinstance(edit.value, Limit):
            if edit.note == "uncounted" and f.slots.limit is not None and bare_rank(f, edits):
                continue
            f.put("limit", edit, limit=edit.value)
        elif edit.slot == "order" and isinstance(edit.value, Order):
            value = edit.value
            if edit.note == "undirected" and f.slots.order is not None and bare_rank(f, edits):
                value = f.slots.order
            if (
                value.by is not None
                and value.by in f.world.layer.metrics
                and value.by not in f.slots.metrics
            ):
                if len(f.slots.metrics) == 0:
                    f.slots = replace(f.slots, metrics=(value.by,))
            f.put("order", edit, order=value)
    if f.slots.limit is not None and f.slots.order is None:
        f.slots = replace(f.slots, order=Order())
    by = f.slots.order.by if f.slots.order else None
    if any(edit.note == "ranked" for edit in edits):
        return
    if by is not None and by in f.world.layer.metrics and by not in f.slots.metrics:
        assert f.slots.order is not None
        f.slots = replace(f.slots, order=replace(f.slots.order, by=None))


def bare_rank(f: Filling, edits: list[Edit]) -> bool:
    """Whether a turn is only about ranks."""
    return not any(edit.slot == "metrics" for edit in edits) and f.switch is None


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
    return Ask("dimension", "limit", options[:LISTED], {}, max(0, len(options) - LISTED))


def ranked(f: Filling, edits: list[Edit]) -> None:
    """A ranking needs something to rank."""
    slots = f.slots
    if slots.having and not slots.dimensions and not slots.grain:
        raise which_dimension(f)
    sorted_now = any(edit.slot == "order" and edit.op == "set" for edit in edits)
    if sorted_now and not slots.dimensions and not slots.grain and not slots.rows:
        raise which_dimension(f)
    if slots.limit is not None and not slots.dimensions and not slots.grain and not slots.rows:
        raise which_dimension(f)
