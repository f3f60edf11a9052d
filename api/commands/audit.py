"""`wenshu replay`: recorded turns, taken again."""

from __future__ import annotations

import json
from itertools import islice

from rich.console import Console

from api.commands.books import account
from api.wiring import App, versions
from dialogue.ledger import Ledger, Selection
from dialogue.ledger.stores import shown
from dialogue.record import Record, record_of
from dialogue.replay import Verdict, replay


def replay_one(app: App, turn_id: str, console: Console) -> bool:
    """Replay one turn and print the verdict; whether it is the same."""
    assert app.ledger is not None
    record = found(app.ledger, turn_id)
    if record is None:
        console.print(f"there is no turn {turn_id} in {shown(app.places.ledger)}")
        return False
    verdict = replay(app.world, record, versions())
    print_verdict(console, verdict)
    return verdict.same


def found(ledger: Ledger, turn_id: str) -> Record | None:
    """The one finished turn whose id begins so; None where there is none, or more, or it was erased."""
    entries = list(islice(ledger.read(Selection(turn=turn_id), account(), "replay"), 2))
    whole = len(entries) == 1 and entries[0].outcome and not entries[0].erased
    return record_of(entries[0]) if whole else None


def print_verdict(console: Console, verdict: Verdict) -> None:
    """The verdict in words, with what changed and how it shows."""
    if verdict.same:
        console.print(
            f"[green]same[/green] {verdict.turn_id} {verdict.question}: slots and SQL byte for byte, rows by digest"
        )
        if verdict.changed:
            console.print(f"  (though changed since: {', '.join(verdict.changed)})")
        return
    changed = ", ".join(verdict.changed) or "the reading or the compiler"
    console.print(
        f"[red]different[/red] {verdict.turn_id} {verdict.question}: changed since: {changed}"
    )
    for item in verdict.differences:
        console.print(f"  {item.what}\n    then: {item.then}\n    now:  {item.now}")


def run(app: App, turn_id: str | None, everything: bool, session: str | None, as_json: bool) -> int:
    """Replay one turn (the last by default), a session, or all; 1 when any is not the same."""
    console = Console()
    assert app.ledger is not None
    if turn_id is None and not everything and session is None:
        turn_id = app.ledger.newest()
        if turn_id is None:
            console.print(f"nothing is recorded in {shown(app.places.ledger)} yet")
            return 1
    if turn_id is not None:
        one = found(app.ledger, turn_id)
        if one is None:
            console.print(f"there is no one turn {turn_id} in {shown(app.places.ledger)}")
            return 2
        records = iter((one,))
    else:
        entries = app.ledger.read(Selection(session=session or ""), account(), "replay")
        records = (record_of(entry) for entry in entries if entry.outcome and not entry.erased)
    verdicts: list[Verdict] = []
    for record in records:
        verdict = replay(app.world, record, versions())
        verdicts.append(verdict)
        if not as_json and (not verdict.same or turn_id is not None):
            print_verdict(console, verdict)
    same = sum(verdict.same for verdict in verdicts)
    statements = sum(verdict.same_statement for verdict in verdicts)
    if as_json:
        print(
            json.dumps(
                {
                    "turns": len(verdicts),
                    "same": same,
                    "same_slots_and_sql": statements,
                    "different": [
                        {
                            "turn_id": item.turn_id,
                            "question": item.question,
                            "changed": item.changed,
                            "differences": [
                                {"what": d.what, "then": d.then, "now": d.now}
                                for d in item.differences
                            ],
                        }
                        for item in verdicts
                        if not item.same
                    ],
                },
                ensure_ascii=False,
            )
        )
    elif turn_id is None:
        console.print(
            f"{len(verdicts)} turns: {statements} with the same slots and SQL, {same} with the same rows too"
        )
    return 0 if verdicts and same == len(verdicts) else 1
