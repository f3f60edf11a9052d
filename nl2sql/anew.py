"""Slots as the edits that make them anew, in a session of their own: how a question is passed on as structure."""

from __future__ import annotations

from dataclasses import replace

from nl2sql.edits import Edit
from nl2sql.slots import BESIDE, Slots


def anew(slots: Slots) -> tuple[Edit, ...] | None:
    """The edits that come to these slots where nothing was said before; None for what no edit says.

    Periods are absolute, so that they stay what they are; conditions stand in one order, so that the same slots
    give the same edits.

    >>> [(edit.slot, edit.value) for edit in anew(Slots(metrics=("rent",), grain="month"))]
    [('metrics', ('rent',)), ('grain', 'month')]
    """
    if slots.shown or not (slots.metrics or (slots.rows and slots.object)):
        return None
    edits = [
        Edit("rows", "set", slots.object) if slots.rows else Edit("metrics", "set", slots.metrics)
    ]
    if slots.dimensions:
        edits.append(Edit("dimensions", "set", slots.dimensions))
    if slots.grain is not None:
        edits.append(Edit("grain", "set", slots.grain))
    elif slots.time is not None and len(slots.time.ranges) > 1 and not slots.rows:
        edits.append(Edit("grain", "clear", None))  # several periods as one number
    filters = sorted(slots.filters, key=lambda item: item.field)
    edits += [Edit("filters", "set", item) for item in filters]
    having = sorted(slots.having, key=lambda item: item.metric)
    edits += [Edit("having", "set", item) for item in having]
    if slots.time is not None:
        rolling = slots.time.rolling if slots.time.kind == "rolling" else None
        edits.append(Edit("time", "set", replace(slots.time, words="", rolling=rolling)))
    if slots.comparison is not None:
        edits.append(Edit("comparison", "set", slots.comparison))
    if slots.order is not None:
        edits.append(Edit("order", "set", slots.order))
    if slots.limit is not None:
        edits.append(Edit("limit", "set", slots.limit))
    if slots.counted is not None:
        edits.append(Edit("counted", "set", slots.counted))
    return (*edits, *(Edit(name, "set", None) for name in BESIDE if getattr(slots, name)))
