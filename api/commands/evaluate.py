"""`wenshu eval`: question sets, scored, with every failure's reason."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import yaml
from pydantic import ValidationError
from rich.console import Console

from api.progress import Step, counted
from api.wiring import App, new_id
from dialogue.engine import Moment
from dialogue.evaluation import Gold, evaluate, read_set
from dialogue.evaluation.against import Change, changes
from dialogue.evaluation.run import Line, Observer
from dialogue.state import State
from dialogue.turn import Request, Turn
from semantic_layer.protocols import User


@dataclass(frozen=True, slots=True)
class Wanted:
    """What an evaluation is to give: reports, to a file or printed; beside an earlier report; several times."""

    out: Path | None = None
    as_json: bool = False
    quiet: bool = False
    against: Path | None = None
    times: int = 1


def run(app: App, files: list[Path], wanted: Wanted) -> int:
    """Evaluate question sets. 0 when all could be run, whatever their scores; 2 for a broken file.

    1 where a turn became wrong since the earlier report, or two rounds differ.
    """
    console = Console()
    try:
        sets = [(file, read_set(file)) for file in files]
        before = earlier(wanted.against) if wanted.against is not None else None
    except (OSError, ValidationError, ValueError, yaml.YAMLError) as error:
        print(error, file=sys.stderr)
        return 2
    gold = Gold(app.world.warehouse, app.places.home / "gold.sqlite")
    reports: list[dict[str, object]] = []
    unsteady: list[str] = []
    whole = wanted.times * sum(len(item.turns) for _, found in sets for item in found.dialogues)
    with counted(whole, wanted.as_json) as step:
        for _, questions in sets:
            report, lines = evaluate(app.world, questions, recorder(app, step), gold)
            reports.append(report)
            if not wanted.as_json:
                summary(console, report, lines, wanted.quiet)
            for _ in range(1, wanted.times):
                again, _ = evaluate(app.world, questions, recorder(app, step), gold)
                unsteady += unlike(report, again)
    write(reports, wanted)
    told = print if not wanted.as_json else lambda text: print(text, file=sys.stderr)
    for turn in unsteady:
        told(f"not every time the same: {turn}")
    became = changes(before, reports) if before is not None else None
    if became is not None:
        for item in became.right:
            told(f"became right: {line(item)}")
        for item in became.wrong:
            told(f"became wrong: {line(item)}")
        told(
            f"{len(became.right)} became right, {len(became.wrong)} became wrong"
            + (f"; {became.unmatched} turns are in one report only" if became.unmatched else "")
        )
    return 1 if unsteady or (became is not None and became.wrong) else 0


def unlike(report: Mapping[str, object], again: Mapping[str, object]) -> Iterator[str]:
    """The turns that ended otherwise, or for another reason, when they were taken again."""
    once, twice = report["turns"], again["turns"]
    assert isinstance(once, list)
    assert isinstance(twice, list)
    for was, is_now in zip(once, twice, strict=True):
        if was != is_now:
            yield f"{report['set']} {was['dialogue']} {was['turn']}: {was['outcome']}, {is_now['outcome']}"


def line(found: Change) -> str:
    """A change in one line."""
    return f"{found.set} {found.dialogue} {found.turn} ({found.reason})"


def earlier(file: Path) -> list[dict[str, object]]:
    """The reports in a file of `--json`. Raises `ValueError` for anything else."""
    found = json.loads(file.read_text("utf-8"))
    reports = found if isinstance(found, list) else [found]
    changes(reports, ())
    return reports


def write(reports: list[dict[str, object]], wanted: Wanted) -> None:
    """The reports, to a file or printed."""
    text = json.dumps(reports[0] if len(reports) == 1 else reports, ensure_ascii=False, indent=1)
    if wanted.out is not None:
        wanted.out.write_text(text + "\n", encoding="utf-8")
    if wanted.as_json:
        print(text)


def recorder(app: App, step: Step = lambda: None) -> Observer:
    """Writes every evaluated turn to the ledger, so that the run can be replayed."""
    sessions, run_id = app.sessions, new_id()[:13]
    last, seq = "", 0

    def record(
        before: State,
        request: Request,
        user: User,
        moment: Moment,
        turn: Turn,
        after: State,
        session: str,
    ) -> Turn:
        nonlocal last, seq
        step()
        session_id = f"eval-{run_id}-{session}"
        if session_id != last:  # a dialogue is over when the next begins
            sessions.forget(last)
            last, seq = session_id, 0
        turn_id, seq = new_id(), seq + 1
        sessions.intend(session_id, turn_id, seq, before, request, user, moment)
        found = replace(turn, turn_id=turn_id, session_id=session_id, seq=seq)
        sessions.conclude(found, after, moment)
        return turn

    return record


def summary(console: Console, report: dict[str, object], lines: list[Line], quiet: bool) -> None:
    """The scores of a set, then each failure with its reason."""
    scores = report["scores"]
    assert isinstance(scores, dict)
    console.print(
        f"[bold]{report['set']}[/bold]  "
        + "  ".join(f"{name} {value}" for name, value in scores.items())
    )
    console.print(f"latency_ms {report['latency_ms']}")
    if quiet:
        return
    for line in lines:
        if not line.verdict.ok:
            why = f"{line.got.outcome}: {line.verdict.code}: {line.verdict.words}"
            told = f"  {line.dialogue} {line.turn} {line.asked} → {why}"
            console.print(told, style="red", markup=False, highlight=False)
