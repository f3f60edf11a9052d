"""Sessions: load the state, record the intent, take the turn, record the outcome."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from dataclasses import replace

from dialogue import codec, record
from dialogue.changes import Changes, apply
from dialogue.engine import Moment, Taken, take
from dialogue.ledger import Conflict, Ledger
from dialogue.record import Asker
from dialogue.state import EMPTY, State
from dialogue.turn import Request, Turn
from dialogue.words import say
from dialogue.world import World
from nl2sql.reading.reader import language
from semantic_layer.protocols import Rows, User

Ids = Callable[[], str]
Versions = tuple[tuple[str, str], ...]
KeepRows = Callable[[Rows], bytes]


class Sessions:
    """The sessions of one world, in memory, with the ledger behind them."""

    def __init__(
        self,
        world: World,
        ledger: Ledger | None,
        ids: Ids,
        versions: Versions = (),
        keep_rows: KeepRows | None = None,
    ) -> None:
        self.world, self.ledger, self._ids = world, ledger, ids
        self.versions, self._keep_rows = versions, keep_rows
        self._states: dict[str, State] = {}
        # each session's last state as it was recorded: the next turn begins with it
        self._written: dict[str, tuple[State, str]] = {}
        if ledger is not None:
            ledger.layer(world.layer.hash, world.layer.text)

    def open(self) -> str:
        """A new session's id."""
        return self._ids()

    def state(self, session_id: str) -> State:
        """A session's state: from memory, else rebuilt from the ledger."""
        if session_id not in self._states:
            text = self.ledger.state(session_id) if self.ledger is not None else None
            self._states[session_id] = EMPTY if text is None else codec.loads(text, State)
        return self._states[session_id]

    def take(self, session_id: str, request: Request, user: User, moment: Moment) -> Turn:
        """Take a turn of a session, recorded before and after.

        Raises `Conflict` where the session went on elsewhere: no answer is given that is not recorded.
        """
        state = self.state(session_id)
        turn_id = self._ids()
        try:
            self.intend(session_id, turn_id, state.seq + 1, state, request, user, moment)
            try:
                self.world.values.refresh()
                taken = take(self.world, state, request, user, moment)
            except (
                Exception
            ) as error:  # a fault of ours: told as such, recorded, and the state stays as it was
                taken = failed(self.world, state, request, moment, error)
            turn = replace(
                taken.turn,
                turn_id=turn_id,
                session_id=session_id,
                seq=state.seq + 1,
                versions=self.versions,
            )
            turn = self.conclude(turn, taken.state, moment)
        except Conflict:
            self._states.pop(session_id, None)
            self._written.pop(session_id, None)
            raise
        self._states[session_id] = taken.state
        return turn

    def forget(self, session_id: str) -> None:
        """Let go of what is in memory of a session; it is taken from the ledger when it goes on."""
        self._states.pop(session_id, None)
        self._written.pop(session_id, None)
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
    ) -> None:
        """Record that a turn is about to be taken, and all that it starts from."""
        if self.ledger is None:
            return
        known = self._written.pop(session_id, None)
        before = known[1] if known is not None and known[0] is state else codec.dumps(state)
        self.ledger.append(
            session_id,
            "intent",
            turn_id,
            moment.now.isoformat(),
            record.intent(seq, record.origin(self.world, moment, self.versions)),
            record.intent_parts(request, Asker(user, self.world.policy(user)), before),
        )

    def conclude(self, turn: Turn, after: State, moment: Moment) -> Turn:
        """Record what a turn came to; gives the turn with the record's hash."""
        if self.ledger is None:
            return turn
        text = codec.dumps(after)
        parts: dict[str, str | bytes] = {**record.outcome_parts(turn, text)}
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
        self._written[turn.session_id] = after, text
        return replace(turn, record_hash=made.hash)


def failed(world: World, state: State, request: Request, moment: Moment, error: Exception) -> Taken:
    """The turn of a fault inside the service: never an answer, and the slots are untouched."""
    lang = language(request.question) if request.question else "zh"
    reason = "".join(traceback.format_exception_only(error)).strip() + f" at {_where(error)}"
    changes = Changes(
        pending=state.pending, intent=state.intent, lang=state.lang, explained=state.explained
    )
    turn = Turn(
        "",
        "",
        state.seq + 1,
        request.question,
        "error",
        say(lang, "error.fault", reason=reason),
        lang=lang,
        reason=reason,
        changes=changes,
        as_of=moment.clock,
        now=moment.now,
        semantic_hash=world.layer.hash,
        data_version=world.warehouse.data_version,
    )
    return Taken(turn, apply(state, changes))


def _where(error: Exception) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    return f"{frames[-1].filename.rpartition('/')[2]}:{frames[-1].lineno}" if frames else "?"
