"""What is held of a session between its turns, so that the ledger need not be asked each time.

The ledger is the truth and memory a convenience: what it holds carries the end of the session's chain that
it stands on, so that a turn taken from an older memory is refused by the ledger, never answered.
"""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from dataclasses import dataclass
from sys import getsizeof
from typing import Protocol

from dialogue import codec
from dialogue.ledger import Tip
from dialogue.state import State
from nl2sql.slots import Filter

RECENT = 20  # turns that are held whole, to be shown again
SESSIONS = 10_000  # held by one process; the one that was quiet longest is let go first
BYTES = 64 << 20  # that their texts may take; beyond it too the one that was quiet longest goes


class MemoryLost(Exception):
    """The memory cannot be asked just now."""


@dataclass(frozen=True, slots=True)
class Held:
    """A session's last state, its canonical JSON, where its chain ends (None without a ledger), whose it
    is, and what it is about in words.

    `sight` stands for the row policy that its turns were taken under: turns taken under another one are let go,
    so that nobody is shown what they may no longer see.
    """

    state: State
    text: str
    tip: Tip | None
    owner: str
    summary: str = ""
    sight: str = ""


def sight_of(policy: tuple[Filter, ...]) -> str:
    """What stands for a row policy: equal for equal ones, and tells nothing of it."""
    return hashlib.sha256(codec.dumps(policy).encode()).hexdigest()[:16]


class Memory(Protocol):
    """Holds sessions, each by a key: its tenant and its id. Every method raises `MemoryLost` where it cannot
    be asked."""

    def load(self, key: str) -> Held | None:
        """What is held of a session."""

    def keep(self, key: str, held: Held, turn: str) -> None:
        """Hold this from now on, with the turn it came from, unless a later state is held already. Turns that
        were taken under another row policy are let go."""

    def recent(self, key: str) -> tuple[str, ...]:
        """The last turns that were kept, the oldest first."""

    def forget(self, key: str) -> None:
        """Hold nothing of a session."""


class ProcessMemory:
    """Sessions in the memory of this process."""

    def __init__(self, sessions: int = SESSIONS, most: int = BYTES) -> None:
        self._sessions, self._most, self._size = sessions, most, 0
        self._held: OrderedDict[str, tuple[Held, tuple[str, ...]]] = OrderedDict()
        self._lock = threading.Lock()

    def load(self, key: str) -> Held | None:
        """What is held of a session."""
        with self._lock:
            found = self._held.get(key)
            if found is None:
                return None
            self._held.move_to_end(key)
            return found[0]

    def keep(self, key: str, held: Held, turn: str) -> None:
        """Hold this from now on, unless a later state is held already."""
        with self._lock:
            before = self._held.get(key)
            if before is not None and before[0].state.seq >= held.state.seq:
                return
            kept = before[1] if before is not None and before[0].sight == held.sight else ()
            turns = kept + ((turn,) if turn else ())
            self._let_go(key)
            self._held[key] = held, turns[-RECENT:]
            self._size += _size(self._held[key])
            while len(self._held) > 1 and (
                len(self._held) > self._sessions or self._size > self._most
            ):
                self._let_go(next(iter(self._held)))

    def recent(self, key: str) -> tuple[str, ...]:
        """The last turns that were kept, the oldest first."""
        with self._lock:
            found = self._held.get(key)
            return () if found is None else found[1]

    def forget(self, key: str) -> None:
        """Hold nothing of a session."""
        with self._lock:
            self._let_go(key)

    def _let_go(self, key: str) -> None:
        found = self._held.pop(key, None)
        if found is not None:
            self._size -= _size(found)


def _size(found: tuple[Held, tuple[str, ...]]) -> int:
    """The bytes of its texts; the state beside its text takes about as much again."""
    held, turns = found
    return 2 * getsizeof(held.text) + sum(map(getsizeof, turns))


class NoMemory:
    """Nothing is held, and nothing of a session is recalled: every question is one by itself."""

    def load(self, key: str) -> Held | None:
        """Nothing."""
        return None

    def keep(self, key: str, held: Held, turn: str) -> None:
        """Let go of it."""

    def recent(self, key: str) -> tuple[str, ...]:
        """None."""
        return ()

    def forget(self, key: str) -> None:
        """There is nothing to forget."""
