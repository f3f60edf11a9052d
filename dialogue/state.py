"""The state of a session: structure, not chat history. Everything that the next turn may lean on.

Frozen, versioned and serialisable; no text of earlier turns is needed to answer the next one. It
changes by one function alone (`changes.apply`), and what is kept of the past has a bound.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, TypeAlias

from dialogue.codec import register
from nl2sql.edits import Edit, Reference
from nl2sql.reading.types import Ambiguity, Intent, Lang, Sense
from nl2sql.slots import Slots, Span

Source: TypeAlias = Literal[
    "said", "carried", "default", "clarified", "edited", "policy", "reference"
]
About: TypeAlias = Literal[
    "object", "metric", "dimension", "value", "time", "reference", "condition"
]

VERSION = 2
UNDO_STEPS = 20
ENTITIES = 40
CHOICES = 20


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where one slot value came from: `turn` is the turn that said it, `span` its text there."""

    key: str
    source: Source
    turn: int
    span: Span | None = None


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
    """A question the service asked, and what waits for its answer: the edits of the question asked, not its text.

    `listed` of the options were shown; the others can be named. `asked` counts the questions in a row.
    """

    about: About
    options: tuple[Option, ...]
    listed: int
    edits: tuple[Edit, ...]
    references: tuple[Reference, ...]
    cues: tuple[str, ...]
    ambiguities: tuple[Ambiguity, ...]
    lang: Lang
    subject: str
    facts: tuple[tuple[str, str], ...]
    asked: int
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
    """What undo goes back to: the slots after turn `seq` (0 where an older state does not say). Its rows
    are asked for anew."""

    slots: Slots | None
    provenance: tuple[Provenance, ...]
    seq: int = 0


@dataclass(frozen=True, slots=True)
class State:
    """Everything a session remembers: `seq` turns were taken, the last one in `lang`, meaning `intent`
    (an explanation of metrics: of which, `explained`).

    `entities` stand in the order of their first mention. `switched` tells that the newest of `past` is
    what a topic switch has let go, to be taken back by 沿用.
    """

    seq: int = 0
    slots: Slots | None = None
    provenance: tuple[Provenance, ...] = ()
    shown: Shown | None = None
    entities: tuple[Entity, ...] = ()
    pending: Pending | None = None
    choices: tuple[Remembered, ...] = ()
    past: tuple[Snapshot, ...] = ()
    switched: bool = False
    intent: Intent = "query"
    lang: Lang = "zh"
    explained: tuple[str, ...] = ()
    version: int = VERSION

    def __post_init__(self) -> None:
        """A state of a later release is not read half."""
        if self.version > VERSION:
            raise ValueError(
                f"a state of version {self.version}; this release knows versions up to {VERSION}"
            )

    @property
    def topic(self) -> str | None:
        """The object that the session is about."""
        return self.slots.object if self.slots is not None else None


EMPTY = State()
_CODED = (
    Ambiguity,
    Sense,
)  # what a pending question holds: named here, so that the codec knows them
register(sys.modules[__name__])
