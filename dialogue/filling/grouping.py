"""Dimensions and grain: set, added, cleared; totals; values side by side."""

from __future__ import annotations

from dataclasses import replace

from dialogue import refer
from dialogue.errors import Ask
from dialogue.filling.base import Filling
from dialogue.state import Shown
from nl2sql.edits import Edit
from nl2sql.slots import (
    BUCKET,
    Filter,
)


def dimensions(f: Filling, edits: list[Edit]) -> None:
    """Apply the edits on dimensions and grain."""
    limited = any(edit.slot == "limit" for edit in edits)
    for edit in edits:
        if edit.slot == "dimensions" and isinstance(edit.value, tuple):
            if edit.op == "set":
                if edit.note == "measure" and f.slots.dimensions:
                    continue
                values: dict[str, object] = {"dimensions": edit.value}
                if not limited:
                    values |= {"limit": None, "order": None}
                if spread(f, edit):
                    values |= {"having": ()}
                if beside(f, edit) or edit.value == within(f, edits):
                    values["dimensions"] = tuple(dict.fromkeys((*f.slots.dimensions, *edit.value)))
                f.put("dimensions", edit, **values)
            elif edit.op == "add":
                f.put(
                    "dimensions",
                    edit,
                    dimensions=tuple(dict.fromkeys((*f.slots.dimensions, *edit.value))),
                )
            elif edit.op == "remove":
                left = tuple(name for name in f.slots.dimensions if name not in edit.value)
                f.put("dimensions", edit, dimensions=left)
                if not left and not f.slots.grain and not limited:
                    f.slots = replace(f.slots, limit=None, order=None)
        elif edit.slot == "dimensions" and edit.op == "clear":
            f.put("dimensions", edit, dimensions=())
            if not f.slots.grain and not limited:
                f.slots = replace(f.slots, limit=None, order=None, having=())
        elif edit.slot == "grain":
            if not limited and edit.value != f.slots.grain:
                other_buckets(f, edit)
            f.put("grain", edit, grain=edit.value)
    if f.slots.rows and (f.slots.dimensions or f.slots.grain):
        f.slots = replace(f.slots, rows=False)


def other_buckets(f: Filling, edit: Edit) -> None:
    """按周看, after 哪天最多: those ranks were of other buckets. 按月看, after 应收前3的园区: these three, as
    shown, by month."""
    shown, limit = f.state.shown, f.slots.limit
    if limit is not None and f.slots.dimensions:
        if BUCKET in limit.per and edit.value is not None:
            return  # in each of the new ones
        if BUCKET not in limit.per:
            if limit.per or f.slots.grain is not None or shown is None or not shown.rows:
                return
            freeze(f, edit, shown)
    f.slots = replace(f.slots, limit=None, order=None)


def beside(f: Filling, edit: Edit) -> bool:
    """An attribute asked of members (它们的行业) is shown beside them."""
    several = any(item.kind == "set" for item in f.reading.references)
    return (
        several
        and not any(item.slot == "metrics" for item in f.reading.edits)
        and edit.note == "bare"
    )


def within(f: Filling, edits: list[Edit]) -> tuple[str, ...]:
    """每个城市前2, after 各城市最高的园区: the ranks begin anew in each city, and parks are ranked as before."""
    each = next(
        (item.value for item in edits if (item.slot, item.note) == ("dimensions", "within")), ()
    )
    before = () if f.switch is not None or f.state.slots is None else f.state.slots.dimensions
    ranked = any(item.slot == "limit" and item.op == "set" for item in edits)
    assert isinstance(each, tuple)
    return each if ranked and set(each) < set(before) else ()


def freeze(f: Filling, edit: Edit, shown: Shown) -> None:
    """The rows shown, as they were, are what is asked about; none were, and it is asked what is."""
    if not shown.rows and "set" not in f.answered:
        raise Ask("reference", "set")
    if shown.rows:
        item = refer.members(f.world, shown, shown.fields[-1])
        f.slots = f.slots.with_filter(item)
        f.said.append((f"filters.{item.field}", edit))


def spread(f: Filling, edit: Edit) -> bool:
    """Grouping anew what a condition on groups has kept: the groups become members, where it is asked what they
    are (分布在哪些行业), or by an attribute of theirs. 改成按费项: the condition is on the new groups."""
    shown = f.state.shown
    before = f.slots
    if (
        f.switch is not None
        or not before.having
        or shown is None
        or not shown.fields
        or f.reading.references
    ):
        return False
    if any(item.slot == "having" for item in f.reading.edits) or edit.value == before.dimensions:
        return False
    cues = f.reading.cues
    if not cues & {"which", "rows_end"} and ("instead" in cues or not theirs(f, edit, shown)):
        return False
    freeze(f, edit, shown)
    return True


def theirs(f: Filling, edit: Edit, shown: Shown) -> bool:
    """Whether what is grouped by now tells about the single things shown: the industry of a tenant."""
    layer = f.world.layer
    one = layer.dimensions[shown.fields[-1]]
    asked = [layer.dimensions[name] for name in edit.value] if isinstance(edit.value, tuple) else []
    key = one.column == layer.tables[one.table].key[0]
    return key and all(item.table == one.table for item in asked)


def totals(f: Filling, edits: list[Edit]) -> None:
    """合计, 总的: the dimensions are cleared; after a ranking it covers just the rows shown."""
    if "total" not in f.reading.cues or any(
        edit.slot in ("dimensions", "grain") and edit.op == "set" for edit in edits
    ):
        return
    if f.slots.rows or f.slots.counted or (f.switch is not None and not f.crossed):
        return
    edit = Edit("dimensions", "clear", None)
    shown = f.state.shown
    cut = (f.slots.limit is not None or f.slots.having) and not any(
        item.slot in ("limit", "having") for item in edits
    )
    others = f.slots.limit is not None and f.slots.limit.others  # then all rows are there
    if cut and not others and shown is not None and shown.fields and not f.reading.references:
        freeze(f, edit, shown)
    if cut or f.slots.dimensions or f.slots.grain:
        keep = any(item.slot in ("limit", "having") for item in edits)
        share = f.slots.share and any(item.slot == "share" for item in edits)
        f.put("dimensions", edit, dimensions=(), grain=None, share=share)
        if not keep:
            f.slots = replace(f.slots, limit=None, order=None, having=())


def one_each(f: Filling) -> None:
    """分别是多少: a row each of the values that a filter names."""
    named = tuple(item.field for item in f.slots.filters if refer.several(item))
    if named and not f.slots.dimensions and f.slots.metrics:
        f.put("dimensions", Edit("dimensions", "set", named), dimensions=named)


def side_by_side(f: Filling, edits: list[Edit]) -> None:
    """X和Y named side by side, without a dimension: a row each; 合计 gives one number."""
    each = "respectively" in f.reading.cues or (
        "each_member" in f.reading.cues and "total" not in f.reading.cues  # the total across those
    )
    if each and not any(edit.slot == "dimensions" for edit in edits):
        one_each(f)
    if (
        "total" in f.reading.cues
        or f.slots.rows
        or any(edit.slot == "dimensions" for edit in edits)
    ):
        return
    if f.slots.dimensions or not f.slots.metrics:
        return
    for edit in edits:
        if edit.slot == "filters" and edit.op == "set" and edit.note == "several":
            for item in (edit.value, *edit.others):
                if (
                    isinstance(item, Filter)
                    and f.slots.filter(item.field) is not None
                    and not getattr(item.test, "negated", False)
                ):
                    f.slots = replace(f.slots, dimensions=(*f.slots.dimensions, item.field))
                    break
