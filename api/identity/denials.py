"""Denied access, in the ledger: who, by what, where, why; never the credential.

At most one record a minute for the same, with how many were left out, and a bound on all: who is refused
cannot fill the disk.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from api.identity.errors import Denied
from dialogue.codec import Json
from dialogue.ledger import Ledger

SPAN = 60.0  # seconds
MOST = 100  # different ones within that time; more are counted together
ROUTE = 100  # characters
log = logging.getLogger("wenshu.identity")


class _Same(NamedTuple):
    who: str
    how: str
    route: str
    reason: str


MANY = _Same("many", "many", "many", "many")


@dataclass(slots=True)
class _Window:
    since: float
    left_out: int = 0


class Denials:
    """Records denied access. Used from any thread."""

    def __init__(self, ledger: Ledger, clock: Callable[[], float] = time.monotonic) -> None:
        self._ledger, self._clock = ledger, clock
        self._windows: dict[_Same, _Window] = {}
        self._lock = threading.Lock()

    def note(self, denied: Denied, route: str) -> None:
        """Record one, unless the same was recorded within the last minute. Never raises.

        `route` is the route's pattern (`GET /v1/sessions/{id}`), not the path that was asked for.
        """
        seen = "".join(letter if letter.isprintable() else "?" for letter in route[:ROUTE])
        same = _Same(denied.who or "unknown", denied.how, seen, denied.code)
        with self._lock:
            due = self._due(self._clock(), same)
        for what, left_out in due:
            self._record(what, left_out)

    def close(self) -> None:
        """Record what was left out so far."""
        with self._lock:
            due = [(same, found.left_out - 1) for same, found in self._windows.items()]
            self._windows.clear()
        for what, left_out in due:
            if left_out >= 0:
                self._record(what, left_out)

    def _due(self, now: float, same: _Same) -> list[tuple[_Same, int]]:
        """What is to be recorded now: of those whose minute is over, and of the new one."""
        due = []
        over = {k: w for k, w in self._windows.items() if now - w.since >= SPAN}
        for known, window in over.items():
            del self._windows[known]
            if known != same and window.left_out:  # the last one left out stands for the others
                due.append((known, window.left_out - 1))
                self._windows[known] = _Window(now)
        left_out = over[same].left_out if same in over else 0
        if same not in self._windows and len(self._windows) >= MOST:
            same = MANY
        if same in self._windows:
            self._windows[same].left_out += left_out + 1
        else:
            self._windows[same] = _Window(now)
            due.append((same, left_out))
        return due

    def _record(self, same: _Same, left_out: int) -> None:
        what: dict[str, Json] = {"route": same.route, "reason": same.reason, "left_out": left_out}
        try:
            self._ledger.note("denied", {"who": same.who, "how": same.how, "what": what})
        except (
            Exception
        ):  # it is denied all the same; what is wrong with the ledger shows in the turns too
            log.exception("a denied access was not recorded: %s", same)
