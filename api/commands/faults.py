"""`wenshu audit faults`: what was raised in the turns that ended in a fault."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from api.commands.books import account
from dialogue.ledger import Entry, Ledger, LedgerError, Selection
from dialogue.ledger.stores import SQLiteReader
from dialogue.record import record_of


def run(
    ledger: Ledger, code: str, selection: Selection, archive: Path | None, as_json: bool
) -> int:
    """Print the faults of a code, or all. 1 where there are none, 2 where there is no such archive."""
    try:
        source = None if archive is None else SQLiteReader(archive)
        entries = ledger.read(selection, account(), "faults", source)
        found = [told for entry in entries for told in faults(entry) if code in ("", told["fault"])]
    except LedgerError as error:
        print(error, file=sys.stderr)
        return 2
    for told in found:
        print(json.dumps(told, ensure_ascii=False) if as_json else words(told))
    if not found:
        print("no such fault is recorded", file=sys.stderr)
    return 0 if found else 1


def faults(entry: Entry) -> list[dict[str, str]]:
    """The faults of a turn; of those that were erased, nothing."""
    if entry.outcome is None or "faults" not in entry.outcome.parts:
        return []
    record = record_of(entry)
    return [
        {
            "at": record.at,
            "turn_id": record.turn_id,
            "session_id": record.session_id,
            "fault": one.code,
            "what": one.what,
            "detail": one.detail,
        }
        for one in record.faults or ()
    ]


def words(told: dict[str, str]) -> str:
    """A fault to read: a line, and under it what was raised."""
    lines = "".join(f"  {line}\n" for line in told["detail"].splitlines())
    return f"{told['at']}  {told['fault']}  turn {told['turn_id']}  {told['what']}\n{lines}"
