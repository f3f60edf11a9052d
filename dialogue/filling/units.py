"""What a metric must be, where only a unit or a verb says so: 多少平, 花了多少钱, 欠了多少."""

from __future__ import annotations

from collections.abc import Sequence

from dialogue.errors import Refuse
from dialogue.filling.asking import plausible, which_metric
from dialogue.filling.base import Filling
from nl2sql.definition import own_condition
from nl2sql.edits import Edit


def units(f: Filling, edits: list[Edit]) -> None:
    """空置房源多少平 is their area, 用电花了多少钱 their cost: the metric that has the unit asked for.

    Its condition is that of the metric named; where that has no twin, it becomes a filter.
    """
    unit = next((cue.partition(":")[2] for cue in f.reading.cues if cue.startswith("unit:")), None)
    layer = f.world.layer
    if unit is None or f.reading.ambiguities:
        return
    if not (f.slots.metrics or f.slots.rows):
        of_role(f, unit)
        return
    metrics = [layer.metrics[name] for name in f.slots.metrics]
    if any((metric.unit or "").partition("/")[0] == unit for metric in metrics):
        return
    owners = {found.id for found in f.objects()}
    fits = [
        metric
        for metric in layer.metrics.values()
        if metric.object in owners and metric.unit == unit and not metric.hidden
    ]
    if not fits:
        raise Refuse("nothing-fits", {})
    where = metrics[0].where.text if metrics and metrics[0].where is not None else None
    same = [item for item in fits if (item.where.text if item.where else None) == where]
    plain = [item for item in fits if item.where is None]
    found = same or plain
    if len(found) != 1:
        raise which_metric(f, tuple(item.id for item in found or fits), "")
    if not same:
        for item in own_condition(f.world.layer, metrics[0].id):
            f.slots = f.slots.with_filter(item)
            f.said.append((f"filters.{item.field}", Edit("filters", "set", item)))
    both = f.slots.metrics if "number_of" in f.reading.cues else ()  # 多少份合同、多少面积
    edit = Edit("metrics", "set", (*both, found[0].id))
    f.put("metrics", edit, metrics=(*both, found[0].id), rows=False)


def of_role(f: Filling, unit: str) -> None:
    """新签了多少面积: what was done to it tells the object, the unit its one metric."""
    layer = f.world.layer
    owners = {edit.note for edit in f.reading.edits if edit.slot == "role"}
    fits = [
        metric.id
        for metric in layer.metrics.values()
        if metric.object in owners and metric.unit == unit and metric.where is None
    ]
    if len(fits) == 1:
        edit = Edit("metrics", "set", (fits[0],))
        f.put("metrics", edit, metrics=(fits[0],), rows=False, object=layer.metrics[fits[0]].object)


def done(f: Filling, edits: list[Edit]) -> None:
    """临港欠了多少, after 应收: another number is meant than the one before, and it is not said which."""
    said = any(edit.slot in ("metrics", "rows", "object") for edit in edits)
    if said or not f.slots.metrics or f.reading.ambiguities:
        return
    if not suited(f, f.slots.metrics):
        raise which_metric(f, plausible(f), "")


def suited(f: Filling, metrics: Sequence[str]) -> bool:
    """Whether metrics can be what was done, as far as a verb says it."""
    verbs = {cue.partition(":")[2] for cue in f.reading.cues if cue.startswith("did:")}
    words = [word for name in metrics for word in f.world.layer.metrics[name].words.all()]
    return all(any(verb in word for word in words) for verb in verbs)
