"""Which sessions there are, and whose: names to find them by. A convenience beside the ledger, no evidence.

Titles are what users typed, so they stand here, where they can be changed and deleted, not in the chain.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path

from sqlalchemy import (
    Boolean,
    Column,
    Delete,
    Float,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    bindparam,
    case,
    create_engine,
    delete,
    event,
    insert,
    select,
    update,
)
from sqlalchemy.engine import Connection, Engine
from sqlalchemy.exc import InterfaceError, OperationalError, SQLAlchemyError
from sqlalchemy.pool import ConnectionPoolEntry

from dialogue.ledger import LedgerError, Unreachable
from dialogue.ledger.stores import SQLITE, driver, shown

TITLE = 120  # characters of a title

_META = MetaData()
_SESSIONS = Table(
    "sessions",
    _META,
    Column("session_id", String(200), primary_key=True),
    Column("owner", String(400), nullable=False),
    Column("title", String(TITLE), nullable=False, default=""),
    Column("named", Boolean, nullable=False, default=False),
    Column("created", String(40), nullable=False),
    Column("updated", String(40), nullable=False),
    Column("turns", Integer, nullable=False, default=0),
    Column("deleted", Boolean, nullable=False, default=False),
)
Index("ix_sessions_owner", _SESSIONS.c.owner, _SESSIONS.c.updated)
CONVERSATIONS = Table(  # of clients that send a conversation whole (conversations.py)
    "conversations",
    _META,
    Column("key", String(64), primary_key=True),
    Column("session_id", String(200), nullable=False, index=True),
    Column("start", Integer, nullable=False),
    Column("at", Float, nullable=False, index=True),
    Column("led", String(64), nullable=False, default=""),
)

# Made once: SQLAlchemy takes longer to make a statement than SQLite to run it.
_NEW = insert(_SESSIONS)
_USED = (
    update(_SESSIONS)
    .where(_SESSIONS.c.session_id == bindparam("of"), ~_SESSIONS.c.deleted)
    .values(
        updated=bindparam("at"),
        turns=bindparam("taken"),
        title=case(
            ((_SESSIONS.c.title == "") & ~_SESSIONS.c.named, bindparam("said")),
            else_=_SESSIONS.c.title,
        ),
    )
)


@dataclass(frozen=True, slots=True)
class Listed:
    """A session as its owner finds it. Times are instants in ISO form; `turns` counts those taken."""

    session_id: str
    owner: str
    title: str
    created: str
    updated: str
    turns: int

    @property
    def place(self) -> str:
        """Where it stands in its owner's list: several may have been used in the same second."""
        return f"{self.updated} {self.session_id}"


@dataclass(frozen=True, slots=True)
class Use:
    """That turns of a session were taken: the last at this time, so many by then, the first of them a question."""

    session_id: str
    at: datetime
    turns: int
    question: str


class Directory:
    """The sessions of an installation, in a database of their own (or beside the ledger in PostgreSQL).

    Every method raises `Unreachable` while the database cannot be used.
    """

    def __init__(self, url: str) -> None:
        if url.startswith(SQLITE):
            Path(url.removeprefix(SQLITE)).absolute().parent.mkdir(parents=True, exist_ok=True)
        try:
            self._engine = _engine(url)
            with self._engine.begin() as connection:
                if self._engine.dialect.name == "postgresql":  # one process makes it, others wait
                    connection.exec_driver_sql("SELECT pg_advisory_xact_lock(8377032)")
                _META.create_all(connection)
        except (SQLAlchemyError, ImportError) as error:
            raise LedgerError(f"sessions cannot be listed at {shown(url)}: {error}") from error

    def open(self, session_id: str, owner: str, at: datetime, title: str = "") -> Listed:
        """Enter a new session."""
        when = at.isoformat()
        made = Listed(session_id, owner, _title(title), when, when, 0)
        with self.begun() as connection:
            connection.execute(_NEW, asdict(made) | {"named": bool(title), "deleted": False})
        return made

    def find(self, session_id: str) -> Listed | None:
        """A session that was not deleted."""
        where = (_SESSIONS.c.session_id == session_id) & ~_SESSIONS.c.deleted
        with self.begun() as connection:
            return next(_listed(connection, select(_SESSIONS).where(where)), None)

    def of(
        self, owner: str, words: str = "", before: str = "", most: int = 50
    ) -> tuple[Listed, ...]:
        """An owner's sessions, the one used last first: those whose title holds some words, and that come
        after a place in the list (`Listed.place`)."""
        query = select(_SESSIONS).where(_SESSIONS.c.owner == owner, ~_SESSIONS.c.deleted)
        if words:
            query = query.where(_SESSIONS.c.title.icontains(words, autoescape=True))
        if before:
            updated, _, session_id = before.partition(" ")
            same = (_SESSIONS.c.updated == updated) & (_SESSIONS.c.session_id > session_id)
            query = query.where((_SESSIONS.c.updated < updated) | same)
        query = query.order_by(_SESSIONS.c.updated.desc(), _SESSIONS.c.session_id).limit(most)
        with self.begun() as connection:
            return tuple(_listed(connection, query))

    def used(self, *uses: Use) -> None:
        """Note that turns were taken; the first question is the title of a session that has no name."""
        given = [
            {
                "of": use.session_id,
                "at": use.at.isoformat(),
                "taken": use.turns,
                "said": _title(use.question),
            }
            for use in uses
        ]
        with self.begun() as connection:
            connection.execute(_USED, given)

    def rename(self, session_id: str, title: str) -> None:
        """Give a session a name."""
        change = update(_SESSIONS).where(_SESSIONS.c.session_id == session_id)
        with self.begun() as connection:
            connection.execute(change.values(title=_title(title), named=True))

    def delete(self, session_id: str) -> None:
        """Take a session off the list, and its title away. What the ledger recorded stays there."""
        change = update(_SESSIONS).where(_SESSIONS.c.session_id == session_id)
        with self.begun() as connection:
            connection.execute(change.values(deleted=True, title=""))
            connection.execute(_conversations(session_id))

    def untitle(self, session_id: str) -> None:
        """Let go of a session's title: its turns were erased."""
        change = update(_SESSIONS).where(_SESSIONS.c.session_id == session_id)
        with self.begun() as connection:
            connection.execute(change.values(title=""))
            connection.execute(_conversations(session_id))

    def close(self) -> None:
        """Let go of the database."""
        self._engine.dispose()

    @contextmanager
    def begun(self) -> Iterator[Connection]:
        """A transaction."""
        try:
            with self._engine.begin() as connection:
                yield connection
        except (OperationalError, InterfaceError) as error:
            raise Unreachable(f"the list of sessions cannot be used: {error.orig}") from error


def _conversations(session_id: str) -> Delete:
    """What tells which conversations led to a session: digests of what a user said."""
    return delete(CONVERSATIONS).where(CONVERSATIONS.c.session_id == session_id)


def _title(text: str) -> str:
    r"""A title in one line, of what can be seen.

    >>> _title(" a\r\nb\x00 ")
    'a  b'
    """
    return "".join(char if char.isprintable() else " " for char in text).strip()[:TITLE]


def _listed(connection: Connection, query: object) -> Iterator[Listed]:
    for row in connection.execute(query).mappings():  # type: ignore[call-overload]
        yield Listed(
            row["session_id"],
            row["owner"],
            row["title"],
            row["created"],
            row["updated"],
            row["turns"],
        )


def _engine(url: str) -> Engine:
    engine = create_engine(driver(url), pool_pre_ping=not url.startswith(SQLITE))
    if url.startswith(SQLITE):

        @event.listens_for(engine, "connect")
        def _log_ahead(connection: object, _record: ConnectionPoolEntry) -> None:
            cursor = connection.cursor()  # type: ignore[attr-defined]
            cursor.execute("PRAGMA journal_mode=WAL")
            cursor.execute("PRAGMA synchronous=NORMAL")  # a title lost in a power cut is no loss
            cursor.execute("PRAGMA busy_timeout=5000")
            cursor.close()

    return engine
