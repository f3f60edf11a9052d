"""One question of the layer's own words, to show how one may ask; no data are looked at."""

from __future__ import annotations

from dialogue.words import say
from dialogue.world import World
from nl2sql.slots import Filter


def example(world: World, policy: tuple[Filter, ...], lang: str) -> str:
    """A metric by a dimension that a user with this policy may ask for: of the object with most metrics, a
    rate if it has one. Empty where there is none."""
    layer = world.layer
    shown = {
        found.id: [layer.metrics[name] for name in found.metrics if not layer.metrics[name].hidden]
        for found in layer.objects.values()
        if all(item.field in found.dimensions for item in policy)
    }
    for owner in sorted(shown, key=lambda item: -len(shown[item])):
        for metric in sorted(shown[owner], key=lambda item: not item.percent):
            for name in layer.objects[owner].dimensions:
                facts = {"metric": world.field_label(metric.id, lang), "time": ""}
                by = world.field_label(name, lang)
                text = say(lang, "opener.split", dimension=by, **facts).strip()
                if _read(world, text, metric.id, name):
                    return text
    return ""


def _read(world: World, text: str, metric: str, dimension: str) -> bool:
    """Whether a text is read as that metric by that dimension; kept, since the layer stays the same."""
    if text not in world.readable:
        reading = world.reader.read(text)
        said = {edit.slot: edit.value for edit in reading.edits}
        whole = said.get("metrics") == (metric,) and said.get("dimensions") == (dimension,)
        world.readable[text] = whole and not (reading.unread or reading.ambiguities)
    return world.readable[text]
