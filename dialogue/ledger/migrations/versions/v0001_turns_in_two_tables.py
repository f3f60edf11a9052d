"""The first ledger: intents and outcomes in clear, of which only the outcomes were chained."""

from __future__ import annotations

from alembic import op

revision = "0001"
down_revision = None

TABLES = (
    "CREATE TABLE layers (hash VARCHAR(64) PRIMARY KEY, text TEXT NOT NULL)",
    "CREATE TABLE intents (turn_id VARCHAR(36) PRIMARY KEY, session_id VARCHAR(64) NOT NULL, "
    "seq INTEGER NOT NULL, at VARCHAR(40) NOT NULL, body TEXT NOT NULL)",
    "CREATE INDEX ix_intents_session_id ON intents (session_id)",
    "CREATE TABLE outcomes (turn_id VARCHAR(36) PRIMARY KEY, session_id VARCHAR(64) NOT NULL, "
    "seq INTEGER NOT NULL, at VARCHAR(40) NOT NULL, body TEXT NOT NULL, state TEXT NOT NULL, "
    "previous_hash VARCHAR(64) NOT NULL, record_hash VARCHAR(64) NOT NULL)",
    "CREATE INDEX ix_outcomes_session_id ON outcomes (session_id)",
)


def upgrade() -> None:
    """Make the tables."""
    for statement in TABLES:
        op.execute(statement)
