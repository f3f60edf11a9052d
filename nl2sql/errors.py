"""The error family of this floor. Each carries a code, and what to say to the person who asked."""

from __future__ import annotations

from dataclasses import dataclass, field


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
