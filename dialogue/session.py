"""Sessions: load the state, record the intent, take the turn, record the outcome."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from dataclasses import replace

from dialogue import codec
from dialogue.answer import digest
from dialogue.codec import Json
from dialogue.engine import Moment, Taken, take
from dialogue.ledger import Ledger
from dialogue.record import Step
from dialogue.state import EMPTY, State
from dialogue.turn import Request, Turn
from dialogue.words import say
from dialogue.world import World
from nl2sql.reading.reader import language
from semantic_layer.protocols import User

Ids = Callable[[], str]


class Sessions:
    """The sessions of one world, in memory, with the ledger behind them."""

    def __init__(
        self,
        world: World,
        ledger: Ledger | None,
        ids: Ids,
        versions: tuple[tuple[str, str], ...] = (),
    ) -> None:
        self.world, self.ledger, self._ids, self._versions = world, ledger, ids, versions
        self._states: dict[str, State] = {}
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
        """Take a turn of a session, recorded before and after."""
        state = self.state(session_id)
        turn_id = self._ids()
        at = moment.now.isoformat()
        seq = state.seq + 1
        if self.ledger is not None:
            self.ledger.intend(
                turn_id,
                session_id,
                seq,
                at,
                intent(self.world, state, request, user, moment, self._versions),
            )
        try:
            self.world.values.refresh()
            taken = take(self.world, state, request, user, moment)
        except (
            Exception
        ) as error:  # a fault of ours: told as such, recorded, and the state stays as it was
            taken = failed(self.world, state, request, moment, error)
        self._states[session_id] = taken.state
        turn = replace(
            taken.turn, turn_id=turn_id, session_id=session_id, seq=seq, versions=self._versions
        )
        if self.ledger is not None:
            body = outcome(turn)
            turn = replace(
                turn,
                record_hash=self.ledger.conclude(
                    turn_id, session_id, taken.state.seq, at, body, codec.dumps(taken.state)
                ),
            )
        return turn


def failed(world: World, state: State, request: Request, moment: Moment, error: Exception) -> Taken:
    """The turn of a fault inside the service: never an answer, and the slots are untouched."""
    lang = language(request.question) if request.question else "zh"
    reason = "".join(traceback.format_exception_only(error)).strip() + f" at {_where(error)}"
    turn = Turn(
        "",
        "",
        state.seq + 1,
        request.question,
        "error",
        say(lang, "error.fault", reason=reason),
        lang=lang,
        reason=reason,
        as_of=moment.clock,
        now=moment.now,
        semantic_hash=world.layer.hash,
        data_version=world.warehouse.data_version,
    )
    return Taken(turn, replace(state, seq=state.seq + 1))


def _where(error: Exception) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    return f"{frames[-1].filename.rpartition('/')[2]}:{frames[-1].lineno}" if frames else "?"


def intent(
    world: World,
    state: State,
    request: Request,
    user: User,
    moment: Moment,
    versions: tuple[tuple[str, str], ...],
) -> dict[str, Json]:
    """What a turn starts from: everything that replay needs."""
    return {
        "request": codec.encode(request),
        "user": {
            "id": user.id,
            "everything": user.everything,
            "attributes": [[name, list(values)] for name, values in user.attributes],
        },
        "clock": moment.clock.isoformat(),
        "now": moment.now.isoformat(),
        "state": codec.dumps(state),
        "semantic_hash": world.layer.hash,
        "data_version": world.warehouse.data_version,
        "engine": world.warehouse.engine,
        "versions": [list(item) for item in versions],
    }


def outcome(turn: Turn) -> dict[str, Json]:
    """What a turn came to."""
    return {
        "outcome": turn.outcome,
        "reason": turn.reason,
        "text": turn.text,
        "completed_question": turn.completed_question,
        "steps": [
            {"slots": step.slots, "sql": step.sql, "digest": step.digest, "rows": step.rows}
            for step in steps(turn)
        ],
        "provenance": codec.encode(turn.provenance),
        "changes": codec.encode(turn.changes),
        "assumptions": codec.encode(turn.assumptions),
        "switch": codec.encode(turn.switch),
        "clarification": codec.encode(turn.clarification),
        "not_understood": list(turn.not_understood),
        "fresh_to": turn.fresh_to,
        "timings_ms": codec.encode(turn.timings_ms),
    }


def steps(turn: Turn) -> tuple[Step, ...]:
    """The slots, statements and result digests of a turn's questions."""
    return tuple(
        Step(
            codec.dumps(part.slots) if part.slots is not None else "",
            part.sql or "",
            digest(part.all_rows),
            len(part.all_rows),
        )
        for part in (turn.parts or (turn,))
    )
