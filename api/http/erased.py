"""What was erased from the ledger, by whatever process, is shown no more: within seconds, by every worker."""

from __future__ import annotations

import asyncio

import structlog
from fastapi.concurrency import run_in_threadpool

from api.http.service import Service
from dialogue.ledger import LedgerError
from dialogue.ledger.erasing import Erasures
from dialogue.memory import MemoryLost

EVERY = 2.0  # seconds between two looks
log = structlog.get_logger("wenshu.http")


class Erased:
    """Lets go of what a service still holds of sessions that contents were erased of: their turns, streams and
    state are taken from the ledger again, as a service does that has just begun."""

    def __init__(self, at: Service) -> None:
        self._at, self._erasures = at, Erasures(at.ledger)
        self._again = frozenset[str]()  # as it was left at the look before

    async def look(self) -> None:
        """Look once. Every session is let go of twice: at the first look a turn of it may just be ending. While
        the ledger, or the memory, cannot be asked, it is tried again."""
        try:
            found = await run_in_threadpool(self._erasures.look)
        except LedgerError:
            found = frozenset()
        late = {session for session in found | self._again if not await self._let_go(session)}
        self._again = found | late

    async def _let_go(self, session_id: str) -> bool:
        self._at.turns.let_go(session_id)
        try:
            await run_in_threadpool(self._at.forget, session_id)
        except (LedgerError, MemoryLost):
            return False
        return True

    async def watch(self) -> None:
        """Look every few seconds, whatever happens."""
        while True:
            await asyncio.sleep(EVERY)
            try:
                await self.look()
            except Exception:
                log.exception("erasures could not be looked at")
