"""Where the ledger's rows lie: the same statements, run by one of two hands.

A SQLite file is opened with Python's own driver, any other database by SQLAlchemy from its URL. Importing
SQLAlchemy takes half a second, a third of the first answer of a cold process (docs/decisions/0009).
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path
from typing import Protocol, TypeAlias

Row: TypeAlias = tuple[object, ...]
SQLITE = "sqlite:///"


class Run(Protocol):
    """Runs a statement with its `:named` values, and gives its rows."""

    def __call__(self, sql: str, **values: str | int) -> list[Row]: ...


class Store(Protocol):
    """A database of few tables that only grow."""

    def transaction(self) -> AbstractContextManager[Run]:
        """Statements that are all kept, or none of them."""

    def rows(self, sql: str, **values: str | int) -> Iterator[Row]:
        """The rows of a SELECT, one after the other."""

    def close(self) -> None:
        """Let go of the database."""


def open_store(url: str) -> Store:
    """The store at a URL; `sqlite:///PATH` is a file, made when it is not there."""
    if url.startswith(SQLITE):
        return SQLiteStore(Path(url.removeprefix(SQLITE)))
    return URLStore(url)


class SQLiteStore:
    """A SQLite file with a write-ahead log; what was written survives a power cut."""

    def __init__(self, path: Path) -> None:
        self._path, self._lock = path, threading.Lock()
        self._connection = self._connect()

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self._path, isolation_level=None, check_same_thread=False)
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=FULL")
        return connection

    @contextmanager
    def transaction(self) -> Iterator[Run]:
        """One at a time; other processes wait too."""

        def run(sql: str, **values: str | int) -> list[Row]:
            return self._connection.execute(sql, values).fetchall()

        with self._lock:
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield run
            except BaseException:
                self._connection.execute("ROLLBACK")
                raise
            self._connection.execute("COMMIT")

    def rows(self, sql: str, **values: str | int) -> Iterator[Row]:
        """The rows of a SELECT, on a connection of its own."""
        with closing(self._connect()) as connection:
            yield from connection.execute(sql, values)

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()


class URLStore:
    """Any database that SQLAlchemy opens."""

    def __init__(self, url: str) -> None:
        from sqlalchemy import create_engine, text

        self._engine, self._text = create_engine(url), text

    @contextmanager
    def transaction(self) -> Iterator[Run]:
        """One transaction of the database."""
        with self._engine.begin() as connection:

            def run(sql: str, **values: str | int) -> list[Row]:
                done = connection.execute(self._text(sql), values)
                return [tuple(row) for row in done] if done.returns_rows else []

            yield run

    def rows(self, sql: str, **values: str | int) -> Iterator[Row]:
        """The rows of a SELECT."""
        with self._engine.connect() as connection:
            for row in connection.execute(self._text(sql), values):
                yield tuple(row)

    def close(self) -> None:
        """Let go of the database."""
        self._engine.dispose()
