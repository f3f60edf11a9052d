"""A gate that lets so many through at once; who must wait waits in a queue that is fair to users."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict, deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from nl2sql.errors import Stopped, halted
from semantic_layer.protocols import Halt

_WEIGHT = 0.1  # of the newest query in the mean time that queries take


@dataclass(frozen=True, slots=True)
class Waits:
    """How a gate is used now, and how it was. Seconds are sums over all that went through.

    `processor_seconds` are those of the threads that asked; what an engine's own threads take comes on top.
    """

    running: int
    waiting: int
    passed: int
    refused: int
    waited_seconds: float
    longest_seconds: float
    processor_seconds: float = 0.0


class _Place:
    """One place in the queue. `open` is set when its turn has come, or it is to be given up."""

    __slots__ = ("given", "open")

    def __init__(self) -> None:
        self.open = threading.Event()
        self.given = False


class Gate:
    """Lets `concurrent` through at once. Users take turns, and each user's queries come in order.

    At most `waiting` wait, and at most `each` of one user; `patience` is the most seconds that one waits.
    """

    def __init__(self, concurrent: int, waiting: int, each: int, patience: float) -> None:
        self._most, self._waiting, self._each, self._patience = concurrent, waiting, each, patience
        self._lock = threading.Lock()
        self._running = self._passed = self._refused = 0
        self._waited = self._longest = self._spent = 0.0
        self._mean = 0.0  # seconds that one takes
        self._queues: OrderedDict[str, deque[_Place]] = OrderedDict()  # the next user stands first

    @property
    def waits(self) -> Waits:
        """How it is used."""
        with self._lock:
            return Waits(
                self._running,
                self._length(),
                self._passed,
                self._refused,
                self._waited,
                self._longest,
                self._spent,
            )

    @contextmanager
    def through(self, user: str, halt: Halt | None = None) -> Iterator[float]:
        """Within it one is through; gives the seconds that it waited.

        Raises `Stopped`: "busy" where too many wait already or it waited too long, else why it was halted.
        """
        start = time.monotonic()
        self._enter(user, halt)
        began, before = time.monotonic(), time.thread_time()
        with self._lock:
            self._passed += 1
            self._waited += began - start
            self._longest = max(self._longest, began - start)
        try:
            yield began - start
        finally:
            took, spent = time.monotonic() - began, time.thread_time() - before
            with self._lock:
                self._spent += spent
                self._mean += (took - self._mean) * (_WEIGHT if self._mean else 1.0)
                self._leave()

    def _enter(self, user: str, halt: Halt | None) -> None:
        if halt is not None and halt.reason is not None:
            raise halted(halt.reason)
        with self._lock:
            if self._running < self._most:  # then nobody waits
                self._running += 1
                return
            own = self._queues.get(user, ())
            if self._length() >= self._waiting or len(own) >= self._each:
                raise self._busy()
            place = _Place()
            self._queues.setdefault(user, deque()).append(place)
        if halt is None:
            place.open.wait(self._patience)
        else:
            with halt.telling(lambda _: place.open.set()):
                place.open.wait(self._patience)
        reason = halt.reason if halt is not None else None
        with self._lock:
            if place.given and reason is None:
                return
            if place.given:
                self._leave()
            else:
                self._give_up(user, place)
            raise self._busy() if reason is None else halted(reason)

    def _leave(self) -> None:
        """One goes; the first place of the user whose turn it is takes over from it."""
        if not self._queues:
            self._running -= 1
            return
        user, own = self._queues.popitem(last=False)
        place = own.popleft()
        if own:
            self._queues[user] = own  # behind the others
        place.given = True
        place.open.set()

    def _give_up(self, user: str, place: _Place) -> None:
        own = self._queues[user]
        own.remove(place)
        if not own:
            del self._queues[user]

    def _length(self) -> int:
        return sum(map(len, self._queues.values()))

    def _busy(self) -> Stopped:
        self._refused += 1
        waiting = self._length()
        seconds = max(1.0, (waiting + 1) * self._mean / self._most)
        return Stopped("busy", {"waiting": str(waiting), "seconds": f"{seconds:.0f}"})
