"""The rule reader: one turn's text to edits, every word accounted for (docs/nl2sql.md)."""

from nl2sql.reading.reader import RuleReader
from nl2sql.reading.types import Ambiguity, Reading, Sense, Taken, Unread

__all__ = ["Ambiguity", "Reading", "RuleReader", "Sense", "Taken", "Unread"]
