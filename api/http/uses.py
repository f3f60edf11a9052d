"""Sessions in which turns were taken: noted at once, entered in the list a little later, many in one transaction."""

from __future__ import annotations

import threading
from contextlib import suppress
from datetime import datetime

from dialogue.directory import Directory, Use
from dialogue.ledger import Unreachable
from dialogue.turn import Turn

LATER = 0.5  # seconds after which other workers find them in the list


class Uses:
    """What is to be entered in the list of sessions. While that cannot be reached it shows what was."""

    def __init__(self, directory: Directory) -> None:
        self._directory = directory
        self._noted: dict[str, Use] = {}
        self._lock = threading.Lock()

    def note(self, turn: Turn, at: datetime, *, titled: bool) -> float | None:
        """Note a turn; the seconds after which writing is due, None where it is due already.

        A question that becomes the title is entered at once: what is erased must not come back as one.
        """
        with self._lock:
            first, before = not self._noted, self._noted.get(turn.session_id)
            question = before.question if before is not None else ""
            if not titled:
                question = question or title_of(turn)
            self._noted[turn.session_id] = Use(turn.session_id, at, turn.seq, question)
        return 0.0 if not titled else LATER if first else None

    def write(self) -> None:
        """Enter what was noted."""
        with self._lock:
            noted, self._noted = self._noted, {}
        if noted:
            with suppress(Unreachable):
                self._directory.used(*noted.values())


def title_of(turn: Turn) -> str:
    """What a session that a turn began is called: its question, or what its edits ask."""
    return turn.question or turn.completed_question
