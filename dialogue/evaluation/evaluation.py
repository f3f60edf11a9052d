"""A whole evaluation: question sets in workers, through a run file, to reports."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from dialogue.evaluation.judged import Judged
from dialogue.evaluation.report import report
from dialogue.evaluation.runfile import At, RunFile
from dialogue.evaluation.scores import Played
from dialogue.evaluation.sets import QuestionSet
from dialogue.evaluation.workers import Job, Opening, Stop, here, spread

WORTH = 40  # turns that take as long as starting a worker

Progress = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class Unsteady:
    """A turn that did not end every time as the first time."""

    set: str
    dialogue: str
    turn: int
    first: str
    other: str


@dataclass(frozen=True, slots=True)
class Evaluated:
    """One evaluated set: its dialogues with their turns of the first round."""

    questions: QuestionSet
    played: tuple[Played, ...]

    @property
    def report(self) -> dict[str, object]:
        """The JSON report."""
        return report(self.questions.set, self.played)


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What is to be judged, and the file that it goes through: sets, each so many times."""

    sets: Sequence[QuestionSet]
    rounds: int
    file: RunFile

    @property
    def turns(self) -> int:
        """How many turns there are to take, in all rounds."""
        return self.rounds * sum(item.turns for item in self.sets)

    def run(
        self,
        opening: Opening,
        workers: int = 1,
        progress: Progress = lambda turns: None,
        cancelled: Stop = lambda: False,
    ) -> None:
        """Judge what is not in the file yet; `progress` is told of the turns of each dialogue that is.

        With several workers, `opening` is sent to processes that are started for it. Raises `EvaluationError`,
        `Cancelled`; what was judged by then is in the file.
        """
        jobs = list(self._left())
        progress(self.turns - sum(len(job.dialogue.turns) for job in jobs))
        done = (
            spread(jobs, opening, min(workers, len(jobs)), cancelled)
            if workers > 1
            else here(jobs, opening, cancelled)
        )
        for at, turns in done:
            self.file.add(at, turns)
            progress(len(self.sets[at.set].dialogues[at.dialogue].turns))

    @property
    def worth(self) -> int:
        """How many workers are worth their start for what is left."""
        return 1 + sum(len(job.dialogue.turns) for job in self._left()) // WORTH

    def _left(self) -> Iterator[Job]:
        for turn in range(self.rounds):
            for number, questions in enumerate(self.sets):
                for index, dialogue in enumerate(questions.dialogues):
                    at = At(turn, number, index)
                    if at not in self.file:
                        yield Job(at, dialogue, questions.today, marked=self.rounds > 1)

    def evaluated(self) -> Iterator[Evaluated]:
        """The sets in their order, one after the other: only one is in memory."""
        for number, questions in enumerate(self.sets):
            played = (
                Played(dialogue, self.file.turns(At(0, number, index)))
                for index, dialogue in enumerate(questions.dialogues)
            )
            yield Evaluated(questions, tuple(played))

    def unsteady(self) -> Iterator[Unsteady]:
        """The turns that did not end alike in all rounds."""
        for number, questions in enumerate(self.sets):
            for index, dialogue in enumerate(questions.dialogues):
                once = self.file.turns(At(0, number, index))
                for other in range(1, self.rounds):
                    again = self.file.turns(At(other, number, index))
                    for was, now in _different(once, again):
                        yield Unsteady(questions.set, dialogue.id, was.turn, _end(was), _end(now))


def _different(
    once: tuple[Judged, ...], again: tuple[Judged, ...]
) -> Iterator[tuple[Judged, Judged]]:
    for was, now in zip(once, again, strict=True):
        if (was.ok, was.outcome, was.reason, was.mark) != (now.ok, now.outcome, now.reason, now.mark):  # fmt: skip
            yield was, now


def _end(turn: Judged) -> str:
    return f"{turn.outcome} {turn.mark[:8]}"


def digest(questions: QuestionSet) -> str:
    """What a set is, for a run file to know it again."""
    return hashlib.sha256(questions.model_dump_json().encode()).hexdigest()
