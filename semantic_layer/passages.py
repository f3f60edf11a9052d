"""Retrieval: what a layer's documents say of a metric. By what they declare, so always the same."""

from __future__ import annotations

from datetime import date

from semantic_layer.model import Lang, Layer, Passage


def passages(layer: Layer, metric: str, lang: Lang, today: date) -> tuple[Passage, ...]:
    """The passages that belong to a metric, in the order of their files.

    Of documents of one title, the latest that holds today; one that does not hold yet is left out. Those
    in another language are for want of any in `lang`.
    """
    held = [item for item in layer.passages if (item.effective or date.min) <= today]
    latest: dict[tuple[str, Lang | None], date] = {}
    for item in held:
        key = (item.title, item.lang)
        latest[key] = max(latest.get(key, date.min), item.effective or date.min)
    found = tuple(
        item
        for item in held
        if metric in item.metrics and (item.effective or date.min) == latest[item.title, item.lang]
    )
    own = tuple(item for item in found if item.lang in (lang, None))
    return own or found
