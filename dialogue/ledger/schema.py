"""The ledger's tables, declared once for SQLite and PostgreSQL, and the triggers that let them only grow.

New databases are made from here; older ones are brought here by Alembic (`migrations`), which uses the
same statements. Plain SQL, so that a SQLite file is opened without SQLAlchemy (docs/decisions/0009).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, TypeAlias

Dialect: TypeAlias = Literal["sqlite", "postgresql"]

VERSION = "0002"

TABLES = (
    # One chain a session. `record` is the canonical JSON that `record_hash` is of; the other columns
    # stand in it too, and are here only to be found by.
    """CREATE TABLE records (
    session_id VARCHAR(200) NOT NULL,
    number INTEGER NOT NULL,
    kind VARCHAR(16) NOT NULL,
    turn_id VARCHAR(64) NOT NULL,
    at VARCHAR(40) NOT NULL,
    record TEXT NOT NULL,
    record_hash VARCHAR(64) NOT NULL,
    PRIMARY KEY (session_id, number)
)""",
    "CREATE INDEX ix_records_turn_id ON records (turn_id)",
    "CREATE INDEX ix_records_at ON records (at)",
    # What records speak of, by salted digest: erased without touching a record.
    """CREATE TABLE contents (
    digest VARCHAR(64) PRIMARY KEY,
    session_id VARCHAR(200) NOT NULL,
    salt {bytes} NOT NULL,
    data {bytes} NOT NULL
)""",
    "CREATE TABLE layers (hash VARCHAR(64) PRIMARY KEY, text TEXT NOT NULL)",
    # The global chain: each checkpoint names the sessions that went on since the one before it.
    """CREATE TABLE checkpoints (
    number INTEGER PRIMARY KEY,
    record TEXT NOT NULL,
    record_hash VARCHAR(64) NOT NULL
)""",
    # Heads that no checkpoint has sealed yet: a list of work, not evidence; it follows from the rest.
    """CREATE TABLE open_heads (
    session_id VARCHAR(200) PRIMARY KEY,
    number INTEGER NOT NULL,
    record_hash VARCHAR(64) NOT NULL
)""",
    # What may go: a content that an erasure names, a session that an archiving names.
    """CREATE TABLE erasures (
    digest VARCHAR(64) PRIMARY KEY,
    by_session VARCHAR(200) NOT NULL,
    by_number INTEGER NOT NULL
)""",
    """CREATE TABLE archived (
    session_id VARCHAR(200) PRIMARY KEY,
    number INTEGER NOT NULL,
    record_hash VARCHAR(64) NOT NULL,
    by_session VARCHAR(200) NOT NULL,
    by_number INTEGER NOT NULL
)""",
    "CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL PRIMARY KEY)",
)

# What may never happen to a table's row, unless the condition holds for it (the row is OLD, or NEW).
_ERASED = "EXISTS (SELECT 1 FROM erasures WHERE digest = OLD.digest)"
_ARCHIVED = "EXISTS (SELECT 1 FROM archived WHERE session_id = OLD.session_id)"
_CLOSED = "NOT EXISTS (SELECT 1 FROM archived WHERE session_id = NEW.session_id)"
_ONLY_GROW = ("records", "contents", "layers", "checkpoints", "erasures", "archived")
GUARDS: tuple[tuple[str, str, str | None], ...] = (
    *((table, "UPDATE", None) for table in _ONLY_GROW),
    ("records", "DELETE", _ARCHIVED),
    ("contents", "DELETE", f"{_ERASED} OR {_ARCHIVED}"),
    *((table, "DELETE", None) for table in _ONLY_GROW[2:]),
    ("records", "INSERT", _CLOSED),
)

# Tables of which no row is changed, and none is taken away but by an erasure or an archiving, after which a file
# is written anew.
GROWN = frozenset((*_ONLY_GROW, "alembic_version"))

# A sealed archive takes nothing in any more.
SEALS: tuple[tuple[str, str, str | None], ...] = tuple(
    (table, "INSERT", None)
    for table in ("records", "contents", "layers", "checkpoints", "archived")
)


def statements(dialect: Dialect) -> Iterator[str]:
    """Everything that makes an empty database a ledger of today's version."""
    for table in TABLES:
        yield table.format(bytes="BLOB" if dialect == "sqlite" else "BYTEA")
    yield from triggers(dialect)
    yield f"INSERT INTO alembic_version (version_num) VALUES ('{VERSION}')"


def triggers(
    dialect: Dialect, guards: tuple[tuple[str, str, str | None], ...] = GUARDS, stem: str = "keep"
) -> Iterator[str]:
    """The triggers that refuse a change.

    >>> next(triggers("sqlite"))
    "CREATE TRIGGER keep_records_update BEFORE UPDATE ON records BEGIN SELECT RAISE(ABORT, 'the ledger \
only grows: UPDATE of records refused'); END"
    """
    for table, change, unless in guards:
        name = f"{stem}_{table}_{change.lower()}"
        refusal = f"the ledger only grows: {change} of {table} refused"
        when = f" WHEN NOT ({unless})" if unless else ""
        if dialect == "sqlite":
            yield (
                f"CREATE TRIGGER {name} BEFORE {change} ON {table}{when} "
                f"BEGIN SELECT RAISE(ABORT, '{refusal}'); END"
            )
            continue
        # a trigger's WHEN may hold no subquery there: the condition stands in the function
        test = f"IF NOT ({unless}) THEN RAISE EXCEPTION '{refusal}'; END IF;"
        body = test if unless else f"RAISE EXCEPTION '{refusal}';"
        row = "NEW" if change == "INSERT" else "OLD"
        yield (
            f"CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS "
            f"$$ BEGIN {body} RETURN {row}; END $$"
        )
        yield (
            f"CREATE TRIGGER {name} BEFORE {change} ON {table} "
            f"FOR EACH ROW EXECUTE FUNCTION {name}()"
        )
    if dialect == "postgresql" and stem == "keep":
        for table in _ONLY_GROW:
            yield (
                f"CREATE TRIGGER keep_{table}_truncate BEFORE TRUNCATE ON {table} "
                f"FOR EACH STATEMENT EXECUTE FUNCTION keep_{table}_update()"
            )
