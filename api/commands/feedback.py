"""`wenshu feedback …`: a thumb on a turn, what was marked, and the marked turns as a question set."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from api.commands.books import account
from api.feedback_json import exported_json, feedback_json
from dialogue.codec import Json
from dialogue.feedback import Feedback, Mark, counted, question_set
from dialogue.feedback import give as record
from dialogue.ledger import Ledger, LedgerError, Selection
from dialogue.record import record_of
from dialogue.turn import Request


def give(ledger: Ledger, turn: str, mark: Mark, who: str | None, as_json: bool) -> int:
    """Record a mark on the turn whose id begins so. 2 where there is no such turn."""
    try:
        made = record(ledger, ledger.finished(turn), mark, who or account())
    except LedgerError as error:
        print(error, file=sys.stderr)
        return 2
    told = {"turn_id": made.turn_id, "session_id": made.session_id, **made.body, "hash": made.hash}
    words = " ".join(filter(None, (f"turn {made.turn_id}: thumb {mark.thumb}", mark.code)))
    print(json.dumps(told) if as_json else words)
    return 0


def listed(ledger: Ledger, who: str | None, as_json: bool) -> int:
    """The feedback that counts, a line each. That it was read is recorded."""
    ledger.note("read", {"who": who or account(), "how": "feedback list", "what": {}})
    for one in counted(ledger):
        question = asked(ledger, one)
        if as_json:
            print(json.dumps(feedback_json(one, question), ensure_ascii=False))
        else:
            said = "  ".join(filter(None, (one.mark.code, one.mark.reason)))
            print(f"{one.at}  {one.mark.thumb:4}  {one.who}  {one.turn_id}  {question}  {said}")
    return 0


def asked(ledger: Ledger, one: Feedback) -> str:
    """What was sent for a turn, in words; empty where it was erased."""
    entries = ledger.entries(Selection(turn=one.turn_id, session=one.session_id))
    request = next((record_of(entry).request for entry in entries), None)
    return "" if request is None else sent(request)


def sent(request: Request) -> str:
    """A request in words.

    >>> sent(Request(choose=("collection_rate",)))
    '[choose collection_rate]'
    """
    if request.question:
        return request.question
    if request.choose:
        return f"[choose {', '.join(request.choose)}]"
    return "[undo]" if request.undo else "[keep]" if request.keep else "[edit]"


def export(ledger: Ledger, file: Path, who: str | None, as_json: bool) -> int:
    """Write the turns with a thumb down as a question set. 1 when there are none, 2 when it cannot be written."""
    if file.exists():
        print(f"{file} is there already: name a new file", file=sys.stderr)
        return 2
    what: dict[str, Json] = {"file": file.name}
    ledger.note("read", {"who": who or account(), "how": "feedback export", "what": what})
    try:
        found = question_set(ledger, file.stem)
    except LedgerError as error:
        print(error, file=sys.stderr)
        return 1
    try:
        file.write_text(found.text, encoding="utf-8")
    except OSError as error:
        print(f"{file} cannot be written: {error}", file=sys.stderr)
        return 2
    if as_json:
        print(json.dumps({"file": str(file), **exported_json(found)}, ensure_ascii=False))
        return 0
    print(f"{found.dialogues} dialogues, {found.turns} turns in {file}; answers to fill in:")
    for gap in found.gaps:
        print(f"  {gap.dialogue} turn {gap.turn}: {gap.question}")
    for turn, why in found.left_out:
        print(f"  left out: turn {turn} ({why.removeprefix('feedback.')})")
    return 0
