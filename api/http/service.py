"""The service put together: a live world, sessions with their memory and ledger, turns being taken, who asks."""

from __future__ import annotations

import threading
import uuid
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from cachetools import TTLCache

from api.clock import FrozenClock, SystemClock
from api.files import Files
from api.http.evaluations import Evaluations
from api.http.measures import Measures
from api.http.settings import Settings
from api.http.taking import Turns
from api.http.traces import tracing
from api.http.uses import Uses, title_of
from api.identity import Hidden, IdentityConfig, Principal, TokenConfig
from api.identity.denials import Denials
from api.identity.principal import tenant_of
from api.identity.rates import Rates
from api.live import Fault, Live
from api.memories import open_memory
from api.settings import Places
from api.turn_json import turn_json
from api.wiring import make_demo, new_id, versions
from dialogue.compact import compact
from dialogue.directory import Directory, Listed
from dialogue.engine import Moment
from dialogue.ledger import Ledger, Unreachable
from dialogue.ledger.stores import SQLITE, beside
from dialogue.memory import Memory, MemoryLost
from dialogue.session import Sessions
from dialogue.turn import Turn
from dialogue.world import World
from nl2sql.warehouse import parquet
from nl2sql.warehouses.limited import Limits
from semantic_layer.protocols import Clock

KNOWN = 10_000  # sessions whose owner is remembered
FRESH = 5.0  # seconds that it is, before the directory is asked again


class Presented:
    """Turns as JSON, made once: for the answer, the stream, and the memory."""

    def __init__(self, most: int = 64) -> None:
        self._texts: OrderedDict[str, tuple[Turn, str]] = OrderedDict()
        self._most, self._lock = most, threading.Lock()

    def __call__(self, turn: Turn) -> str:
        """The JSON of a turn: this very one. The same turn shown later, to somebody else, may hide its rows."""
        with self._lock:
            found = self._texts.get(turn.turn_id)
        if found is not None and found[0] is turn:
            return found[1]
        text = compact(turn_json(turn))
        with self._lock:
            self._texts[turn.turn_id] = turn, text
            if len(self._texts) > self._most:
                self._texts.popitem(last=False)
        return text


@dataclass(frozen=True)
class Service:
    """Everything that the routes need; they decide nothing themselves."""

    settings: Settings
    places: Places
    identity: IdentityConfig
    live: Live
    sessions: Sessions
    memory: Memory
    ledger: Ledger
    directory: Directory
    uses: Uses
    turns: Turns
    denials: Denials
    rates: Rates | None
    measures: Measures
    evaluations: Evaluations
    clock: Clock
    wall: Clock
    _owners: TTLCache[str, Listed]
    _lock: threading.Lock

    def moment(self) -> Moment:
        """The moment of a turn: the business clock, and the wall clock."""
        return Moment(self.clock.now(), self.wall.now())

    # -- sessions, by their owner ------------------------------------------------------------

    def open_session(self, who: Principal, title: str = "") -> Listed:
        """A new session of a user. Raises `Unreachable`."""
        listed = self.directory.open(str(uuid.uuid4()), who.user.id, self.wall.now(), title)
        self._know(listed)
        return listed

    def session(self, session_id: str, who: Principal, *, to_read: bool = False) -> Listed:
        """A session that is the user's own (or, to be read, that an auditor may see): the one loader.

        Raises `Hidden` for any other, whether or not there is one. While the directory cannot be asked the
        memory says whose it is; where neither can, `Unreachable`.
        """
        known = self.known(session_id)
        if known is None:
            known = self._find(session_id)
            if known is None:
                raise Hidden("not-owner", "there is no such session", who.user.id, who.told)
            self._know(known)
        who.require_own(known.owner, to_read=to_read)
        return known

    def known(self, session_id: str) -> Listed | None:
        """A session that was looked up just now, whoever's it is; nobody waits for that."""
        with self._lock:
            return self._owners.get(session_id)

    def _find(self, session_id: str) -> Listed | None:
        self.uses.write()  # what was asked here just now stands in the list
        try:
            return self.directory.find(session_id)
        except Unreachable:
            try:
                held = self.memory.load(session_id)
            except MemoryLost:
                held = None
            if held is None:
                raise
            return Listed(session_id, held.owner, "", "", "", held.state.seq)

    def _know(self, listed: Listed) -> None:
        with self._lock:
            self._owners[listed.session_id] = listed

    def renamed(self, session_id: str) -> None:
        """Look a session up anew: its entry has changed."""
        with self._lock:
            self._owners.pop(session_id, None)

    def forget(self, session_id: str) -> None:
        """Let go of what is held of a session, for every process: it is taken from the ledger when it goes on.

        Raises `Unreachable`, `MemoryLost` where that cannot be done just now.
        """
        self.renamed(session_id)
        self.ledger.forget(session_id)
        listed = self.directory.find(session_id)
        if listed is not None:  # of one that was taken off the list nothing is held
            self.memory.forget(tenant_of(listed.owner) + session_id)

    def used(self, turn: Turn) -> float | None:
        """Know that a turn was taken: whoever looks at its session next is told so. Gives the seconds after which
        the list is due to be written (`uses`)."""
        now = turn.now if turn.now is not None else self.wall.now()
        with self._lock:
            known = self._owners.get(turn.session_id)
            if known is not None:
                self._owners[turn.session_id] = Listed(
                    known.session_id,
                    known.owner,
                    known.title or title_of(turn),
                    known.created,
                    now.isoformat(),
                    turn.seq,
                )
        return self.uses.note(turn, now, titled=known is not None and bool(known.title))

    def close(self) -> None:
        """Write what is left to write, and let go of everything."""
        self.evaluations.close()
        self.denials.close()
        self.live.close(1.0)
        self.ledger.close()
        self.uses.write()
        self.directory.close()


def open_service(
    settings: Settings,
    *,
    clock: datetime | None = None,
    tell: Callable[[str], None] = print,
    faulted: Callable[[Fault], None] = lambda _: None,
) -> Service:
    """Open a service. Raises `LayerError`, `WarehouseError`, `LedgerError`, `IdentityError`, `PlaceError`."""
    home = settings.home
    places = Places.of(
        home, settings.layer, settings.warehouse, settings.ledger or str(home / "ledger.sqlite")
    )
    if places.demo and not places.warehouse.exists():
        make_demo(places, tell)
    limits = Limits(
        concurrent=settings.queries,
        waiting=settings.query_queue,
        seconds=settings.query_seconds,
        rows=settings.query_rows,
        memory=settings.query_memory,
    )
    files = Files(
        places.layer,
        places.warehouse,
        index=places.index,
        limits=limits,
        cache=settings.cache_mb << 20,
        threads=settings.query_threads,
    )
    known: list[Sessions] = []

    def switched(world: World) -> None:
        for sessions in known:
            sessions.adopt(world)

    live = Live(files.open, files.marks, switched=switched, faulted=faulted)
    with live.held() as world:
        wall = SystemClock(world.layer.calendar.timezone)
        pinned = world.layer.clock
        chosen: Clock = wall
        if clock is not None or pinned is not None:
            chosen = FrozenClock.at(clock if clock is not None else pinned)  # type: ignore[arg-type]
        ledger = Ledger(places.ledger, wall, seal_every=settings.ledger_seal)
        memory = open_memory(settings.memory, days=settings.memory_days)
        present = Presented()
        keep = parquet if settings.ledger_rows else None
        sessions = Sessions(world, ledger, new_id, versions(), keep, memory, present)
        known.append(sessions)
    turns = Turns(
        sessions,
        live,
        present,
        at_once=settings.turns,
        queues=settings.busy == "queue",
        kept=settings.kept_streams,
        refuses_unrecorded=settings.unrecorded == "refuse",
        tracing=tracing(settings.otlp, dict(versions())["wenshu"]),
    )
    directory = Directory(directory_url(settings, places))
    return Service(
        settings,
        places,
        identity_of(settings),
        live,
        sessions,
        memory,
        ledger,
        directory,
        Uses(directory),
        turns,
        Denials(ledger),
        Rates(settings.rate, settings.rate_store) if settings.rate else None,
        Measures(files.gate, live),
        Evaluations(places, live, wall),
        chosen,
        wall,
        TTLCache(KNOWN, FRESH),
        threading.Lock(),
    )


def identity_of(settings: Settings) -> IdentityConfig:
    """How users are known. Raises `IdentityError`."""
    tokens = None
    if settings.jwt_secret is not None or settings.jwks is not None:
        secret = settings.jwt_secret.get_secret_value() if settings.jwt_secret is not None else ""
        tokens = TokenConfig(
            "RS256" if settings.jwks is not None else "HS256",
            secret,
            settings.jwks,
            settings.jwt_issuer or "",
            settings.jwt_audience or "",
        )
    return IdentityConfig(settings.host, settings.keys or settings.home / "keys.json", tokens)


def directory_url(settings: Settings, places: Places) -> str:
    """Where sessions are listed: as set, else beside the ledger."""
    if settings.sessions is not None:
        return settings.sessions if "://" in settings.sessions else f"{SQLITE}{settings.sessions}"
    return beside(places.ledger)
