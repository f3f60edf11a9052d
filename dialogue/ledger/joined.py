"""Writes of many threads into one file: those that come while others are written down are written together.

A transaction ends with waiting for the disk, and a file takes one at a time. So whoever finds the file taken
leaves what is to be written, and the next one writes all that has gathered: one wait for all of them.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeAlias

from dialogue.ledger.errors import Unreachable
from dialogue.ledger.stores import Run, Store

Write: TypeAlias = Callable[[Run], None]


class _Waiting:
    """A write that waits, and why it was not kept: None once it is."""

    __slots__ = ("error", "over", "write")

    def __init__(self, write: Write) -> None:
        self.write, self.over = write, False
        self.error: Exception | None = Unreachable("whoever wrote it down was interrupted")


class Joined:
    """Writes into one store. Each is kept as a whole or not at all, whatever becomes of the others."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._gathered: list[_Waiting] = []
        self._gathering, self._writing = threading.Lock(), threading.Lock()

    def write(self, write: Write) -> None:
        """Write, and return when it is on the disk. What `write` raises is raised; it may be called twice."""
        mine = _Waiting(write)
        with self._gathering:
            self._gathered.append(mine)
        with self._writing:
            if not mine.over:
                with self._gathering:
                    gathered, self._gathered = self._gathered, []
                self._write(gathered)
        if mine.error is not None:
            raise mine.error

    def _write(self, gathered: list[_Waiting]) -> None:
        try:
            with self._store.transaction() as run:
                for one in gathered:
                    one.write(run)
            for one in gathered:
                one.error = None
        except Unreachable as error:
            for one in gathered:
                one.error = Unreachable(str(error))
        except Exception as error:
            if len(gathered) == 1:
                gathered[0].error = error
            else:  # one of them is refused, and none was kept: each by itself
                for one in gathered:
                    self._write([one])
        finally:
            for one in gathered:
                one.over = True
