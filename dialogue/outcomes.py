"""How a turn ends: answered, asked back, told in words, declined, or in error; and the state after it."""

from __future__ import annotations

from dataclasses import replace

from dialogue import answer, faults, refer
from dialogue.changes import NOTHING, Changes, to_slots
from dialogue.charts import drawn
from dialogue.chips import chips
from dialogue.errors import Ask, Refuse
from dialogue.explain import Talk
from dialogue.filling import Filled, provenance
from dialogue.letting_go import dropped
from dialogue.scene import Meant, Scene, Taken
from dialogue.settling import merged
from dialogue.state import Option, Pending, Provenance
from dialogue.suggest import suggestions
from dialogue.turn import Assumption, Choice, Clarification, Switch, Turn
from dialogue.wording import fresh_to, wording
from dialogue.words import describe, joined, say
from nl2sql.edits import Edit, TimeMention
from nl2sql.errors import GuardError, QuestionError, ReadBackError, WarehouseError
from nl2sql.slots import Slots
from nl2sql.times import TimeMatch, scan

LISTED = 7
_STILL_OPEN = ("unread", "nothing-read", "unknown-option", "bad-edit")


def answered(scene: Scene, meant: Meant, filled: Filled, rows: answer.Answered) -> Taken:
    """The answer: rows, how it was understood, what was kept and dropped."""
    world, state, reading = scene.world, scene.state, meant.reading
    slots, lang, undone = filled.slots, reading.lang, reading.intent == "undo"
    before = state.past[-1].provenance if undone else state.provenance
    origins = provenance(before, filled, state.seq + 1)
    switch = filled.switch
    if switch is not None:
        gone = dropped(world, state.slots, slots, lang)
        switch = Switch(switch.rule, tuple(item.words for item in gone))
    assumptions = (*meant.notes, *near_words(meant), *filled.assumptions)
    text = wording(scene, scene.request.question, filled, rows, switch, assumptions, lang)
    changes = to_slots(
        state,
        slots,
        origins,
        shown=rows.shown,
        mentioned=refer.entities_of(world, slots.filters, state.seq + 1),
        switched=switch is not None,
        undone=undone,
    )
    told = (*origins, *imposed(scene, slots))
    return scene.ends(
        meant,
        "answer",
        led(say(lang, "answer.undone"), text, lang) if undone else text,
        changes,
        completed_question=describe(world, slots, lang).whole(lang),
        slots=slots,
        provenance=told,
        chips=chips(world, slots, told, scene.clock, lang),
        assumptions=assumptions,
        switch=switch,
        result=drawn(world, slots, rows.result, scene.clock, lang),
        sql=rows.sql,
        timings_ms=rows.timings,
        fresh_to=fresh_to(world, slots, scene.clock),
        suggestions=suggestions(scene, slots, rows, lang),
        all_rows=rows.rows,
    )


def imposed(scene: Scene, slots: Slots) -> tuple[Provenance, ...]:
    """The dimensions that the user's permissions limit, beside what was asked."""
    return tuple(
        Provenance(f"filters.{item.field}", "policy", scene.state.seq + 1)
        for item in scene.policy
        if slots.filter(item.field) is None
    )


def led(lead: str, text: str, lang: str) -> str:
    """A text after what is said first."""
    return lead + text if lang == "zh" else f"{lead} {text}"


def near_words(meant: Meant) -> tuple[Assumption, ...]:
    """What was taken as a registered word, told."""
    lang = meant.reading.lang
    return tuple(
        Assumption("word", say(lang, f"taken.{item.why}", text=item.text, word=item.word))
        for item in meant.reading.taken
    )


def asked(scene: Scene, meant: Meant, ask: Ask) -> Taken:
    """One question back, and what waits for its answer."""
    lang = meant.reading.lang
    options = ask.options or offered(ask, lang)
    listed = options[:LISTED]
    more = len(options) - len(listed) + ask.more
    question = say(
        lang, "ask.value.parent" if "parent" in ask.facts else f"ask.{ask.about}", **ask.facts
    )
    lines = [
        say(lang, "ask.expired", option=ask.expired) if ask.expired else "",
        question,
        *(f"{index}. {option.label}" for index, option in enumerate(listed, 1)),
        say(lang, "ask.more", more=more) if more else "",
    ]
    choices = tuple(Choice(item.id, item.label, item.hint) for item in listed)
    waiting = merged(meant.reading, meant.chosen)
    pending = Pending(
        ask.about,
        options,
        len(listed),
        waiting.edits,
        waiting.references if ask.about != "reference" else (),
        tuple(sorted(waiting.cues)),
        waiting.ambiguities,
        lang,
        ask.subject,
        tuple(sorted(ask.facts.items())),
        meant.asked + 1,
        (*meant.answered, ask.subject),
    )
    return scene.ends(
        meant,
        "clarify",
        "\n".join(line for line in lines if line),
        Changes(pending=pending),
        clarification=Clarification(ask.about, question, choices, more),
    )


def offered(ask: Ask, lang: str) -> tuple[Option, ...]:
    """Options for what has no candidates of its own: periods, or no restriction."""
    if ask.about == "time":
        return tuple(
            Option(word, word, (Edit("time", "set", TimeMention(word, match.expr)),))
            for word in say(lang, "ask.times").split("|")
            for match in scan(word)
            if isinstance(match, TimeMatch)
        )
    if ask.about == "reference":
        return (Option("all", say(lang, "ask.all"), ()),)
    return ()


def told(scene: Scene, meant: Meant, talk: Talk) -> Taken:
    """An outcome in words alone: slots stay, and so does a question that is open."""
    return scene.ends(
        meant,
        talk.outcome,
        talk.text,
        Changes(pending=meant.pending, explained=talk.explained),
        reason=talk.reason,
        sql=talk.sql,
        suggestions=talk.offers,
        sources=talk.sources,
    )


def new_topic(scene: Scene, meant: Meant) -> Taken:
    """换个话题 alone: everything is let go, and the next question begins anew."""
    lang = meant.reading.lang
    gone = dropped(scene.world, scene.state.slots, Slots(), lang)
    switch = Switch("words", tuple(item.words for item in gone))
    text = say(lang, "chat.switch")
    changes = to_slots(scene.state, None, (), switched=True)
    return scene.ends(meant, "chat", text, changes, switch=switch)


def back_to_nothing(scene: Scene, meant: Meant) -> Taken:
    """Undoing the first question: nothing is asked any more."""
    lang = meant.reading.lang
    text = led(say(lang, "answer.undone"), say(lang, "chat.switch"), lang)
    return scene.ends(meant, "chat", text, to_slots(scene.state, None, (), undone=True))


def refused(scene: Scene, meant: Meant, refuse: Refuse) -> Taken:
    """A turn that is not answered, with the reason and the nearest things that could be."""
    lang = meant.reading.lang
    offers = joined((label for _, label in refuse.offers), lang)
    near = say(lang, "decline.near", offers=offers) if offers else ""
    return scene.ends(
        meant,
        "decline",
        say(lang, f"decline.{refuse.code}", near=near, offers=offers, **refuse.facts),
        Changes(pending=meant.pending if refuse.code in _STILL_OPEN else None),
        reason=refuse.code,
        suggestions=tuple(Choice(name, label) for name, label in refuse.offers),
        not_understood=tuple(item.text for item in meant.reading.unread),
    )


def uncompiled(scene: Scene, meant: Meant, error: QuestionError) -> Taken:
    """Slots that no statement can say: told with the labels of what they name."""

    def label(name: str) -> str:
        return scene.world.field_label(name, meant.reading.lang)

    facts = {key: label(value) for key, value in error.facts.items()}
    offers = tuple((name, label(name)) for name in error.offers)
    return refused(scene, meant, Refuse(error.code, facts, offers))


def failed(scene: Scene, meant: Meant, error: ReadBackError | GuardError | WarehouseError) -> Taken:
    """A fault of ours, or of the database: never an answer."""
    text, reason, found = faults.told(meant.reading.lang, error)
    return scene.ends(meant, "error", text, NOTHING, reason=reason, fault=found)


def together(scene: Scene, parts: tuple[Taken, ...]) -> Taken:
    """Several questions of one message: turns of their own, and the state that the last one leaves."""
    turns: tuple[Turn, ...] = tuple(part.turn for part in parts)
    text = "\n".join(turn.text for turn in turns)
    changes = replace(turns[-1].changes, first=tuple(turn.changes for turn in turns[:-1]))
    question = scene.request.question
    whole = replace(turns[-1], question=question, parts=turns, text=text, changes=changes)
    return Taken(whole, parts[-1].state)
