"""Evaluate in the process of a test."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from dialogue.evaluation import Bench, Evaluated, Evaluation, QuestionSet, RunFile
from dialogue.evaluation.judge import Judge
from dialogue.world import World


@dataclass(frozen=True)
class Given:
    """A world that is there already."""

    world: World

    @contextmanager
    def __call__(self) -> Iterator[Bench]:
        yield Bench(Judge(self.world))


@dataclass(frozen=True)
class Dying:
    """Ends its process where it should open an installation."""

    @contextmanager
    def __call__(self) -> Iterator[Bench]:
        os._exit(3)
        yield


def evaluated(world: World, questions: QuestionSet, folder: Path) -> Evaluated:
    """One set, once; nothing is recorded."""
    folder.mkdir(exist_ok=True)
    file = RunFile(folder / f"{questions.set}.run", {})
    evaluation = Evaluation([questions], 1, file)
    evaluation.run(Given(world))
    (found,) = evaluation.evaluated()
    file.close()
    return found
