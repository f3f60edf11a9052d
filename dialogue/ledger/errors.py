"""What the ledger refuses, and what to do about it."""

from __future__ import annotations


class LedgerError(Exception):
    """The ledger cannot do what it was asked to."""


class Unreachable(LedgerError):
    """The ledger's database cannot be asked, or takes nothing in: it is away, or its disk is full."""


class Conflict(LedgerError):
    """A session went on elsewhere: whoever comes second must read it anew."""

    def __init__(self, session_id: str) -> None:
        super().__init__(
            f"session {session_id} went on elsewhere meanwhile: nothing was recorded here; ask again"
        )


class Archived(LedgerError):
    """A session was moved into an archive, where nothing is added any more."""

    def __init__(self, session_id: str) -> None:
        super().__init__(f"session {session_id} was archived and is closed: begin a new one")


class UnknownTurn(LedgerError):
    """A turn that is not recorded here or has no outcome, or an id's beginning that several turns share."""

    def __init__(self, turn_id: str) -> None:
        super().__init__(f"there is no one finished turn {turn_id} in this ledger")
