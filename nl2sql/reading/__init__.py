"""The rule reader: one turn's text to edits, every word accounted for (docs/nl2sql.md)."""

from nl2sql.reading.reader import LONGEST, RuleReader, language
from nl2sql.reading.types import Ambiguity, Reading, Sense, Taken, Unread

__all__ = [
    "LONGEST",
    "Ambiguity",
    "Reading",
    "RuleReader",
    "Sense",
    "Taken",
    "Unread",
    "language",
]
