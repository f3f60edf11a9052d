"""What the ledger gives back: a recorded turn, as plain values that need no database."""

from __future__ import annotations

from dataclasses import dataclass

from dialogue.codec import Json


@dataclass(frozen=True, slots=True)
class Step:
    """What one question of a turn came to: its slots, its statement, and the digest of the rows."""

    slots: str
    sql: str
    digest: str
    rows: int


@dataclass(frozen=True, slots=True)
class Record:
    """A recorded turn, whole."""

    turn_id: str
    session_id: str
    seq: int
    at: str
    intent: dict[str, Json]
    outcome: dict[str, Json]
    state: str
    record_hash: str

    def steps(self) -> tuple[Step, ...]:
        """What the turn's questions came to."""
        found = self.outcome.get("steps")
        assert isinstance(found, list)
        return tuple(
            Step(str(item["slots"]), str(item["sql"]), str(item["digest"]), int(str(item["rows"])))
            for item in found
            if isinstance(item, dict)
        )
