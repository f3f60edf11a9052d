"""The ledger: every turn before and after it ran, chained by hashes. The ledger is the truth.

An intent row is written before anything runs and an outcome row after, so that a turn which was
interrupted is seen as such. Each outcome holds the hash of the one before it in its session.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path

from sqlalchemy import (
    Column,
    Engine,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    create_engine,
    event,
    insert,
    select,
)

from dialogue import codec
from dialogue.codec import Json
from dialogue.record import Record

_META = MetaData()
LAYERS = Table(
    "layers",
    _META,
    Column("hash", String(64), primary_key=True),
    Column("text", Text, nullable=False),
)
INTENTS = Table(
    "intents",
    _META,
    Column("turn_id", String(36), primary_key=True),
    Column("session_id", String(64), nullable=False, index=True),
    Column("seq", Integer, nullable=False),
    Column("at", String(40), nullable=False),
    Column("body", Text, nullable=False),
)
OUTCOMES = Table(
    "outcomes",
    _META,
    Column("turn_id", String(36), primary_key=True),
    Column("session_id", String(64), nullable=False, index=True),
    Column("seq", Integer, nullable=False),
    Column("at", String(40), nullable=False),
    Column("body", Text, nullable=False),
    Column("state", Text, nullable=False),
    Column("previous_hash", String(64), nullable=False),
    Column("record_hash", String(64), nullable=False),
)


class Ledger:
    """A ledger in a database; SQLite with WAL and synchronous=FULL by default."""

    def __init__(self, url: str) -> None:
        self._engine = _open(url)
        _META.create_all(self._engine)
        self._heads: dict[str, str] = {}

    @classmethod
    def at(cls, path: Path) -> Ledger:
        """The ledger in a SQLite file, made when it is not there."""
        path.parent.mkdir(parents=True, exist_ok=True)
        return cls(f"sqlite:///{path}")

    def layer(self, digest: str, text: str) -> None:
        """Keep a layer's text, once a hash."""
        with self._engine.begin() as connection:
            if (
                connection.execute(select(LAYERS.c.hash).where(LAYERS.c.hash == digest)).first()
                is None
            ):
                connection.execute(insert(LAYERS).values(hash=digest, text=text))

    def intend(
        self, turn_id: str, session_id: str, seq: int, at: str, body: dict[str, Json]
    ) -> None:
        """Record that a turn is about to be taken."""
        with self._engine.begin() as connection:
            connection.execute(
                insert(INTENTS).values(
                    turn_id=turn_id, session_id=session_id, seq=seq, at=at, body=_canonical(body)
                )
            )

    def conclude(
        self, turn_id: str, session_id: str, seq: int, at: str, body: dict[str, Json], state: str
    ) -> str:
        """Record what a turn came to; gives the record's hash."""
        text = _canonical(body)
        with self._engine.begin() as connection:
            previous = self._heads.get(session_id)
            if previous is None:
                found = connection.execute(
                    select(OUTCOMES.c.record_hash)
                    .where(OUTCOMES.c.session_id == session_id)
                    .order_by(OUTCOMES.c.seq.desc())
                    .limit(1)
                ).first()
                previous = str(found[0]) if found else ""
            digest = chained(previous, turn_id, seq, text, state)
            connection.execute(
                insert(OUTCOMES).values(
                    turn_id=turn_id,
                    session_id=session_id,
                    seq=seq,
                    at=at,
                    body=text,
                    state=state,
                    previous_hash=previous,
                    record_hash=digest,
                )
            )
        self._heads[session_id] = digest
        return digest

    def state(self, session_id: str) -> str | None:
        """The newest recorded state of a session."""
        with self._engine.connect() as connection:
            found = connection.execute(
                select(OUTCOMES.c.state)
                .where(OUTCOMES.c.session_id == session_id)
                .order_by(OUTCOMES.c.seq.desc())
                .limit(1)
            ).first()
        return None if found is None else str(found[0])

    def record(self, turn_id: str) -> Record | None:
        """One turn; an unambiguous beginning of its id will do."""
        with self._engine.connect() as connection:
            rows = connection.execute(
                select(OUTCOMES.c.turn_id).where(OUTCOMES.c.turn_id.like(f"{turn_id}%")).limit(2)
            ).fetchall()
        return next(self.records((str(rows[0][0]),)), None) if len(rows) == 1 else None

    def newest(self) -> str | None:
        """The id of the turn that was recorded last."""
        with self._engine.connect() as connection:
            found = connection.execute(
                select(OUTCOMES.c.turn_id)
                .order_by(OUTCOMES.c.at.desc(), OUTCOMES.c.seq.desc())
                .limit(1)
            ).first()
        return None if found is None else str(found[0])

    def records(self, turn_ids: tuple[str, ...] = ()) -> Iterator[Record]:
        """Recorded turns, all of them or these, session by session in order."""
        query = (
            select(OUTCOMES, INTENTS.c.body.label("intent"))
            .join(INTENTS, INTENTS.c.turn_id == OUTCOMES.c.turn_id)
            .order_by(OUTCOMES.c.session_id, OUTCOMES.c.seq)
        )
        if turn_ids:
            query = query.where(OUTCOMES.c.turn_id.in_(turn_ids))
        with self._engine.connect() as connection:
            for row in connection.execute(query):
                yield Record(
                    row.turn_id,
                    row.session_id,
                    row.seq,
                    row.at,
                    json.loads(row.intent),
                    json.loads(row.body),
                    row.state,
                    row.record_hash,
                )

    def close(self) -> None:
        """Let go of the database."""
        self._engine.dispose()


def chained(previous: str, turn_id: str, seq: int, body: str, state: str) -> str:
    """The hash of a record: over its content and the hash of the record before it."""
    text = json.dumps([previous, turn_id, seq, body, state], ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def _canonical(body: dict[str, Json]) -> str:
    return json.dumps(body, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def _open(url: str) -> Engine:
    engine = create_engine(url)
    if engine.dialect.name == "sqlite":

        @event.listens_for(engine, "connect")
        def _pragmas(connection: object, _record: object) -> None:
            cursor = connection.cursor()  # type: ignore[attr-defined]
            cursor.execute("PRAGMA journal_mode=WAL")
            cursor.execute("PRAGMA synchronous=FULL")
            cursor.close()

    return engine


def plain(value: object) -> Json:
    """A value as it stands in a record."""
    return codec.encode(value)
