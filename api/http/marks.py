"""Requests that may be sent twice: an Idempotency-Key stands for one turn of one session."""

from __future__ import annotations

import asyncio
import hashlib
from dataclasses import dataclass

from fastapi.concurrency import run_in_threadpool

from api.http.problems import Problem
from api.http.service import Service
from api.http.stored import reached, stored
from api.identity import Principal
from dialogue import codec
from dialogue.ledger import Link, Selection
from dialogue.turn import Request

PAUSE = 0.2  # seconds between two looks at a turn that another process takes


@dataclass(frozen=True, slots=True)
class Mark:
    """What stands in an intent for a key: a digest of it, and one of what was asked with it."""

    key: str
    body: str

    @property
    def text(self) -> str:
        """As it is recorded."""
        return f"{self.key}:{self.body}"


def mark_of(owner: str, session_id: str, key: str, request: Request) -> Mark:
    """The mark of a request."""
    return Mark(_digest("\x00".join((owner, session_id, key))), _digest(codec.dumps(request)))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:32]


async def repeated(service: Service, who: Principal, session_id: str, mark: Mark) -> str | None:
    """The JSON of the turn that was taken for this key, waited for where it still runs; None where there is none.

    Raises `Problem` where the key was used with another request, or its turn was interrupted.
    """
    while True:
        known = service.turns.marked(mark.key)
        if known is not None:
            _same(known[0], mark)
            _, text = await known[1].turn()
            if service.turns.shows(known[1], who.user):
                return text
        begun = await run_in_threadpool(_found, service, session_id, mark)
        if begun is None:
            return None
        if await run_in_threadpool(_ended, service, begun.turn_id):
            turn = await run_in_threadpool(stored, service, begun.turn_id, who)
            return service.turns.present(turn)
        if not service.sessions.runs(begun, service.moment()):
            raise Problem("interrupted", "send the request with another Idempotency-Key")
        await asyncio.sleep(PAUSE)


def _found(service: Service, session_id: str, mark: Mark) -> Link | None:
    with reached():
        begun = service.ledger.marked(session_id, mark.key)
    if begun is not None:
        _same(str(begun.body["mark"]), mark)
    return begun


def _same(text: str, mark: Mark) -> None:
    if text != mark.text:
        raise Problem("key-reused", "a key stands for one request: use another one")


def _ended(service: Service, turn_id: str) -> bool:
    with reached():
        entries = list(service.ledger.entries(Selection(turn=turn_id)))
    return any(entry.outcome is not None for entry in entries)
