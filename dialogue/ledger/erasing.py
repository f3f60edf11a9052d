"""Erasing: contents go, the chain stays, and a record says who took what away, when and why.

A state carries what earlier turns of its session said, so that with a turn the states after it go too. What
later turns took over into their own answers is found by its text (`containing`). What anybody said of a turn
goes with it, and all that a user said of turns goes with the user.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass

from dialogue.codec import Json
from dialogue.ledger.archiving import write_beside
from dialogue.ledger.book import Entry, Ledger, Remark, Selection, remarks, sessions, turns
from dialogue.ledger.chain import Link, parse
from dialogue.ledger.errors import LedgerError
from dialogue.ledger.stores import Run, SQLiteStore

STATES = ("before", "after")


@dataclass(frozen=True, slots=True)
class Which:
    """What is to go: a turn, a session, all that a user asked, whatever holds a text. Limits add up."""

    turn: str = ""
    session: str = ""
    user: str = ""
    containing: str = ""

    def told(self) -> dict[str, Json]:
        """For the record of the erasure; the text itself is not told, or it would stand there for ever."""
        found = {"turn": self.turn, "session": self.session, "user": self.user}
        told: dict[str, Json] = {name: value for name, value in found.items() if value}
        return told | ({"containing": "a text"} if self.containing else {})


@dataclass(frozen=True, slots=True)
class Target:
    """A content that is to go: a part of a record."""

    link: Link
    part: str
    digest: str
    data: bytes


def targets(run: Run, which: Which) -> list[Target]:
    """The contents to erase, each once. Raises `LedgerError` where nothing is named: all is too much."""
    if which == Which():
        raise LedgerError("say what to erase: a turn, a session, a user, or a text")
    found: dict[str, Target] = {}
    for session in sessions(run, Selection(session=which.session)):
        later, of_named = False, set[str]()
        for entry in turns(run, session, Selection()):
            named = _named(entry, which)
            if named:
                of_named.add(entry.intent.turn_id)
            for target in _parts(entry):
                if _goes(entry, target, which, named, later):
                    found.setdefault(target.digest, target)
            later = later or (named and not which.containing)
        for remark in remarks(run, Selection(session=session)):
            if remark.data is not None and _goes_too(remark, which, of_named):
                digest = remark.link.parts["feedback"]
                found.setdefault(digest, Target(remark.link, "feedback", digest, remark.data))
    return list(found.values())


def _goes_too(remark: Remark, which: Which, named: set[str]) -> bool:
    """Whether a feedback goes: it is on a turn that is named, or of the user who is."""
    data = remark.data or b""
    if which.containing and _written(which.containing) not in data:
        return False
    by_user = bool(which.user) and json.loads(data)["who"] == which.user
    return remark.link.turn_id in named or (by_user and remark.link.turn_id.startswith(which.turn))


def _named(entry: Entry, which: Which) -> bool:
    asker = json.loads(entry.part("asker") or "{}").get("user", {}) if which.user else {}
    return entry.intent.turn_id.startswith(which.turn) and (
        not which.user or asker.get("id") == which.user
    )


def _goes(entry: Entry, target: Target, which: Which, named: bool, later: bool) -> bool:
    if which.containing:
        return named and _holds(entry, target, which.containing)
    if target.part == "before":  # what the turn began with was said before it
        return later or (named and which == Which(session=which.session))
    return named or (later and target.part in STATES)


def _holds(entry: Entry, target: Target, text: str) -> bool:
    """Whether a content holds a text as JSON writes it; rows as Parquet go with the steps that do."""
    written = _written(text)
    if target.part.startswith("rows."):
        return written in (entry.part("steps") or "").encode() or text.encode() in target.data
    return written in target.data


def _written(text: str) -> bytes:
    return json.dumps(text, ensure_ascii=False)[1:-1].encode()


def _parts(entry: Entry) -> Iterator[Target]:
    for link in (entry.intent, entry.outcome):
        for part, digest in link.parts.items() if link is not None else ():
            if digest in entry.contents:
                assert link is not None
                yield Target(link, part, digest, entry.contents[digest])


def erase(
    ledger: Ledger,
    found: list[Target],
    who: str,
    why: str,
    which: Which,
    archive: SQLiteStore | None = None,
) -> Link:
    """Erase contents, of the ledger or of an archive of it; gives the record that says so."""
    body: dict[str, Json] = {
        "who": who,
        "why": why,
        "what": which.told(),
        "erased": [
            {
                "session": target.link.session_id,
                "number": target.link.number,
                "part": target.part,
                "digest": target.digest,
            }
            for target in found
        ],
    }

    def gone(run: Run, made: Link) -> None:
        """Deleted where it stands; in the ledger of an archive, which has it no more, marked as erased alone."""
        for target in found:
            run(
                "INSERT INTO erasures (digest, by_session, by_number) VALUES (:d, :s, :n) "
                "ON CONFLICT DO NOTHING",  # marked before, and broken off before it went in the archive
                d=target.digest,
                s=made.session_id,
                n=made.number,
            )
            run("DELETE FROM contents WHERE digest = :d", d=target.digest)

    made = ledger.note("erasure", body, gone)
    for session in {target.link.session_id for target in found}:
        ledger.forget(session)
    if archive is not None:
        with archive.transaction() as run:
            gone(run, made)
        archive.scrub()
        write_beside(archive.path)
    ledger.seals.seal()
    ledger.store.scrub()
    return made


class Erasures:
    """The erasures of a ledger, of whatever process, as they come: for whoever still holds what is erased."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger, self._contents = ledger, 0
        self._known = set[str]()

    def look(self) -> frozenset[str]:
        """The sessions of which something was erased since the last look; at the first, ever. Raises `Unreachable`.

        Costs a count while there is nothing new: the list of what was erased only grows.
        """
        with self._ledger.store.snapshot() as run:
            (contents,) = next(iter(run("SELECT count(*) FROM erasures")))
            if contents == self._contents:
                return frozenset()
            acts = {str(name) for (name,) in run("SELECT DISTINCT by_session FROM erasures")}
            new = acts - self._known
            found = frozenset(session for act in new for session in _touched(run, act))
        self._contents, self._known = int(str(contents)), acts
        return found


def _touched(run: Run, act: str) -> Iterator[str]:
    """The sessions that an erasure took something of, by the record of it."""
    sql = "SELECT record, record_hash FROM records WHERE session_id = :act AND kind = 'erasure'"
    for text, digest in run(sql, act=act):
        erased = parse(str(text), str(digest)).body["erased"]
        assert isinstance(erased, list)
        yield from {str(item["session"]) for item in erased if isinstance(item, dict)}
