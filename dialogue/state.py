"""The state of a session: structure, not chat history. Everything that the next turn may lean on.

Frozen and serialisable; no text of earlier turns is needed to answer the next one.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, TypeAlias

from dialogue.codec import register
from nl2sql.edits import Edit, Reference
from nl2sql.slots import Slots, Span

Source: TypeAlias = Literal[
    "said", "carried", "default", "clarified", "edited", "policy", "reference"
]
About: TypeAlias = Literal[
    "object", "metric", "dimension", "value", "time", "reference", "condition"
]


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where one slot value came from: `turn` is the turn that said it, `span` its text there."""

    key: str
    source: Source
    turn: int
    span: Span | None = None
    words: str = ""


@dataclass(frozen=True, slots=True)
class Shown:
    """The last result's members: the values of `fields`, row by row, as they were shown."""

    fields: tuple[str, ...]
    rows: tuple[tuple[str | None, ...], ...]
    complete: bool = True


@dataclass(frozen=True, slots=True)
class Entity:
    """Something that was talked about: a path of dimensions and their values."""

    fields: tuple[str, ...]
    values: tuple[str, ...]
    turn: int


@dataclass(frozen=True, slots=True)
class Option:
    """One way to answer a pending question, and the edits it stands for."""

    id: str
    label: str
    edits: tuple[Edit, ...]
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Pending:
    """A question the service asked, and what waits for its answer."""

    about: About
    options: tuple[Option, ...]
    edits: tuple[Edit, ...]
    references: tuple[Reference, ...]
    cues: tuple[str, ...]
    subject: str
    asked: int
    question: str
    answered: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Remembered:
    """A choice confirmed in this session, and when: it is used again for a while, and that is told."""

    subject: str
    option: str
    edits: tuple[Edit, ...]
    turn: int
    at: datetime


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What undo restores."""

    slots: Slots
    provenance: tuple[Provenance, ...]
    shown: Shown | None


@dataclass(frozen=True, slots=True)
class State:
    """Everything a session remembers."""

    seq: int = 0
    slots: Slots | None = None
    provenance: tuple[Provenance, ...] = ()
    shown: Shown | None = None
    entities: tuple[Entity, ...] = ()
    pending: Pending | None = None
    choices: tuple[Remembered, ...] = ()
    past: tuple[Snapshot, ...] = ()
    dropped: tuple[Snapshot, ...] = ()
    version: int = 1


EMPTY = State()
register(sys.modules[__name__])
