"""The ledger: every turn before and after it ran, chained by hashes. The ledger is the truth.

An intent is recorded before anything runs and an outcome after, so that a turn which was interrupted is
seen as such. Records are chained within a session, so that workers on different sessions never wait for
one head; now and then the heads are sealed into a global checkpoint (`seals`).
"""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

from dialogue.codec import Json
from dialogue.ledger.chain import Content, Head, Kind, Link, link, parse, salted, sha256
from dialogue.ledger.errors import Archived, Conflict, LedgerError, UnknownTurn
from dialogue.ledger.joined import Joined, Write
from dialogue.ledger.schema import VERSION, statements
from dialogue.ledger.seals import SEAL_EVERY, Seals
from dialogue.ledger.stores import SQLITE, Run, Source, Store, open_store
from semantic_layer.protocols import Clock

Parts = Mapping[str, str | bytes]


@dataclass(frozen=True, slots=True)
class Selection:
    """Which turns: one by its id or the beginning of it, those of a session, of a time; all without any.

    `since` and `until` are instants in ISO form, `until` exclusive.
    """

    turn: str = ""
    session: str = ""
    since: str = ""
    until: str = ""

    def told(self) -> dict[str, Json]:
        """For the record of a reading; empty for all turns."""
        return {name: value for name, value in asdict(self).items() if value}


EVERY = Selection()


@dataclass(frozen=True, slots=True)
class Entry:
    """A turn as it is recorded: its links, and the contents that are still there.

    `outcome` is None for a turn that was interrupted (or is being taken just now).
    """

    intent: Link
    outcome: Link | None
    contents: Mapping[str, bytes]

    def part(self, name: str) -> str | None:
        """The text of a part, of either link; None when there is none, or it was erased."""
        digest = self.digest(name)
        data = self.contents.get(digest) if digest else None
        return None if data is None else data.decode()

    def digest(self, name: str) -> str | None:
        """The digest of a part."""
        for found in (self.intent, self.outcome):
            if found is not None and name in found.parts:
                return found.parts[name]
        return None

    @property
    def erased(self) -> tuple[str, ...]:
        """The names of the parts that are no longer there."""
        return tuple(
            name
            for found in (self.intent, self.outcome)
            if found is not None
            for name, digest in found.parts.items()
            if digest not in self.contents
        )


@dataclass(frozen=True, slots=True)
class Remark:
    """A feedback as it is recorded: its link and its content, None where that was erased."""

    link: Link
    data: bytes | None


@dataclass(frozen=True, slots=True)
class Tip:
    """Where a session's chain ends, and the content of its last state: the next turn begins with it."""

    head: Head
    state: str = ""  # the digest of the last state's content
    plain: str = ""  # the plain digest of its text


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a session stands: its newest state (None when it has none, or it was erased), and the turn that
    was begun after it and has not ended, if there is one."""

    state: str | None = None
    begun: Link | None = None


KNOWN_TIPS = 10_000  # ends of chains that are remembered: the others are read when they are needed


class Ledger:
    """A ledger in a database; a SQLite file by default."""

    def __init__(self, url: str, clock: Clock, *, seal_every: float = SEAL_EVERY) -> None:
        self.store: Store = open_store(url)
        self.clock = clock
        prepare(self.store)
        file = self.store.dialect == "sqlite"
        self._write = Joined(self.store).write if file else self._alone
        self._tips: dict[str, Tip] = {}
        self._lock = threading.Lock()
        self.seals = Seals(self.store, lambda: self.clock.now(), seal_every)

    @classmethod
    def at(cls, path: Path, clock: Clock, *, seal_every: float = SEAL_EVERY) -> Ledger:
        """The ledger in a SQLite file, made when it is not there."""
        return cls(f"{SQLITE}{path}", clock, seal_every=seal_every)

    # -- writing -----------------------------------------------------------------------------

    def layer(self, digest: str, text: str) -> None:
        """Keep a layer's text, once a hash."""
        with self.store.transaction() as run:
            run(
                "INSERT INTO layers (hash, text) VALUES (:hash, :text) ON CONFLICT DO NOTHING",
                hash=digest,
                text=text,
            )

    def append(
        self,
        session_id: str,
        kind: Kind,
        turn_id: str,
        at: str,
        body: Mapping[str, Json],
        parts: Parts,
        also: Callable[[Run, Link], None] | None = None,
    ) -> Link:
        """Add a record to a session's chain, with `also` in the same transaction.

        A part `before` that is the session's last `after` is kept once. Raises `Conflict` when the session
        went on elsewhere since it was last read here: two writers of one session are never both right; and
        when the state that a turn stands on was erased, so that nothing goes on from it.
        """
        tip = self._tip(session_id)
        digests: dict[str, str] = {}
        contents: list[Content] = []
        state, plain = tip.state, tip.plain
        for name, part in parts.items():
            data = part.encode() if isinstance(part, str) else part
            if name in ("before", "after"):
                known, plain_before = sha256(data), plain
                if known == plain_before:
                    digests[name] = state
                    continue
                content = salted(data)
                state, plain = content.digest, known
            else:
                content = salted(data)
            digests[name] = content.digest
            contents.append(content)
        head, stands_on = tip.head, digests.get("before", tip.state)
        insert = partial(self._insert, contents=contents, also=also, stands_on=stands_on)
        while True:
            made = link(head, session_id, kind, turn_id, at, body, digests)
            try:
                self._write(partial(insert, made=made))
                break
            except Conflict:
                head = self._beyond_feedback(session_id, head)
        self.resume(session_id, Tip(Head(made.number, made.hash), state, plain))
        self.seals.when_due()
        return made

    def _insert(
        self,
        run: Run,
        made: Link,
        contents: list[Content],
        also: Callable[[Run, Link], None] | None = None,
        stands_on: str = "",
    ) -> None:
        closed = "SELECT 1 FROM archived WHERE session_id = :session_id"
        if list(run(closed, session_id=made.session_id)):
            raise Archived(made.session_id)
        erased = "SELECT 1 FROM erasures WHERE digest = :digest"
        if stands_on and list(run(erased, digest=stands_on)):
            raise Conflict(made.session_id)
        inserted = run(
            "INSERT INTO records (session_id, number, kind, turn_id, at, record, record_hash) VALUES "
            "(:session_id, :number, :kind, :turn_id, :at, :record, :record_hash) "
            "ON CONFLICT DO NOTHING RETURNING number",
            session_id=made.session_id,
            number=made.number,
            kind=made.kind,
            turn_id=made.turn_id,
            at=made.at,
            record=made.text,
            record_hash=made.hash,
        )
        if not list(inserted):
            raise Conflict(made.session_id)
        for content in contents:
            run(
                "INSERT INTO contents (digest, session_id, salt, data) "
                "VALUES (:digest, :session_id, :salt, :data)",
                digest=content.digest,
                session_id=made.session_id,
                salt=content.salt,
                data=content.data,
            )
        run(
            "INSERT INTO open_heads (session_id, number, record_hash) "
            "VALUES (:session_id, :number, :record_hash) ON CONFLICT (session_id) "
            "DO UPDATE SET number = excluded.number, record_hash = excluded.record_hash",
            session_id=made.session_id,
            number=made.number,
            record_hash=made.hash,
        )
        if also is not None:
            also(run, made)

    def _alone(self, write: Write) -> None:
        """A write by itself: a server takes many at once."""
        with self.store.transaction() as run:
            write(run)

    def remark(self, turn_id: str, at: str, body: Mapping[str, Json], content: str) -> Link:
        """Add a feedback on a turn at the end of its session's chain, wherever that is by now.

        It moves no state: the session goes on, here and elsewhere, as if it were not there. Raises
        `UnknownTurn`, `Archived`.
        """
        data = salted(content.encode())
        while True:
            with self.store.snapshot() as run:
                sql = f"{_COLUMNS} WHERE turn_id = :turn AND kind = 'outcome'"
                ended = next(iter(_links(run, sql, turn=turn_id)), None)
                if ended is None:
                    raise UnknownTurn(turn_id)
                session_id = ended.session_id
                last = next(iter(_links(run, _OF_SESSION + _LAST, session_id=session_id)))
            head = Head(last.number, last.hash)
            parts = {"feedback": data.digest}
            made = link(head, session_id, "feedback", turn_id, at, body, parts)
            try:
                self._write(partial(self._insert, made=made, contents=[data]))
                break
            except Conflict:  # another record came first
                continue
        self.seals.when_due()
        return made

    def _beyond_feedback(self, session_id: str, head: Head) -> Head:
        """The end of a chain to which only feedback was added since a head. Raises `Conflict` for anything else."""
        sql = f"{_OF_SESSION} AND number > :number ORDER BY number"
        with self.store.snapshot() as run:
            since = list(_links(run, sql, session_id=session_id, number=head.number))
        if not since or any(one.kind != "feedback" for one in since):
            self.forget(session_id)
            raise Conflict(session_id)
        return Head(since[-1].number, since[-1].hash)

    def note(
        self,
        kind: Kind,
        body: Mapping[str, Json],
        also: Callable[[Run, Link], None] | None = None,
        turn_id: str = "",
    ) -> Link:
        """Record something that is done with the ledger itself, in a chain of its own."""
        session = f"audit-{secrets.token_hex(12)}"
        made = self.append(session, kind, turn_id, self.clock.now().isoformat(), body, {}, also)
        self.forget(session)
        return made

    def forget(self, session_id: str) -> None:
        """Read the end of a session's chain anew before the next record."""
        with self._lock:
            self._tips.pop(session_id, None)

    def tip(self, session_id: str) -> Tip | None:
        """The end of a session's chain as it was written or read here last."""
        with self._lock:
            return self._tips.get(session_id)

    def resume(self, session_id: str, tip: Tip) -> None:
        """Go on from this end of a session's chain; should it have gone on elsewhere, `append` refuses."""
        with self._lock:
            self._tips.pop(session_id, None)
            self._tips[session_id] = tip
            if len(self._tips) > KNOWN_TIPS:
                del self._tips[next(iter(self._tips))]

    def _tip(self, session_id: str) -> Tip:
        known = self.tip(session_id)
        if known is None:
            with self.store.snapshot() as run:
                last = next(iter(_links(run, _OF_SESSION + _LAST, session_id=session_id)), None)
            known = Tip(Head() if last is None else Head(last.number, last.hash))
        return known

    # -- reading -----------------------------------------------------------------------------

    def standing(self, session_id: str) -> Standing:
        """Where a session stands now; the next record goes on from there."""
        with self.store.snapshot() as run:
            last = next(iter(_links(run, _OF_SESSION + _LAST, session_id=session_id)), None)
            if last is None:
                self.resume(session_id, Tip(Head()))
                return Standing()
            of_turns = f"{_OF_SESSION} AND kind IN ('intent', 'outcome'){_LAST}"
            turn = next(iter(_links(run, of_turns, session_id=session_id)), None)
            begun = turn if turn is not None and turn.kind == "intent" else None
            of_states = f"{_OF_SESSION} AND kind = 'outcome'{_LAST}"
            ended = next(iter(_links(run, of_states, session_id=session_id)), None)
            digest = "" if ended is None else ended.parts["after"]
            data = contents(run, (digest,)).get(digest) if digest else None
        head = Head(last.number, last.hash)
        if data is None:
            self.resume(session_id, Tip(head))
            return Standing(None, begun)
        self.resume(session_id, Tip(head, digest, sha256(data)))
        return Standing(data.decode(), begun)

    def marked(self, session_id: str, mark: str) -> Link | None:
        """The newest intent of a session whose `mark` begins so."""
        like = f'%"mark":"{mark}%'
        sql = f"{_OF_SESSION} AND kind = 'intent' AND record LIKE :mark{_LAST}"
        with self.store.snapshot() as run:
            return next(iter(_links(run, sql, session_id=session_id, mark=like)), None)

    def check(self) -> None:
        """Raises `Unreachable` while the database cannot be asked."""
        with self.store.snapshot() as run:
            list(run("SELECT 1"))

    def newest(self) -> str | None:
        """The id of the turn that was recorded last."""
        sql = "SELECT turn_id FROM records WHERE kind = 'outcome' ORDER BY at DESC, number DESC LIMIT 1"
        with self.store.snapshot() as run:
            found = next(iter(run(sql)), None)
        return None if found is None else str(found[0])

    def finished(self, beginning: str) -> str:
        """The id of the one finished turn whose id begins so. Raises `UnknownTurn` for none, or several."""
        where, values = _where(Selection(turn=beginning), "'outcome'")
        with self.store.snapshot() as run:
            found = list(run(f"SELECT DISTINCT turn_id FROM records{where} LIMIT 2", **values))
        if not beginning or len(found) != 1:
            raise UnknownTurn(beginning)
        return str(found[0][0])

    def read(
        self, selection: Selection, who: str, how: str, archive: Source | None = None
    ) -> Iterator[Entry]:
        """Recorded turns, here or in an archive, for somebody to see: that they were read is recorded first."""
        body: dict[str, Json] = {"who": who, "how": how, "what": selection.told()}
        if archive is not None:
            body["file"] = archive.url
        self.note("read", body, turn_id=selection.turn)
        return self.entries(selection, archive)

    def zone(self) -> str | None:
        """The time zone of the newest recorded turn."""
        sql = f"{_COLUMNS} WHERE kind = 'intent' ORDER BY at DESC LIMIT 1"
        with self.store.snapshot() as run:
            found = next(iter(_links(run, sql)), None)
        return (str(found.body.get("zone") or "") or None) if found is not None else None

    def notes(self) -> list[Link]:
        """What was done with the ledger itself, in order of time: readings, erasures, archivings;
        and access that was denied."""
        sql = f"{_COLUMNS} WHERE kind IN ('read', 'erasure', 'archive', 'denied') ORDER BY at, session_id"
        with self.store.snapshot() as run:
            return list(_links(run, sql))

    def entries(
        self, selection: Selection = Selection(), archive: Source | None = None
    ) -> Iterator[Entry]:
        """Recorded turns, session by session in order, the interrupted ones too."""
        with (archive or self.store).snapshot() as run:
            for session_id in sessions(run, selection):
                yield from turns(run, session_id, selection)

    def remarks(
        self, selection: Selection = Selection(), archive: Source | None = None
    ) -> list[Remark]:
        """Feedback on the selected turns, in order of time; `since` and `until` are of the feedback."""
        with (archive or self.store).snapshot() as run:
            return sorted(remarks(run, selection), key=lambda one: (one.link.at, one.link.number))

    def count(self, selection: Selection = Selection(), archive: Source | None = None) -> int:
        """How many turns are selected."""
        where, values = _where(selection)
        sql = f"SELECT count(DISTINCT turn_id) FROM records{where}"
        with (archive or self.store).snapshot() as run:
            return int(str(next(iter(run(sql, **values)))[0]))

    def layer_text(self, digest: str, archive: Source | None = None) -> str | None:
        """The text of a layer by its hash."""
        with (archive or self.store).snapshot() as run:
            found = next(iter(run("SELECT text FROM layers WHERE hash = :hash", hash=digest)), None)
        return None if found is None else str(found[0])

    def close(self) -> None:
        """Let go of the database."""
        self.store.close()


_COLUMNS = "SELECT record, record_hash FROM records"
_OF_SESSION = f"{_COLUMNS} WHERE session_id = :session_id"
_LAST = " ORDER BY number DESC LIMIT 1"


def _links(run: Run, sql: str, **values: str | int) -> Iterator[Link]:
    for text, record_hash in run(sql, **values):
        yield parse(str(text), str(record_hash))


def contents(run: Run, digests: tuple[str, ...]) -> dict[str, bytes]:
    """Contents by digest, as far as they are there."""
    named = {f"d{index}": digest for index, digest in enumerate(digests)}
    if not named:
        return {}
    among = ", ".join(f":{name}" for name in named)
    found = run(f"SELECT digest, data FROM contents WHERE digest IN ({among})", **named)
    return {str(digest): bytes(data) for digest, data in found}  # type: ignore[call-overload]


def sessions(run: Run, selection: Selection) -> list[str]:
    """The sessions in which something may be selected."""
    where, values = _where(selection)
    return [
        str(name)
        for (name,) in run(
            f"SELECT DISTINCT session_id FROM records{where} ORDER BY session_id", **values
        )
    ]


def _where(selection: Selection, kinds: str = "'intent', 'outcome'") -> tuple[str, dict[str, str]]:
    tests = {
        "turn_id LIKE :turn": f"{selection.turn}%" if selection.turn else "",
        "session_id = :session": selection.session,
        "at >= :since": selection.since,
        "at < :until": selection.until,
    }
    kept = {test: value for test, value in tests.items() if value}
    values = {test.rpartition(":")[2]: value for test, value in kept.items()}
    return " WHERE " + " AND ".join((*kept, f"kind IN ({kinds})")), values


def turns(run: Run, session_id: str, selection: Selection) -> Iterator[Entry]:
    """The selected turns of one session, in order."""
    begun: Link | None = None
    where, values = _where(Selection(selection.turn, session_id, selection.since, selection.until))
    for found in _links(run, f"{_COLUMNS}{where} ORDER BY number", **values):
        if found.kind == "intent":
            if begun is not None:
                yield _entry(run, begun, None)
            begun = found
        elif begun is not None and begun.turn_id == found.turn_id:
            yield _entry(run, begun, found)
            begun = None
    if begun is not None:
        yield _entry(run, begun, None)


def remarks(run: Run, selection: Selection) -> Iterator[Remark]:
    """The feedback on the selected turns, session by session in order."""
    where, values = _where(selection, "'feedback'")
    for found in list(_links(run, f"{_COLUMNS}{where} ORDER BY session_id, number", **values)):
        digest = found.parts["feedback"]
        yield Remark(found, contents(run, (digest,)).get(digest))


def _entry(run: Run, intent: Link, outcome: Link | None) -> Entry:
    digests = {*intent.parts.values(), *(outcome.parts.values() if outcome is not None else ())}
    return Entry(intent, outcome, contents(run, tuple(sorted(digests))))


# what only an archive has (`schema.SEALS`)
_SEALED = "SELECT 1 FROM sqlite_master WHERE type = 'trigger' AND name = 'seal_layers_insert'"


def prepare(store: Store) -> None:
    """Make a new database a ledger, and bring one of an older version up to date.

    Raises `LedgerError` for a sealed archive.
    """
    with store.transaction() as run:
        if store.dialect == "postgresql":  # one process makes it, the others wait
            run("SELECT pg_advisory_xact_lock(8377031)")
        tables = store.tables(run)
        if not tables & {"alembic_version", "intents"}:
            for statement in statements(store.dialect):
                run(statement)
            return
        if store.dialect == "sqlite" and list(run(_SEALED)):
            raise LedgerError(
                f"{store.url.removeprefix(SQLITE)} is a sealed archive, which takes nothing in: name it "
                "with --archive, beside the ledger it was taken from"
            )
        version = (
            [str(row[0]) for row in run("SELECT version_num FROM alembic_version")]
            if "alembic_version" in tables
            else []
        )
    if version != [VERSION]:
        from dialogue.ledger.migrations import upgrade

        upgrade(store.url)
