"""Turns being taken: one at a time a session, some at once in all, each told as it goes, each to be stopped."""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass, replace
from functools import partial
from sys import getsizeof

import structlog
from structlog.contextvars import get_contextvars

from api.http import problems
from api.http.events import Stream
from api.http.problems import Problem
from api.http.traces import Tracing, untraced
from api.live import Live
from api.request_json import edit_json
from api.turn_json import clarification_json, result_json
from dialogue.faults import faults
from dialogue.ledger import Archived, Conflict, LedgerError
from dialogue.scene import Stage
from dialogue.session import Asked, Busy, Lost, Sessions
from dialogue.turn import Result, Turn
from nl2sql.reading import Reading
from nl2sql.slots import Filter, Slots, brief
from semantic_layer.protocols import Halt, User

MOST = 2_000  # turns that are kept, each with its rows as they were told
BYTES = 64 << 20  # that they may take together
TIMES = 6  # what is kept of a turn beside its JSON, in as many bytes as that: its rows, what was told of it
RETRY = 1.0  # seconds after which a busy session may be asked again
log = structlog.get_logger("wenshu.http")


@dataclass(eq=False)
class Running:
    """A turn that is being taken, or was a while ago: its stream, and how it ended.

    `done` holds the turn (without the rows beyond those that are shown) and its JSON, or the problem that kept it
    from being one. `policy` limits its rows: that of the world it is taken in, None before it is begun.
    """

    turn_id: str
    session_id: str
    owner: str
    stream: Stream
    done: asyncio.Future[tuple[Turn, str] | Problem]
    halt: Halt
    user: User
    mark: str = ""
    policy: tuple[Filter, ...] | None = None
    ended: float | None = None
    size: int = 0

    async def turn(self) -> tuple[Turn, str]:
        """The turn and its JSON, when it has ended. Raises `Problem`."""
        found = await asyncio.shield(self.done)
        if isinstance(found, Problem):
            raise found
        return found


class _Room:
    """What the turns of one session share: only one of them is taken at a time."""

    __slots__ = ("lock", "turns")

    def __init__(self) -> None:
        self.lock = asyncio.Lock()
        self.turns = 0  # taken now, or waiting for it


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
        self._rooms: dict[str, _Room] = {}
        self._running: OrderedDict[str, Running] = OrderedDict()
        self._marked: dict[str, tuple[str, Running]] = {}
        self._size = 0  # bytes of those that have ended, about
        self.stopping = False
        self.ended: list[Callable[[Running, Turn | Problem, float], None]] = []

    def find(self, turn_id: str) -> Running | None:
        """A turn that runs, or ran a while ago."""
        return self._running.get(turn_id)

    def marked(self, key: str) -> tuple[str, Running] | None:
        """The turn that an Idempotency-Key stands for, with its mark, while it runs and a while after."""
        return self._marked.get(key)

    def shows(self, running: Running, user: User) -> bool:
        """Whether its owner may see today what it gives: its rows were taken under the policy of then."""
        if user.everything:
            return True
        with self._live.held() as world:
            then = world.policy(running.user) if running.policy is None else running.policy
            return then == world.policy(user)

    def forget(self, session_id: str) -> None:
        """Interrupt the turns of a session, and let go of those that have ended."""
        for running in self._running.values():
            if running.session_id == session_id:
                running.halt.now("cancelled")
        self.let_go(session_id)

    def let_go(self, session_id: str) -> None:
        """Let go of the turns of a session that have ended: they are shown as they are recorded."""
        for running in [one for one in self._running.values() if one.session_id == session_id]:
            if running.done.done():
                self._drop(running)

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
        room = self._rooms.get(session_id) or _Room()
        if room.turns and not self._queues:
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
        key = asked.mark.partition(":")[0]
        running = Running(asked.turn_id, session_id, owner, stream, done, halt, asked.user, key)
        self._running[running.turn_id] = running
        if key:
            self._marked[key] = asked.mark, running
        self._rooms[session_id] = room
        room.turns += 1
        task = loop.create_task(self._take(room, running, asked))
        running.done.add_done_callback(lambda _: task)  # holds the task until it is done
        return running

    async def _take(self, room: _Room, running: Running, asked: Asked) -> None:
        """Take a turn when those before it have ended. Whatever happens, it ends: `done` is set, its stream has a
        last event, and the session is free for the next before anybody is told."""
        start = time.perf_counter()
        try:
            async with room.lock:
                start = time.perf_counter()
                ask = partial(copy_context().run, self._ask, running, asked)
                found = await asyncio.get_running_loop().run_in_executor(self.pool, ask)
        except (Exception, asyncio.CancelledError) as error:
            found = self._faulted(error)
        spent = time.perf_counter() - start
        room.turns -= 1
        if not room.turns:
            del self._rooms[running.session_id]
        running.ended = time.monotonic()
        if not isinstance(found, Problem):
            running.size = TIMES * getsizeof(found[1])
            self._size += running.size
        running.done.set_result(found)
        if isinstance(found, Problem):
            self._unmark(running)  # the same request may be sent again
            request_id = str(get_contextvars().get("request_id", ""))
            running.stream.tell("error", partial(problems.body_of, found, request_id))
        else:
            running.stream.tell("turn", partial(str, found[1]))
        for tell in self.ended:
            try:
                tell(running, found if isinstance(found, Problem) else found[0], spent)
            except Exception:
                log.exception("what follows a turn failed")

    def _ask(self, running: Running, asked: Asked) -> tuple[Turn, str] | Problem:
        """In a thread: take the turn, and tell how it goes. Raises what kept it from being one."""
        with self._live.held() as world, self._tracing() as (event, end):
            running.policy = world.policy(asked.user)

            def watch(stage: Stage) -> None:
                event(type(stage).__name__.lower())
                asked.watch(stage)

            found = replace(asked, halt=running.halt, world=world, watch=watch)
            turn = self._sessions.ask(running.session_id, found)
            end(turn)
        for fault in faults(turn):
            log.error(
                "fault",
                turn_id=turn.turn_id,
                fault=fault.code,
                what=fault.what,
                detail=fault.detail,
            )
        if "ledger" in turn.degraded and self._refuses:
            return Problem("unrecorded", "the ledger cannot be reached; ask again", retry_after=5)
        text = self.present(turn)
        for part in turn.parts or (turn,):
            if part.clarification is not None:
                running.stream.tell("clarify", partial(clarification_json, part))
            running.stream.tell("text", partial(dict, text=part.text))
        return replace(turn, all_rows=()), text  # it is kept for a while: a million rows are not

    def _faulted(self, error: BaseException) -> Problem:
        """What is told where a turn could not be taken; a fault of ours is logged."""
        if self.stopping and isinstance(error, asyncio.CancelledError | RuntimeError):
            return Problem("stopping", "ask again in a moment", retry_after=5)
        problem = problem_of(error)
        if problem.code == "fault":
            log.error("fault", exc_info=error)
        return problem

    def _let_go(self) -> None:
        """Forget the turns that ended long ago."""
        until, gone, size = time.monotonic() - self._kept, list[Running](), self._size
        for running in self._running.values():
            if running.ended is None:
                continue
            if running.ended > until and len(self._running) - len(gone) < MOST and size < BYTES:
                break
            gone.append(running)
            size -= running.size
        for running in gone:
            self._drop(running)

    def _drop(self, running: Running) -> None:
        if self._running.pop(running.turn_id, None) is not None:
            self._size -= running.size
        self._unmark(running)

    def _unmark(self, running: Running) -> None:
        known = self._marked.get(running.mark)
        if known is not None and known[1] is running:
            del self._marked[running.mark]

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
                stream.tell("reading", partial(told_reading, stage))
            case Slots():
                stream.tell("slots", partial(brief, stage))
            case Result():
                stream.tell("rows", partial(result_json, stage))
            case str():
                stream.tell("sql", partial(dict, sql=stage))

    return watch


def told_reading(reading: Reading) -> Mapping[str, object]:
    """What a text was read as."""
    return {
        "intent": reading.intent,
        "lang": reading.lang,
        "edits": [{**edit_json(edit), "span": edit.span} for edit in reading.edits],
        "not_understood": [item.text for item in reading.unread],
    }


def problem_of(error: BaseException) -> Problem:
    """What is told when no turn could be given."""
    match error:
        case Busy():
            return Problem("busy", str(error), retry_after=RETRY)
        case Archived():
            return Problem("archived", str(error))
        case Conflict():
            return Problem("conflict", str(error), retry_after=RETRY)
        case Lost():
            log.warning("unrecorded", reason=str(error.__cause__))
            return Problem("unrecorded", str(error), retry_after=5)
        case LedgerError():
            return problems.unavailable(error)
    return Problem("fault", "a fault of the service; the log has it by its request_id")


def _abandon(running: Running) -> None:
    if running.stream.readers == 0 and not running.done.done():
        running.halt.now("cancelled")
