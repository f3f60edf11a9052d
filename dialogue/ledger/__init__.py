"""The ledger: a chain of records a session, in SQLite or PostgreSQL."""

from dialogue.ledger.book import Entry, Ledger, Selection, Standing, Tip
from dialogue.ledger.chain import Link
from dialogue.ledger.errors import Archived, Conflict, LedgerError, Unreachable

__all__ = [
    "Archived",
    "Conflict",
    "Entry",
    "Ledger",
    "LedgerError",
    "Link",
    "Selection",
    "Standing",
    "Tip",
    "Unreachable",
]
