"""What a worker judges with: an installation of its own, whose turns are recorded in sessions of their own."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace

from api.settings import COLLECT, Places
from api.wiring import App, new_id, open_app, versions
from dialogue.engine import Moment
from dialogue.evaluation import Bench, Gold, QuestionSet
from dialogue.evaluation.evaluation import digest
from dialogue.evaluation.judge import Judge
from dialogue.evaluation.run import Observer
from dialogue.evaluation.runfile import At
from dialogue.evaluation.workers import Opening
from dialogue.session import Sessions
from dialogue.state import State
from dialogue.turn import Request, Turn
from dialogue.world import World
from semantic_layer.protocols import User


@dataclass(frozen=True, slots=True)
class Installed:
    """Opens the installation anew, in whichever process it is called. `run` names the start of the run."""

    places: Places
    run: str
    threads: int

    @contextmanager
    def __call__(self) -> Iterator[Bench]:
        """A bench that is let go of at the end: then the ledger's file is whole without the log beside it."""
        gc.set_threshold(*COLLECT)
        app = open_app(self.places, threads=self.threads)
        assert app.ledger is not None
        with closing(app.ledger), bench(app, self.run) as found:
            yield found


@dataclass(frozen=True, slots=True)
class Opened:
    """The installation that is open in this process already."""

    app: App
    run: str

    @contextmanager
    def __call__(self) -> Iterator[Bench]:
        """Its bench."""
        with bench(self.app, self.run) as found:
            yield found


@contextmanager
def bench(app: App, run: str) -> Iterator[Bench]:
    """What dialogues are judged with in an open installation."""
    gold = Gold(app.world.warehouse, app.places.home / "gold.sqlite")
    with closing(gold):
        yield Bench(Judge(app.world, gold), Recorder(app.sessions, run))


def opening(app: App, workers: int) -> Opening:
    """How a worker comes by its installation; a single one takes what is open."""
    run = new_id()[:13]
    if workers == 1:
        return Opened(app, run)
    return Installed(app.places, run, threads=max(1, cores() // workers))


def facts(app: App, sets: Sequence[QuestionSet], rounds: int) -> dict[str, object]:
    """All that makes the results of a run what they are: its file is known by it."""
    return facts_of(app.world, sets, rounds)


def facts_of(world: World, sets: Sequence[QuestionSet], rounds: int) -> dict[str, object]:
    """The same, of a world."""
    return {
        "sets": [digest(item) for item in sets],
        "rounds": rounds,
        "layer": world.layer.hash,
        "data": world.warehouse.data_version,
        "versions": {**dict(versions()), "engine": world.warehouse.engine},
    }


def cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Recorder:
    """Writes every evaluated turn to the ledger, so that the run can be replayed.

    Every dialogue is a session of its own, and every start of a run has its own: workers never wait for one head, and
    a dialogue that was interrupted is not gone on with.
    """

    def __init__(self, sessions: Sessions, run: str) -> None:
        self._sessions, self._run = sessions, run
        self._last, self._seq = "", 0

    def __call__(self, at: At) -> Observer:
        """The observer of one dialogue."""
        begin = f"eval-{self._run}-{at.round}.{at.set}.{at.dialogue}"

        def record(
            before: State,
            request: Request,
            user: User,
            moment: Moment,
            turn: Turn,
            after: State,
            session: str,
        ) -> Turn:
            session_id, turn_id = f"{begin}-{session}", new_id()
            if session_id != self._last:  # a dialogue is over when the next begins
                self._sessions.forget(self._last)
                self._last, self._seq = session_id, 0
            self._seq += 1
            self._sessions.intend(session_id, turn_id, self._seq, before, request, user, moment)
            found = replace(turn, turn_id=turn_id, session_id=session_id, seq=self._seq)
            self._sessions.conclude(found, after, moment)
            return turn

        return record
