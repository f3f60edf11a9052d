"""Sessions: load the state, record the intent, take the turn, record the outcome."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from dialogue import codec, faults, processes, record
from dialogue.alone import alone
from dialogue.changes import Changes, apply
from dialogue.engine import Moment, Taken, take
from dialogue.ledger import Conflict, Ledger, LedgerError, Link, Tip, Unreachable
from dialogue.ledger.chain import Head
from dialogue.memory import Held, Memory, MemoryLost, NoMemory, ProcessMemory, sight_of
from dialogue.record import Asker
from dialogue.scene import Watch, unwatched
from dialogue.state import EMPTY, Pending, State
from dialogue.turn import Request, Turn
from dialogue.world import World
from nl2sql.reading.reader import language
from semantic_layer.protocols import Halt, Rows, User

Ids = Callable[[], str]
Versions = tuple[tuple[str, str], ...]
KeepRows = Callable[[Rows], bytes]
Present = Callable[[Turn], str]

# A turn that was begun elsewhere and has not ended is waited for so long; after that it was interrupted.
LONGEST_TURN = timedelta(seconds=120)


class Busy(LedgerError):
    """A turn of this session is being taken just now, by another process."""

    def __init__(self, session_id: str) -> None:
        super().__init__(f"session {session_id} is busy with a turn: ask again when it has ended")


class Lost(LedgerError):
    """A turn was taken, but could not be recorded: its answer is not given."""


@dataclass(frozen=True, slots=True)
class Asked:
    """One request of a session: who asks, when, and under which id and mark it is recorded.

    `mark` stands in clear in the intent (a digest of the client's idempotency key and of the request).
    """

    request: Request
    user: User
    moment: Moment
    turn_id: str = ""
    mark: str = ""
    tenant: str = ""  # two tenants' sessions are held apart
    first: bool = False  # sure to be the session's first, whatever can be reached
    halt: Halt | None = None
    world: World | None = None  # the one it is taken in, where that may be replaced (live data)
    watch: Watch = unwatched


@dataclass(frozen=True, slots=True)
class _Loaded:
    """The state a turn starts from, its JSON where it is at hand, and what could not be reached."""

    state: State
    text: str | None = None
    lost: tuple[str, ...] = ()


class Sessions:
    """The sessions of one world, held in memory, with the ledger behind them."""

    def __init__(
        self,
        world: World,
        ledger: Ledger | None,
        ids: Ids,
        versions: Versions = (),
        keep_rows: KeepRows | None = None,
        memory: Memory | None = None,
        present: Present | None = None,
    ) -> None:
        self.ledger, self._ids = ledger, ids
        self.versions, self._keep_rows = versions, keep_rows
        self.memory: Memory = memory if memory is not None else ProcessMemory()
        self._present = present
        self._process = processes.name()
        self._taking: set[str] = set()  # the turns that this process takes now
        self.adopt(world)

    def adopt(self, world: World) -> None:
        """Take turns in another world from now on; its layer is recorded before the first of them."""
        if self.ledger is not None:
            self.ledger.layer(world.layer.hash, world.layer.text)
        self.world = world

    def open(self) -> str:
        """A new session's id."""
        return self._ids()

    def take(self, session_id: str, request: Request, user: User, moment: Moment) -> Turn:
        """Take a turn of a session, recorded before and after (`ask`)."""
        return self.ask(session_id, Asked(request, user, moment))

    def ask(self, session_id: str, asked: Asked) -> Turn:
        """Take a turn of a session, recorded before and after.

        A session that went on elsewhere, or whose last state was erased, is read anew, once. Where the ledger
        cannot be reached before the turn, the question is taken alone, which it tells (`degraded`), and nothing
        is remembered. Raises `Busy` while a turn of the session is being taken elsewhere, `Conflict` where it
        went on elsewhere again or was erased meanwhile, `Lost` where the turn could not be recorded: no answer
        is given then.
        """
        turn_id = asked.turn_id or self._ids()
        halt = asked.halt or Halt(asked.user.id)
        asked = replace(asked, world=(asked.world or self.world).bound(halt))
        loaded = self._load(session_id, asked)
        self._taking.add(turn_id)
        try:
            try:
                begun = self._begin(session_id, turn_id, loaded, asked)
            except Conflict:
                before, loaded = loaded, self._rebuilt(session_id, asked, loaded.lost)
                if loaded.state.seq < before.state.seq:  # what is held was erased meanwhile
                    with suppress(MemoryLost):
                        self.memory.forget(asked.tenant + session_id)
                begun = self._begin(session_id, turn_id, loaded, asked)
            if not begun:
                return self._alone(session_id, turn_id, asked, loaded.lost)
            return self._finish(session_id, turn_id, loaded, asked)
        except (Conflict, Lost):
            self.forget(session_id, asked.tenant)
            raise
        finally:
            self._taking.discard(turn_id)

    def pending(self, session_id: str, tenant: str = "") -> Pending | None:
        """The question that is open in a session. Raises `LedgerError` where that cannot be known."""
        with suppress(MemoryLost):
            held = self.memory.load(tenant + session_id)
            if held is not None:
                return held.state.pending
        text = self.ledger.standing(session_id).state if self.ledger is not None else None
        return None if text is None else codec.loads(text, State).pending

    def _load(self, session_id: str, asked: Asked) -> _Loaded:
        """From memory; where it holds nothing, or is lost, from the ledger."""
        if isinstance(self.memory, NoMemory):
            known = self._rebuilt(session_id, asked, ("memory-off",))
            return _Loaded(State(seq=known.state.seq), lost=known.lost)
        try:
            held = self.memory.load(asked.tenant + session_id)
        except MemoryLost:
            return self._rebuilt(session_id, asked, ("memory",))
        if held is None and asked.first and self.ledger is not None:
            self.ledger.resume(session_id, Tip(Head()))  # should it have begun, `append` refuses
            return _Loaded(EMPTY)
        if held is None:
            return self._rebuilt(session_id, asked, ())
        if held.tip is not None and self.ledger is not None:
            self.ledger.resume(session_id, held.tip)
        return _Loaded(held.state, held.text)

    def _rebuilt(self, session_id: str, asked: Asked, lost: tuple[str, ...]) -> _Loaded:
        """From the ledger, which is the truth."""
        if self.ledger is None:
            return _Loaded(EMPTY, lost=lost)
        try:
            standing = self.ledger.standing(session_id)
        except Unreachable:
            return _Loaded(EMPTY, lost=(*lost, "ledger"))
        if standing.begun is not None and self.runs(standing.begun, asked.moment):
            self.ledger.forget(session_id)
            raise Busy(session_id)
        if standing.state is None:
            return _Loaded(EMPTY, lost=lost)
        return _Loaded(codec.loads(standing.state, State), standing.state, lost)

    def runs(self, begun: Link, moment: Moment) -> bool:
        """Whether a turn that was begun may still be running."""
        process = str(begun.body.get("process", ""))
        if process and process == self._process:
            return begun.turn_id in self._taking
        recent = moment.now - datetime.fromisoformat(begun.at) < LONGEST_TURN
        return recent and not processes.gone(process)

    def _begin(self, session_id: str, turn_id: str, loaded: _Loaded, asked: Asked) -> bool:
        """Record that the turn is about to be taken; whether that could be recorded."""
        if "ledger" in loaded.lost:
            return False
        state = loaded.state
        try:
            self.intend(
                session_id,
                turn_id,
                state.seq + 1,
                state,
                asked.request,
                asked.user,
                asked.moment,
                text=loaded.text,
                mark=asked.mark,
                world=asked.world,
            )
        except Unreachable:
            return False
        return True

    def _finish(self, session_id: str, turn_id: str, loaded: _Loaded, asked: Asked) -> Turn:
        state, moment = loaded.state, asked.moment
        world = asked.world or self.world
        try:
            world.values.refresh()
            taken = take(world, state, asked.request, asked.user, moment, asked.watch)
        except Exception as error:  # a fault of ours: told as such, recorded, and the state stays
            taken = failed(world, state, asked.request, moment, error)
        turn = replace(
            taken.turn,
            turn_id=turn_id,
            session_id=session_id,
            seq=state.seq + 1,
            versions=self.versions,
            degraded=(*taken.turn.degraded, *loaded.lost),
        )
        after = codec.dumps(taken.state)
        try:
            turn = self.conclude(turn, taken.state, moment, after)
        except Unreachable as error:
            raise Lost("the turn could not be recorded, so its answer is not given") from error
        self._remember(asked, turn, taken.state, after)
        return turn

    def _remember(self, asked: Asked, turn: Turn, state: State, text: str) -> None:
        tip = self.ledger.tip(turn.session_id) if self.ledger is not None else None
        shown = self._present(turn) if self._present is not None else ""
        sight = sight_of((asked.world or self.world).policy(asked.user))
        held = Held(state, text, tip, asked.user.id, turn.completed_question, sight)
        with suppress(MemoryLost):  # the next turn finds its state in the ledger
            self.memory.keep(asked.tenant + turn.session_id, held, shown)

    def _alone(self, session_id: str, turn_id: str, asked: Asked, lost: tuple[str, ...]) -> Turn:
        """The question by itself: nothing of the session is known, and nothing of it will be."""
        world, moment = asked.world or self.world, asked.moment
        try:
            turn = alone(world, asked.request, asked.user, moment, asked.watch, asked.first)
        except Exception as error:
            turn = failed(world, EMPTY, asked.request, moment, error).turn
        return replace(
            turn,
            turn_id=turn_id,
            session_id=session_id,
            seq=0,
            versions=self.versions,
            degraded=tuple(dict.fromkeys((*lost, "ledger"))),
        )

    def forget(self, session_id: str, tenant: str = "") -> None:
        """Let go of what is in memory of a session; it is taken from the ledger when it goes on."""
        with suppress(MemoryLost):  # what it holds is older than the ledger, which will refuse it
            self.memory.forget(tenant + session_id)
        if self.ledger is not None:
            self.ledger.forget(session_id)

    def intend(
        self,
        session_id: str,
        turn_id: str,
        seq: int,
        state: State,
        request: Request,
        user: User,
        moment: Moment,
        *,
        text: str | None = None,
        mark: str = "",
        world: World | None = None,
    ) -> None:
        """Record that a turn is about to be taken, and all that it starts from (`text`: the state's JSON)."""
        if self.ledger is None:
            return
        before = codec.dumps(state) if text is None else text
        world = world or self.world
        facts = record.intent(seq, record.origin(world, moment, self.versions))
        self.ledger.append(
            session_id,
            "intent",
            turn_id,
            moment.now.isoformat(),
            facts | {"process": self._process} | ({"mark": mark} if mark else {}),
            record.intent_parts(request, Asker(user, world.policy(user)), before),
        )

    def conclude(self, turn: Turn, after: State, moment: Moment, text: str | None = None) -> Turn:
        """Record what a turn came to; gives the turn with the record's hash."""
        if self.ledger is None:
            return turn
        found = codec.dumps(after) if text is None else text
        parts: dict[str, str | bytes] = {**record.outcome_parts(turn, found)}
        if self._keep_rows is not None:
            parts |= {
                f"rows.{index}": self._keep_rows(rows)
                for index, rows in enumerate(record.tables(turn))
            }
        made = self.ledger.append(
            turn.session_id,
            "outcome",
            turn.turn_id,
            moment.now.isoformat(),
            record.outcome(turn),
            parts,
        )
        return replace(turn, record_hash=made.hash)


def failed(world: World, state: State, request: Request, moment: Moment, error: Exception) -> Taken:
    """The turn of a fault while it was read, ours or the database's: never an answer, and the slots are untouched."""
    lang = language(request.question) if request.question else "zh"
    text, reason, fault = faults.told(lang, error)
    changes = Changes(
        pending=state.pending, intent=state.intent, lang=state.lang, explained=state.explained
    )
    turn = Turn(
        "",
        "",
        state.seq + 1,
        request.question,
        "error",
        text,
        lang=lang,
        reason=reason,
        changes=changes,
        as_of=moment.clock,
        now=moment.now,
        semantic_hash=world.layer.hash,
        data_version=world.warehouse.data_version,
        fault=fault,
    )
    return Taken(turn, apply(state, changes))
