"""From what was meant to filled slots: what is known already is not asked for again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta

from dialogue.amounts import asked_scale
from dialogue.errors import Ask, Refuse
from dialogue.filling import Filled, fill
from dialogue.filling.asking import metrics_offered
from dialogue.scene import Meant, Scene
from dialogue.state import About, Option, Remembered
from dialogue.turn import Alternative, Assumption
from dialogue.unread import not_understood
from dialogue.words import say
from nl2sql.edits import EVERY, Edit
from nl2sql.reading import Reading
from nl2sql.slots import Filter
from semantic_layer.text import fold
from semantic_layer.values import long_enough

REMEMBER_TURNS = 20
REMEMBER_FOR = timedelta(minutes=30)
ASK_AT_MOST = 2
_ROUNDS = 6


def settle(scene: Scene, meant: Meant) -> tuple[Filled, Meant]:
    """The slots of a turn, and what was meant with the choices that were known already.

    Raises `Ask` for what is still open, `Refuse` for what cannot be.
    """
    if meant.stop is not None:
        raise meant.stop
    meant = replace(meant, reading=summed(scene, meant.reading))
    understood(scene, merged(meant.reading, meant.chosen))
    for _ in range(_ROUNDS):
        try:
            return filled(scene, meant), meant
        except Ask as ask:
            meant = known(scene, meant, ask)
    raise Refuse("nothing-fits")


def filled(scene: Scene, meant: Meant) -> Filled:
    """One attempt at the slots."""
    reading = merged(meant.reading, meant.chosen)
    world, state = scene.world, scene.state
    return fill(world, state, reading, scene.clock, scene.sight, meant.chosen, meant.answered)


def understood(scene: Scene, reading: Reading) -> None:
    """Stop at what was not understood: a word that could change the numbers, or nothing to query."""
    if reading.unread:
        if len(reading.unread) == 1 and (names := part_of(scene, reading, reading.unread[0].text)):
            raise metrics_offered(scene.world, names, reading.unread[0].text, reading.lang)
        near = dict.fromkeys(
            word for item in reading.unread for word in item.near if word != fold(item.text)
        )
        facts = not_understood(scene, reading)
        if all(item.either for item in reading.unread):
            raise Refuse("either-or", facts)
        raise Refuse("unread", facts, tuple((word, word) for word in near)[:5])
    if not (reading.edits or reading.references or reading.ambiguities or moves(scene, reading)):
        layer = scene.world.layer
        usual = [found.metrics[0] for found in layer.objects.values() if found.metrics]
        labels = tuple((name, scene.world.field_label(name, reading.lang)) for name in usual)
        raise Refuse("nothing-read", {}, labels)


def part_of(scene: Scene, reading: Reading, text: str) -> tuple[str, ...]:
    """面积, after vacant rooms: the metrics of what is asked about of whose names it is a part."""
    piece, layer = fold(text).strip(), scene.world.layer
    if not long_enough(piece) or any(edit.slot == "metrics" for edit in reading.edits):
        return ()
    about = {scene.state.topic} | {edit.value for edit in reading.edits if edit.slot == "object"}
    return tuple(
        name
        for name, metric in layer.metrics.items()
        if metric.object in about
        and not metric.hidden
        and any(piece in fold(word) for word in metric.words.all())
    )


def summed(scene: Scene, reading: Reading) -> Reading:
    """面积合计, after a list of rooms or their number: the metric that sums just this value of those rows."""
    slots = scene.state.slots
    if slots is None or "total" not in reading.cues or len(reading.unread) != 1:
        return reading
    owner, word = scene.world.layer.objects[slots.object or ""], fold(reading.unread[0].text)
    metrics = [scene.world.layer.metrics[name] for name in owner.metrics]
    counts = [metric.id for metric in metrics if metric.kind == "count" and metric.where is None]
    if not slots.rows and not (slots.metrics and set(slots.metrics) <= set(counts)):
        return reading
    found = [
        metric.id
        for attribute in owner.attributes.values()
        if word.strip() in map(fold, attribute.words.all())
        for metric in metrics
        if metric.kind == "sum" and metric.where is None and metric.once_per is None
        if not metric.hidden and metric.expr is not None and metric.expr.text == attribute.expr.text
    ]
    if len(found) != 1:
        return reading
    edit = Edit("metrics", "set", (found[0],), reading.unread[0].span)
    return replace(reading, edits=(*reading.edits, edit), unread=())


def moves(scene: Scene, reading: Reading) -> bool:
    """Whether a turn without edits still does something: 合计呢, 是多少万."""
    slots = scene.state.slots
    return slots is not None and (
        asked_scale(reading.text) is not None
        or bool(reading.cues & {"total", "respectively"})
        or (bool(slots.counted) and bool(reading.cues & {"which", "rows_end", "list"}))
        or (bool(slots.having or slots.limit) and "number_of" in reading.cues)
        or (slots.rows and bool(reading.cues & {"how_many", "count"}))
    )


def known(scene: Scene, meant: Meant, ask: Ask) -> Meant:
    """With a choice made for the same question while it is fresh, or, after two questions in a row, with
    the likeliest one. Raises the question otherwise."""
    found = remembered(scene, meant, ask)
    old = found is not None and not fresh(scene, found)
    if found is not None and not old and found.subject not in meant.answered:
        return taking(meant, ask, found.subject, found.option, found.edits)
    if meant.asked >= ASK_AT_MOST and ask.options:
        likely = likeliest(meant, ask)
        return taking(meant, ask, ask.subject, likely.label, likely.edits)
    raise replace(ask, expired=found.option) if found is not None and old else ask


def likeliest(meant: Meant, ask: Ask) -> Option:
    """What is taken where nothing is asked any more: the first option; of what a value lies in, no one is
    likelier than another, and all are taken."""
    first = ask.options[0]
    parents = [edit.value.field for edit in first.edits if isinstance(edit.value, Filter)]
    if not ask.subject.startswith("parent:"):
        return first
    every = tuple(Edit("filters", "clear", name, note=EVERY) for name in parents)
    return Option("all", say(meant.reading.lang, "ask.all"), every)


def taking(meant: Meant, ask: Ask, subject: str, label: str, edits: tuple[Edit, ...]) -> Meant:
    """With a question answered for the user, which is told."""
    others = tuple(alternative(option) for option in ask.options if option.label != label)
    note = Assumption("choice", label, others)
    return replace(
        meant,
        chosen=(*meant.chosen, *edits),
        answered=(*meant.answered, subject),
        notes=(*meant.notes, note),
    )


def alternative(option: Option) -> Alternative:
    """An option as something that could be meant instead."""
    return Alternative(option.label, tuple(replace(edit, note="") for edit in option.edits))


def remembered(scene: Scene, meant: Meant, ask: Ask) -> Remembered | None:
    """The last choice made for the same question, if it is still one of the options."""
    key = subject_key(ask.about, ask.subject, ask.facts)
    made = (*scene.state.choices, *((meant.memory,) if meant.memory is not None else ()))
    labels = {option.label for option in ask.options}
    return next(
        (
            item
            for item in reversed(made)
            if key and item.subject == key and (not labels or item.option in labels)
        ),
        None,
    )


def fresh(scene: Scene, choice: Remembered) -> bool:
    """Whether a choice still counts: 20 turns, 30 minutes."""
    turns = scene.state.seq - choice.turn
    return turns < REMEMBER_TURNS and scene.moment.now - choice.at < REMEMBER_FOR


def subject_key(about: About, subject: str, facts: Mapping[str, str]) -> str:
    """What a choice is remembered for: the question, and the word it was about."""
    if not subject or about not in ("metric", "value"):
        return ""
    word = facts.get("word", "")
    return f"{about}:{subject}:{word}" if word else f"{about}:{subject}"


def merged(reading: Reading, chosen: tuple[Edit, ...]) -> Reading:
    """A reading with chosen edits in the place of the ambiguous ones they answer."""
    if not chosen:
        return reading
    spans = {(edit.slot, edit.span) for edit in chosen if edit.span != (0, 0)}
    metric = any(edit.slot == "metrics" for edit in chosen)
    kept = tuple(
        edit
        for edit in reading.edits
        if edit in chosen
        or ((edit.slot, edit.span) not in spans and not (metric and edit.slot == "object"))
    )
    ambiguities = tuple(
        item
        for item in reading.ambiguities
        if not (item.about == "metric" and metric) and ("filters", item.span) not in spans
    )
    extra = tuple(edit for edit in chosen if edit not in kept)
    return replace(reading, edits=(*kept, *extra), ambiguities=ambiguities)
