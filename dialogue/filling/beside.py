"""What is shown beside the metrics: set as it was said, and let go where it no longer has a meaning."""

from __future__ import annotations

from dataclasses import replace

from dialogue.errors import Refuse
from dialogue.filling.base import Filling
from nl2sql.edits import Edit
from nl2sql.slots import BESIDE, Among, Filter


def beside(f: Filling, edits: list[Edit]) -> None:
    """Apply the edits on shares, totals, the others, running totals and filled trends.

    What an earlier turn asked for is dropped in silence of its own kind only: a rate has no share, and
    the list of what was dropped tells it.
    """
    said = {edit.slot for edit in edits}
    for edit in edits:
        if edit.slot in BESIDE:
            f.put(edit.slot, edit, **{edit.slot: edit.op == "set"})
        elif edit.slot == "others":
            if f.slots.limit is None:
                raise Refuse("others-without-ranks", {})
            f.put("limit", edit, limit=replace(f.slots.limit, others=edit.op == "set"))
    lift(f)
    slots, layer = f.slots, f.world.layer
    grouped = bool(slots.dimensions or slots.grain)
    sums = all(layer.additive(name) for name in slots.metrics)
    ranked = slots.limit is not None or bool(slots.having)
    stays = {
        "share": "share" in said or (grouped and sums and not slots.rows),
        "totals": "totals" in said or (grouped and not ranked and not slots.rows),
        "running": slots.grain is not None and ("running" in said or not slots.rows),
        "fill": "fill" in said or (slots.grain is not None and not slots.dimensions),
    }
    gone = {name: False for name, keep in stays.items() if not keep and getattr(slots, name)}
    if gone:
        f.slots = replace(f.slots, **gone)  # type: ignore[arg-type]
        f.said[:] = [item for item in f.said if item[0] not in gone]
    if not f.slots.share and f.slots.lifted:
        f.slots = replace(f.slots, lifted=())


def lift(f: Filling) -> None:
    """张江占多少: a share of all parks, of which the one named is shown."""
    slots = f.slots
    if not slots.share or slots.rows:
        return
    picked = [item.field for item in slots.filters if picks(item)]
    if not slots.dimensions and slots.grain is None and picked:
        deepest = max(picked, key=lambda name: len(f.world.layer.path(name)))
        slots = replace(slots, dimensions=(deepest,))
    fields = tuple(name for name in slots.dimensions if name in picked)
    f.slots = replace(slots, lifted=() if slots.limit else fields)


def picks(item: Filter) -> bool:
    """Whether a filter names values, rather than excludes some."""
    return isinstance(item.test, Among) and not item.test.negated
