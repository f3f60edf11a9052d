"""What a turn asks about: metrics, rows, or an object that leaves the metric open."""

from __future__ import annotations

from dataclasses import replace

from dialogue.errors import Refuse
from dialogue.filling.asking import amounts, plausible, which_metric
from dialogue.filling.base import Filling, others
from dialogue.filling.units import suited
from nl2sql.definition import own_condition
from nl2sql.edits import Edit
from nl2sql.slots import Filter, Having, Interval
from semantic_layer.model import Object


def subject(f: Filling, edits: list[Edit]) -> None:
    """Apply the edits on metrics, rows and objects."""
    layer = f.world.layer
    for edit in edits:
        if edit.slot == "metrics" and isinstance(edit.value, tuple):
            names = edit.value
            if edit.op == "set":
                if set(names) <= set(f.slots.metrics) and (edit.note == "order" or cut(f)):
                    continue
                if "measured" in f.reading.cues and keeps_count(f, names):
                    continue
                if only_condition(f, names):
                    names = tuple(dict.fromkeys((*f.slots.metrics, *names)))
                f.put(
                    "metrics",
                    edit,
                    metrics=names,
                    rows=False,
                    object=layer.metrics[names[0]].object,
                )
            elif edit.op == "add":
                if not f.slots.metrics:
                    f.put(
                        "metrics",
                        edit,
                        metrics=names,
                        rows=False,
                        object=layer.metrics[names[0]].object,
                    )
                else:
                    f.put(
                        "metrics",
                        edit,
                        metrics=tuple(dict.fromkeys((*f.slots.metrics, *names))),
                    )
            elif edit.op == "remove":
                left = tuple(name for name in f.slots.metrics if name not in names)
                if not left:
                    raise Refuse("nothing-left", {"metric": f.names(names)})
                having = tuple(item for item in f.slots.having if item.metric not in names)
                by = f.slots.order.by if f.slots.order else None
                order = None if by in names else f.slots.order
                f.put("metrics", edit, metrics=left, having=having, order=order)
                f.put("object", edit, object=layer.metrics[left[0]].object)
        elif edit.slot == "rows":
            listing(f, edit)
        elif edit.slot == "object" and not f.slots.metrics:
            if not (f.slots.rows and f.slots.object == edit.value) and not (
                edit.note == "hint" and f.slots.rows
            ):
                object_only(f, edit)
    if (
        f.slots.rows
        and f.reading.cues & {"how_many", "count"}
        and not any(edit.slot == "rows" for edit in edits)
    ):
        metric = f.about.default_metric if f.about else None
        if metric is not None:
            f.put("metrics", Edit("metrics", "set", (metric,)), metrics=(metric,), rows=False)


def cut(f: Filling) -> bool:
    """只要应收前三的园区, of a table of 应收 and 实收: fewer rows of it, the same columns."""
    ranks = any(edit.slot == "limit" and edit.op == "set" for edit in f.reading.edits)
    return "only" in f.reading.cues and ranks


def listing(f: Filling, edit: Edit) -> None:
    """The object's rows; a metric's own condition stays as a filter (空置房源数 → the vacant rooms),
    and the date it is about stays too. A condition that no filter can say is declined, not dropped."""
    if edit.note == "current" and of_those_shown(f):
        return
    name = str(edit.value) or f.slots.object
    if name is None:
        raise which_metric(f, plausible(f), "")
    same = f.slots.object == name
    filters, time = f.slots.filters if same else (), f.slots.time
    named = edit.note if edit.note in f.world.layer.metrics else ""
    for metric in (named,) if named else f.slots.metrics if same else ():
        one = f.world.layer.metrics[metric]
        own = own_condition(f.world.layer, metric)
        if one.where is not None and not own:
            raise Refuse("list-condition", {"metric": f.names((metric,))})
        for item in own:
            if all(other.field != item.field for other in filters):
                filters = (*filters, item)
        if time is not None and time.role is None:
            time = replace(time, role=one.time)
    f.put(
        "rows",
        edit,
        rows=True,
        metrics=(),
        dimensions=(),
        grain=None,
        having=(),
        comparison=None,
        object=name,
        filters=filters,
        time=time,
        limit=None,
        order=None,
    )


def of_those_shown(f: Filling) -> bool:
    """其中光谷的有哪些, after groups: which of the groups, not the rows they are made of."""
    before = f.state.slots
    return (
        "list" not in f.reading.cues
        and f.switch is None
        and before is not None
        and bool(before.dimensions and before.metrics)
        and any(item.kind == "set" for item in f.reading.references)
    )


def only_condition(f: Filling, names: tuple[str, ...]) -> bool:
    """其中欠费超过10万的: metrics named by conditions alone, on members or in the place of an earlier
    condition, stand beside what is shown."""
    said = {edit.value.metric for edit in f.reading.edits if isinstance(edit.value, Having)}
    before = {item.metric for item in f.slots.having}
    among = any(item.kind == "set" for item in f.reading.references)
    follows = f.switch is None and bool(f.slots.metrics)
    return follows and set(names) <= said and (among or set(names) <= before)


def keeps_count(f: Filling, names: tuple[str, ...]) -> bool:
    """多少家 of another object's things does not leave the topic: what is asked about stays."""
    owner = f.world.layer.metrics[names[0]].object
    return bool(f.slots.metrics or f.slots.rows) and owner not in {item.id for item in f.objects()}


def dated(f: Filling, name: str) -> str:
    """contracts expiring next quarter: the count that is about the very date that was said."""
    count = f.world.layer.metrics[name]
    roles = [
        edit.value for edit in f.reading.edits if edit.slot == "role" and edit.note == count.object
    ]
    found = [
        other.id
        for other in f.world.layer.metrics.values()
        if (other.object, other.kind) == (count.object, count.kind) and other.time in roles
    ]
    return found[0] if len(found) == 1 else name


def object_only(f: Filling, edit: Edit) -> None:
    """An object without a metric: its count where that is what its name means, else a question."""
    found = f.world.layer.objects[str(edit.value)]
    metric = found.default_metric
    shown = [name for name in found.metrics if not f.world.layer.metrics[name].hidden]
    if of_rows(f, found):
        listing(f, replace(edit, slot="rows", note=""))
        f.assume("rows", found.id, *others(f, "metrics", "", shown))
    elif (
        metric is not None
        and f.world.layer.metrics[metric].default
        and "topic_word" not in f.reading.cues
        and not amounts(f, found)
        and suited(f, (metric,))
    ):
        metric = dated(f, metric)
        f.put("metrics", edit, metrics=(metric,), object=found.id, rows=False)
        f.assume("metrics", metric, *others(f, "metrics", metric, shown))
    else:
        f.put("object", edit, object=found.id)
        raise which_metric(f, tuple(shown), found.id)


def of_rows(f: Filling, found: Object) -> bool:
    """金额超过5万的合同: what each of them must meet, and nothing that would be asked of all of them."""
    edits = f.reading.edits
    conditions = [
        edit
        for edit in edits
        if isinstance(edit.value, Filter)
        and isinstance(edit.value.test, Interval)
        and edit.value.field in found.attributes
    ]
    alone = {edit.slot for edit in edits} <= {"object", "filters", "time", "role"}
    other = f.reading.cues & {"whether", "count", "how_many", "topic_word"} or f.reading.references
    return bool(conditions and found.listed) and alone and not other
