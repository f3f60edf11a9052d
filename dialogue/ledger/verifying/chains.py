"""The chains of one database: every record hashes to what it says, and follows the one before it; every
content hashes to what a record says."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass, field

from dialogue.ledger.chain import Link, canonical, parse, sha256, told
from dialogue.ledger.stores import Row, Run
from dialogue.ledger.verifying.report import Progress, Report, of, record

_ROWS = (
    "SELECT number, kind, turn_id, at, record, record_hash FROM records WHERE session_id = :session"
)
_BY_INDEX = "SELECT DISTINCT session_id FROM records ORDER BY session_id"
_BY_TABLE = "SELECT DISTINCT session_id FROM records NOT INDEXED ORDER BY session_id"
_CONTENT = "SELECT digest, session_id, salt, data FROM contents WHERE digest = :digest"
_ERASED = "SELECT by_session FROM erasures WHERE digest = :digest"


@dataclass(slots=True)
class Chains:
    """One database, walked: where each session ends, and the records that speak of the ledger itself."""

    run: Run
    report: Report
    heads: dict[str, tuple[int, str]] = field(default_factory=dict)
    special: dict[tuple[str, int], Link] = field(default_factory=dict)
    layers: set[str] = field(default_factory=set)
    _there: int = 0

    def walk(self, progress: Progress) -> None:
        """Every session, record by record."""
        whole, done = self._count("records"), 0
        for session in self._sessions():
            self.report.sessions += 1
            done += self._session(session)
            progress(done, whole)
        if done != whole:
            self.report.fault("the records", f"{whole} stand in the table, {done} in chains")

    def strays(self) -> None:
        """Contents that no record speaks of; told only where that is all that is wrong."""
        more = self._count("contents") - self._there
        if more and self.report.holds:
            self.report.fault("the contents", f"{more} belong to no record")

    def hash_at(self, session: str, number: int) -> str | None:
        """The hash of a record, None where it is not there."""
        sql = "SELECT record_hash FROM records WHERE session_id = :session AND number = :number"
        found = next(iter(self.run(sql, session=session, number=number)), None)
        return None if found is None else str(found[0])

    def _count(self, table: str) -> int:
        return int(str(next(iter(self.run(f"SELECT count(*) FROM {table}")))[0]))

    def _sessions(self) -> list[str]:
        try:
            return [str(name) for (name,) in self.run(_BY_INDEX)]
        except sqlite3.DatabaseError:  # told by the check of the file
            return [str(name) for (name,) in self.run(_BY_TABLE)]

    def _session(self, session: str) -> int:
        count, previous, begun = 0, "", ""
        seen: set[str] = set()
        ended: set[str] = set()
        for link in self._links(session):
            self.report.records += 1
            expected = self.heads[session][0] + 1 if session in self.heads else 1
            if link.number != expected:
                self.report.fault(
                    of(link), f"record {expected} should stand there: one is missing, or was put in"
                )
            elif link.previous != previous:
                self.report.fault(of(link), "does not follow the record before it")
            begun = self._turn(link, begun, ended)
            self._contents(link, seen)
            if link.kind in ("erasure", "archive"):
                self.special[session, link.number] = link
            layer = link.body.get("semantic_hash")
            if isinstance(layer, str) and layer:
                self.layers.add(layer)
            previous, count = link.hash, count + 1
            self.heads[session] = link.number, link.hash
        if begun:
            self.report.interrupted.append(begun)
        if not count:
            self.report.fault(f"session {session}", "an index names it, and it has no record")
        return count

    def _turn(self, link: Link, begun: str, ended: set[str]) -> str:
        """Which turn is open after a record: an outcome closes the intent before it. Feedback, on a turn that
        has ended, may come at any time."""
        if link.kind == "feedback":
            if link.turn_id not in ended:
                self.report.fault(of(link), "no such turn has ended before it")
            return begun
        if link.kind == "intent":
            if begun:
                self.report.interrupted.append(begun)
            self.report.turns += 1
            return link.turn_id
        if link.kind == "outcome" and link.turn_id != begun:
            self.report.fault(of(link), "no intent of this turn stands before it")
        ended.add(link.turn_id)
        return ""

    def _links(self, session: str) -> Iterator[Link]:
        for row in self._rows(session):
            number, kind, turn_id, at, text, record_hash = row
            where = (
                record(session, int(number)) if isinstance(number, int) else f"session {session}"
            )
            if not isinstance(text, str) or not isinstance(record_hash, str):
                self.report.fault(where, "is no text")
                continue
            if sha256(text.encode("utf-8", "surrogateescape")) != record_hash:
                self.report.fault(where, "was changed: it does not give the hash beside it")
                continue
            try:
                link = parse(text, record_hash)
            except ValueError as error:
                self.report.fault(where, str(error))
                continue
            columns = (link.session_id, link.number, link.kind, link.turn_id, link.at)
            if columns != (session, number, kind, turn_id, at):
                self.report.fault(of(link), "stands in a row that says otherwise")
            elif text != canonical(told(link)):
                self.report.fault(of(link), "is not in canonical form")
            yield link

    def _rows(self, session: str) -> Iterator[Row]:
        """A session's rows; where the file is damaged, those that can be read."""
        try:
            yield from list(self.run(f"{_ROWS} ORDER BY number", session=session))
            return
        except sqlite3.DatabaseError:
            pass
        index = "SELECT number FROM records WHERE session_id = :session ORDER BY number"
        for (number,) in list(self.run(index, session=session)):
            one = f"{_ROWS} AND number = :number"
            try:
                yield from list(self.run(one, session=session, number=int(str(number))))
            except sqlite3.DatabaseError as error:
                self.report.fault(record(session, int(str(number))), f"cannot be read: {error}")

    def _contents(self, link: Link, seen: set[str]) -> None:
        for name, digest in link.parts.items():
            if digest in seen:  # a state that one turn left and the next began with
                continue
            seen.add(digest)
            try:
                rows = list(self.run(_CONTENT, digest=digest))
                gone = [] if rows else list(self.run(_ERASED, digest=digest))
            except sqlite3.DatabaseError as error:
                self.report.fault(of(link), f"its content {name} cannot be read: {error}")
                continue
            if gone:
                self.report.erased += 1
            elif not rows:
                self.report.fault(
                    of(link), f"its content {name} is missing, and no erasure names it"
                )
            else:
                self._there += 1
                self.report.contents += 1
                if not _holds(rows[0], link, digest):
                    self.report.fault(of(link), f"its content {name} was changed")


def _holds(row: Row, link: Link, digest: str) -> bool:
    stored, session, salt, data = row
    if isinstance(salt, memoryview) and isinstance(data, memoryview):
        salt, data = bytes(salt), bytes(data)
    return (
        isinstance(salt, bytes)
        and isinstance(data, bytes)
        and (stored, session) == (digest, link.session_id)
        and sha256(salt + data) == digest
    )
