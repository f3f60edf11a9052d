"""Dialogues judged by several processes, each with a warehouse and a ledger connection of its own.

A worker is handed one dialogue at a time. It ends by itself when whoever started it is gone: then its pipe is closed.
"""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from typing import TypeAlias

from dialogue.evaluation.judge import Judge
from dialogue.evaluation.judged import Judged, judged
from dialogue.evaluation.run import Observer, run_dialogue
from dialogue.evaluation.runfile import At
from dialogue.evaluation.sets import Dialogue, Today

PATIENCE = 10.0  # seconds that a worker may take to end what it is at
LOOK = 0.2  # seconds between two looks at whether to stop


class EvaluationError(Exception):
    """An evaluation that cannot go on: what happened, and at which dialogue."""


class Cancelled(Exception):
    """An evaluation that was stopped on request."""


@dataclass(frozen=True, slots=True)
class Job:
    """A dialogue to be judged; `marked` where it is to be compared with itself."""

    at: At
    dialogue: Dialogue
    today: Today
    marked: bool = False


@dataclass(frozen=True, slots=True)
class Bench:
    """What dialogues are judged with: a judge over a world, and who records a dialogue's turns, if anyone."""

    judge: Judge
    observer: Callable[[At], Observer] | None = None


Opening: TypeAlias = Callable[[], AbstractContextManager[Bench]]
Done: TypeAlias = tuple[At, tuple[Judged, ...]]
Stop: TypeAlias = Callable[[], bool]


def work(bench: Bench, job: Job) -> Done:
    """Judge one dialogue."""
    observe = bench.observer(job.at) if bench.observer is not None else None
    lines = run_dialogue(bench.judge, job.dialogue, job.today, observe)
    return job.at, tuple(judged(line, bench.judge.gold, job.marked) for line in lines)


def here(jobs: Iterable[Job], opening: Opening, cancelled: Stop) -> Iterator[Done]:
    """Judge in this process. Raises `Cancelled`."""
    with opening() as bench:
        for job in jobs:
            if cancelled():
                raise Cancelled
            yield work(bench, job)


def spread(jobs: Iterable[Job], opening: Opening, workers: int, cancelled: Stop) -> Iterator[Done]:
    """Judge in so many processes, started anew (spawned): dialogues come as they are done, in any order.

    `opening` is sent to them, so it must be a value of a module. Raises `EvaluationError`, `Cancelled`.
    """
    left = iter(jobs)
    hands = [_Hand(opening) for _ in range(workers)]
    try:
        busy = {hand.pipe: hand for hand in hands if hand.give(next(left, None))}
        while busy:
            if cancelled():
                raise Cancelled
            for pipe in wait(list(busy), LOOK):
                hand = busy[pipe]  # type: ignore[index]
                done = hand.take()
                if not hand.give(next(left, None)):
                    del busy[hand.pipe]
                yield done
    finally:
        for hand in hands:
            hand.pipe.close()
        for hand in hands:
            hand.end()


class _Hand:
    """A worker as the one who started it sees it."""

    def __init__(self, opening: Opening) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe, other = context.Pipe()
        self.process = context.Process(target=_serve, args=(other, opening), daemon=True)
        self.process.start()
        other.close()
        self._at = ""

    def give(self, job: Job | None) -> bool:
        """Hand over a dialogue; whether there was one."""
        if job is None:
            return False
        self._at = job.dialogue.id
        with suppress(BrokenPipeError):  # `take` tells what became of the worker
            self.pipe.send(job)
        return True

    def take(self) -> Done:
        """What became of the dialogue."""
        try:
            found: Done | str = self.pipe.recv()
        except (EOFError, ConnectionResetError):
            self.process.join(PATIENCE)
            raise EvaluationError(
                f"a worker ended (exit code {self.process.exitcode}) at dialogue {self._at}: "
                "--resume goes on after what is done, --workers 1 shows what happens there"
            ) from None
        if isinstance(found, str):
            raise EvaluationError(f"{found}, at dialogue {self._at}")
        return found

    def end(self) -> None:
        """Wait for the worker, whose pipe is closed; one that does not end is ended."""
        self.process.join(PATIENCE)
        if self.process.is_alive():
            self.process.terminate()
            self.process.join()


def _serve(pipe: Connection, opening: Opening) -> None:
    """The life of a worker: dialogues in, judged dialogues out, or one text where it cannot go on."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the one who hands out
    with suppress(EOFError, BrokenPipeError, ConnectionResetError):
        try:
            with opening() as bench:
                while True:
                    pipe.send(work(bench, pipe.recv()))
        except (EOFError, BrokenPipeError, ConnectionResetError):
            raise
        except Exception as error:
            pipe.send(f"{type(error).__name__}: {error}")
