"""What a reading is: edits, references and cues, and what was not understood."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from nl2sql.edits import Edit, Reference
from nl2sql.reading.tokens import Token
from nl2sql.slots import Span

Intent: TypeAlias = Literal[
    "query",
    "explain_metric",
    "explain_result",
    "catalogue",
    "why",
    "predict",
    "advise",
    "greet",
    "thanks",
    "bye",
    "help",
    "change",
    "leak",
    "undo",
    "empty",
]
About: TypeAlias = Literal[
    "object", "metric", "dimension", "value", "time", "reference", "condition"
]
Lang: TypeAlias = Literal["zh", "en"]


@dataclass(frozen=True, slots=True)
class Sense:
    """One way to read an ambiguous word: its identifier, and the edits it would make."""

    id: str
    edits: tuple[Edit, ...]
    label: str = ""


@dataclass(frozen=True, slots=True)
class Ambiguity:
    """A word with several readings that would give different numbers; `more` than the choices listed."""

    about: About
    span: Span
    word: str
    choices: tuple[Sense, ...]
    more: int = 0


@dataclass(frozen=True, slots=True)
class Unread:
    """A stretch that was not understood, with the registered words most like it. One that is `either` is
    an or between what no slot holds as alternatives: conditions, metrics, ways to group."""

    span: Span
    text: str
    near: tuple[str, ...] = ()
    either: bool = False


@dataclass(frozen=True, slots=True)
class Taken:
    """A word that was taken as a registered one: a typo, or a part of one name."""

    span: Span
    text: str
    word: str
    why: Literal["near", "part"]


@dataclass(frozen=True, slots=True)
class Reading:
    """One turn's text, read by itself. Spans are into the original text.

    `score` is the cover's: the weights of its tokens, less what each character left over costs.
    """

    text: str
    lang: Lang
    intent: Intent
    edits: tuple[Edit, ...] = ()
    references: tuple[Reference, ...] = ()
    cues: frozenset[str] = frozenset()
    ambiguities: tuple[Ambiguity, ...] = ()
    unread: tuple[Unread, ...] = ()
    taken: tuple[Taken, ...] = ()
    mentioned: tuple[str, ...] = ()
    tokens: tuple[Token, ...] = ()
    score: float = 0.0

    def edit(self, slot: str) -> Edit | None:
        """The first edit of a slot."""
        return next((item for item in self.edits if item.slot == slot), None)
