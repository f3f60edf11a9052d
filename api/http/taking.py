"""Turns being taken: one at a time a session, some at once in all, each told as it goes, each to be stopped."""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial

from api.http import problems
from api.http.events import Stream
from api.http.problems import Problem
from api.http.traces import Tracing, untraced
from api.live import Live
from api.request_json import edit_json
from api.turn_json import result_json
from dialogue.ledger import Archived, Conflict, LedgerError
from dialogue.scene import Stage
from dialogue.session import Asked, Busy, Lost, Sessions
from dialogue.turn import Result, Turn
from nl2sql.reading import Reading
from nl2sql.slots import Slots, brief
from semantic_layer.protocols import Halt

RETRY = 1.0  # seconds after which a busy session may be asked again


@dataclass(eq=False)
class Running:
    """A turn that is being taken, or was a while ago: its stream, and how it ended.

    `done` holds the turn and its JSON, or the problem that kept it from being one.
    """

    turn_id: str
    session_id: str
    owner: str
    stream: Stream
    done: asyncio.Future[tuple[Turn, str] | Problem]
    halt: Halt
    ended: float | None = None

    async def turn(self) -> tuple[Turn, str]:
        """The turn and its JSON, when it has ended. Raises `Problem`."""
        found = await asyncio.shield(self.done)
        if isinstance(found, Problem):
            raise found
        return found


class Turns:
    """Takes turns in threads, and remembers those of a while.

    `busy` says what becomes of a second request of a session: refused, or queued behind the first.
    """

    def __init__(
        self,
        sessions: Sessions,
        live: Live,
        present: Callable[[Turn], str],
        *,
        at_once: int,
        queues: bool,
        kept: float,
        refuses_unrecorded: bool = False,
        tracing: Tracing = untraced,
    ) -> None:
        self._sessions, self._live, self.present = sessions, live, present
        self.pool = ThreadPoolExecutor(at_once, "turn")
        self._queues, self._kept = queues, kept
        self._refuses, self._tracing = refuses_unrecorded, tracing
        self._rooms: dict[str, asyncio.Lock] = {}
        self._running: OrderedDict[str, Running] = OrderedDict()
        self._marked: dict[str, tuple[str, Running]] = {}
        self.stopping = False
        self.ended: list[Callable[[Running, Turn | Problem, float], None]] = []

    def find(self, turn_id: str) -> Running | None:
        """A turn that runs, or ran a while ago."""
        return self._running.get(turn_id)

    def marked(self, key: str) -> tuple[str, Running] | None:
        """The turn that an Idempotency-Key stands for, with its mark, while it runs and a while after."""
        return self._marked.get(key)

    def left(self, running: Running, grace: float) -> None:
        """A reader went away: where none is left after a while, the turn is interrupted."""
        if not running.done.done():
            asyncio.get_running_loop().call_later(grace, _abandon, running)

    @property
    def active(self) -> tuple[Running, ...]:
        """The turns that run now."""
        return tuple(one for one in self._running.values() if not one.done.done())

    def start(self, session_id: str, owner: str, asked: Asked) -> Running:
        """Begin to take a turn. Raises `Problem` where the session is busy, or the service stops."""
        if self.stopping:
            raise Problem("stopping", "ask again in a moment", retry_after=5)
        room = self._rooms.setdefault(session_id, asyncio.Lock())
        if room.locked() and not self._queues:
            raise Problem(
                "busy",
                "wait until it has ended, or cancel it: POST /v1/turns/{id}/cancel",
                retry_after=RETRY,
            )
        self._let_go()
        loop = asyncio.get_running_loop()
        stream = Stream(loop)
        asked = replace(asked, watch=watcher(stream))
        halt = asked.halt or Halt(owner)
        done: asyncio.Future[tuple[Turn, str] | Problem] = loop.create_future()
        running = Running(asked.turn_id, session_id, owner, stream, done, halt)
        self._running[running.turn_id] = running
        if asked.mark:
            self._marked[asked.mark.partition(":")[0]] = asked.mark, running
        task = loop.create_task(self._take(room, running, asked))
        running.done.add_done_callback(lambda _: task)  # holds the task until it is done
        return running

    async def _take(self, room: asyncio.Lock, running: Running, asked: Asked) -> None:
        async with room:
            start = time.perf_counter()
            found = await asyncio.get_running_loop().run_in_executor(
                self.pool, partial(self._ask, running, asked)
            )
            spent = time.perf_counter() - start
        if not room.locked() and self._rooms.get(running.session_id) is room:
            del self._rooms[running.session_id]
        running.ended = time.monotonic()
        running.done.set_result(found)
        for tell in self.ended:
            tell(running, found if isinstance(found, Problem) else found[0], spent)

    def _ask(self, running: Running, asked: Asked) -> tuple[Turn, str] | Problem:
        """In a thread: take the turn, tell how it goes and how it ended."""
        try:
            with self._live.held() as world, self._tracing() as (event, end):

                def watch(stage: Stage) -> None:
                    event(type(stage).__name__.lower())
                    asked.watch(stage)

                found = replace(asked, halt=running.halt, world=world, watch=watch)
                turn = self._sessions.ask(running.session_id, found)
                end(turn)
        except Exception as error:
            problem = problem_of(error)
            running.stream.tell("error", problems.body_of(problem))
            return problem
        if "ledger" in turn.degraded and self._refuses:
            problem = Problem(
                "unrecorded", "the ledger cannot be reached; ask again", retry_after=5
            )
            running.stream.tell("error", problems.body_of(problem))
            return problem
        text = self.present(turn)
        for part in turn.parts or (turn,):
            if part.clarification is not None:
                running.stream.tell("clarify", told_clarification(part))
            running.stream.tell("text", {"text": part.text})
        running.stream.tell_line("turn", text)
        return turn, text

    def _let_go(self) -> None:
        """Forget the turns that ended long ago."""
        until = time.monotonic() - self._kept
        for turn_id, running in list(self._running.items()):
            if running.ended is None:
                continue
            if running.ended > until and len(self._running) < 10_000:
                break
            del self._running[turn_id]
            for key in [key for key, (_, one) in self._marked.items() if one is running]:
                del self._marked[key]

    async def drain(self, seconds: float) -> None:
        """Take no more turns; give those that run so long, then interrupt them, and wait until they are recorded."""
        self.stopping = True
        active = [running.done for running in self.active]
        if active:
            _, late = await asyncio.wait(active, timeout=seconds)
            for running in self.active:
                running.halt.now("closing")
            if late:
                await asyncio.wait(late, timeout=seconds + 5)
        self.pool.shutdown(wait=False, cancel_futures=True)


def watcher(stream: Stream) -> Callable[[Stage], None]:
    """Tells a stream what a turn comes to."""

    def watch(stage: Stage) -> None:
        match stage:
            case Reading():
                stream.tell("reading", told_reading(stage))
            case Slots():
                stream.tell("slots", brief(stage))
            case Result():
                stream.tell("rows", result_json(stage))
            case str():
                stream.tell("sql", {"sql": stage})

    return watch


def told_reading(reading: Reading) -> Mapping[str, object]:
    """What a text was read as."""
    return {
        "intent": reading.intent,
        "lang": reading.lang,
        "edits": [{**edit_json(edit), "span": edit.span} for edit in reading.edits],
        "not_understood": [item.text for item in reading.unread],
    }


def told_clarification(turn: Turn) -> Mapping[str, object]:
    """The question back."""
    asked = turn.clarification
    assert asked is not None
    return {
        "about": asked.about,
        "question": asked.question,
        "options": [
            {"id": item.id, "label": item.label, "hint": item.hint} for item in asked.options
        ],
        "more": asked.more,
    }


def problem_of(error: Exception) -> Problem:
    """What is told when no turn could be given."""
    match error:
        case Busy():
            return Problem("busy", str(error), retry_after=RETRY)
        case Archived():
            return Problem("archived", str(error))
        case Conflict():
            return Problem("conflict", str(error), retry_after=RETRY)
        case Lost():
            return Problem("unrecorded", str(error), retry_after=5)
        case LedgerError():
            return Problem("unavailable", str(error), retry_after=5)
    return Problem("fault", f"{type(error).__name__}: see the log")


def _abandon(running: Running) -> None:
    if running.stream.readers == 0 and not running.done.done():
        running.halt.now("cancelled")
