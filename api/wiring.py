"""Puts the floors together: a layer, a warehouse, a reader, a clock, a ledger."""

from __future__ import annotations

import atexit
import gc
import platform
import sys
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from importlib import metadata
from pathlib import Path

from api.clock import FrozenClock, SystemClock
from api.settings import Places, keeps_rows, seal_every
from dialogue.engine import Moment
from dialogue.ledger import Ledger, LedgerError
from dialogue.ledger.stores import SQLITE
from dialogue.session import Sessions
from dialogue.world import World
from nl2sql.reading import RuleReader
from nl2sql.warehouse import DuckDBWarehouse, parquet
from semantic_layer.load import load
from semantic_layer.protocols import Clock
from semantic_layer.values import build_index


@dataclass(frozen=True, slots=True)
class App:
    """One running installation."""

    places: Places
    world: World
    sessions: Sessions
    clock: Clock
    wall: Clock
    ledger: Ledger | None

    def moment(self) -> Moment:
        """The moment of a turn: the business clock, and the wall clock."""
        return Moment(self.clock.now(), self.wall.now())

    def close(self) -> None:
        """Let go of the files, for what opens them next in this process."""
        if self.ledger is not None:
            self.ledger.close()
        if isinstance(self.world.warehouse, DuckDBWarehouse):
            self.world.warehouse.close()


def open_app(
    places: Places,
    *,
    clock: datetime | None = None,
    record: bool = True,
    threads: int = 2,
    tell: Callable[[str], None] | None = None,
) -> App:
    """Open an installation. The demo's database is made when it is not there yet. A statement runs on so many
    threads.

    Raises `LayerError`, `WarehouseError`.
    """
    layer = load(places.layer)
    if places.demo and not places.warehouse.exists():
        make_demo(places, tell or (lambda text: print(text, file=sys.stderr)))
    warehouse = DuckDBWarehouse(places.warehouse, threads=threads)
    values = build_index(layer, warehouse, places.index, places.warehouse)
    world = World(layer, RuleReader(layer, values), values, warehouse)
    wall = SystemClock(layer.calendar.timezone)
    ledger = _opened(places.ledger, wall) if record else None
    chosen: Clock = wall
    if clock is not None:
        chosen = FrozenClock.at(clock)
    elif layer.clock is not None:
        chosen = FrozenClock.at(layer.clock)
    sessions = Sessions(world, ledger, new_id, versions(), parquet if keeps_rows() else None)
    gc.freeze()  # what is loaded stays: not to be looked through for garbage at every turn
    return App(places, world, sessions, chosen, wall, ledger)


def open_ledger(url: str) -> Ledger:
    """The ledger alone, to be audited; its clock goes by the zone that its turns were recorded in.

    Raises `LedgerError`; also where there is no such file, which is not made.
    """
    file = Path(url.removeprefix(SQLITE))
    if url.startswith(SQLITE) and not file.is_file():
        raise LedgerError(f"there is no ledger at {file}")
    ledger = _opened(url, SystemClock("UTC"))
    ledger.clock = SystemClock(ledger.zone() or "UTC")
    return ledger


def _opened(url: str, clock: Clock) -> Ledger:
    """A ledger that is closed when the process ends: then its file is whole without the log beside it."""
    ledger = Ledger(url, clock, seal_every=seal_every())
    atexit.register(ledger.close)
    return ledger


def make_demo(places: Places, tell: Callable[[str], None]) -> None:
    """Make the demo's database."""
    from fixtures.park.generate import generate

    places.warehouse.parent.mkdir(parents=True, exist_ok=True)
    tell(f"preparing the demo data in {places.warehouse} …")
    generate(places.warehouse)


def new_id() -> str:
    """A new id, ordered by time (UUID version 7)."""
    import uuid_utils

    return str(uuid_utils.uuid7())


def versions() -> tuple[tuple[str, str], ...]:
    """The versions that a record names, besides the engine's."""
    found = {name: metadata.version(name) for name in ("wenshu", "sqlglot")}
    return (*found.items(), ("python", platform.python_version()))
