"""Faults: told to whoever asked in a sentence with a code to quote, kept whole for whoever looks after the service.

What an exception says (statements, values, addresses, places in the code) is nobody's answer. It is recorded with
the turn, by its code.
"""

from __future__ import annotations

import traceback
from collections.abc import Iterator

from dialogue.turn import Fault, Turn
from dialogue.words import say
from nl2sql.errors import GuardError, ReadBackError, Stopped, WarehouseError

OWN = frozenset({"semantic_layer", "nl2sql", "dialogue", "api"})
LONGEST = 20_000  # characters of a traceback that are kept: its end says most


def told(lang: str, error: BaseException) -> tuple[str, str, Fault | None]:
    """An error in words, its reason, and what is kept of it: nothing of what was stopped, which says it all."""
    if isinstance(error, Stopped):
        return say(lang, f"error.{error.code}", **error.facts), error.code, None
    reason, found = _reason(error), fault(error)
    return say(lang, f"error.{reason}", fault=found.code), reason, found


def _reason(error: BaseException) -> str:
    match error:
        case WarehouseError():
            return "warehouse"
        case ReadBackError():
            return "read-back"
        case GuardError():
            return "guard"
    return "fault"


def fault(error: BaseException) -> Fault:
    """What is kept of an exception: its kind and place with those of what caused it, and its whole traceback."""
    kinds = ", from ".join(f"{_kind(one)} in {_module(one)}" for one in _causes(error))
    return Fault(kinds, "".join(traceback.format_exception(error))[-LONGEST:])


def quotable(error: BaseException) -> str:
    """What users are told of an exception where no sentence is needed: its code."""
    return f"fault {fault(error).code}"


def faults(turn: Turn) -> tuple[Fault, ...]:
    """The faults of a turn's questions."""
    return tuple(part.fault for part in turn.parts or (turn,) if part.fault is not None)


def _causes(error: BaseException) -> Iterator[BaseException]:
    found: BaseException | None = error
    while found is not None:
        yield found
        found = found.__cause__


def _kind(error: BaseException) -> str:
    kind = type(error)
    return kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__name__}"


def _module(error: BaseException) -> str:
    """The innermost module of this project that the error came through: one and the same wherever the turn is
    taken again, unlike lines, which move, and the depth of a stack."""
    names = [
        str(frame.f_globals.get("__name__", "?"))
        for frame, _ in traceback.walk_tb(error.__traceback__)
    ]
    own = [name for name in names if name.partition(".")[0] in OWN]
    return (own or names or ["?"])[-1]
