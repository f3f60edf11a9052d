"""What came in, heard as one thing: a text, a reply, a click, edits by hand, undo, or keep.

Each becomes a reading of this turn alone; nothing is filled or refused yet.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from dialogue import reply
from dialogue.by_hand import checked
from dialogue.errors import Ask, Refuse
from dialogue.explained import after_explanation
from dialogue.letting_go import dropped, fits, taken_back
from dialogue.scene import Meant, Scene
from dialogue.settling import subject_key
from dialogue.state import Option, Pending, Remembered
from dialogue.turn import Assumption
from dialogue.words import joined, say
from nl2sql.edits import Edit
from nl2sql.reading import LONGEST, Reading, language
from nl2sql.slots import Filter, Slots
from semantic_layer.text import fold

MOST_QUESTIONS = 10  # of one message
_NO_REPLY = frozenset(
    {
        "undo",
        "change",
        "leak",
        "explain_metric",
        "explain_result",
        "catalogue",
        "why",
        "predict",
        "advise",
    }
)


def questions(scene: Scene) -> tuple[str, ...]:
    """The questions of a message; a click or an edit is one."""
    request = scene.request
    if request.undo or request.choose or request.keep or request.edit:
        return ("",)
    return scene.world.reader.split(request.question, scene.seen)


def too_much(scene: Scene, asked: tuple[str, ...]) -> Meant | None:
    """A message of more questions, or a question of more characters, than one turn takes: declined as a
    whole, for an answer to a part of it would look like one to all."""
    longest = max(map(len, asked))
    if len(asked) > MOST_QUESTIONS:
        facts = {"most": str(MOST_QUESTIONS), "count": str(len(asked))}
        stop = Refuse("too-many-questions", facts)
    elif longest > LONGEST:
        stop = Refuse("too-long", {"most": str(LONGEST), "count": str(longest)})
    else:
        return None
    text = scene.request.question
    reading = Reading(text, language(text[:LONGEST]), "query")
    return Meant(reading, stop=stop, pending=scene.state.pending)


def hear(scene: Scene) -> Meant:
    """What a turn says."""
    request = scene.request
    if request.undo:
        return Meant(Reading(request.question, scene.state.lang, "undo"))
    if request.choose:
        return clicked(scene, request.choose)
    if request.keep:
        return kept(scene, request.keep if isinstance(request.keep, tuple) else ())
    if request.edit:
        return edited(scene, request.edit)
    return said(scene, request.question)


def edited(scene: Scene, edits: tuple[Edit, ...]) -> Meant:
    """Chips edited by hand: a turn like any other, once they are sure to name what there is."""
    try:
        return Meant(unsaid(scene, checked(scene.sight, edits, scene.state.lang)))
    except Refuse as refuse:
        if refuse.code == "unknown-value" and scene.policy:  # told like what is there and hidden
            refuse = Refuse("not-permitted", {"value": refuse.facts["value"]})
        return Meant(unsaid(scene, ()), stop=refuse, pending=scene.state.pending)


def unsaid(scene: Scene, edits: tuple[Edit, ...]) -> Reading:
    """Edits that nobody put into words, in the language of the turn before."""
    return Reading(scene.request.question, scene.state.lang, "query", edits)


def said(scene: Scene, text: str) -> Meant:
    """A text: the reply to the question that is open, or a question of its own."""
    reading = scene.world.reader.read(text, scene.seen)
    if not any(char.isalpha() for char in text):
        reading = replace(reading, lang=scene.state.lang)  # `2` is said in no language
    pending = scene.state.pending
    if pending is not None and reading.intent not in _NO_REPLY:
        options = reply.read(pending, text, reading)
        if options == ():
            return beyond(scene, pending)
        if options is not None:
            return resumed(scene, pending, options)
        if reply.none_of_them(text):
            return none_of_them(scene, pending)
        if no_question(scene, pending, reading):
            answered = tuple(name for name in pending.answered if name != pending.subject)
            asked = more(asked_still(pending, text), reading)
            return Meant(asked, (), answered, pending.asked)
    if "keep" in scene.world.reader.words.categories.get(fold(text).strip("。.!！ "), ()):
        return kept(scene, ())
    return Meant(after_explanation(scene.state, reading), pending=pending)


def no_question(scene: Scene, pending: Pending, reading: Reading) -> bool:
    """Whether a reply is none of the options and no question either: 8月, asked which metric of a question that
    is the first; 5层呢, 整个园区的, asked of which building 3层 is. It says more of the one that waits, or something
    of it otherwise, which would be lost without a word."""
    says = {edit.slot for edit in reading.edits}
    if not says or reading.intent != "query" or pending.about in ("reference", "condition"):
        return False
    if reading.references or reading.ambiguities or reading.unread or reading.cues - _OF_A_VALUE:
        return False
    if says & {"object", "rows"} or scene.state.slots is not None:
        return says == {"filters"} and fields_of(reading.edits) <= waiting_for(pending)
    if "metrics" not in says:
        return pending.about != "metric" or not reading.cues
    return pending.about != "metric" and says == {"metrics"} and akin(scene, pending, reading)


# what is said of values, of all of them or of others, and asks for nothing
_OF_A_VALUE = frozenset({"only", "all", "whole", "correct", "instead"})


def fields_of(edits: Iterable[Edit]) -> set[str]:
    """The fields that some edits filter, or filter no more."""
    found = (value for edit in edits for value in (edit.value, *edit.others))
    return {
        item.field if isinstance(item, Filter) else item
        for item in found
        if isinstance(item, Filter | str)
    }


def waiting_for(pending: Pending) -> set[str]:
    """The fields that a question is about which waits for an answer."""
    options = [edit for option in pending.options for edit in option.edits]
    return fields_of(edit for edit in (*pending.edits, *options) if edit.slot == "filters")


def akin(scene: Scene, pending: Pending, reading: Reading) -> bool:
    """Whether all metrics of a reply are of the objects that the waiting question's are of."""

    def owners(edits: Iterable[Edit]) -> set[str]:
        named = [edit.value for edit in edits if edit.slot == "metrics"]
        metrics = scene.world.layer.metrics
        return {
            metrics[name].object for value in named if isinstance(value, tuple) for name in value
        }

    return owners(reading.edits) <= owners(pending.edits)


def more(reading: Reading, other: Reading) -> Reading:
    """A reading with what another one says, in the place of what it says of the same."""

    def about(edit: Edit) -> tuple[str, str]:
        return edit.slot, edit.value.field if isinstance(edit.value, Filter) else ""

    said = {about(edit) for edit in other.edits}
    kept = tuple(edit for edit in reading.edits if about(edit) not in said)
    return replace(reading, edits=(*kept, *other.edits), lang=other.lang)


def clicked(scene: Scene, ids: tuple[str, ...]) -> Meant:
    """A click on options of the open question."""
    pending = scene.state.pending
    if pending is None:
        return Meant(unsaid(scene, ()), stop=Refuse("no-pending"))
    options = reply.chosen(pending, ids)
    return beyond(scene, pending) if options is None else resumed(scene, pending, options)


def beyond(scene: Scene, pending: Pending) -> Meant:
    """A choice that is none of the options: the question stays open."""
    listed = tuple((option.id, option.label) for option in pending.options[: pending.listed])
    return Meant(unsaid(scene, ()), stop=Refuse("unknown-option", {}, listed), pending=pending)


def resumed(scene: Scene, pending: Pending, options: tuple[Option, ...]) -> Meant:
    """The question that was asked back about, with the choice in its place."""
    label = joined((option.label for option in options), pending.lang)
    chosen = reply.edits_of(options)
    memory = None
    key = subject_key(pending.about, pending.subject, dict(pending.facts))
    if key and len(options) == 1:
        memory = Remembered(key, label, chosen, scene.state.seq + 1, scene.moment.now)
    return Meant(
        waiting(pending, scene.request.question or label),
        chosen,
        pending.answered,
        pending.asked,
        memory,
    )


def asked_still(pending: Pending, text: str) -> Reading:
    """What waits for an answer, as it was read."""
    return Reading(
        text,
        pending.lang,
        "query",
        pending.edits,
        pending.references,
        frozenset(pending.cues),
        pending.ambiguities,
    )


def waiting(pending: Pending, text: str) -> Reading:
    """What waits for an answer that was given; of what is open in it, what was answered is not."""
    answered = pending.answered
    kept = tuple(
        item
        for item in pending.ambiguities
        if not (
            (item.word if item.about == "metric" else f"value:{item.word}") in answered
            or (item.about == "metric" and pending.about == "metric")
        )
    )
    return replace(asked_still(pending, text), ambiguities=kept)


def none_of_them(scene: Scene, pending: Pending) -> Meant:
    """都不是: the candidates that were not listed yet, else the question is let go."""
    reading = waiting(pending, scene.request.question)
    rest = pending.options[pending.listed :]
    if not rest:
        return Meant(replace(reading, edits=()), stop=Refuse("none-of-them"))
    ask = Ask(pending.about, pending.subject, rest, dict(pending.facts))
    return Meant(reading, (), pending.answered, pending.asked - 1, stop=ask)


def kept(scene: Scene, wanted: tuple[str, ...]) -> Meant:
    """沿用: what the last switch has let go, all that the new topic has, or what is named of it."""
    state = scene.state
    if state.switched and state.past and state.slots is None and not wanted:
        return Meant(Reading(scene.request.question, state.lang, "undo"))
    if not state.switched or state.slots is None or not state.past:
        return Meant(unsaid(scene, ()), stop=Refuse("nothing-to-keep"))
    before = state.past[-1].slots or Slots()
    gone = dropped(scene.world, before, state.slots, state.lang)
    unknown = [name for name in wanted if not any(name in (item.key, item.words) for item in gone)]
    if unknown:
        offers = tuple((item.key, item.words) for item in gone)
        return Meant(unsaid(scene, ()), stop=Refuse("unknown-option", {}, offers))
    edits = taken_back(scene.world, state, before, wanted)
    if not edits:
        words = joined((item.words for item in gone), state.lang)
        return Meant(unsaid(scene, ()), stop=Refuse("cannot-keep", {"dropped": words}))
    left = [
        item.words for item in gone if not wanted and not fits(scene.world, state, before, item)
    ]
    told = say(state.lang, "kept.without", dropped=joined(left, state.lang))
    return Meant(unsaid(scene, edits), notes=(Assumption("word", told),) if left else ())
