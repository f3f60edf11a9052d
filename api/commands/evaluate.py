"""`wenshu eval`: question sets, scored, with every failure's reason."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

import yaml
from pydantic import ValidationError
from rich.console import Console

from api.evaluating.bench import cores, facts, opening
from api.evaluating.junit import junit
from api.evaluating.markdown import markdown
from api.evaluating.page import page
from api.evaluating.wording import told_in
from api.progress import counted
from api.wiring import App, new_id
from dialogue.evaluation import (
    Evaluated,
    Evaluation,
    EvaluationError,
    QuestionSet,
    RunFile,
    read_set,
)
from dialogue.evaluation.against import Change, Changes, changes

STOPPED = 130  # the exit code of a command that Ctrl-C ended


@dataclass(frozen=True, slots=True)
class Wanted:
    """What an evaluation is to give, and how it is to run; `workers` 0 is one for each core."""

    out: Path | None = None
    html: Path | None = None
    markdown: Path | None = None
    junit: Path | None = None
    lang: str = ""
    as_json: bool = False
    quiet: bool = False
    against: Path | None = None
    times: int = 1
    workers: int = 0
    resume: bool = False


def run(app: App, files: list[Path], wanted: Wanted) -> int:
    """Evaluate question sets. 0 when all could be run, whatever their scores; 2 for a broken file.

    1 where something became worse since the earlier report, or two rounds differ; 130 after Ctrl-C.
    """
    try:
        sets = [read_set(file) for file in files]
        before = earlier(wanted.against) if wanted.against is not None else None
    except (OSError, ValidationError, ValueError, yaml.YAMLError) as error:
        print(error, file=sys.stderr)
        return 2
    evaluation = Evaluation(sets, wanted.times, run_file(app, sets, wanted))
    workers = wanted.workers or min(cores(), evaluation.worth)
    try:
        with counted(evaluation.turns, wanted.as_json) as step:
            evaluation.run(opening(app, workers), workers, step)
    except KeyboardInterrupt:
        print(
            f"stopped; `--resume` goes on after {len(evaluation.file)} dialogues", file=sys.stderr
        )
        return STOPPED
    except EvaluationError as error:
        print(error, file=sys.stderr)
        return 2
    told = print if not wanted.as_json else lambda text: print(text, file=sys.stderr)
    reports = give(evaluation, wanted)
    unsteady = list(evaluation.unsteady())
    evaluation.file.remove()
    for item in unsteady:
        place = f"{item.set} {item.dialogue} {item.turn}"
        told(f"not every time the same: {place}: {item.first}, {item.other}")
    if wanted.times > 1 and not unsteady:
        told(f"{evaluation.turns} turns in {wanted.times} rounds: the same every time")
    became = changes(before, reports) if before is not None else None
    if became is not None:
        tell(became, told)
    return 1 if unsteady or (became is not None and became.regressed) else 0


def run_file(app: App, sets: list[QuestionSet], wanted: Wanted) -> RunFile:
    """The file that a run goes through: with `--resume` the newest of the same run, else a new one."""
    folder = app.places.home / "evaluations"
    run = facts(app, sets, wanted.times)
    if wanted.resume:
        for path in sorted(folder.glob("*.run"), reverse=True):
            found = RunFile.resume(path, run)
            if found is not None:
                print(f"goes on after {len(found)} dialogues", file=sys.stderr)
                return found
        print(
            "there is no such run to go on with, or it still runs: this one begins anew",
            file=sys.stderr,
        )
    return RunFile(folder / f"{new_id()}.run", run)


def give(evaluation: Evaluation, wanted: Wanted) -> list[dict[str, object]]:
    """The reports, printed and written as is wanted. A set at a time: only what is written is in memory."""
    console, reports = Console(), []
    for found in evaluation.evaluated():
        reports.append(found.report)
        if not wanted.as_json:
            summary(console, reports[-1], found, wanted.quiet)
    text = json.dumps(reports[0] if len(reports) == 1 else reports, ensure_ascii=False, indent=1)
    if wanted.as_json:
        print(text)
    lang = told_in(evaluation.sets, wanted.lang)
    if wanted.out is not None:
        wanted.out.write_text(text + "\n", "utf-8")
    if wanted.html is not None:
        wanted.html.write_text(page(evaluation.evaluated(), reports, lang), "utf-8")
    if wanted.markdown is not None:
        wanted.markdown.write_text(markdown(evaluation.evaluated(), reports, lang), "utf-8")
    if wanted.junit is not None:
        wanted.junit.write_text(junit(evaluation.evaluated()), "utf-8")
    return reports


def compare(before: Path, now: Path, out: Path | None, as_json: bool) -> int:
    """Two reports beside each other, printed as text or JSON, and as JSON to a file.

    1 where something became worse, 2 where one is no report.
    """
    try:
        found = changes(earlier(before), earlier(now))
    except (OSError, ValueError) as error:
        print(error, file=sys.stderr)
        return 2
    text = json.dumps({**asdict(found), "regressed": found.regressed}, ensure_ascii=False, indent=1)
    if out is not None:
        out.write_text(text + "\n", "utf-8")
    if as_json:
        print(text)
    else:
        tell(found, print)
    return int(found.regressed)


def tell(found: Changes, told: Callable[[str], None]) -> None:
    """What became right and wrong, then the scores that moved."""
    for item in found.right:
        told(f"became right: {line(item)}")
    for item in found.wrong:
        told(f"became wrong: {line(item)}")
    for score in found.moved:
        how = "better" if score.better else "worse"
        told(f"{score.set} {score.score}: {score.before} → {score.now} ({how})")
    told(
        f"{len(found.right)} became right, {len(found.wrong)} became wrong"
        + (f"; {found.unmatched} turns are in one report only" if found.unmatched else "")
    )


def line(found: Change) -> str:
    """A change in one line."""
    return f"{found.set} {found.dialogue} {found.turn} ({found.reason})"


def earlier(file: Path) -> list[dict[str, object]]:
    """The reports in a file of `--json`. Raises `ValueError` for anything else."""
    found = json.loads(file.read_text("utf-8"))
    reports = found if isinstance(found, list) else [found]
    changes(reports, ())
    return reports


def summary(console: Console, report: Mapping[str, object], found: Evaluated, quiet: bool) -> None:
    """The scores of a set with their intervals, then each failure with its reason."""
    scores, intervals, latency = report["scores"], report["intervals"], report["latency_ms"]
    assert isinstance(scores, dict)
    assert isinstance(intervals, dict)
    assert isinstance(latency, dict)
    told = [f"{name} {value}{between(intervals.get(name))}" for name, value in scores.items()]
    console.print(f"[bold]{report['set']}[/bold]  " + "  ".join(told), highlight=False)
    each = [
        f"{name} {latency[name]['p50']} {latency[name]['p95']}"
        for name in ("reading", "compiling", "running")
    ]
    console.print(
        f"ms a turn, p50 and p95: {latency['p50']} {latency['p95']}; " + ", ".join(each),
        highlight=False,
    )
    if quiet:
        return
    for played in found.played:
        for turn in played.turns:
            if not turn.ok:
                why = f"{turn.outcome}: {turn.reason}"
                told_line = f"  {played.dialogue.id} {turn.turn} {turn.asked} → {why}"
                console.print(told_line, style="red", markup=False, highlight=False)


def between(interval: tuple[float, float] | None) -> str:
    """An interval that says something: none for a score without one, or that never varies.

    >>> between((0.91, 0.97)), between((1.0, 1.0))
    (' [0.91, 0.97]', '')
    """
    return (
        "" if interval is None or interval[0] == interval[1] else f" [{interval[0]}, {interval[1]}]"
    )
