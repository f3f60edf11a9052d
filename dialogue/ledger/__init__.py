"""The ledger: a chain of records a session, in SQLite or PostgreSQL."""

from dialogue.ledger.book import EVERY, Entry, Ledger, Remark, Selection, Standing, Tip
from dialogue.ledger.chain import Link
from dialogue.ledger.errors import Archived, Conflict, LedgerError, UnknownTurn, Unreachable

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
    "Standing",
    "Tip",
    "UnknownTurn",
    "Unreachable",
]
