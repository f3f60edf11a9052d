"""The ledger: a chain of records a session, in SQLite or PostgreSQL."""

from dialogue.ledger.book import Entry, Ledger, Selection
from dialogue.ledger.chain import Link
from dialogue.ledger.errors import Archived, Conflict, LedgerError

__all__ = ["Archived", "Conflict", "Entry", "Ledger", "LedgerError", "Link", "Selection"]
