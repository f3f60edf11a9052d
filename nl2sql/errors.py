"""The error family of this floor. Each carries a code, and what to say to the person who asked."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from semantic_layer.protocols import HaltReason

StopCode = HaltReason | Literal["busy", "too-many-rows", "out-of-memory"]


@dataclass(eq=False)  # not frozen: Python sets the traceback of an error while it is on its way
class QuestionError(Exception):
    """A question that cannot be compiled. `code` keys the message catalogue, `facts` fill it in."""

    code: str
    facts: dict[str, str] = field(default_factory=dict)
    offers: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.code}: {self.facts}" if self.facts else self.code


class ReadBackError(Exception):
    """The SQL does not say what the slots say; never answered."""


class GuardError(Exception):
    """A statement that is not one plain SELECT over registered tables, columns and functions."""


class WarehouseError(Exception):
    """The warehouse could not run a statement: gone, over a limit, or interrupted."""


_SAID: dict[StopCode, str] = {
    "cancelled": "the query was cancelled",
    "closing": "the query was stopped: the service is closing",
    "timed-out": "the query took longer than {seconds} s and was stopped",
    "busy": "too many queries are waiting ({waiting}): try again in about {seconds} s",
    "too-many-rows": "the query gives more than {rows} rows: narrow it",
    "out-of-memory": "the query needs more memory than it may take ({memory}): narrow it",
}


@dataclass(eq=False)
class Stopped(WarehouseError):
    """A statement that was not run to its end: `code` says why, `facts` fill in the message catalogue."""

    code: StopCode
    facts: dict[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        return _SAID[self.code].format(**self.facts)


class Halted(Stopped):
    """A statement that was stopped because its turn was: nothing else of the turn may run."""


def halted(reason: HaltReason, seconds: float = 0.0) -> Stopped:
    """The error of a statement that was halted; `seconds` is how long it might have taken."""
    if reason == "timed-out":
        return Stopped(reason, {"seconds": f"{seconds:g}"})
    return Halted(reason)
