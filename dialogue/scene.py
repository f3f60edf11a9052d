"""What one turn may look at: the world, the state before it, who asks, and when."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from typing import TypeAlias

from dialogue.changes import Changes, apply
from dialogue.errors import Ask, Refuse
from dialogue.heard import Heard, heard
from dialogue.sight import Sight
from dialogue.state import Pending, Remembered, State
from dialogue.turn import Assumption, Outcome, Request, Result, Turn
from dialogue.world import World
from nl2sql.edits import Edit
from nl2sql.reading import Reading
from nl2sql.reading.tokens import Seen, everything
from nl2sql.slots import Filter, Slots
from semantic_layer.protocols import User


@dataclass(frozen=True, slots=True)
class Moment:
    """When a turn happens: the business clock (what "today" means) and the wall clock."""

    clock: datetime
    now: datetime


@dataclass(frozen=True, slots=True)
class Taken:
    """What a turn gave: the answer object, and the state for the next one."""

    turn: Turn
    state: State


@dataclass(frozen=True, slots=True)
class Meant:
    """What a turn says, before the slots are filled: a reading, and the choices that go with it.

    `asked` counts the questions that led here, `answered` names what they were about; `memory` is the
    choice just made. `pending` is the question that stays open should this turn be no query, `stop` what
    keeps it from being filled at all.
    """

    reading: Reading
    chosen: tuple[Edit, ...] = ()
    answered: tuple[str, ...] = ()
    asked: int = 0
    memory: Remembered | None = None
    notes: tuple[Assumption, ...] = ()
    pending: Pending | None = None
    stop: Ask | Refuse | None = None


# What a turn has come to so far: how it was read, its slots, its statement, its rows.
Stage: TypeAlias = Reading | Slots | str | Result
Watch: TypeAlias = Callable[[Stage], None]


def unwatched(stage: Stage) -> None:
    """Nobody looks on."""


@dataclass(frozen=True)
class Scene:
    """Everything a turn depends on. The same scene gives the same turn, whoever watches."""

    world: World
    state: State
    request: Request
    user: User
    moment: Moment
    watch: Watch = unwatched

    @property
    def clock(self) -> datetime:
        """What "today" means."""
        return self.moment.clock

    @cached_property
    def policy(self) -> tuple[Filter, ...]:
        """The filters that the user's attributes impose."""
        return self.world.policy(self.user)

    @cached_property
    def sight(self) -> Sight:
        """What the user may see of values."""
        return Sight(self.world, self.policy, self.clock)

    @property
    def seen(self) -> Seen:
        """What of a word's meanings the user may see."""
        return self.sight.of if self.policy else everything

    def heard(self, reading: Reading, after: object, pending: Pending | None) -> Heard:
        """What the reading, the filters around the turn and what it offers are bound to."""
        slots = [found for found in (self.state.slots, after) if isinstance(found, Slots)]
        filters = [item for found in slots for item in found.filters]
        for option in () if pending is None else pending.options:
            filters += [edit.value for edit in option.edits if isinstance(edit.value, Filter)]
        return heard(self.world, reading, (*filters, *self.policy))

    def ends(
        self, meant: Meant, outcome: Outcome, text: str, changes: Changes, **values: object
    ) -> Taken:
        """The turn with this outcome, and the state after it."""
        changes = replace(
            changes, intent=meant.reading.intent, lang=meant.reading.lang, chosen=meant.memory
        )
        turn = Turn(
            turn_id="",
            session_id="",
            seq=self.state.seq + 1,
            question=self.request.question or meant.reading.text,
            outcome=outcome,
            text=text,
            lang=meant.reading.lang,
            changes=changes,
            as_of=self.moment.clock,
            now=self.moment.now,
            semantic_hash=self.world.layer.hash,
            data_version=self.world.warehouse.data_version,
            heard=self.heard(meant.reading, values.get("slots"), changes.pending),
            **values,  # type: ignore[arg-type]
        )
        return Taken(turn, apply(self.state, changes))
