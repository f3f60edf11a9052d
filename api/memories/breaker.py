"""A circuit breaker: what failed is left alone for a while, so that nobody waits for it at every turn.

pybreaker holds a lock while a call runs, and so would let one thread at a time speak to Redis.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")
log = logging.getLogger("wenshu.memory")


class Open(Exception):
    """It failed a moment ago, and is left alone."""


class Breaker:
    """Opens at a failure; after `pause` seconds one call may try again, and its success closes it."""

    def __init__(
        self,
        name: str,
        failures: tuple[type[Exception], ...],
        pause: float = 5.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._name, self._failures, self._pause, self._clock = name, failures, pause, clock
        self._lock = threading.Lock()
        self._until = 0.0
        self.failing = False

    def call(self, do: Callable[[], T]) -> T:
        """What `do` gives. Raises `Open`, or what `do` raised. One warning for each time that it opens."""
        with self._lock:
            now = self._clock()
            if self.failing:
                if now < self._until:
                    raise Open(self._name)
                self._until = now + self._pause  # this one tries, the others are kept away
        try:
            found = do()
        except self._failures as error:
            with self._lock:
                first, self.failing = not self.failing, True
                self._until = self._clock() + self._pause
            if first:
                log.warning("%s fails and is left alone until it answers: %s", self._name, error)
            raise
        if self.failing:
            with self._lock:
                back, self.failing = self.failing, False
            if back:
                log.warning("%s answers again", self._name)
        return found
