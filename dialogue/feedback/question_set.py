"""Marked turns as a question set, for a person to fill in what each should have ended as.

A dialogue is the session up to its last turn with a thumb down, every turn with the clock it had. A turn with a
thumb down has no `expect`: the set cannot be read before somebody wrote it, and what reads sets names the turn.
A turn with a thumb up has its own statement as gold; of the others only how they ended.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date, datetime, time
from zoneinfo import ZoneInfo

import yaml

from dialogue.codec import Json
from dialogue.feedback.marks import Feedback, counted
from dialogue.ledger import EVERY, Ledger, LedgerError, Selection
from dialogue.record import Record, Step, record_of
from dialogue.words import joined, say
from semantic_layer.load import restore
from semantic_layer.protocols import LOCAL, User

GOLD = ("answer", "clarify", "explain", "decline", "chat")  # how a turn of a set may end
Fields = dict[str, Json | date]


@dataclass(frozen=True, slots=True)
class Gap:
    """A turn of the set that still needs its answer: its dialogue, and its place there, from 1."""

    dialogue: str
    turn: int
    turn_id: str
    question: str


@dataclass(slots=True)
class Exported:
    """A question set as YAML. `left_out` are the marked turns that no set can hold, with why."""

    text: str = ""
    dialogues: int = 0
    turns: int = 0
    gaps: list[Gap] = field(default_factory=list)
    left_out: list[tuple[str, str]] = field(default_factory=list)


def question_set(ledger: Ledger, name: str, selection: Selection = EVERY) -> Exported:
    """The turns whose feedback is a thumb down, as a question set. Raises `LedgerError` where there are none."""
    marks = counted(ledger, selection)
    marked = dict.fromkeys(one.session_id for one in marks if one.mark.thumb == "down")
    if not marked:
        raise LedgerError("no turn here has a thumb down")
    sessions = [_Session(ledger, session, marks) for session in marked]
    found = Exported()
    head = sessions[0].records[0].origin
    layer = ledger.layer_text(head.semantic_hash)
    top: Fields = {
        "set": name,
        "semantic_layer": "" if layer is None else restore(layer).name,
        "clock": _clock(head.clock, head.zone),
        "timezone": head.zone,
    }
    written = [block for one in sessions for block in one.written(found, top)]
    lang = sessions[0].lang
    lead = _comment(say(lang, "feedback.lead", gaps=len(found.gaps)))
    body = textwrap.indent("\n".join(written), "  ") if written else "  []"
    found.text = f"{lead}{_yaml(top)}dialogues:\n{body}"
    return found


class _Session:
    """A session up to its last turn with a thumb down."""

    def __init__(self, ledger: Ledger, session: str, marks: list[Feedback]) -> None:
        self.id = session
        self._marks: dict[str, list[Feedback]] = {}
        for one in marks:
            if one.session_id == session:
                self._marks.setdefault(one.turn_id, []).append(one)
        records = [record_of(entry) for entry in ledger.entries(Selection(session=session))]
        last = max(index for index, record in enumerate(records) if self._down(record))
        self.records = records[: last + 1]
        steps = (step for record in records for step in record.steps or ())
        self.lang = next((step.lang for step in steps), "zh")

    def _down(self, record: Record) -> list[Feedback]:
        return [one for one in self._marks.get(record.turn_id, ()) if one.mark.thumb == "down"]

    def _up(self, record: Record) -> bool:
        return bool(self._marks.get(record.turn_id)) and not self._down(record)

    def written(self, found: Exported, top: Fields) -> Iterator[str]:
        """The dialogue as YAML, none where no turn with a thumb down can be written."""
        first = self.records[0]
        clock = _clock(first.origin.clock, first.origin.zone)
        downs = [one for record in self.records for one in self._down(record)]
        fields: Fields = {"id": self.id, "lang": self.lang}
        fields["tags"] = [
            "feedback",
            *dict.fromkeys(one.mark.code for one in downs if one.mark.code),
        ]
        if clock != top["clock"]:
            fields["clock"] = clock
        asker = first.asker.user if first.asker is not None else LOCAL
        fields |= _user(asker)
        blocks, gaps = [], len(found.gaps)
        turns = 0
        for record in self.records:
            request = self._request(record)
            notes = list(self._notes(record, asker, first.origin.zone))
            if isinstance(request, str):
                notes.append(say(self.lang, request, turn=record.seq))
                blocks.append("".join(map(_comment, notes)))
                found.left_out += [(record.turn_id, request)] if self._down(record) else []
                continue
            turns += 1
            asked = str(next(iter(request.values())))
            if (now := _clock(record.origin.clock, record.origin.zone)) != clock:
                request["clock"] = now
            ends = self._ends(record)
            blocks.append("".join(map(_comment, notes)) + _item(_yaml(request) + ends))
            if self._down(record):
                found.gaps.append(Gap(self.id, turns, record.turn_id, asked))
        if len(found.gaps) == gaps:
            return
        found.dialogues, found.turns = found.dialogues + 1, found.turns + turns
        body = textwrap.indent("".join(blocks), "  ")
        yield _item(f"{_yaml(fields)}turns:\n{body}")

    def _request(self, record: Record) -> Fields | str:
        """How a turn is sent in a set; the key of a text that says why it cannot be."""
        request = record.request
        if request is None:
            return "feedback.erased"
        if not record.outcome:
            return "feedback.interrupted"
        if record.outcome not in GOLD and not self._down(record):
            return "feedback.error"
        if request.undo:
            return {"undo": True}
        if request.choose:
            return {"choose": request.choose[0] if len(request.choose) == 1 else [*request.choose]}
        if request.keep is True:
            return {"ask": say(self.lang, "feedback.keep")}
        if request.question:
            return {"ask": request.question}
        whole = _whole(record)
        return {"ask": whole} if whole else "feedback.by-hand-left"

    def _notes(self, record: Record, asker: User, zone: str) -> Iterator[str]:
        """What somebody who fills in the answer should know of a turn."""
        lang, seq, request = self.lang, record.seq, record.request
        if request is not None and not request.question and not request.choose and not request.undo:
            if request.keep is not True and _whole(record):
                yield say(lang, "feedback.by-hand", turn=seq)
        if record.asker is not None and record.asker.user != asker:
            yield say(lang, "feedback.other-user", turn=seq)
        if record.origin.zone != zone:
            yield say(lang, "feedback.zone", turn=seq, zone=record.origin.zone)
        for one in self._down(record):
            mark = one.mark
            why = joined((text for text in (mark.code, mark.reason) if text), lang)
            yield say(lang, "feedback.down", turn=seq, who=one.who, day=one.at[:10])
            if why:
                yield say(lang, "feedback.why", why=why)
        for step in (record.steps or ()) if self._down(record) else ():
            yield say(lang, "feedback.then", text=step.text)
            if step.sql:
                yield say(lang, "feedback.sql", sql=f"\n{step.sql}")

    def _ends(self, record: Record) -> str:
        """What a turn must end as: as it did, or a gap."""
        steps = record.steps or ()
        if self._down(record):
            gap = f"expect:  # {say(self.lang, 'feedback.gap')}\n"
            return gap if len(steps) < 2 else "parts:\n" + _item(gap) * len(steps)
        if len(steps) < 2:
            return _gold(steps[0] if steps else None, record.outcome, self._up(record))
        return "parts:\n" + "".join(
            _item(_gold(step, step.outcome, self._up(record))) for step in steps
        )


def _gold(step: Step | None, outcome: str, confirmed: bool) -> str:
    """How a turn ended; with its statement, where a user said that it was right."""
    fields: Fields = {"expect": outcome}
    if step is not None and step.clarification is not None:
        fields["about"] = step.clarification.about
    text = _yaml(fields)
    if confirmed and step is not None and step.outcome == "answer":
        text += f"sql: |\n{textwrap.indent(step.sql.strip(), '  ')}\n"
    return text


def _whole(record: Record) -> str:
    """The whole question that a turn came to."""
    return next((step.completed_question for step in reversed(record.steps or ())), "")


def _user(user: User) -> Fields:
    """The attributes that policies go by; nothing for who may see everything."""
    if user == LOCAL or user.everything:
        return {}
    return {"user": {name: [*values] for name, values in user.attributes}}


def _clock(clock: datetime, zone: str) -> str | date:
    """A clock of a set: a day, or an instant with its offset from UTC."""
    if clock.tzinfo is None:
        if clock.time() == time():
            return clock.date()
        clock = clock.replace(tzinfo=ZoneInfo(zone))
    return clock.isoformat()


def _yaml(fields: Fields) -> str:
    return str(yaml.safe_dump(fields, allow_unicode=True, sort_keys=False, width=10**6))


def _item(text: str) -> str:
    """A mapping as an item of a list."""
    return "- " + textwrap.indent(text, "  ")[2:]


def _comment(text: str) -> str:
    return "".join(f"# {line}".rstrip() + "\n" for line in text.splitlines())
