"""`wenshu eval`: question sets, scored, with every failure's reason."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import yaml
from pydantic import ValidationError
from rich.console import Console

from api.wiring import App, new_id
from dialogue.engine import Moment
from dialogue.evaluation import evaluate, read_set
from dialogue.evaluation.run import Line, Observer
from dialogue.state import State
from dialogue.turn import Request, Turn
from semantic_layer.protocols import User


def run(app: App, files: list[Path], out: Path | None, as_json: bool, quiet: bool) -> int:
    """Evaluate question sets. 0 when all could be run, whatever their scores; 2 for a broken file."""
    console = Console()
    reports: list[dict[str, object]] = []
    for file in files:
        try:
            questions = read_set(file)
        except (OSError, ValidationError, yaml.YAMLError) as error:
            console.print(f"{file}: {error}")
            return 2
        report, lines = evaluate(app.world, questions, recorder(app))
        reports.append(report)
        if not as_json:
            summary(console, report, lines, quiet)
    text = json.dumps(reports[0] if len(reports) == 1 else reports, ensure_ascii=False, indent=1)
    if out is not None:
        out.write_text(text + "\n", encoding="utf-8")
    if as_json:
        print(text)
    return 0


def recorder(app: App) -> Observer | None:
    """Writes every evaluated turn to the ledger, so that the run can be replayed."""
    if app.ledger is None:
        return None
    sessions, run_id = app.sessions, new_id()[:13]
    seqs: dict[str, int] = {}

    def record(
        before: State,
        request: Request,
        user: User,
        moment: Moment,
        turn: Turn,
        after: State,
        session: str,
    ) -> Turn:
        session_id = f"eval-{run_id}-{session}"
        seqs[session_id] = seqs.get(session_id, 0) + 1
        turn_id, seq = new_id(), seqs[session_id]
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
