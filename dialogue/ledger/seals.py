"""Checkpoints: every so often the heads of the sessions that went on are sealed into one global chain.

Whoever keeps a checkpoint's number and hash elsewhere can later show that nothing before it was changed,
cut off or put in. No worker waits for it: the one that finds it due makes it, beside what the others write.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from dialogue.ledger.chain import canonical, sha256
from dialogue.ledger.stores import Run, Store

SEAL_EVERY = 300.0  # seconds


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A link of the global chain: the heads that it seals."""

    number: int
    at: str
    heads: tuple[tuple[str, int, str], ...]
    previous: str
    text: str
    hash: str

    def __str__(self) -> str:
        return f"{self.number}:{self.hash}"


class Seals:
    """The checkpoints of a ledger."""

    def __init__(self, store: Store, now: Callable[[], datetime], every: float) -> None:
        self._store, self._now, self._every = store, now, timedelta(seconds=every)
        self._last: datetime | None = None

    def when_due(self) -> None:
        """Seal when the newest checkpoint, of whatever process, is old enough; the first record makes the first."""
        now = self._now()
        if self._last is not None and now - self._last < self._every:
            return
        last = self.last()
        self._last = datetime.min if last is None else datetime.fromisoformat(last.at)
        if now - self._last >= self._every:
            self.seal()

    def last(self) -> Checkpoint | None:
        """The newest checkpoint."""
        with self._store.snapshot() as run:
            return _last(run)

    def seal(self) -> Checkpoint | None:
        """Seal what went on since the last checkpoint; gives the newest checkpoint, None of an empty ledger.

        A session that goes on meanwhile stays open with its newer head.
        """
        now = self._now()
        with self._store.transaction() as run:
            if self._store.dialect == "postgresql":  # of two who find it due, one does it
                run("SELECT pg_advisory_xact_lock(8377032)")
            last = _last(run)
            self._last = now
            heads = sorted(
                (str(session), int(str(number)), str(digest))
                for session, number, digest in run(
                    "SELECT session_id, number, record_hash FROM open_heads"
                )
            )
            if not heads:
                return last
            text = canonical(
                {
                    "number": last.number + 1 if last is not None else 1,
                    "at": now.isoformat(),
                    "heads": [[*head] for head in heads],
                    "previous": last.hash if last is not None else "",
                }
            )
            made = parse(text, sha256(text.encode()))
            run(
                "INSERT INTO checkpoints (number, record, record_hash) "
                "VALUES (:number, :record, :record_hash)",
                number=made.number,
                record=text,
                record_hash=made.hash,
            )
            for session, number, _ in heads:
                run(
                    "DELETE FROM open_heads WHERE session_id = :session AND number = :number",
                    session=session,
                    number=number,
                )
            return made


def _last(run: Run) -> Checkpoint | None:
    sql = "SELECT record, record_hash FROM checkpoints ORDER BY number DESC LIMIT 1"
    found = next(iter(run(sql)), None)
    return None if found is None else parse(str(found[0]), str(found[1]))


def parse(text: str, record_hash: str) -> Checkpoint:
    """A checkpoint as it stands in the table. Raises `ValueError` for what is none."""
    data = json.loads(text)
    try:
        heads = tuple(
            (str(session), int(number), str(end)) for session, number, end in data["heads"]
        )
        return Checkpoint(
            int(data["number"]), str(data["at"]), heads, str(data["previous"]), text, record_hash
        )
    except (KeyError, TypeError) as error:
        raise ValueError(f"no checkpoint: {error}") from error
