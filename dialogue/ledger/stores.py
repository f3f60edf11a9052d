"""Where the ledger's rows lie: the same statements, run by one of two hands.

A SQLite file is opened with Python's own driver, any other database by SQLAlchemy from its URL. Importing
SQLAlchemy takes half a second, a third of the first answer of a cold process (docs/decisions/0009).
"""

from __future__ import annotations

import re
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path
from typing import Protocol, TypeAlias

from dialogue.ledger.errors import LedgerError, Unreachable
from dialogue.ledger.schema import Dialect
from dialogue.ledger.stamp import stamp, take_off

Row: TypeAlias = tuple[object, ...]
Value: TypeAlias = str | int | bytes
SQLITE = "sqlite:///"
WAIT = 30.0  # seconds that a writer waits for another one


class Run(Protocol):
    """Runs a statement with its `:named` values, and gives its rows one after the other."""

    def __call__(self, sql: str, **values: Value) -> Iterator[Row]: ...


class Source(Protocol):
    """A database of few tables, to look at."""

    @property
    def dialect(self) -> Dialect:
        """Which SQL it speaks."""

    @property
    def url(self) -> str:
        """Where it is, as SQLAlchemy writes it."""

    def snapshot(self) -> AbstractContextManager[Run]:
        """SELECTs that all see the same moment, while others write."""

    def close(self) -> None:
        """Let go of the database."""


class Store(Source, Protocol):
    """A database of few tables that only grow."""

    def transaction(self) -> AbstractContextManager[Run]:
        """Statements that are all kept, or none of them."""

    def tables(self, run: Run) -> frozenset[str]:
        """The names of its tables."""

    def scrub(self) -> bool:
        """Write the tables anew, so that nothing of what was deleted is left in a file; whether it could."""


def open_source(url: str) -> Source:
    """The database at a URL, to look at only."""
    if url.startswith(SQLITE):
        return SQLiteReader(Path(url.removeprefix(SQLITE)))
    return open_store(url)


def open_store(url: str) -> Store:
    """The store at a URL; `sqlite:///PATH` is a file, made when it is not there."""
    if url.startswith(SQLITE):
        return SQLiteStore(Path(url.removeprefix(SQLITE)))
    if not url.startswith("postgres"):
        raise LedgerError(
            f"a ledger is kept in a SQLite file or in PostgreSQL, not in {shown(url)}"
        )
    return URLStore(url)


def beside(ledger: str) -> str:
    """Where the sessions of a ledger are listed: in its PostgreSQL, else in a file beside its file.

    >>> beside("sqlite:///var/ledger.sqlite")
    'sqlite:///var/ledger-sessions.sqlite'
    """
    if ledger.startswith(SQLITE):
        return f"{ledger.removesuffix('.sqlite')}-sessions.sqlite"
    return ledger


def shown(url: str) -> str:
    """A URL as it may be told: without its password.

    >>> shown("postgresql://ann:secret@host/ledger?password=secret")
    'postgresql://ann:***@host/ledger?password=***'
    """
    return re.sub(r"(//[^:/@]*:)[^@/]*(?=@)|(password=)[^&]*", r"\1\2***", url)


def driver(url: str) -> str:
    """The URL with the driver that this project uses.

    >>> driver("postgresql://localhost/ledger")
    'postgresql+psycopg://localhost/ledger'
    """
    for scheme in ("postgresql://", "postgres://"):
        if url.startswith(scheme):
            return f"postgresql+psycopg://{url.removeprefix(scheme)}"
    return url


class SQLiteStore:
    """A SQLite file with a write-ahead log; what was written survives a power cut, what was erased is gone."""

    dialect: Dialect = "sqlite"

    def __init__(self, path: Path) -> None:
        self.path, self.url, self._lock = path, f"{SQLITE}{path}", threading.Lock()
        path.absolute().parent.mkdir(parents=True, exist_ok=True)
        self._connection = self._connect()
        self._closed = False

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(
            self.path, timeout=WAIT, isolation_level=None, check_same_thread=False
        )
        try:
            connection.execute("PRAGMA journal_mode=WAL")
            connection.execute("PRAGMA synchronous=FULL")
            connection.execute("PRAGMA secure_delete=ON")
        except sqlite3.DatabaseError as error:
            connection.close()
            raise LedgerError(f"{self.path} cannot be opened as a ledger: {error}") from error
        return connection

    @contextmanager
    def transaction(self) -> Iterator[Run]:
        """One at a time; other processes wait too."""
        with self._lock, _reached(self.url):
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                take_off(self._connection)
                yield runner(self._connection)
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:  # a full disk has ended it by itself
                    self._connection.execute("ROLLBACK")
                raise

    @contextmanager
    def snapshot(self) -> Iterator[Run]:
        """On a connection of its own."""
        with _reached(self.url), closing(self._connect()) as connection:
            connection.execute("BEGIN")
            yield runner(connection)

    def tables(self, run: Run) -> frozenset[str]:
        """The names in the file's own list."""
        return frozenset(
            str(name) for (name,) in run("SELECT name FROM sqlite_master WHERE type = 'table'")
        )

    def scrub(self) -> bool:
        """By VACUUM, then the write-ahead log is emptied; not while others hold the file."""
        with self._lock:
            try:
                self._connection.execute("VACUUM")
                self._stamp()
                (busy, *_) = self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            except sqlite3.OperationalError:
                return False
        return not busy

    def close(self) -> None:
        """Let go of the file, with a stamp on it. Closing twice is closing once."""
        with self._lock:
            if not self._closed:
                self._stamp()
                self._connection.close()
            self._closed = True

    def _stamp(self) -> None:
        stamp(self._connection)
        self._connection.execute(f"PRAGMA busy_timeout = {WAIT * 1000:.0f}")


@contextmanager
def _reached(url: str) -> Iterator[None]:
    """What the driver says when a database is away, locked or full becomes an error of the ledger."""
    try:
        yield
    except sqlite3.OperationalError as error:
        raise Unreachable(f"the ledger at {shown(url)} cannot be used: {error}") from error


class SQLiteReader:
    """A SQLite file that is only looked at: not a byte of it is changed, damaged ones included."""

    dialect: Dialect = "sqlite"

    def __init__(self, path: Path) -> None:
        self.path, self.url = path, f"{SQLITE}{path}"
        if not path.is_file():
            raise LedgerError(f"there is no ledger at {path}")
        log = path.with_name(f"{path.name}-wal")
        self.alone = not log.exists()  # nothing stands beside the file that belongs to it

    @contextmanager
    def snapshot(self) -> Iterator[Run]:
        """SELECTs of one moment; a text that is none is told apart by what cannot be decoded."""
        how = "mode=ro&immutable=1" if self.alone else "mode=ro"
        place = f"{self.path.absolute().as_uri()}?{how}"
        with closing(sqlite3.connect(place, uri=True, isolation_level=None)) as connection:
            connection.text_factory = lambda data: data.decode("utf-8", "surrogateescape")
            connection.execute("BEGIN")
            run = runner(connection)

            def known(sql: str, **values: Value) -> Iterator[Row]:
                try:
                    return run(sql, **values)
                except UnicodeEncodeError:  # what was read and is no text is looked up nowhere
                    return iter(())

            yield known

    def close(self) -> None:
        """Nothing is held."""


def runner(connection: sqlite3.Connection) -> Run:
    """Runs statements on a connection of Python's own driver."""

    def run(sql: str, **values: Value) -> Iterator[Row]:
        return connection.execute(sql, values)

    return run


class URLStore:
    """A PostgreSQL database, by SQLAlchemy."""

    dialect: Dialect = "postgresql"

    def __init__(self, url: str) -> None:
        from sqlalchemy import create_engine, text
        from sqlalchemy.exc import ArgumentError, OperationalError

        try:
            self._engine = create_engine(driver(url), pool_pre_ping=True)
            self._engine.connect().close()
        except (ArgumentError, ImportError, OperationalError) as error:
            raise LedgerError(
                f"there is no ledger at {shown(url)}: {error}; a ledger is a SQLite file, or "
                "postgresql://… with the extra `postgres` installed"
            ) from error
        self.url, self._text = driver(url), text
        self._steady = self._engine.execution_options(isolation_level="REPEATABLE READ")

    @contextmanager
    def transaction(self) -> Iterator[Run]:
        """One transaction of the database."""
        with self._reached(), self._engine.begin() as connection:

            def run(sql: str, **values: Value) -> Iterator[Row]:
                done = connection.execute(self._text(sql), values)
                return (tuple(row) for row in done) if done.returns_rows else iter(())

            yield run

    @contextmanager
    def snapshot(self) -> Iterator[Run]:
        """A transaction that sees one moment."""
        with self._reached(), self._steady.connect() as connection:

            def run(sql: str, **values: Value) -> Iterator[Row]:
                return (tuple(row) for row in connection.execute(self._text(sql), values))

            yield run

    @contextmanager
    def _reached(self) -> Iterator[None]:
        from sqlalchemy.exc import InterfaceError, OperationalError

        try:
            yield
        except (OperationalError, InterfaceError) as error:
            told = f"the ledger at {shown(self.url)} cannot be used: {error.orig}"
            raise Unreachable(told) from error

    def tables(self, run: Run) -> frozenset[str]:
        """The names in the schema that the URL leads to."""
        found = run("SELECT tablename FROM pg_tables WHERE schemaname = current_schema()")
        return frozenset(str(name) for (name,) in found)

    def scrub(self) -> bool:
        """By VACUUM FULL; what the server keeps elsewhere (its log, its backups) is its own matter."""
        with self._engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            for table in ("contents", "records"):
                connection.execute(self._text(f"VACUUM FULL {table}"))
        return True

    def close(self) -> None:
        """Let go of the database."""
        self._engine.dispose()
