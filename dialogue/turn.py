"""The turn: the one answer object, the same from Python, HTTP and the command line (DESIGN.md)."""

from __future__ import annotations

import hashlib
import sys
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from typing import Literal, TypeAlias

from dialogue.changes import NOTHING, Changes
from dialogue.codec import register
from dialogue.heard import Heard
from dialogue.state import About, Provenance
from nl2sql.edits import Edit
from nl2sql.slots import Slots
from semantic_layer.protocols import Cell

Outcome: TypeAlias = Literal["answer", "clarify", "explain", "decline", "chat", "error"]
ColumnKind: TypeAlias = Literal[
    "value",
    "label",
    "bucket",
    "metric",
    "base",
    "diff",
    "change",
    "share",
    "attribute",
    "mark",
]


@dataclass(frozen=True, slots=True)
class Request:
    """What a user sends: text, a click on options, edits by hand, undo, or what a switch dropped to keep
    (all of it, or by key or words)."""

    question: str = ""
    choose: tuple[str, ...] = ()
    edit: tuple[Edit, ...] = ()
    undo: bool = False
    keep: bool | tuple[str, ...] = False


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a result."""

    id: str
    label: str
    kind: ColumnKind
    unit: str | None = None
    format: str | None = None


ChartKind: TypeAlias = Literal["line", "bars", "grouped", "stacked"]


@dataclass(frozen=True, slots=True)
class Chart:
    """What a result is drawn as, by ids of its columns: `x` and `series` tell the groups apart (each a dimension
    with the parents that are shown), `values` are drawn, one beside the other. `kinds` it may be switched to;
    `partial` are the buckets that are not whole."""

    kind: ChartKind
    x: tuple[str, ...]
    series: tuple[str, ...]
    values: tuple[str, ...]
    kinds: tuple[ChartKind, ...]
    partial: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Labelled:
    """A stored value of a column, and what people call it."""

    column: str
    value: str
    label: str


@dataclass(frozen=True, slots=True)
class Result:
    """The rows of an answer. `rows` stop at the display cap; `row_count` is the true total. How it is shown,
    `chart` and `labels`, follows from the rest and is not recorded (charts.py)."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    row_count: int
    truncated: bool
    chart: Chart | None = None
    labels: tuple[Labelled, ...] = ()


@dataclass(frozen=True, slots=True)
class Choice:
    """A candidate to click."""

    id: str
    label: str
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Clarification:
    """One question back."""

    about: About
    question: str
    options: tuple[Choice, ...]
    more: int = 0


@dataclass(frozen=True, slots=True)
class Alternative:
    """What an assumption could be instead: a label to say, and the edits that make it so."""

    label: str
    edits: tuple[Edit, ...]


@dataclass(frozen=True, slots=True)
class Assumption:
    """Something that was not said and was filled in; `alternatives` are what it could be instead."""

    slot: str
    value: str
    alternatives: tuple[Alternative, ...] = ()


@dataclass(frozen=True, slots=True)
class Switch:
    """A topic switch: which rule saw it, and what no longer holds."""

    rule: Literal["object", "words", "whole"]
    dropped: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ChipPart:
    """One of the things a chip holds: its identifier or stored value, and its label."""

    value: str
    label: str


@dataclass(frozen=True, slots=True)
class Chip:
    """A value of a slot in words: its key (`metrics`, `filters.park_id`, `time` …), the `source` and the turn it
    came from, told in `origin` unless this turn said it; `parts` where it holds several things, `negated` where
    they are left out."""

    key: str
    words: str
    source: str
    turn: int
    origin: str = ""
    parts: tuple[ChipPart, ...] = ()
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Citation:
    """A passage of one of the layer's documents that an explanation shows: its text, and where it stands."""

    title: str
    file: str
    heading: str
    text: str


@dataclass(frozen=True, slots=True)
class Timings:
    """Milliseconds by part."""

    reading: float = 0.0
    compiling: float = 0.0
    running: float = 0.0


@dataclass(frozen=True, slots=True)
class Model:
    """A model that took part in a turn: what it was sent, and what it sent back, as it was."""

    name: str
    prompt: str
    output: str


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault in a turn, ours or the database's: its kind and place, and what was raised. It is recorded and never
    shown; users are told its code."""

    what: str
    detail: str

    @property
    def raised(self) -> str:
        """What was raised, in one line."""
        return self.detail.rstrip().rpartition("\n")[2]

    @property
    def code(self) -> str:
        """What users quote: the same for faults of one kind in one place.

        >>> Fault("KeyError in dialogue.filling", "KeyError: 'P001'").code
        '5fdd5cb1'
        """
        return hashlib.sha256(self.what.encode()).hexdigest()[:8]


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn, whole."""

    turn_id: str
    session_id: str
    seq: int
    question: str
    outcome: Outcome
    text: str
    lang: Literal["zh", "en"] = "zh"
    reason: str = ""
    parts: tuple[Turn, ...] = ()
    completed_question: str = ""
    slots: Slots | None = None
    provenance: tuple[Provenance, ...] = ()
    changes: Changes = NOTHING
    assumptions: tuple[Assumption, ...] = ()
    switch: Switch | None = None
    clarification: Clarification | None = None
    result: Result | None = None
    sql: str | None = None
    suggestions: tuple[Choice, ...] = ()
    not_understood: tuple[str, ...] = ()
    degraded: tuple[str, ...] = ()
    timings_ms: Timings = Timings()
    as_of: datetime | None = None
    now: datetime | None = None
    fresh_to: str | None = None
    semantic_hash: str = ""
    data_version: str = ""
    versions: tuple[tuple[str, str], ...] = ()
    record_hash: str = ""
    sources: tuple[Citation, ...] = ()
    chips: tuple[Chip, ...] = field(default=(), repr=False)
    heard: Heard | None = field(default=None, repr=False)
    model: Model | None = field(default=None, repr=False)
    fault: Fault | None = field(default=None, repr=False)
    all_rows: tuple[tuple[Cell, ...], ...] = field(default=(), repr=False)


register(sys.modules[__name__])


def plain(value: object) -> object:
    """A cell as JSON: decimals are strings, NaN and infinity never leave the service."""
    if isinstance(value, Decimal):
        return format(value, "f")
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        return None
    return value
