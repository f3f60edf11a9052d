"""Which session a conversation is held in, for clients that send it whole each time and keep no session's id.

A conversation is known by a digest of who holds it and of what they said, in order; what anybody else is said to
have said is no part of it. A convenience beside the ledger, no evidence: where nothing is known of a conversation,
it is taken again from its beginning.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, delete, insert, select, update
from sqlalchemy.exc import IntegrityError

from dialogue.directory import CONVERSATIONS, Directory

KEPT = 30 * 86_400.0  # seconds that a conversation can be gone on with

_of = CONVERSATIONS.c


@dataclass(frozen=True, slots=True)
class Place:
    """Where a conversation is held: its session, and the first of its messages that is taken for it there."""

    session_id: str
    start: int


def key_of(owner: str, said: Sequence[str]) -> str:
    """The digest of what a user said in a conversation, in order."""
    text = json.dumps([owner, *said], ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


class Conversations:
    """The places of conversations. Every method raises `Unreachable` while they cannot be asked."""

    def __init__(self, directory: Directory) -> None:
        self._directory = directory

    def find(self, key: str, since: float) -> Place | None:
        """Where a conversation is held that was begun since (seconds of the epoch)."""
        with self._directory.begun() as connection:
            return _fresh(connection, key, since)

    def claim(self, key: str, place: Place, now: float, since: float) -> Place:
        """Hold a conversation at a place; gives where it is held if somebody else was first, since then."""
        values = {"session_id": place.session_id, "start": place.start, "at": now, "led": ""}
        with self._directory.begun() as connection:
            connection.execute(delete(CONVERSATIONS).where(_of.at < now - KEPT))
            stale = (
                update(CONVERSATIONS).where((_of.key == key) & (_of.at < since)).values(**values)
            )
            if connection.execute(stale).rowcount:
                return place
            try:
                with connection.begin_nested():
                    connection.execute(insert(CONVERSATIONS).values(key=key, **values))
            except IntegrityError:
                return _fresh(connection, key, since) or place
        return place

    def go_on(self, key: str, to: str) -> str | None:
        """The session of a conversation, to be gone on with as another one: by the first who does."""
        unled = (_of.key == key) & (_of.led == "")
        with self._directory.begun() as connection:
            if not connection.execute(update(CONVERSATIONS).where(unled).values(led=to)).rowcount:
                return None
            found = connection.execute(select(_of.session_id).where(_of.key == key))
            return found.scalar_one_or_none()


def _fresh(connection: Connection, key: str, since: float) -> Place | None:
    query = select(CONVERSATIONS).where((_of.key == key) & (_of.at >= since))
    row = connection.execute(query).mappings().one_or_none()
    return None if row is None else Place(row["session_id"], row["start"])
