"""One thread that stops queries, for all of them: those that take too long, and those that were halted."""

from __future__ import annotations

import heapq
import math
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import count

from semantic_layer.protocols import Halt, HaltReason

_AGAIN = 0.01  # seconds to the next try: a stop that comes before the query has begun is lost


class Watch:
    """One query that is watched. `why` says why it is being stopped, None while it is not."""

    __slots__ = ("_lock", "_stop", "why")

    def __init__(self, stop: Callable[[], None]) -> None:
        self.why: HaltReason | None = None
        self._stop: Callable[[], None] | None = stop
        self._lock = threading.Lock()

    def stop(self) -> bool:
        """Stop the query, unless it is over; gives whether it has to be tried again."""
        with self._lock:
            if self._stop is None:
                return False
            self.why = self.why or "timed-out"
            with suppress(Exception):  # a driver that cannot just now is asked again
                self._stop()
            return True

    def over(self) -> None:
        """The query has ended: it is not stopped any more once this returns."""
        with self._lock:
            self._stop = None


class Watchdog:
    """Watches queries in one thread, which begins with the first one and sleeps till the next is due."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._due: list[
            tuple[float, int, Watch]
        ] = []  # those that are over leave when they are due
        self._order = count()
        self._sleeps_till = math.inf
        self._thread: threading.Thread | None = None

    @contextmanager
    def watching(
        self, stop: Callable[[], None], seconds: float, halt: Halt | None = None
    ) -> Iterator[Watch]:
        """Within it `stop` is called when so many seconds are over or when halted, again and again till the end.

        It is called in the watchdog's thread, never after the end.
        """
        watch = Watch(stop)
        try:
            if seconds < math.inf:
                self._add(time.monotonic() + seconds, watch)
            if halt is None:
                yield watch
                return

            def tell(reason: HaltReason) -> None:
                watch.why = watch.why or reason
                self._add(0.0, watch)

            with halt.telling(tell):
                yield watch
        finally:
            watch.over()

    def _add(self, at: float, watch: Watch) -> None:
        with self._changed:
            heapq.heappush(self._due, (at, next(self._order), watch))
            if self._thread is None or not self._thread.is_alive():
                self._sleeps_till = math.inf
                self._thread = threading.Thread(target=self._run, name="watchdog", daemon=True)
                self._thread.start()
            elif at < self._sleeps_till:
                self._changed.notify()

    def _run(self) -> None:
        while True:
            watch = self._next()
            if watch.stop():
                self._add(time.monotonic() + _AGAIN, watch)

    def _next(self) -> Watch:
        with self._changed:
            while not self._due or (left := self._due[0][0] - time.monotonic()) > 0:
                self._sleeps_till = self._due[0][0] if self._due else math.inf
                self._changed.wait(left if self._due else None)
            self._sleeps_till = 0.0  # awake: it looks at what is added before it sleeps
            return heapq.heappop(self._due)[2]


WATCHDOG = Watchdog()
