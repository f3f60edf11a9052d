"""A warehouse under limits: how many queries run at once, how long each may take, how many rows it may give."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass

from nl2sql.errors import Stopped, halted
from nl2sql.warehouses.gate import Gate
from nl2sql.warehouses.watchdog import WATCHDOG
from nl2sql.warehouses.wrapped import Wrapped
from semantic_layer.protocols import Halt, Rows, Warehouse


@dataclass(frozen=True, slots=True)
class Limits:
    """What queries may take. `memory` is of one database, for all queries that run at once (DuckDB's own words)."""

    concurrent: int = 4
    waiting: int = 64
    waiting_each: int = 16  # of one user
    patience: float = 30.0  # seconds in the queue
    seconds: float = 30.0  # running
    rows: int = 1_000_000
    memory: str = "4GB"

    def __post_init__(self) -> None:
        least = min(self.concurrent, self.waiting_each, self.rows)
        if least < 1 or self.waiting < 0 or min(self.seconds, self.patience) <= 0:
            raise ValueError(f"limits are numbers above 0 (waiting: or 0), not {self}")

    def gate(self) -> Gate:
        """A gate that lets as many through, for one or several warehouses together."""
        return Gate(self.concurrent, self.waiting, self.waiting_each, self.patience)


class Limited(Wrapped):
    """A warehouse under limits. Whatever goes beyond them is a `Stopped` with a code, never a cut answer.

    Warehouses that follow one another (live data) share a gate.
    """

    def __init__(self, inner: Warehouse, limits: Limits, gate: Gate | None = None) -> None:
        super().__init__(inner)
        self._limits = limits
        self.gate = gate or limits.gate()

    def run(self, sql: str, *, limit: int | None = None, halt: Halt | None = None) -> Rows:
        """Wait for a place, then run. `limit` is what the caller wants, and cuts as ever. Raises `Stopped`."""
        most = self._limits.rows
        within = most + 1 if limit is None else min(limit, most + 1)
        with self.gate.through(halt.user if halt is not None else "", halt):
            rows = self._in_time(sql, within, halt)
        if len(rows.rows) > most:
            raise Stopped("too-many-rows", {"rows": f"{most:,}"})
        return rows

    def _in_time(self, sql: str, within: int, halt: Halt | None) -> Rows:
        seconds = self._limits.seconds
        timed = Halt(halt.user if halt is not None else "")
        with (
            halt.telling(timed.now) if halt is not None else nullcontext(),
            WATCHDOG.watching(lambda: timed.now("timed-out"), seconds),
        ):
            try:
                return self._inner.run(sql, limit=within, halt=timed)
            except Stopped as error:
                if timed.reason == "timed-out":  # the inner one names a limit of its own
                    raise halted("timed-out", seconds) from error
                raise
