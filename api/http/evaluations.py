"""Question sets run by the service, in processes of their own: one run at a time, kept as files at home."""

from __future__ import annotations

import json
import threading
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Literal

import yaml
from pydantic import ValidationError

from api.evaluating.bench import Installed, facts_of
from api.evaluating.failures import failures
from api.evaluating.page import page
from api.evaluating.wording import told_in
from api.live import Live
from api.settings import Places
from api.wiring import new_id
from dialogue.evaluation import (
    Cancelled,
    Evaluation,
    EvaluationError,
    QuestionSet,
    RunFile,
    set_of,
)
from semantic_layer.protocols import Clock

WORKERS = 2


class Evaluating(Exception):
    """One is running already."""


class BadSet(Exception):
    """A text that is no question set."""


@dataclass(frozen=True, slots=True)
class Run:
    """A run of question sets, as it stands."""

    evaluation_id: str
    owner: str
    turns: int
    started: str
    done: int = 0
    status: Literal["running", "done", "failed", "cancelled"] = "running"
    error: str = ""


@dataclass(frozen=True, slots=True)
class Ended:
    """A run with what came of it: its reports, and the turns that were wrong."""

    run: Run
    reports: list[dict[str, object]] = field(default_factory=list)
    failures: list[dict[str, object]] = field(default_factory=list)


class Evaluations:
    """The runs of one installation. Those that ended are in `home/evaluations`, with a page each."""

    def __init__(self, places: Places, live: Live, clock: Clock) -> None:
        self._places, self._live, self._clock = places, live, clock
        self._folder = places.home / "evaluations"
        self._lock = threading.Lock()
        self._current: Run | None = None
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self, texts: Sequence[str], owner: str) -> Run:
        """Begin a run. Raises `BadSet`, `Evaluating`."""
        sets = [_read(text) for text in texts]
        with self._lock:
            if self._current is not None and self._current.status == "running":
                raise Evaluating
            turns = sum(item.turns for item in sets)
            run = Run(new_id(), owner, turns, self._clock.now().isoformat())
            self._current, self._stop = run, threading.Event()
            self._thread = threading.Thread(
                target=self._run, args=(run, sets), name="evaluation", daemon=True
            )
            self._thread.start()
        return run

    def find(self, evaluation_id: str) -> Ended | None:
        """A run; what came of it is there when it is done."""
        with self._lock:
            if self._current is not None and self._current.evaluation_id == evaluation_id:
                if self._current.status == "running":
                    return Ended(self._current)
        return _saved(self._folder / f"{evaluation_id}.json")

    def all(self, owner: str) -> list[Run]:
        """The runs of a user, the newest first."""
        files = sorted(self._folder.glob("*.json"), reverse=True)
        saved = [found.run for file in files if (found := _saved(file)) is not None]
        with self._lock:
            running = [one for one in (self._current,) if one and one.status == "running"]
        return [run for run in (*running, *saved) if run.owner == owner]

    def page(self, evaluation_id: str) -> str | None:
        """The page of a run that is done: its scores, its failures side by side."""
        file = self._folder / f"{evaluation_id}.html"
        return file.read_text("utf-8") if file.is_file() else None

    def cancel(self, evaluation_id: str) -> None:
        """Stop a run, after the dialogues that are being judged."""
        with self._lock:
            if self._current is not None and self._current.evaluation_id == evaluation_id:
                self._stop.set()

    def close(self) -> None:
        """Stop what runs."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join(10)

    def _run(self, run: Run, sets: list[QuestionSet]) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        try:
            with self._live.held() as world:
                known = facts_of(world, sets, 1)
            file = RunFile(self._folder / f"{run.evaluation_id}.run", known)
            evaluation = Evaluation(sets, 1, file)
            opening = Installed(self._places, run.evaluation_id[:13], threads=1)
            evaluation.run(opening, WORKERS, self._progress, self._stop.is_set)
            found = list(evaluation.evaluated())
            reports = [item.report for item in found]
            shown = page(found, reports, told_in(sets))
            (self._folder / f"{run.evaluation_id}.html").write_text(shown, "utf-8")
            file.remove()
            self._end(run, "done", reports, failures(found))
        except Cancelled:
            self._end(run, "cancelled")
        except EvaluationError as error:
            self._end(run, "failed", error=str(error))
        except Exception as error:  # told in the run, as any other end
            self._end(run, "failed", error=f"{type(error).__name__}: {error}")

    def _progress(self, turns: int) -> None:
        with self._lock:
            if self._current is not None:
                self._current = replace(self._current, done=self._current.done + turns)

    def _end(
        self,
        run: Run,
        status: Literal["done", "failed", "cancelled"],
        reports: Sequence[dict[str, object]] = (),
        wrong: Sequence[dict[str, object]] = (),
        error: str = "",
    ) -> None:
        with self._lock:
            now = self._current or run
            ended = replace(now, status=status, error=error)
            kept = {"run": asdict(ended), "reports": reports, "failures": wrong}
            text = json.dumps(kept, ensure_ascii=False)
            (self._folder / f"{run.evaluation_id}.json").write_text(text, "utf-8")
            self._current = ended


def _read(text: str) -> QuestionSet:
    try:
        if any(isinstance(event, yaml.AliasEvent) for event in yaml.parse(text)):
            raise ValueError(
                "aliases (*name) are not taken here: a small text could stand for a huge one"
            )
        return set_of(text)
    except (ValidationError, ValueError, yaml.YAMLError) as error:
        raise BadSet(str(error)) from error


def _saved(file: Path) -> Ended | None:
    if not file.is_file():
        return None
    data = json.loads(file.read_text("utf-8"))
    return Ended(Run(**data["run"]), list(data["reports"]), list(data.get("failures", ())))
