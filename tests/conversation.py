"""A way to hold a conversation in a test."""

from __future__ import annotations

from datetime import datetime

from dialogue.engine import Moment, take
from dialogue.state import EMPTY, State
from dialogue.turn import Request, Turn
from dialogue.world import World
from semantic_layer.protocols import LOCAL, User

CLOCK = datetime(2026, 9, 28)


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

    def send(self, request: Request) -> Turn:
        taken = take(self.world, self.state, request, self.user, Moment(self.clock, self.clock))
        self.state = taken.state
        self.turns.append(taken.turn)
        return taken.turn
