"""One slot value in words, by its key: what a person checks an answer by."""

from __future__ import annotations

from dialogue.explain import condition_on
from dialogue.filling import value_at
from dialogue.words import comparison, condition, joined, period, ranks, say
from dialogue.world import World
from nl2sql.slots import Filter, Having, Slots


def chip(world: World, slots: Slots, key: str, lang: str) -> str:
    """The value under a slot key in words; empty for what people need not see."""
    value = value_at(slots, key)
    if isinstance(value, Filter):
        return condition(world, value, lang, slots.object)
    if isinstance(value, Having):
        return condition_on(world, value, lang)
    match key:
        case "metrics":
            return joined((world.field_label(name, lang) for name in slots.metrics), lang)
        case "dimensions":
            names = joined((world.field_label(name, lang) for name in slots.dimensions), lang)
            return say(lang, "by", dimensions=names).strip()
        case "time":
            return period(slots.time, lang)
        case "grain":
            return say(lang, f"grain.{slots.grain}")
        case "comparison":
            return comparison(slots.comparison, lang) if slots.comparison else ""
        case "order":
            down = slots.order and slots.order.descending
            return say(lang, "order.desc" if down else "order.asc")
        case "limit":
            return ranks(slots.limit, lang) if slots.limit else ""
        case "rows":
            return say(lang, "row")
        case "share" | "totals" | "running" | "fill":
            return say(lang, f"with.{key}")
    return ""
