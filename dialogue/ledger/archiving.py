"""Archives and backups: single SQLite files, verified like the ledger itself.

An archive takes over whole sessions; what stays is the record of the archiving, which names each session's
end. A file is written whole before anything leaves the ledger: a crash between leaves both.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from dialogue.codec import Json
from dialogue.ledger.book import Ledger
from dialogue.ledger.chain import Link, parse, sha256
from dialogue.ledger.errors import Conflict, LedgerError
from dialogue.ledger.schema import SEALS, statements, triggers
from dialogue.ledger.stamp import stamp
from dialogue.ledger.stores import Row, Run, SQLiteStore
from dialogue.ledger.verifying.file import beside

Head = tuple[str, int, str]
_OLD = (
    "SELECT session_id, max(number) FROM records GROUP BY session_id HAVING max(at) < :before "
    "AND sum(CASE WHEN kind IN ('erasure', 'archive') THEN 1 ELSE 0 END) = 0 ORDER BY session_id"
)
_RECORDS = "session_id, number, kind, turn_id, at, record, record_hash"
_CONTENTS = "digest, session_id, salt, data"
_ERASURES = "digest, by_session, by_number"


def archive(ledger: Ledger, before: str, file: Path, who: str) -> tuple[Link, int]:
    """Move the sessions that ended before an instant (ISO) into a sealed file; gives the record, and how many.

    What says that contents were erased, or sessions archived, stays. Raises `LedgerError` where there is
    nothing to move or the file is there already, `Conflict` where one of the sessions went on meanwhile.
    """
    _new(file)
    ledger.seals.seal()  # so that every session that leaves ends in a checkpoint
    with ledger.store.snapshot() as run:
        heads = list(_heads(run, before))
        if not heads:
            raise LedgerError(f"no session ended before {before}")
        store = SQLiteStore(file)
        try:
            _copy(run, heads, store)
            body: dict[str, Json] = {"who": who, "before": before, "file": file.name}
            body["heads"] = [[*head] for head in heads]

            def move(run: Run, made: Link) -> None:
                for head in heads:
                    _leave(run, made, head)
                _seal(store, made)

            made = ledger.note("archive", body, move)
        except BaseException:
            store.close()
            file.unlink()
            raise
    store.close()
    write_beside(file)
    for session, _, _ in heads:
        ledger.forget(session)
    ledger.seals.seal()
    ledger.store.scrub()
    return made, len(heads)


def backup(ledger: Ledger, file: Path, who: str) -> None:
    """Copy a SQLite ledger into a file as it is at one moment, while others write. The copying is recorded."""
    if not isinstance(ledger.store, SQLiteStore):
        raise LedgerError("a ledger in PostgreSQL is backed up by its own means: pg_dump")
    _new(file)
    ledger.note("read", {"who": who, "how": "backup", "what": {"file": file.name}})
    with closing(sqlite3.connect(ledger.store.path)) as connection:
        connection.execute("VACUUM INTO :file", {"file": str(file)})
    with closing(sqlite3.connect(file, isolation_level=None)) as copy:
        stamp(copy, anew=True)
    write_beside(file)


def write_beside(file: Path) -> None:
    """The digest of a whole file, beside it, as `sha256sum` writes it."""
    beside(file).write_text(f"{sha256(file.read_bytes())}  {file.name}\n", encoding="utf-8")


def _new(file: Path) -> None:
    if file.exists():
        raise LedgerError(f"{file} is there already: name a new file")
    if not file.absolute().parent.is_dir():
        raise LedgerError(f"there is no folder {file.absolute().parent}")


def _heads(run: Run, before: str) -> Iterator[Head]:
    for session, number in list(run(_OLD, before=before)):
        sql = "SELECT record_hash FROM records WHERE session_id = :s AND number = :n"
        (digest,) = next(iter(run(sql, s=str(session), n=int(str(number)))))
        yield str(session), int(str(number)), str(digest)


def _copy(run: Run, heads: list[Head], store: SQLiteStore) -> None:
    """The sessions with their contents, what was erased of them, and the layers that they name."""
    layers: set[str] = set()
    digests: set[str] = set()
    with store.transaction() as into:
        for statement in statements("sqlite"):
            into(statement)
        for session, _, _ in heads:
            sql = f"SELECT {_RECORDS} FROM records WHERE session_id = :s ORDER BY number"
            for row in run(sql, s=session):
                _insert(into, "records", _RECORDS, row)
                link = parse(str(row[5]), str(row[6]))
                digests.update(link.parts.values())
                layers.add(str(link.body.get("semantic_hash")))
            for row in run(f"SELECT {_CONTENTS} FROM contents WHERE session_id = :s", s=session):
                _insert(into, "contents", _CONTENTS, row)
        for row in run(f"SELECT {_ERASURES} FROM erasures"):
            if row[0] in digests:
                _insert(into, "erasures", _ERASURES, row)
        for row in run("SELECT hash, text FROM layers"):
            if row[0] in layers:
                _insert(into, "layers", "hash, text", row)


def _insert(into: Run, table: str, columns: str, row: Row) -> None:
    names = columns.split(", ")
    values = {
        name: value if isinstance(value, str | int | bytes) else bytes(value)  # type: ignore[call-overload]
        for name, value in zip(names, row, strict=True)
    }
    into(f"INSERT INTO {table} ({columns}) VALUES ({', '.join(f':{n}' for n in names)})", **values)


def _leave(run: Run, made: Link, head: Head) -> None:
    """Let a session go, if it still ends where it did when it was copied."""
    session, number, digest = head
    last = "SELECT record_hash FROM records WHERE session_id = :s ORDER BY number DESC LIMIT 1"
    if [row[0] for row in run(last, s=session)] != [digest]:
        raise Conflict(session)
    run(
        "INSERT INTO archived (session_id, number, record_hash, by_session, by_number) "
        "VALUES (:s, :n, :h, :by, :at)",
        s=session,
        n=number,
        h=digest,
        by=made.session_id,
        at=made.number,
    )
    for table in ("records", "contents", "open_heads"):
        run(f"DELETE FROM {table} WHERE session_id = :s", s=session)


def _seal(store: SQLiteStore, made: Link) -> None:
    """Put the record of the archiving into the file, as the last one."""
    with store.transaction() as into:
        row = (made.session_id, made.number, made.kind, made.turn_id, made.at, made.text, made.hash)
        _insert(into, "records", _RECORDS, row)
        _insert(
            into,
            "open_heads",
            "session_id, number, record_hash",
            (made.session_id, made.number, made.hash),
        )
        for statement in triggers("sqlite", SEALS, "seal"):
            into(statement)
    store.scrub()
