"""What a walk through a ledger found."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from dialogue.ledger.chain import Link

MOST = 100  # faults that are told; more say nothing new
Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Fault:
    """Something that does not hold: which record (or other part of the ledger), and what is wrong."""

    where: str
    what: str

    def __str__(self) -> str:
        return f"{self.where}: {self.what}"


@dataclass(slots=True)
class Report:
    """Counts, faults (the first broken link first), and notes on what could not be checked here."""

    records: int = 0
    sessions: int = 0
    turns: int = 0
    interrupted: list[str] = field(default_factory=list)
    contents: int = 0
    erased: int = 0
    archived: int = 0
    checkpoints: int = 0
    head: str = ""
    unsealed: int = 0
    faults: list[Fault] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def holds(self) -> bool:
        """Whether nothing is wrong."""
        return not self.faults

    def fault(self, where: str, what: str) -> None:
        """Something is wrong."""
        if len(self.faults) < MOST:
            self.faults.append(Fault(printable(where), printable(what)))


def printable(text: str) -> str:
    """A text whose bytes that could not be decoded are shown as such."""
    return text.encode("utf-8", "backslashreplace").decode()


def record(session_id: str, number: int) -> str:
    """How a record is named."""
    return f"record {number} of session {session_id}"


def of(link: Link) -> str:
    """How a record is named that could be read."""
    turn = f" of turn {link.turn_id}" if link.turn_id else ""
    return f"{record(link.session_id, link.number)} ({link.kind}{turn})"
