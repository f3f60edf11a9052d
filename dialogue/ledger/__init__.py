"""The ledger: a chain of records a session, in SQLite or PostgreSQL."""

from dialogue.ledger.book import EVERY, Entry, Ledger, Remark, Selection
from dialogue.ledger.chain import Link
from dialogue.ledger.errors import Archived, Conflict, LedgerError, UnknownTurn

__all__ = [
    "EVERY",
    "Archived",
    "Conflict",
    "Entry",
    "Ledger",
    "LedgerError",
    "Link",
    "Remark",
    "Selection",
    "UnknownTurn",
]
