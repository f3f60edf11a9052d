"""Turns that were taken before: from memory, else from the ledger, where reading them is recorded."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress

from api.http.problems import Problem, unavailable
from api.http.service import Service
from api.identity import Hidden, Principal
from dialogue.charts import redrawn
from dialogue.chips import chipped
from dialogue.directory import Listed
from dialogue.feedback import Mark, counted
from dialogue.ledger import Entry, LedgerError, Selection, UnknownTurn
from dialogue.memory import Held, MemoryLost, sight_of
from dialogue.recall import asking, hidden_turn_of, turn_of
from dialogue.record import Record, record_of
from dialogue.turn import Turn
from dialogue.world import World
from semantic_layer.protocols import Halt

MOST = 200  # turns of a session that are shown


def history(service: Service, session: Listed, who: Principal) -> list[str]:
    """The JSON of a session's turns, in order. Raises `Problem`."""
    own = who.owns(session.owner)
    if own:
        with suppress(MemoryLost), service.live.held() as world:
            key, sight = who.tenant + session.session_id, sight_of(world.policy(who.user))
            held = service.memory.load(key)
            recent = service.memory.recent(key)
            if held is not None and held.sight == sight and _whole(held, recent, session):
                return list(recent)
    with reached():
        entries = service.ledger.entries(Selection(session=session.session_id))
        if not own:
            entries = service.ledger.read(
                Selection(session=session.session_id), who.user.id, "http"
            )
        ended = [entry for entry in entries if entry.outcome is not None]
    with service.live.held() as world:
        return [service.turns.present(_turn(entry, world, who)) for entry in ended[-MOST:]]


def marks(service: Service, session: Listed, who: Principal) -> dict[str, Mark]:
    """What the caller thinks of a session's turns, by turn. Raises `Problem`."""
    with reached():
        given = counted(service.ledger, Selection(session=session.session_id))
    return {one.turn_id: one.mark for one in given if one.who == who.user.id}


def _whole(held: Held, recent: tuple[str, ...], session: Listed) -> bool:
    """Whether the turns that are held are all of a session: each is two records of its chain, and there are no
    others there. One that began anew after an erasure counts its turns from one again."""
    records = held.tip.head.number if held.tip is not None else 0
    return len(recent) == session.turns and records == 2 * len(recent)


def stored(service: Service, turn_id: str, who: Principal, how: str = "http") -> Turn:
    """A recorded turn that the caller may see. Raises `Problem`, `Hidden`."""
    entry = entry_of(service, turn_id, who, how)
    if entry.outcome is None:
        raise Problem("interrupted", "this turn was interrupted, or is being taken just now")
    with service.live.held() as world:
        return _turn(entry, world, who)


def entry_of(service: Service, turn_id: str, who: Principal, how: str) -> Entry:
    """What the ledger holds of a turn that the caller may see. Raises `Problem`, `Hidden`."""
    with reached():
        found = list(service.ledger.entries(Selection(turn=turn_id)))
        whole = [entry for entry in found if entry.intent.turn_id == turn_id]
        if len(whole) != 1:
            raise Hidden("not-owner", "there is no such turn", who.user.id, who.told)
        session = service.session(whole[0].intent.session_id, who, to_read=True)
        if not who.owns(session.owner):
            list(service.ledger.read(Selection(turn=turn_id), who.user.id, how))
    return whole[0]


def own(service: Service, turn_id: str, who: Principal) -> None:
    """Raises `Hidden` where a recorded turn is not the caller's own, or there is none."""
    with reached():
        for entry in service.ledger.entries(Selection(turn=turn_id)):
            if entry.intent.turn_id == turn_id:
                service.session(entry.intent.session_id, who)
                return
    raise Hidden("not-owner", "there is no such turn", who.user.id, who.told)


def sees(world: World, record: Record, who: Principal) -> bool:
    """Whether the caller may see the rows of a turn: its statement holds the policy of whoever asked it then,
    which must be the caller's own today."""
    asker = record.asker
    return who.everything or (asker is not None and asker.policy == world.policy(who.user))


def _turn(entry: Entry, world: World, who: Principal) -> Turn:
    """The turn, its rows found again where the data are the same and the caller may see them."""
    record = record_of(entry)
    if not sees(world, record, who):
        return hidden_turn_of(record)
    same = record.origin.data_version == world.warehouse.data_version
    warehouse = world.bound(Halt(who.user.id)).warehouse
    return redrawn(world, chipped(world, turn_of(record, asking(warehouse) if same else None)))


@contextmanager
def reached() -> Iterator[None]:
    """What the ledger refuses, as a problem."""
    try:
        yield
    except UnknownTurn:
        raise
    except LedgerError as error:
        raise unavailable(error) from error
