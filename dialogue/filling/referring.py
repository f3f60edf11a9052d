"""References of a turn, carried into its slots."""

from __future__ import annotations

from dataclasses import replace

from dialogue import hierarchy, refer
from dialogue.errors import Ask
from dialogue.filling.base import Filling
from nl2sql.edits import Edit
from nl2sql.slots import (
    Among,
    Members,
    Missing,
)


def still_rows(f: Filling, edits: list[Edit]) -> bool:
    """其中医药行业的, after a list: within the rows listed, which stay a list. Rows that were cut by
    rank cannot be told by a filter."""
    asked = any(edit.slot in ("metrics", "dimensions", "grain") for edit in edits)
    return f.slots.rows and f.slots.limit is None and not asked


def references(f: Filling, edits: list[Edit]) -> None:
    """Carry what the references of a turn stand for."""
    for reference in f.reading.references:
        found = refer.resolve(f.world, f.state, reference)
        cross = f.switch is not None and f.switch.rule == "object"
        f.crossed = f.crossed or cross
        if cross and not found.filters:  # one number of everything is nothing that could be carried
            raise Ask("reference", reference.kind)
        edit = Edit("filters", "set", None, reference.span, 1.0, "reference")
        if found.several and not cross and still_rows(f, edits):
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
            if isinstance(item.test, Among | Missing):
                f.slots, _ = hierarchy.place(f.world, f.slots, item)
            else:
                f.slots = f.slots.without_filter(
                    *item.test.fields if isinstance(item.test, Members) else ()
                )
                f.slots = f.slots.with_filter(item)
            f.said.append((f"filters.{item.field}", edit))
