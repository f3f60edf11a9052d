"""How many groups there are, instead of the groups: the statement of the groups, and one more over it."""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from nl2sql.errors import ReadBackError
from nl2sql.natural import natural
from nl2sql.slots import Slots
from semantic_layer.model import Layer

COUNTED = "counted"
GROUPS = "counted_groups"


def over(tree: exp.Select, slots: Slots, layer: Layer) -> exp.Select:
    """The count of a statement's groups, by what else they are shown by. NULL is no group to count."""
    inner = tree.copy()
    inner.set("order", None)
    clause = inner.args.get("with_")
    inner.set("with_", None)
    outer = _outer(slots, layer)
    outer.set("with_", clause)
    return outer.with_(exp.TableAlias(this=exp.to_identifier(GROUPS)), as_=inner, copy=False)


def under(tree: exp.Select, slots: Slots, layer: Layer) -> exp.Select:
    """The statement whose groups are counted. Raises `ReadBackError` where it is not counted as asked."""
    tree = tree.copy()
    clause = tree.args.get("with_")
    parts = clause.expressions if clause is not None else []
    if not parts or parts[-1].alias != GROUPS or not isinstance(parts[-1].this, exp.Select):
        raise ReadBackError("the groups that are counted are not there")
    tree.set("with_", None)
    if tree != _outer(slots, layer):
        raise ReadBackError(f"the groups are not counted as asked: {tree.sql()}")
    inner: exp.Select = parts[-1].this
    for part in parts[:-1]:
        inner = inner.with_(part.args["alias"], as_=part.this, copy=False)
    return inner


def shown(slots: Slots) -> Slots:
    """The slots of the groups themselves."""
    return replace(slots, counted=None)


def keys(slots: Slots, layer: Layer) -> list[str]:
    """The columns by which the groups are counted: all dimensions but the counted one, with parents."""
    found = ["bucket"] if slots.grain else []
    for name in slots.dimensions:
        for part in layer.path(name) if name != slots.counted else ():
            if part == name or not slots.fixed(part):
                found += [part, *([f"{part}__label"] if layer.dimensions[part].label else [])]
    return list(dict.fromkeys(found))


def _outer(slots: Slots, layer: Layer) -> exp.Select:
    assert slots.counted is not None
    by = keys(slots, layer)
    count = exp.Count(this=exp.column(slots.counted), big_int=True)
    select = exp.Select().select(*map(exp.column, by), exp.alias_(count, COUNTED)).from_(GROUPS)
    if not by:
        return select
    terms = [term for name in by if not name.endswith("__label") for term in natural(layer, name)]
    return select.group_by(*map(exp.column, by)).order_by(*terms)
