"""The events of one turn: numbered, kept for a while, so that a reader who was cut off goes on where he was."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass
from typing import Literal

from dialogue.compact import compact

Name = Literal["reading", "slots", "clarify", "sql", "rows", "text", "turn", "error"]
LAST: frozenset[Name] = frozenset({"turn", "error"})


@dataclass(frozen=True, slots=True)
class Event:
    """One event: its number within the turn (from 1), its name, and its JSON, which is written where it is read.

    Most turns are read whole, and what they came to on the way by nobody.
    """

    number: int
    name: Name
    told: Callable[[], object]

    @property
    def data(self) -> str:
        """One line of JSON: what was told, or the text that is it already."""
        told = self.told()
        return safe(told if isinstance(told, str) else compact(told))


class Stream:
    """What happened in a turn so far; it ends with one `turn` or `error`, whatever happens.

    Written by the thread that takes the turn, read by any number of readers in the event loop, which is woken
    only where there are any.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._events: list[Event] = []
        self._lock = threading.Lock()
        self._more = asyncio.Event()
        self.readers = 0

    @property
    def ended(self) -> bool:
        """Whether the last event is there."""
        return bool(self._events) and self._events[-1].name in LAST

    def tell(self, name: Name, told: Callable[[], object]) -> None:
        """Add an event, from any thread. Nothing follows the last one.

        `told` gives what is told, plain data or its JSON, the same each time: it is asked by every reader.
        """
        with self._lock:
            if self.ended:
                return
            self._events.append(Event(len(self._events) + 1, name, told))
        if self.readers:  # who begins to read after this finds the event
            self._loop.call_soon_threadsafe(self._more.set)

    def over(self, number: int) -> bool:
        """Whether nothing will follow an event."""
        return self.ended and number >= len(self._events)

    async def after(self, number: int) -> AsyncGenerator[Event, None]:
        """The events after one, as they come, to the last. A number that was not told yet counts as the newest."""
        number = min(number, len(self._events))
        self.readers += 1
        try:
            while True:
                for event in self._events[number:]:
                    number = event.number
                    yield event
                    if event.name in LAST:
                        return
                if self.over(number):
                    return
                if number >= len(self._events):
                    self._more.clear()
                    await self._more.wait()
        finally:
            self.readers -= 1


_ENDINGS = {"\u2028": "\\u2028", "\u2029": "\\u2029", "\u0085": "\\u0085"}


def safe(text: str) -> str:
    """JSON in one line, whatever reads it: a bare CR, U+2028 or U+0085 would end a line for some.

    >>> safe('"a\u2028b"')
    '"a\\\\u2028b"'
    """
    for ending, written in _ENDINGS.items():
        text = text.replace(ending, written)
    return text
