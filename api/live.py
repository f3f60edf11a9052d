"""Live data: a database or a layer that is replaced under a running service, by the switch of one reference.

Files are looked at every second. Where they changed, a new world is opened beside the old one and put in its
place; turns in flight end in the world that they began in, which is closed when the last of them has ended.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from api.files import Marks, Opened, written
from dialogue.world import World

_PATIENCE = 60.0  # the most seconds from one try of what cannot be opened to the next


@dataclass(frozen=True, slots=True)
class Fault:
    """Why files that were replaced are not in use, and how often that was tried."""

    text: str
    tries: int


class _Held:
    """A world that turns are taken in. It is closed when it is retired and the last turn has ended."""

    __slots__ = ("opened", "turns")

    def __init__(self, opened: Opened) -> None:
        self.opened = opened
        self.turns = 0


class Live:
    """The world as its files are now.

    `opening` opens it: beside the one that is given, None where nothing is other than there. `marks` tells whether
    files changed. `switched` is told of a new world before the first turn in it, `faulted` of one that cannot be
    used: once for each reason, while it is tried again and again and the old one stays.
    """

    def __init__(
        self,
        opening: Callable[[Opened | None], Opened | None],
        marks: Callable[[], Marks],
        *,
        switched: Callable[[World], None] = lambda _: None,
        faulted: Callable[[Fault], None] = lambda _: None,
        every: float = 1.0,
    ) -> None:
        self._opening, self._marks = opening, marks
        self._switched, self._faulted, self._every = switched, faulted, every
        self._seen = marks()  # before it is opened: what changes meanwhile is noticed
        opened = opening(None)
        assert opened is not None
        self._current = _Held(opened)
        self._retired: set[_Held] = set()
        self._turns = threading.Condition()  # guards the two above
        self._look = threading.Lock()  # guards those below
        self._found: Marks = self._seen
        self._again = 0.0
        self._ends = threading.Event()
        self._watcher: threading.Thread | None = None
        self.fault: Fault | None = None

    @contextmanager
    def held(self) -> Iterator[World]:
        """The world for one turn: it stays as it is to the end of the turn, whatever is replaced."""
        with self._turns:
            held = self._current
            held.turns += 1
        try:
            yield held.opened.world
        finally:
            with self._turns:
                held.turns -= 1
                ended = self._ended(held)
                self._turns.notify_all()
            if ended:
                held.opened.close()

    @property
    def turns(self) -> int:
        """The turns in flight, in the world as it is now and in those before it."""
        with self._turns:
            return self._in_flight()

    @property
    def worlds(self) -> int:
        """The worlds that are open: one, and those before it that turns are still in flight in."""
        with self._turns:
            return 1 + len(self._retired)

    def look(self) -> bool:
        """Look at the files once; gives whether another world took the place of the old one.

        A change is opened at the second look, so that a file is left alone while it is being written to.
        """
        with self._look:
            now, before = self._marks(), self._found
            self._found = now
            if now == self._seen:
                self.fault = None
                return False
            if now != before:
                self._again = 0.0
                if before == self._seen or written(before, now):
                    return False
            if time.monotonic() < self._again:
                return False
            try:
                return self._taken_up(now)
            except Exception as error:  # whatever is wrong with it, the old world goes on
                tries = self.fault.tries + 1 if self.fault is not None else 1
                told = self.fault is not None and self.fault.text == str(error)
                self.fault = Fault(str(error), tries)
                self._again = time.monotonic() + min(self._every * 2 ** min(tries, 20), _PATIENCE)
                if not told:
                    self._faulted(self.fault)
                return False

    def start(self) -> None:
        """Look at the files again and again, in a thread of its own."""
        self._watcher = threading.Thread(target=self._watch, name="live", daemon=True)
        self._watcher.start()

    def close(self, seconds: float = 0.0) -> bool:
        """Stop looking, wait so long for turns in flight, and close; gives whether all of them have ended.

        Those that have not are left their world, which is closed when they end.
        """
        self._ends.set()
        if self._watcher is not None:
            self._watcher.join()
        with self._turns:
            ended = self._turns.wait_for(lambda: not self._in_flight(), seconds)
        self._retire(self._current)
        return ended

    def _watch(self) -> None:
        while not self._ends.wait(self._every):
            self.look()

    def _taken_up(self, now: Marks) -> bool:
        opened = self._opening(self._current.opened)
        if written(now, self._marks()):
            if opened is not None:
                opened.close()
            return False
        if opened is not None:
            try:
                self._switched(opened.world)
            except BaseException:
                opened.close()
                raise
            with self._turns:
                old, self._current = self._current, _Held(opened)
            self._retire(old)
        self._seen, self.fault = now, None
        return opened is not None

    def _retire(self, held: _Held) -> None:
        with self._turns:
            self._retired.add(held)
            ended = self._ended(held)
        if ended:
            held.opened.close()

    def _ended(self, held: _Held) -> bool:
        """Whether a world is to be closed now: once, by whoever is told so."""
        if held.turns or held not in self._retired:
            return False
        self._retired.remove(held)
        return True

    def _in_flight(self) -> int:
        return self._current.turns + sum(
            held.turns for held in self._retired if held is not self._current
        )
