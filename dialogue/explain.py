"""What is no query: explanations, the catalogue, talk, and what is declined by kind (RULES.md §10)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from dialogue import answer, behind
from dialogue.example import example
from dialogue.scene import Scene
from dialogue.slot_words import slot_words
from dialogue.turn import Choice, Citation, Outcome
from dialogue.unread import not_understood
from dialogue.words import condition, describe, joined, say
from dialogue.world import World
from nl2sql.reading import Reading
from nl2sql.slots import Filter, Slots
from semantic_layer.model import Lang, Metric
from semantic_layer.passages import passages


@dataclass(frozen=True, slots=True)
class Talk:
    """An outcome in words alone; slots stay as they are."""

    outcome: Outcome
    text: str
    reason: str = ""
    sql: str | None = None
    offers: tuple[Choice, ...] = ()
    sources: tuple[Citation, ...] = ()
    explained: tuple[str, ...] = ()


def talk(scene: Scene, reading: Reading) -> Talk | None:
    """The words for a turn that is no query, or None when it is one. Raises as `answer.prepare`."""
    world, state, lang, intent = scene.world, scene.state, reading.lang, reading.intent
    match intent:
        case "change" | "leak":
            return Talk("decline", say(lang, f"decline.{intent}"), intent)
        case "why" | "predict" | "advise":
            name = next(
                iter(reading.mentioned or (state.slots.metrics if state.slots else ())), None
            )
            metric = world.field_label(name, lang) if name else ""
            return Talk("decline", say(lang, f"decline.{intent}", metric=metric), intent)
        case "explain_metric":
            return explain_metric(scene, reading)
        case "explain_result":
            return explain_result(scene, lang)
        case "catalogue" | "help":
            return catalogue(world, lang, intent, scene.policy)
        case "greet" | "thanks" | "bye":
            first = example(world, scene.policy, lang)
            return Talk("chat", say(lang, f"chat.{intent}", example=first))
        case "empty":
            first = example(world, scene.policy, lang)
            return Talk("decline", say(lang, "decline.nothing-read", offers=first), "empty")
    return None


def explain_metric(scene: Scene, reading: Reading) -> Talk:
    """What metrics mean: their descriptions, their formulas in words, and the documents about them."""
    state, lang = scene.state, reading.lang
    names = reading.mentioned or (state.slots.metrics if state.slots is not None else ())
    if reading.unread and not reading.mentioned:
        return Talk(
            "decline",
            say(lang, "decline.unread", **not_understood(scene, reading)),
            "unread",
        )
    if not names:
        return Talk("decline", say(lang, "explain.which"), "no-metric")
    lines, sources = explained(scene, names, lang)
    return Talk("explain", "\n".join(lines), sources=sources, explained=tuple(names))


def explained(
    scene: Scene, metrics: Iterable[str], lang: str
) -> tuple[list[str], tuple[Citation, ...]]:
    """The definition of each metric and the passages that belong to it, each passage once."""
    lines: list[str] = []
    sources: dict[Citation, None] = {}
    for name in metrics:
        lines.append(explain_one(scene.world, name, lang))
        for item in passages(scene.world.layer, name, tongue(lang), scene.clock.date()):
            source = Citation(item.title, item.file, item.heading, item.text)
            if source not in sources:
                lines.append(cited(source, lang))
            sources[source] = None
    return lines, tuple(sources)


def cited(source: Citation, lang: str) -> str:
    """A passage with where it stands."""
    return say(
        lang,
        "explain.cited" if source.heading else "explain.cited-whole",
        title=source.title,
        file=source.file,
        heading=source.heading,
        text=source.text,
    )


def explain_one(world: World, name: str, lang: str) -> str:
    """A metric's description and its formula in words."""
    metric = world.layer.metrics[name]
    formula = ""
    if metric.kind == "formula":
        formula = say(lang, "explain.formula", formula=formula_words(world, metric, lang))
    return say(
        lang,
        "explain.metric",
        metric=world.field_label(name, lang),
        description=metric.description.in_(tongue(lang)),
        formula=formula,
    )


def formula_words(world: World, metric: Metric, lang: str) -> str:
    """A formula with the labels of its metrics."""
    assert metric.expr is not None
    text = metric.expr.text
    for ref in sorted(metric.expr.refs, key=lambda item: -len(item.name)):
        text = text.replace(ref.name, world.field_label(ref.name, lang))
    return text.replace(" / ", " ÷ ").replace(" * ", " × ").replace(" - ", " − ")


def explain_result(scene: Scene, lang: str) -> Talk:
    """Where the last number came from: slots with their provenance, rows counted, and the query that ran."""
    world, state, slots = scene.world, scene.state, scene.state.slots
    if slots is None:
        return Talk("decline", say(lang, "explain.nothing"), "no-result")
    sql = answer.prepare(world, slots, scene.clock, scene.policy).sql
    lines = [
        say(
            lang,
            "explain.slot",
            name=say(lang, f"slot.{item.key.partition('.')[0]}"),
            value=value,
            source=say(lang, f"source.{item.source}", turn=item.turn),
        )
        for item in state.provenance
        if (value := slot_words(world, slots, item.key, lang))
    ]
    lines += [
        say(lang, "explain.policy", value=condition(world, item, lang, slots.object))
        for item in scene.policy
    ]
    text = say(
        lang,
        "explain.result",
        question=describe(world, slots, lang).whole(lang),
        slots="".join(lines),
        rows=_counted(scene, slots, lang),
        count=len(state.shown.rows) if state.shown is not None else 0,
    )
    definitions, sources = explained(scene, slots.metrics, lang)
    return Talk("explain", "\n".join([text, *definitions]), "", sql, sources=sources)


def _counted(scene: Scene, slots: Slots, lang: str) -> str:
    """How many rows were counted, in words; empty where the object has none to list."""
    found = scene.world.layer.objects[slots.object or ""]
    counts = behind.counted(scene.world, slots, scene.clock, scene.policy)
    if counts is None:
        return ""
    label = found.words.label(tongue(lang), found.id)
    return say(lang, "explain.rows", object=label, before=counts[0], after=counts[1])


def tongue(lang: str) -> Lang:
    """A language the texts are in."""
    return "zh" if lang == "zh" else "en"


def catalogue(world: World, lang: str, intent: str, policy: tuple[Filter, ...]) -> Talk:
    """What the user may ask: metrics by object, and dimensions."""
    parts = []
    shown = [
        found
        for found in world.layer.objects.values()
        if all(item.field in found.dimensions for item in policy)
    ]
    for found in shown:
        names = [
            world.field_label(name, lang)
            for name in found.metrics
            if not world.layer.metrics[name].hidden
        ]
        parts.append(
            say(
                lang,
                "chat.object",
                object=found.words.label("zh" if lang == "zh" else "en", found.id),
                metrics=joined(names, lang),
            )
        )
    used = {name for found in shown for name in found.dimensions}
    dimensions = joined(
        (world.field_label(name, lang) for name in world.layer.dimensions if name in used), lang
    )
    text = say(
        lang,
        f"chat.{intent}",
        metrics=("；" if lang == "zh" else "; ").join(parts),
        dimensions=dimensions,
        example=example(world, policy, lang),
    )
    return Talk("chat", text)
