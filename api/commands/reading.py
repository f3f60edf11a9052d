"""`wenshu read`: how one question is read, stretch by stretch, and what else it could have been."""

from __future__ import annotations

import json
import sys
from datetime import datetime
from pathlib import Path

from api.wiring import App
from dialogue.words import bounds, condition, ranks, span
from dialogue.world import World
from nl2sql.edits import EditValue, TimeMention
from nl2sql.numbers import Bound, Number
from nl2sql.reading import Reading, RuleReader
from nl2sql.reading.cover import UNREAD, content
from nl2sql.reading.tokens import Rank, Token
from nl2sql.slots import Comparison, Filter, Having, Interval, Limit, Order
from nl2sql.times import Calendar, TimeMatch, UnknownTimeError, resolve
from semantic_layer.lexicon import Meaning

DEMO_CLOCK = datetime(2026, 9, 28)


def read(app: App, question: str, as_json: bool) -> int:
    """The reading of a question and the next best one: 0, or 1 where something was not understood."""
    reader = app.world.reader
    assert isinstance(reader, RuleReader)
    found = reader.readings(question)
    told = Told(app.world, app.moment().clock)
    if as_json:
        shown = told.reading(found[0])
        shown["second_best"] = None
        if len(found) > 1:
            shown["second_best"] = {
                **told.reading(found[1]),
                "below": round(found[0].score - found[1].score, 2),
            }
        print(json.dumps(shown, ensure_ascii=False))
    else:
        print("\n".join(told.lines(found)))
    return 0 if not found[0].unread else 1


class Told:
    """A reading in words and as JSON, under one layer and clock."""

    def __init__(self, world: World, clock: datetime) -> None:
        self.world, self.clock = world, clock

    def lines(self, found: tuple[Reading, ...]) -> list[str]:
        """What a person reads who wants to know what to add to a layer."""
        reading = found[0]
        lines = [f"{reading.intent} · score {reading.score:g}"]
        lines += [f"  {mark}" for mark in [", ".join(sorted(reading.cues))] if mark]
        lines += ["", "what was said, what it is, what it counts:"]
        lines += self.stretches(reading)
        lines += ["", "what it comes to:", *self.outcome(reading)]
        if len(found) > 1:
            below = reading.score - found[1].score
            lines += ["", f"second best, {below:g} below (- only above, + only here):"]
            lines += differing(self.stretches(reading), self.stretches(found[1]))
            lines += differing(self.outcome(reading), self.outcome(found[1]))
        else:
            lines += ["", "there is no other way to read it"]
        return lines

    def stretches(self, reading: Reading) -> list[str]:
        """Each stretch of the text in order: a token and its weight, or what was left over and its cost."""
        rows = [(token.start, token.end, token.kind, self.token(token), token.weight)
                for token in reading.tokens]  # fmt: skip
        covered = {at for token in reading.tokens for at in range(token.start, token.end)}
        for item in reading.unread:
            left = [at for at in range(*item.span) if at not in covered]
            cost = UNREAD * sum(content(reading.text[at]) for at in left)
            if left:
                rows.append((left[0], left[-1] + 1, "not understood", "", cost))
        return [
            f"  {padded(reading.text[start:end], 16)} {kind:15} {weight:+7.1f}  {what}".rstrip()
            for start, end, kind, what, weight in sorted(rows)
        ]

    def outcome(self, reading: Reading) -> list[str]:
        """What became of the stretches together."""
        lines = []
        for edit in reading.edits:
            said = reading.text[slice(*edit.span)]
            what = " or ".join(
                self.value(value, reading.lang) for value in (edit.value, *edit.others)
            )
            lines.append(f"  {edit.op:6} {edit.slot:11} {what}   ← {said}")
        for reference in reading.references:
            of = f" of {reference.dimension}" if reference.dimension else ""
            said = reading.text[slice(*reference.span)]
            lines.append(f"  refers to {reference.kind}{of}   ← {said}")
        for ambiguity in reading.ambiguities:
            options = ", ".join(choice.id for choice in ambiguity.choices)
            more = f", and {ambiguity.more} more" if ambiguity.more else ""
            lines.append(f"  ambiguous {ambiguity.about} {ambiguity.word!r}: {options}{more}")
        for taken in reading.taken:
            how = "a part of" if taken.why == "part" else "near to"
            lines.append(f"  {taken.text!r} taken as {taken.word!r}, {how} it")
        for unread in reading.unread:
            near = f"; nearest words: {', '.join(unread.near)}" if unread.near else ""
            lines.append(f"  {unread.text!r} not understood{near}")
        return lines

    def token(self, token: Token) -> str:
        """What a stretch can mean."""
        match token.payload:
            case tuple():
                named = list(dict.fromkeys(self.meant(item) for item in token.payload))
                more = f", {token.more} more" if token.more else ""
                less = f", {len(named) - 4} more" if len(named) > 4 else ""
                note = f" ({token.note})" if token.note else ""
                return ", ".join(named[:4]) + less + more + note
            case TimeMatch():
                return self.period(TimeMention("", token.payload.expr))
            case Bound(_, _, low, low_in, high, high_in):
                return bounds(Interval(low, low_in, high, high_in)).strip()
            case Number(_, _, value, upper):
                return f"{value:f}" if upper is None else f"{value:f} to {upper:f}"
            case Rank(first, last, descending):
                way = {None: "", True: " from the top", False: " from the bottom"}[descending]
                return f"ranks {first} to {last}{way}"
        return ""

    def meant(self, item: object) -> str:
        if isinstance(item, Meaning):
            return f"{item.kind} {item.owner + '.' if item.kind == 'value' else ''}{item.id}"
        key, dimension = getattr(item, "key", ""), getattr(item, "dimension", "")
        return f"value {dimension}.{key} ({getattr(item, 'name', '')})"

    def value(self, value: EditValue, lang: str) -> str:
        """The value of an edit in words."""
        match value:
            case None:
                return ""
            case tuple():
                return ", ".join(value)
            case TimeMention():
                return self.period(value)
            case Filter():
                return f"{value.field}: {condition(self.world, value, lang, None)}"
            case Having():
                return f"{value.metric}{bounds(value.test)}"
            case Comparison():
                return value.kind + (" in full" if value.full else "")
            case Order():
                return f"{value.by or 'the first metric'} {'down' if value.descending else 'up'}"
            case Limit():
                return ranks(self.world, value, "en")
        return str(value)

    def period(self, mention: TimeMention) -> str:
        """The ranges of a time at the clock; two of them where the direction of a field decides."""
        calendar: Calendar = self.world.calendar
        try:
            back, ahead = (
                ", ".join(
                    span(item, "en")
                    for item in resolve(mention.expr, self.clock, calendar, look).ranges
                )
                for look in ("back", "ahead")
            )
        except UnknownTimeError as error:
            return str(error)
        return back if back == ahead else f"{back} (looking ahead: {ahead})"

    def reading(self, reading: Reading) -> dict[str, object]:
        """A reading as JSON."""
        from dialogue import codec

        return {
            "text": reading.text,
            "lang": reading.lang,
            "intent": reading.intent,
            "score": reading.score,
            "cues": sorted(reading.cues),
            "tokens": [
                {
                    "start": token.start,
                    "end": token.end,
                    "text": reading.text[token.start : token.end],
                    "kind": token.kind,
                    "weight": token.weight,
                    "what": self.token(token),
                }
                for token in reading.tokens
            ],
            "edits": [codec.encode(edit) for edit in reading.edits],
            "references": [codec.encode(item) for item in reading.references],
            "ambiguities": [
                {
                    "about": item.about,
                    "span": item.span,
                    "word": item.word,
                    "options": [choice.id for choice in item.choices],
                    "more": item.more,
                }
                for item in reading.ambiguities
            ],
            "taken": [
                {"span": item.span, "text": item.text, "word": item.word, "why": item.why}
                for item in reading.taken
            ],
            "not_understood": [
                {"span": item.span, "text": item.text, "near": item.near} for item in reading.unread
            ],
        }


def differing(one: list[str], other: list[str]) -> list[str]:
    """The lines that only one of two lists has.

    >>> differing(["  a", "  b"], ["  b", "  c"])
    ['- a', '+ c']
    """
    return [f"- {line.strip()}" for line in one if line not in other] + [
        f"+ {line.strip()}" for line in other if line not in one
    ]


def padded(text: str, width: int) -> str:
    """Text filled up with blanks; Chinese characters are two columns wide.

    >>> padded("8月", 5) + "|"
    '8月  |'
    """
    wide = sum(2 if char > "\u2e80" else 1 for char in text)
    return text + " " * max(0, width - wide)


def check_times(path: Path, clock: datetime | None, calendar: Calendar, as_json: bool) -> int:
    """A file of times against the grammar: the accuracy and each fault; 1 on any, 2 for a broken file."""
    from nl2sql.times.gold import faults, read_rows

    try:
        rows = read_rows(path)
    except (OSError, ValueError) as error:
        print(error, file=sys.stderr)
        return 2
    found = list(faults(rows, clock or DEMO_CLOCK, calendar))
    right = len(rows) - len(found)
    rate = right / len(rows)
    if as_json:
        told = [{"line": f.line, "text": f.text, "right": f.right, "found": f.found} for f in found]
        shown = {"rows": len(rows), "right": right, "accuracy": rate, "faults": told}
        print(json.dumps(shown, ensure_ascii=False))
    else:
        for fault in found:
            print(f"{path}:{fault.line}: {fault.text}: right is {fault.right}, found {fault.found}")
        print(f"{right} of {len(rows)} right ({rate:.1%})")
    return 1 if found else 0


__all__ = ["Told", "check_times", "differing", "padded", "read"]
