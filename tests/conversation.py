"""A way to hold a conversation in a test."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from pathlib import Path

from dialogue import codec
from dialogue.engine import Moment, take
from dialogue.state import EMPTY, State
from dialogue.turn import Request, Turn
from dialogue.world import World
from nl2sql.reading import RuleReader
from nl2sql.warehouse import DuckDBWarehouse
from semantic_layer.load import load
from semantic_layer.protocols import LOCAL, User
from semantic_layer.values import build_index

CLOCK = datetime(2026, 9, 28)
PARK = Path(__file__).parent.parent / "fixtures" / "park" / "layer"


class Talk:
    """One conversation; what is said is a text, or `@id` for a click."""

    def __init__(self, world: World, user: User = LOCAL, clock: datetime = CLOCK) -> None:
        self.world, self.user, self.clock = world, user, clock
        self.state: State = EMPTY
        self.turns: list[Turn] = []

    def say(self, *texts: str) -> Turn:
        for text in texts:
            request = Request(choose=(text[1:],)) if text.startswith("@") else Request(text)
            self.send(request)
        return self.turns[-1]

    def hear(self, turn: str | Request) -> Turn:
        return self.say(turn) if isinstance(turn, str) else self.send(turn)

    def send(self, request: Request) -> Turn:
        taken = take(self.world, self.state, request, self.user, Moment(self.clock, self.clock))
        self.state = taken.state
        self.turns.append(taken.turn)
        return taken.turn


def open_world(database: Path | str) -> World:
    """The park in a database."""
    layer, warehouse = load(PARK), DuckDBWarehouse(Path(database))
    values = build_index(layer, warehouse)
    return World(layer, RuleReader(layer, values), values, warehouse)


def take_turns(world: World, turns: Iterable[str | Request]) -> list[str]:
    """The state after each turn of a new conversation."""
    talk, states = Talk(world), []
    for turn in turns:
        talk.hear(turn)
        states.append(codec.dumps(talk.state))
    return states
