"""The turn: one function of (world, state, request, user, clock). It reads like "The life of a turn" in DESIGN.md."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from dialogue import answer, explain, refer, reply
from dialogue.errors import Ask, Refuse
from dialogue.filling import Filled, fill, provenance
from dialogue.heard import heard
from dialogue.sight import Sight
from dialogue.state import Option, Pending, Remembered, Shown, Snapshot, State
from dialogue.turn import Assumption, Choice, Clarification, Outcome, Request, Switch, Turn
from dialogue.wording import changes, dropped_words, fresh_to, wording
from dialogue.words import describe, joined, say
from dialogue.world import World
from nl2sql.edits import Edit
from nl2sql.errors import GuardError, QuestionError, ReadBackError, WarehouseError
from nl2sql.reading import Reading
from nl2sql.reading.tokens import Seen, everything
from nl2sql.reading.wordlist import word_list
from nl2sql.slots import Filter, Slots, TimeSlot
from nl2sql.times import UnknownTimeError, scan
from semantic_layer.protocols import User
from semantic_layer.text import fold

REMEMBER_TURNS = 20
REMEMBER_FOR = timedelta(minutes=30)
ASK_AT_MOST = 2
UNDO_STEPS = 20


@dataclass(frozen=True, slots=True)
class Moment:
    """When a turn happens: the business clock (what "today" means) and the wall clock."""

    clock: datetime
    now: datetime


@dataclass(frozen=True, slots=True)
class Taken:
    """What a turn gave: the answer object, and the state for the next one."""

    turn: Turn
    state: State


def take(world: World, state: State, request: Request, user: User, moment: Moment) -> Taken:
    """Take one turn. Never raises for what a user can send: every outcome is a `Turn`."""
    return _Turn(world.watched(), state, request, user, moment).take()


@dataclass
class _Turn:
    world: World
    state: State
    request: Request
    user: User
    moment: Moment

    def take(self) -> Taken:
        request = self.request
        if request.undo:
            return self.undo("zh" if self.state.slots is None else self.lang_of(request.question))
        if request.choose:
            return self.choose(request.choose)
        if request.keep:
            return self.keep()
        if request.edit:
            return self.edited(request.edit)
        start = time.perf_counter()
        questions = self.world.reader.split(request.question)
        if len(questions) > 1:
            return self.several(questions)
        reading = self.world.reader.read(request.question, self.seen)
        spent = (time.perf_counter() - start) * 1000
        taken = self.read(reading)
        timings = replace(taken.turn.timings_ms, reading=spent)
        return Taken(replace(taken.turn, timings_ms=timings), taken.state)

    # -- several questions -------------------------------------------------------------------

    def several(self, questions: tuple[str, ...]) -> Taken:
        """Questions of one message run as turns of their own; the last one leaves the state."""
        state, turns = self.state, []
        for question in questions:
            taken = take(self.world, state, Request(question), self.user, self.moment)
            state = taken.state
            turns.append(taken.turn)
        last = turns[-1]
        whole = replace(
            last,
            question=self.request.question,
            parts=tuple(turns),
            text="\n".join(turn.text for turn in turns),
        )
        return Taken(whole, state)

    # -- a text ------------------------------------------------------------------------------

    def read(self, reading: Reading) -> Taken:
        state = self.state
        if state.pending is not None and reading.intent not in ("undo", "change", "leak"):
            options = reply.read(state.pending, reading.text, reading)
            if options is not None:
                return self.resume(options, reading)
            self.state = state = replace(state, pending=None)
        if reading.intent == "undo":
            return self.undo(reading.lang)
        if "keep" in word_list().categories.get(fold(reading.text).strip("。.!！"), ()):
            return self.keep()
        talk = explain.talk(self.world, state, reading, self.moment.clock, self.policy)
        if talk is not None:
            return Taken(
                self.base(
                    reading,
                    talk.outcome,
                    talk.text,
                    reason=talk.reason,
                    sql=talk.sql,
                    suggestions=talk.offers,
                ),
                self.next(state),
            )
        return self.query(reading, (), ())

    @property
    def policy(self) -> tuple[Filter, ...]:
        return self.world.policy(self.user)

    @property
    def seen(self) -> Seen:
        """What of a word's meanings the user may see."""
        policy = self.policy
        return Sight(self.world, policy, self.moment.clock).of if policy else everything

    def lang_of(self, text: str) -> str:
        return "zh" if not text or any("\u4e00" <= char <= "\u9fff" for char in text) else "en"

    def next(self, state: State) -> State:
        return replace(state, seq=state.seq + 1)

    # -- a query -----------------------------------------------------------------------------

    def query(
        self, reading: Reading, chosen: tuple[Edit, ...], answered: tuple[str, ...], asked: int = 0
    ) -> Taken:
        """Fill, compile and run; or ask one question; or decline with the reason."""
        notes: list[Assumption] = []
        for _ in range(6):
            try:
                if reading.unread:
                    raise Refuse(
                        "unread",
                        {"text": joined((item.text for item in reading.unread), reading.lang)},
                        self.near(reading),
                    )
                asked_now = merged(reading, chosen)
                if (
                    not asked_now.edits
                    and not asked_now.references
                    and not asked_now.ambiguities
                    and not self.moves(reading)
                ):
                    if "switch" in reading.cues:
                        return self.new_topic(reading)
                    raise Refuse("nothing-read", {}, self.examples(reading.lang))
                filled = fill(
                    self.world,
                    self.state,
                    asked_now,
                    self.moment.clock,
                    self.policy,
                    chosen,
                    answered,
                )
                prepared = answer.prepare(self.world, filled.slots, self.moment.clock, self.policy)
                answered_rows = answer.run(self.world, prepared, reading.lang)
                return self.answered(
                    reading, filled, answered_rows, (*notes, *self.taken_words(reading)), chosen
                )
            except Ask as ask:
                known = self.remembered(ask)
                if known is not None and known.subject not in answered:
                    chosen, answered = (*chosen, *known.edits), (*answered, known.subject)
                    notes.append(Assumption("choice", known.option))
                    continue
                if asked >= ASK_AT_MOST and ask.options:
                    chosen, answered = (*chosen, *ask.options[0].edits), (*answered, ask.subject)
                    notes.append(Assumption("choice", ask.options[0].label))
                    continue
                return self.ask(reading, ask, chosen, answered, asked)
            except Refuse as refuse:
                return self.refused(reading, refuse.code, refuse.facts, refuse.offers)
            except QuestionError as error:
                facts = {
                    key: self.world.field_label(value, reading.lang)
                    for key, value in error.facts.items()
                }
                offers = tuple(
                    (name, self.world.field_label(name, reading.lang)) for name in error.offers
                )
                return self.refused(reading, error.code, facts, offers)
            except UnknownTimeError:
                return self.refused(reading, "time-unknown", {"time": reading.text}, ())
            except (ReadBackError, GuardError) as error:
                return Taken(
                    self.base(
                        reading, "error", say(reading.lang, "error.read-back"), reason=str(error)
                    ),
                    self.next(self.state),
                )
            except WarehouseError as error:
                text = say(reading.lang, "error.warehouse", reason=str(error))
                return Taken(
                    self.base(reading, "error", text, reason=str(error)), self.next(self.state)
                )
        return self.refused(reading, "nothing-fits", {}, ())

    def moves(self, reading: Reading) -> bool:
        """Whether a turn without edits still does something: 合计呢."""
        slots = self.state.slots
        return slots is not None and (
            bool(reading.cues & {"total", "respectively"})
            or (slots.rows and bool(reading.cues & {"how_many", "count"}))
        )

    def near(self, reading: Reading) -> tuple[tuple[str, str], ...]:
        return tuple(dict.fromkeys((word, word) for item in reading.unread for word in item.near))[
            :5
        ]

    def examples(self, lang: str) -> tuple[tuple[str, str], ...]:
        names = [found.metrics[0] for found in self.world.layer.objects.values() if found.metrics]
        return tuple((name, self.world.field_label(name, lang)) for name in names)

    def taken_words(self, reading: Reading) -> tuple[Assumption, ...]:
        return tuple(
            Assumption(
                "word", say(reading.lang, f"taken.{item.why}", text=item.text, word=item.word)
            )
            for item in reading.taken
        )

    def answered(
        self,
        reading: Reading,
        filled: Filled,
        rows: answer.Answered,
        notes: tuple[Assumption, ...],
        chosen: tuple[Edit, ...],
    ) -> Taken:
        state, seq = self.state, self.state.seq + 1
        origins = provenance(state, filled.slots, filled, seq)
        switch = (
            None
            if filled.switch is None
            else Switch(
                filled.switch.rule,
                dropped_words(self.world, state.slots, filled.slots, reading.lang),
            )
        )
        assumptions = (*notes, *filled.assumptions)
        text = wording(
            self.world, filled.slots, rows, switch, assumptions, reading.lang, self.moment.clock
        )
        turn = self.base(
            reading,
            "answer",
            text,
            completed_question=describe(self.world, filled.slots, reading.lang).whole(reading.lang),
            slots=filled.slots,
            provenance=origins,
            changes=changes(state.slots, filled),
            assumptions=assumptions,
            switch=switch,
            result=rows.result,
            sql=rows.sql,
            timings_ms=rows.timings,
            fresh_to=fresh_to(self.world, filled.slots, self.moment.clock),
            all_rows=rows.rows,
        )
        past = state.past
        if state.slots is not None and state.slots != filled.slots:
            past = (*past, Snapshot(state.slots, state.provenance, state.shown))[-UNDO_STEPS:]
        dropped = (
            (Snapshot(state.slots, state.provenance, state.shown),)
            if filled.switch is not None and state.slots is not None
            else ()
        )
        entities = (*state.entities, *refer.entities_of(self.world, filled.slots.filters, seq))
        distinct = tuple({(item.fields, item.values): item for item in entities}.values())[-40:]
        after = replace(
            state,
            seq=seq,
            slots=filled.slots,
            provenance=origins,
            shown=rows.shown,
            entities=distinct,
            pending=None,
            choices=state.choices,
            past=past,
            dropped=dropped,
        )
        return Taken(turn, after)

    # -- asking back -------------------------------------------------------------------------

    def remembered(self, ask: Ask) -> Remembered | None:
        """A choice made for the same question, while it is fresh."""
        if not ask.subject:
            return None
        key = subject_key(ask)
        for item in reversed(self.state.choices):
            fresh = (
                self.state.seq - item.turn < REMEMBER_TURNS
                and self.moment.now - item.at < REMEMBER_FOR
            )
            if (
                item.subject == key
                and fresh
                and (not ask.options or any(option.label == item.option for option in ask.options))
            ):
                return item
        return None

    def ask(
        self,
        reading: Reading,
        ask: Ask,
        chosen: tuple[Edit, ...],
        answered: tuple[str, ...],
        asked: int,
    ) -> Taken:
        lang = reading.lang
        options = ask.options or self.offered(ask, lang)
        key = "ask.value.parent" if "parent" in ask.facts else f"ask.{ask.about}"
        question = say(lang, key, **ask.facts)
        more = say(lang, "ask.more", more=ask.more) if ask.more else ""
        listed = "\n".join(f"{index}. {option.label}" for index, option in enumerate(options, 1))
        text = "\n".join(part for part in (question, listed, more) if part)
        clarification = Clarification(
            ask.about,
            question,
            tuple(Choice(item.id, item.label, item.hint) for item in options),
            ask.more,
        )
        kept = merged(reading, chosen)
        pending = Pending(
            ask.about,
            options,
            kept.edits,
            kept.references if ask.about != "reference" else (),
            tuple(sorted(kept.cues)),
            subject_key(ask),
            asked + 1,
            reading.text,
            (*answered, ask.subject),
        )
        offered = tuple(
            edit.value
            for option in options
            for edit in option.edits
            if isinstance(edit.value, Filter)
        )
        turn = self.base(reading, "clarify", text, offered, clarification=clarification)
        waiting = replace(self.next(self.state), pending=pending)
        return Taken(turn, waiting)

    def offered(self, ask: Ask, lang: str) -> tuple[Option, ...]:
        """Options for what has no candidates of its own: periods, or no restriction."""
        if ask.about == "time":
            words = (
                ("本月", "本季度", "今年", "明年", "未来3个月")
                if lang == "zh"
                else ("this month", "this quarter", "this year", "next year", "next 3 months")
            )
            from nl2sql.edits import TimeMention
            from nl2sql.times import TimeMatch

            return tuple(
                Option(word, word, (Edit("time", "set", TimeMention(word, match.expr)),))
                for word in words
                for match in scan(word)
                if isinstance(match, TimeMatch)
            )
        if ask.about == "reference":
            return (Option("all", say(lang, "ask.all"), ()),)
        return ()

    def resume(self, options: tuple[Option, ...], reply_reading: Reading | None) -> Taken:
        """Fill the pending slot with the choice, and run the original question."""
        pending = self.state.pending
        assert pending is not None
        lang = self.lang_of(pending.question)
        chosen = reply.edits_of(options)
        original = self.world.reader.read(pending.question, self.seen)
        reading = replace(
            original,
            edits=pending.edits,
            references=pending.references,
            cues=frozenset(pending.cues),
            ambiguities=tuple(
                item
                for item in original.ambiguities
                if not self.answers(item.about, item.word, pending)
            ),
        )
        state = replace(self.state, pending=None)
        label = joined((option.label for option in options), lang)
        memory = Remembered(pending.subject, label, chosen, state.seq + 1, self.moment.now)
        if pending.subject and pending.about in ("metric", "value") and len(options) == 1:
            state = replace(
                state,
                choices=(
                    *(item for item in state.choices if item.subject != pending.subject),
                    memory,
                )[-20:],
            )
        self.state = state
        question = self.request.question or joined((option.label for option in options), lang)
        taken = self.query(reading, chosen, pending.answered, pending.asked)
        return Taken(replace(taken.turn, question=question), taken.state)

    def answers(self, about: str, word: str, pending: Pending) -> bool:
        subject = word if about == "metric" else f"value:{word}"
        return subject in pending.answered or (about == "metric" and pending.about == "metric")

    def choose(self, ids: tuple[str, ...]) -> Taken:
        pending = self.state.pending
        reading = Reading(self.request.question, "zh", "query")
        if pending is None:
            return self.refused(reading, "no-pending", {}, ())
        options = reply.chosen(pending, ids)
        if options is None:
            return self.refused(
                reading,
                "unknown-option",
                {},
                tuple((option.id, option.label) for option in pending.options),
            )
        return self.resume(options, None)

    # -- other requests ----------------------------------------------------------------------

    def undo(self, lang: str) -> Taken:
        """The state before the last turn that changed it, answered again."""
        reading = Reading(self.request.question, lang, "undo")  # type: ignore[arg-type]
        state = replace(self.state, pending=None)
        if not state.past:
            return self.refused(reading, "nothing-to-undo", {}, ())
        before = state.past[-1]
        self.state = replace(
            state,
            slots=before.slots,
            provenance=before.provenance,
            shown=before.shown,
            past=state.past[:-1],
        )
        return self.again(reading, before.slots, say(reading.lang, "answer.undone"), ())

    def again(
        self, reading: Reading, slots: Slots, lead: str, said: tuple[tuple[str, Edit], ...]
    ) -> Taken:
        """Answer given slots."""
        past = self.state.past
        try:
            prepared = answer.prepare(self.world, slots, self.moment.clock, self.policy)
            rows = answer.run(self.world, prepared, reading.lang)
        except (QuestionError, ReadBackError, GuardError, WarehouseError) as error:
            return Taken(
                self.base(reading, "error", str(error), reason=str(error)), self.next(self.state)
            )
        taken = self.answered(reading, Filled(slots, None, said, ()), rows, (), ())
        turn = replace(taken.turn, text=f"{lead}{taken.turn.text}")
        return Taken(turn, replace(taken.state, past=past) if not said else taken.state)

    def keep(self) -> Taken:
        """Take back what a switch dropped, as far as the new topic has it."""
        reading = Reading("", "zh", "query")
        if not self.state.dropped or self.state.slots is None:
            return self.refused(reading, "nothing-to-undo", {}, ())
        slots = self.state.slots
        found = self.world.layer.objects[slots.object or ""]
        edits = tuple(
            Edit("filters", "set", item, (0, 0), 1.0, "edited")
            for item in self.state.dropped[-1].slots.filters
            if item.field in found.dimensions and slots.filter(item.field) is None
        )
        return self.query(replace(reading, edits=edits), (), ())

    def edited(self, edits: tuple[Edit, ...]) -> Taken:
        """A chip edited by hand is a turn like any other."""
        reading = Reading(
            self.request.question,
            "zh",
            "query",
            tuple(replace(edit, note=edit.note or "edited") for edit in edits),
        )
        return self.query(reading, (), ())

    def new_topic(self, reading: Reading) -> Taken:
        """换个话题 alone: everything is let go, and the next question begins anew."""
        state = self.state
        past = (
            (*state.past, Snapshot(state.slots, state.provenance, state.shown))[-UNDO_STEPS:]
            if state.slots
            else state.past
        )
        after = replace(
            self.next(state), slots=None, provenance=(), shown=None, pending=None, past=past
        )
        return Taken(
            self.base(
                reading,
                "chat",
                say(reading.lang, "chat.switch"),
                switch=Switch(
                    "words", dropped_words(self.world, state.slots, Slots(), reading.lang)
                ),
            ),
            after,
        )

    def refused(
        self,
        reading: Reading,
        code: str,
        facts: dict[str, str],
        offers: tuple[tuple[str, str], ...],
    ) -> Taken:
        listed = joined((label for _, label in offers), reading.lang)
        near = say(reading.lang, "decline.near", offers=listed) if offers else ""
        text = say(reading.lang, f"decline.{code}", near=near, offers=listed, **facts)
        unread = tuple(item.text for item in reading.unread)
        return Taken(
            self.base(
                reading,
                "decline",
                text,
                reason=code,
                suggestions=tuple(Choice(name, label) for name, label in offers),
                not_understood=unread,
            ),
            self.next(self.state),
        )

    def base(
        self,
        reading: Reading,
        outcome: Outcome,
        text: str,
        offered: tuple[Filter, ...] = (),
        **values: object,
    ) -> Turn:
        """A turn with what every turn has."""
        after = values.get("slots")
        filters = [
            item
            for found in (self.state.slots, after)
            if isinstance(found, Slots)
            for item in found.filters
        ]
        return Turn(
            turn_id="",
            session_id="",
            seq=self.state.seq + 1,
            question=reading.text,
            outcome=outcome,
            text=text,
            lang=reading.lang,
            as_of=self.moment.clock,
            now=self.moment.now,
            semantic_hash=self.world.layer.hash,
            data_version=self.world.warehouse.data_version,
            heard=heard(
                self.world.layer,
                self.world.values,
                reading,
                (*filters, *offered, *self.policy),
                self.world.looked,
            ),
            **values,  # type: ignore[arg-type]
        )


def merged(reading: Reading, chosen: tuple[Edit, ...]) -> Reading:
    """A reading with chosen edits in the place of the ambiguous ones they answer."""
    if not chosen:
        return reading
    spans = {(edit.slot, edit.span) for edit in chosen if edit.span != (0, 0)}
    answered = {name for edit in chosen for name in ([edit.slot] if edit.slot == "metrics" else [])}
    kept = tuple(
        edit for edit in reading.edits if (edit.slot, edit.span) not in spans or edit in chosen
    )
    kept = tuple(
        edit
        for edit in kept
        if edit in chosen or not (edit.slot == "object" and "metrics" in answered)
    )
    ambiguities = tuple(
        item
        for item in reading.ambiguities
        if not (item.about == "metric" and "metrics" in answered)
        and ("filters", item.span) not in spans
    )
    extra = tuple(edit for edit in chosen if edit not in kept)
    return replace(reading, edits=(*kept, *extra), ambiguities=ambiguities)


def subject_key(ask: Ask) -> str:
    """What a choice is remembered for: the question, and the word it was about."""
    if not ask.subject or ask.about not in ("metric", "value"):
        return ""
    word = ask.facts.get("word", "")
    return f"{ask.about}:{ask.subject}:{word}" if word else f"{ask.about}:{ask.subject}"


__all__ = ["Moment", "Shown", "Taken", "TimeSlot", "take"]
