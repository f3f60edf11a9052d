"""What is no query: explanations, the catalogue, talk, and what is declined by kind (RULES.md §10)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from dialogue import answer
from dialogue.scene import Scene
from dialogue.state import State
from dialogue.turn import Choice, Outcome
from dialogue.words import bounds, condition, describe, joined, period, say
from dialogue.world import World
from nl2sql.errors import GuardError, QuestionError, ReadBackError
from nl2sql.reading import Reading
from nl2sql.slots import Filter, Having
from semantic_layer.expression import reference
from semantic_layer.model import Lang, Metric


@dataclass(frozen=True, slots=True)
class Talk:
    """An outcome in words alone; slots stay as they are."""

    outcome: Outcome
    text: str
    reason: str = ""
    sql: str | None = None
    offers: tuple[Choice, ...] = ()


def talk(scene: Scene, reading: Reading) -> Talk | None:
    """The words for a turn that is no query, or None when it is one."""
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
            return explain_metric(world, state, reading)
        case "explain_result":
            return explain_result(world, state, lang, scene.clock, scene.policy)
        case "catalogue" | "help":
            return catalogue(world, lang, intent, scene.policy)
        case "greet" | "thanks" | "bye":
            return Talk("chat", say(lang, f"chat.{intent}", example=say(lang, "example")))
        case "empty":
            return Talk(
                "decline", say(lang, "decline.nothing-read", offers=say(lang, "example")), "empty"
            )
    return None


def explain_metric(world: World, state: State, reading: Reading) -> Talk:
    """A metric's definition: its description and its formula in words."""
    lang = reading.lang
    names = reading.mentioned or (state.slots.metrics if state.slots is not None else ())
    if reading.unread and not reading.mentioned:
        return Talk(
            "decline",
            say(lang, "decline.unread", text=joined((item.text for item in reading.unread), lang)),
            "unread",
        )
    if not names:
        return Talk("decline", say(lang, "explain.which"), "no-metric")
    texts = []
    for name in names:
        metric = world.layer.metrics[name]
        formula = (
            say(lang, "explain.formula", formula=formula_words(world, metric, lang))
            if metric.kind == "formula"
            else ""
        )
        texts.append(
            say(
                lang,
                "explain.metric",
                metric=world.field_label(name, lang),
                description=metric.description.in_(lang),
                formula=formula,
            )
        )
    return Talk("explain", "\n".join(texts))


def formula_words(world: World, metric: Metric, lang: str) -> str:
    """A formula with the labels of its metrics."""
    assert metric.expr is not None
    text = metric.expr.text
    for ref in sorted(metric.expr.refs, key=lambda item: -len(item.name)):
        text = text.replace(ref.name, world.field_label(ref.name, lang))
    return text.replace(" / ", " ÷ ").replace(" * ", " × ").replace(" - ", " − ")


def explain_result(
    world: World, state: State, lang: str, clock: datetime, policy: tuple[Filter, ...]
) -> Talk:
    """Where the last number came from: slots with their provenance, and the query that ran."""
    slots = state.slots
    if slots is None:
        return Talk("decline", say(lang, "explain.nothing"), "no-result")
    try:
        sql = answer.prepare(world, slots, clock, policy).sql
    except (QuestionError, ReadBackError, GuardError) as error:
        return Talk("error", str(error), "error")
    sources = {item.key: item for item in state.provenance}
    lines: list[str] = []

    def line(key: str, value: str) -> None:
        found = sources.get(key)
        source = (
            say(lang, f"source.{found.source}", turn=found.turn)
            if found
            else say(lang, "source.default")
        )
        lines.append(
            say(
                lang,
                "explain.slot",
                name=say(lang, f"slot.{key.partition('.')[0]}"),
                value=value,
                source=source,
            )
        )

    if slots.metrics:
        line("metrics", joined((world.field_label(name, lang) for name in slots.metrics), lang))
    if slots.dimensions:
        line(
            "dimensions", joined((world.field_label(name, lang) for name in slots.dimensions), lang)
        )
    for item in slots.filters:
        line(f"filters.{item.field}", condition(world, item, lang, slots.object))
    for having in slots.having:
        line(f"having.{having.metric}", condition_on(world, having, lang))
    if slots.time is not None:
        line("time", period(slots.time, lang))
    question = describe(world, slots, lang).whole(lang)
    definitions = " ".join(
        world.layer.metrics[name].description.in_(tongue(lang)) for name in slots.metrics
    )
    count = len(state.shown.rows) if state.shown is not None else 0
    text = say(lang, "explain.result", question=question, slots="".join(lines), count=count)
    return Talk("explain", f"{text}\n{definitions}", "", sql)


def tongue(lang: str) -> Lang:
    """A language the texts are in."""
    return "zh" if lang == "zh" else "en"


def condition_on(world: World, item: Having, lang: str) -> str:
    """A condition on a metric in words."""
    return world.field_label(item.metric, lang) + bounds(
        item.test, world.layer.metrics[item.metric].percent
    )


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
        example=say(lang, "example"),
    )
    return Talk("chat", text)


__all__ = ["Talk", "formula_words", "reference", "talk"]
