"""Intents are chained too, contents stand apart from the chain, and everything only grows.

Every turn becomes records of today's form; what it was hashed to before is kept in its outcome, with
whether the old chain still held when it was taken over.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator

from alembic import op
from sqlalchemy import Connection, text

from dialogue.codec import Json
from dialogue.ledger.chain import Head, Kind, canonical, link, salted
from dialogue.ledger.schema import Dialect, statements

revision = "0002"
down_revision = "0001"

OLD = ("intents", "outcomes", "layers")
TOLD = (
    "reason",
    "completed_question",
    "provenance",
    "changes",
    "assumptions",
    "switch",
    "clarification",
    "not_understood",
    "fresh_to",
)
Row = tuple[str, int, str, str, str | None, str | None, str | None, str | None]


def upgrade() -> None:
    """Set the old tables aside, make today's, write every turn anew, let go of the old."""
    connection = op.get_bind()
    for table in OLD:
        op.execute(f"ALTER TABLE {table} RENAME TO old_{table}")
    op.execute("DROP TABLE alembic_version")
    dialect: Dialect = "sqlite" if connection.dialect.name == "sqlite" else "postgresql"
    for statement in statements(dialect):
        op.execute(statement)
    op.execute("DELETE FROM alembic_version")  # Alembic writes the number itself
    op.execute(f"INSERT INTO alembic_version (version_num) VALUES ('{down_revision}')")
    op.execute("INSERT INTO layers (hash, text) SELECT hash, text FROM old_layers")
    for session_id in _sessions(connection):
        _Session(connection, session_id).write(_turns(connection, session_id))
    for table in OLD:
        op.execute(f"DROP TABLE old_{table}")


def _sessions(connection: Connection) -> list[str]:
    sql = "SELECT DISTINCT session_id FROM old_intents ORDER BY session_id"
    return [str(row[0]) for row in connection.execute(text(sql))]


def _turns(connection: Connection, session_id: str) -> Iterator[Row]:
    """The turns of a session in order; of one number, those first that were interrupted."""
    sql = (
        "SELECT i.turn_id, i.seq, i.at, i.body, o.body, o.state, o.previous_hash, o.record_hash "
        "FROM old_intents i LEFT JOIN old_outcomes o ON o.turn_id = i.turn_id "
        "WHERE i.session_id = :session ORDER BY i.seq, o.turn_id IS NOT NULL, i.at, i.turn_id"
    )
    for row in connection.execute(text(sql), {"session": session_id}):
        yield tuple(row)


class _Session:
    """One session, written anew."""

    def __init__(self, connection: Connection, session_id: str) -> None:
        self._connection, self._id, self._head = connection, session_id, Head()
        self._states: dict[str, str] = {}

    def write(self, turns: Iterable[Row]) -> None:
        previous = ""
        for turn_id, seq, at, begun, ended, state, before, record_hash in turns:
            intent = json.loads(begun)
            self._add("intent", turn_id, at, _begun(seq, intent), _begun_parts(intent))
            if ended is None or state is None or before is None or record_hash is None:
                continue
            outcome = json.loads(ended)
            facts = _ended(outcome, record_hash)
            facts["held"] = before == previous and any(
                record_hash == _hash_of(before, turn_id, number, ended, state)
                for number in (seq, json.loads(state)["seq"])
            )
            previous = record_hash
            self._add("outcome", turn_id, at, facts, _ended_parts(intent, outcome, state))
        self._run(
            "INSERT INTO open_heads (session_id, number, record_hash) VALUES (:s, :n, :h)",
            s=self._id,
            n=self._head.number,
            h=self._head.hash,
        )

    def _add(
        self, kind: Kind, turn_id: str, at: str, facts: dict[str, Json], parts: dict[str, str]
    ) -> None:
        digests = {name: self._content(name, part) for name, part in parts.items()}
        made = link(self._head, self._id, kind, turn_id, at, facts, digests)
        self._run(
            "INSERT INTO records (session_id, number, kind, turn_id, at, record, record_hash) "
            "VALUES (:s, :n, :k, :t, :a, :r, :h)",
            s=self._id,
            n=made.number,
            k=kind,
            t=turn_id,
            a=at,
            r=made.text,
            h=made.hash,
        )
        self._head = Head(made.number, made.hash)

    def _content(self, name: str, part: str) -> str:
        """The digest of a part; the state that a turn begins with is that which the last one left."""
        state = name in ("before", "after")
        if state and part in self._states:
            return self._states[part]
        content = salted(part.encode())
        self._run(
            "INSERT INTO contents (digest, session_id, salt, data) VALUES (:d, :s, :salt, :data)",
            d=content.digest,
            s=self._id,
            salt=content.salt,
            data=content.data,
        )
        if state:
            self._states = {part: content.digest}
        return content.digest

    def _run(self, sql: str, **values: str | int | bytes) -> None:
        self._connection.execute(text(sql), values)


def _hash_of(previous: str, turn_id: str, seq: int, body: str, state: str) -> str:
    joined = json.dumps([previous, turn_id, seq, body, state], ensure_ascii=False)
    return hashlib.sha256(joined.encode()).hexdigest()


def _begun(seq: int, intent: dict[str, Json]) -> dict[str, Json]:
    versions = intent["versions"]
    assert isinstance(versions, list)
    return {
        "seq": seq,
        "clock": intent["clock"],
        "now": intent["now"],
        "zone": "",
        "semantic_hash": intent["semantic_hash"],
        "data_version": intent["data_version"],
        "engine": intent["engine"],
        "versions": {str(item[0]): item[1] for item in versions if isinstance(item, list)},
    }


def _begun_parts(intent: dict[str, Json]) -> dict[str, str]:
    user = intent["user"]
    assert isinstance(user, dict)
    asker: Json = {"#": "Asker", "user": {"#": "User", **user}, "policy": None}
    return {
        "request": canonical(intent["request"]),
        "asker": canonical(asker),
        "before": str(intent["state"]),
    }


def _ended(outcome: dict[str, Json], record_hash: str) -> dict[str, Json]:
    timings, steps = outcome["timings_ms"], outcome["steps"]
    assert isinstance(timings, dict)
    assert isinstance(steps, list)
    return {
        "outcome": outcome["outcome"],
        "rows": [step["rows"] for step in steps if isinstance(step, dict)],
        "timings_us": {
            name: round(float(str(value)) * 1000) for name, value in timings.items() if name != "#"
        },
        "was": record_hash,
    }


def _ended_parts(intent: dict[str, Json], outcome: dict[str, Json], state: str) -> dict[str, str]:
    """The steps: what was told stood once a turn, and stands with its last question now."""
    request, old = intent["request"], outcome["steps"]
    assert isinstance(request, dict)
    assert isinstance(old, list)
    steps: list[Json] = []
    for index, step in enumerate(old, 1):
        assert isinstance(step, dict)
        made: dict[str, Json] = {"#": "Step", "question": "", "outcome": "", "text": "", **step}
        if index == len(old):
            made |= {"question": request["question"], "outcome": outcome["outcome"]}
            made |= {"text": outcome["text"]} | {name: outcome[name] for name in TOLD}
        steps.append(made)
    return {"steps": canonical(steps), "after": state}
