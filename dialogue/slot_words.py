"""One slot value in words: for the chips of an answer, and for telling where a number came from."""

from __future__ import annotations

from dialogue.changes import value_at
from dialogue.words import comparison, condition, group_condition, joined, period, ranks, say
from dialogue.world import World
from nl2sql.slots import Filter, Having, Slots


def slot_words(world: World, slots: Slots, key: str, lang: str) -> str:
    """The value of a slot key in words; empty for what other slots say already."""
    value = value_at(slots, key)
    if isinstance(value, Filter):
        return condition(world, value, lang, slots.object)
    if isinstance(value, Having):
        return group_condition(world, value, lang)
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
            descending = slots.order is not None and slots.order.descending
            return say(lang, "order.desc" if descending else "order.asc")
        case "limit":
            if slots.limit is None:
                return ""
            return ranks(world, slots.limit, lang, slots.grain, slots.dimensions)
        case "rows":
            return say(lang, "row")
        case "share" | "totals" | "running" | "fill":
            return say(lang, f"with.{key}")
    return ""
