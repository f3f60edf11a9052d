"""What proves some turns of a session without the ledger: its records, the turns' contents, the checkpoints."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from dialogue.ledger.book import Ledger
from dialogue.ledger.chain import Content, Link, parse
from dialogue.ledger.errors import LedgerError
from dialogue.ledger.seals import Checkpoint
from dialogue.ledger.seals import parse as parse_checkpoint
from dialogue.ledger.stores import Run, Source

KEPT_BACK = frozenset(
    {"faults"}
)  # for whoever looks after the service, not for whoever has a bundle


@dataclass(frozen=True, slots=True)
class Proof:
    """All records of a session from its first, some contents with their salts, and the checkpoints from the
    first one that seals them."""

    records: tuple[Link, ...]
    contents: tuple[Content, ...]
    checkpoints: tuple[Checkpoint, ...]


def proof(
    ledger: Ledger, session_id: str, turn_ids: Iterable[str], archive: Source | None = None
) -> Proof:
    """The proof of turns of one session; what is not sealed yet is sealed first. Raises `LedgerError`."""
    ledger.seals.seal()
    wanted = set(turn_ids)
    with (archive or ledger.store).snapshot() as run:
        found = run(
            "SELECT record, record_hash FROM records WHERE session_id = :session ORDER BY number",
            session=session_id,
        )
        records = tuple(parse(str(text), str(digest)) for text, digest in found)
        of_turns = [
            link
            for link in records
            if link.turn_id in wanted and link.kind in ("intent", "outcome")
        ]
        if not of_turns:
            raise LedgerError(f"session {session_id} has no such turns here")
        digests = {
            digest: None
            for link in of_turns
            for name, digest in link.parts.items()
            if name not in KEPT_BACK
        }
        contents = tuple(item for digest in digests for item in _content(run, digest))
    with ledger.store.snapshot() as run:  # a session that was archived was sealed before
        checkpoints = _sealing(run, session_id, of_turns[-1].number)
    if not checkpoints:
        raise LedgerError(f"no checkpoint here seals session {session_id}")
    return Proof(records, contents, checkpoints)


def _content(run: Run, digest: str) -> Iterable[Content]:
    found = run("SELECT salt, data FROM contents WHERE digest = :digest", digest=digest)
    for salt, data in found:
        yield Content(digest, bytes(salt), bytes(data))  # type: ignore[call-overload]


def _sealing(run: Run, session_id: str, number: int) -> tuple[Checkpoint, ...]:
    """The checkpoints from the first that seals a session's record on, to the newest."""
    kept: list[Checkpoint] = []
    for text, digest in run("SELECT record, record_hash FROM checkpoints ORDER BY number"):
        made = parse_checkpoint(str(text), str(digest))
        if kept or any(head[0] == session_id and head[1] >= number for head in made.heads):
            kept.append(made)
    return tuple(kept)
