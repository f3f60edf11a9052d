"""The ledger: every turn before and after it ran, chained by hashes. The ledger is the truth.

An intent row is written before anything runs and an outcome row after, so that a turn which was
interrupted is seen as such. Each outcome holds the hash of the one before it in its session.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path

from dialogue import codec
from dialogue.codec import Json
from dialogue.record import Record
from dialogue.stores import SQLITE, open_store

_TABLES = (
    "CREATE TABLE IF NOT EXISTS layers (hash VARCHAR(64) PRIMARY KEY, text TEXT NOT NULL)",
    "CREATE TABLE IF NOT EXISTS intents (turn_id VARCHAR(36) PRIMARY KEY, session_id VARCHAR(64) NOT NULL, "
    "seq INTEGER NOT NULL, at VARCHAR(40) NOT NULL, body TEXT NOT NULL)",
    "CREATE INDEX IF NOT EXISTS ix_intents_session_id ON intents (session_id)",
    "CREATE TABLE IF NOT EXISTS outcomes (turn_id VARCHAR(36) PRIMARY KEY, session_id VARCHAR(64) NOT NULL, "
    "seq INTEGER NOT NULL, at VARCHAR(40) NOT NULL, body TEXT NOT NULL, state TEXT NOT NULL, "
    "previous_hash VARCHAR(64) NOT NULL, record_hash VARCHAR(64) NOT NULL)",
    "CREATE INDEX IF NOT EXISTS ix_outcomes_session_id ON outcomes (session_id)",
)


class Ledger:
    """A ledger in a database; SQLite with WAL and synchronous=FULL by default."""

    def __init__(self, url: str) -> None:
        self._store = open_store(url)
        with self._store.transaction() as run:
            for table in _TABLES:
                run(table)
        self._heads: dict[str, str] = {}

    @classmethod
    def at(cls, path: Path) -> Ledger:
        """The ledger in a SQLite file, made when it is not there."""
        path.parent.mkdir(parents=True, exist_ok=True)
        return cls(f"{SQLITE}{path}")

    def layer(self, digest: str, text: str) -> None:
        """Keep a layer's text, once a hash."""
        with self._store.transaction() as run:
            if not run("SELECT hash FROM layers WHERE hash = :hash", hash=digest):
                run("INSERT INTO layers (hash, text) VALUES (:hash, :text)", hash=digest, text=text)

    def intend(
        self, turn_id: str, session_id: str, seq: int, at: str, body: dict[str, Json]
    ) -> None:
        """Record that a turn is about to be taken."""
        with self._store.transaction() as run:
            run(
                "INSERT INTO intents (turn_id, session_id, seq, at, body) "
                "VALUES (:turn_id, :session_id, :seq, :at, :body)",
                turn_id=turn_id,
                session_id=session_id,
                seq=seq,
                at=at,
                body=_canonical(body),
            )

    def conclude(
        self, turn_id: str, session_id: str, seq: int, at: str, body: dict[str, Json], state: str
    ) -> str:
        """Record what a turn came to; gives the record's hash."""
        text = _canonical(body)
        with self._store.transaction() as run:
            previous = self._heads.get(session_id)
            if previous is None:
                found = run(
                    "SELECT record_hash FROM outcomes WHERE session_id = :session_id "
                    "ORDER BY seq DESC LIMIT 1",
                    session_id=session_id,
                )
                previous = str(found[0][0]) if found else ""
            digest = chained(previous, turn_id, seq, text, state)
            run(
                "INSERT INTO outcomes "
                "(turn_id, session_id, seq, at, body, state, previous_hash, record_hash) VALUES "
                "(:turn_id, :session_id, :seq, :at, :body, :state, :previous_hash, :record_hash)",
                turn_id=turn_id,
                session_id=session_id,
                seq=seq,
                at=at,
                body=text,
                state=state,
                previous_hash=previous,
                record_hash=digest,
            )
        self._heads[session_id] = digest
        return digest

    def state(self, session_id: str) -> str | None:
        """The newest recorded state of a session."""
        return self._first(
            "SELECT state FROM outcomes WHERE session_id = :session_id ORDER BY seq DESC LIMIT 1",
            session_id=session_id,
        )

    def record(self, turn_id: str) -> Record | None:
        """One turn; an unambiguous beginning of its id will do."""
        begun = "SELECT turn_id FROM outcomes WHERE turn_id LIKE :begun LIMIT 2"
        found = list(self._store.rows(begun, begun=f"{turn_id}%"))
        return next(self.records((str(found[0][0]),)), None) if len(found) == 1 else None

    def newest(self) -> str | None:
        """The id of the turn that was recorded last."""
        return self._first("SELECT turn_id FROM outcomes ORDER BY at DESC, seq DESC LIMIT 1")

    def records(self, turn_ids: tuple[str, ...] = ()) -> Iterator[Record]:
        """Recorded turns, all of them or these, session by session in order."""
        ids = {f"id{index}": turn_id for index, turn_id in enumerate(turn_ids)}
        among = f"WHERE o.turn_id IN ({', '.join(f':{name}' for name in ids)}) " if ids else ""
        for turn_id, session_id, seq, at, intent, body, state, record_hash in self._store.rows(
            "SELECT o.turn_id, o.session_id, o.seq, o.at, i.body, o.body, o.state, o.record_hash "
            f"FROM outcomes o JOIN intents i ON i.turn_id = o.turn_id {among}"
            "ORDER BY o.session_id, o.seq",
            **ids,
        ):
            yield Record(
                str(turn_id),
                str(session_id),
                int(str(seq)),
                str(at),
                json.loads(str(intent)),
                json.loads(str(body)),
                str(state),
                str(record_hash),
            )

    def close(self) -> None:
        """Let go of the database."""
        self._store.close()

    def _first(self, sql: str, **values: str) -> str | None:
        found = list(self._store.rows(sql, **values))
        return str(found[0][0]) if found else None


def chained(previous: str, turn_id: str, seq: int, body: str, state: str) -> str:
    """The hash of a record: over its content and the hash of the record before it."""
    text = json.dumps([previous, turn_id, seq, body, state], ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def _canonical(body: dict[str, Json]) -> str:
    return json.dumps(body, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def plain(value: object) -> Json:
    """A value as it stands in a record."""
    return codec.encode(value)
