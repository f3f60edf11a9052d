"""`wenshu replay`: recorded turns, taken again, with a verdict on each."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

from rich.console import Console

from api.commands.books import account
from api.progress import Step, counted
from api.wiring import App, versions
from dialogue.differences import Difference
from dialogue.ledger import Ledger, LedgerError, Selection
from dialogue.ledger.stores import Source, SQLiteReader, shown
from dialogue.record import Record, record_of
from dialogue.replay import Replayer, Verdict
from nl2sql.warehouse import unparquet

COLOURS = {"+": "green", "-": "red", "@": "cyan"}


def replayer(app: App, archive: Source | None = None) -> Replayer:
    """What takes turns again in an installation of today."""
    ledger = app.ledger
    assert ledger is not None
    return Replayer(
        app.world, versions(), lambda digest: ledger.layer_text(digest, archive), unparquet
    )


def replay_one(app: App, turn_id: str, console: Console) -> bool:
    """Replay one turn and print the verdict; whether it is the same."""
    assert app.ledger is not None
    record = found(app.ledger, turn_id)
    if record is None:
        console.print(f"there is no turn {turn_id} in {shown(app.places.ledger)}")
        return False
    verdict = replayer(app).verdict(record)
    print_verdict(console, verdict)
    return verdict.same


def found(ledger: Ledger, turn_id: str, archive: Source | None = None) -> Record | None:
    """The one finished turn whose id begins so; None where there is none, or more."""
    selection = Selection(turn=turn_id)
    entries = list(islice(ledger.read(selection, account(), "replay", archive), 2))
    return record_of(entries[0]) if len(entries) == 1 and entries[0].outcome else None


def print_verdict(console: Console, verdict: Verdict) -> None:
    """The verdict in words, with what changed and how it shows."""
    named = f"{verdict.turn_id} {verdict.question}"
    also = ", ".join(f"{item.name} {item.then[:16]} → {item.now[:16]}" for item in verdict.changed)
    if verdict.same:
        console.print(f"[green]same[/green] {named}: slots and SQL byte for byte, rows by digest")
        if also:
            console.print(f"  (though changed since: {also})", highlight=False)
        return
    console.print(f"[red]{', '.join(verdict.causes)}[/red] {named}")
    for item in verdict.findings:
        console.print(f"  {item.cause}", style="bold")
        for difference in item.differences:
            print_difference(console, difference)
    if also:
        console.print(f"  changed since: {also}", highlight=False)


def print_difference(console: Console, difference: Difference) -> None:
    """Then and now; line by line where that says more."""
    console.print(f"    {difference.what}", style="bold")
    if not difference.lines or difference.what in ("rows", "layer"):
        _line(console, f"then: {difference.then}")
        _line(console, f"now:  {difference.now}")
    for line in difference.lines:
        _line(console, line, COLOURS.get(line[:1], ""))


def _line(console: Console, text: str, style: str = "") -> None:
    console.print(
        f"      {text}", style=style or None, markup=False, highlight=False, soft_wrap=True
    )


def run(
    app: App, selection: Selection, everything: bool, archive: Path | None, as_json: bool
) -> int:
    """Replay what is selected (the last turn, where nothing is); 1 when any is not the same, 2 for no such turn."""
    console = Console()
    assert app.ledger is not None
    try:
        source = None if archive is None else SQLiteReader(archive)
    except LedgerError as error:
        print(error, file=sys.stderr)
        return 2
    if selection == Selection() and not everything:
        selection = Selection(turn=app.ledger.newest() or "")
        if not selection.turn:
            console.print(f"nothing is recorded in {shown(app.places.ledger)} yet")
            return 1
    if selection.turn:
        one = found(app.ledger, selection.turn, source)
        if one is None:
            print(
                f"there is no one finished turn {selection.turn} in {shown(app.places.ledger)}",
                file=sys.stderr,
            )
            return 2
        records: Iterator[Record] = iter((one,))
    else:
        entries = app.ledger.read(selection, account(), "replay", source)
        records = map(record_of, entries)
    tally = Tally()
    with counted(app.ledger.count(selection, source), as_json) as step:
        for verdict in tally.over(replayer(app, source), records, step):
            if not as_json and (not verdict.same or selection.turn):
                print_verdict(console, verdict)
    if as_json:
        print(json.dumps(tally.told(), ensure_ascii=False))
    elif not selection.turn:
        console.print(tally.words(), highlight=False)
    return 0 if tally.turns and tally.same == tally.turns else 1


class Tally:
    """Verdicts, counted; those that are not the same are kept."""

    def __init__(self) -> None:
        self.turns = self.same = self.statements = self.interrupted = 0
        self.causes: Counter[str] = Counter()
        self.different: list[Verdict] = []

    def over(self, how: Replayer, records: Iterable[Record], step: Step) -> Iterator[Verdict]:
        """Count while going over the records; interrupted turns have nothing to compare with."""
        for record in records:
            step()
            if not record.outcome:
                self.interrupted += 1
                continue
            verdict = how.verdict(record)
            self.turns += 1
            self.same += verdict.same
            self.statements += verdict.same_statement
            self.causes.update(verdict.causes)
            if not verdict.same:
                self.different.append(verdict)
            yield verdict

    def words(self) -> str:
        """The summary."""
        text = f"{self.turns} turns: {self.same} the same"
        for cause, count in self.causes.most_common():
            text += f", {count} {cause}"
        if self.interrupted:
            text += f"; {self.interrupted} interrupted, nothing to compare"
        return text

    def told(self) -> dict[str, object]:
        """The summary with every turn that is not the same."""
        return {
            "turns": self.turns,
            "same": self.same,
            "same_slots_and_sql": self.statements,
            "interrupted": self.interrupted,
            "causes": dict(self.causes),
            "different": [verdict_json(item) for item in self.different],
        }


def verdict_json(verdict: Verdict) -> dict[str, object]:
    """A verdict, whole."""
    return {
        "turn_id": verdict.turn_id,
        "session_id": verdict.session_id,
        "seq": verdict.seq,
        "question": verdict.question,
        "verdict": verdict.causes or ("same",),
        "findings": [
            {
                "cause": item.cause,
                "differences": [difference_json(one) for one in item.differences],
            }
            for item in verdict.findings
        ],
        "changed": {item.name: {"then": item.then, "now": item.now} for item in verdict.changed},
    }


def difference_json(found: Difference) -> dict[str, object]:
    """A difference, whole."""
    return {"what": found.what, "then": found.then, "now": found.now, "lines": found.lines}
