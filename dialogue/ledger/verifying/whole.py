"""What binds the chains together: checkpoints, heads, layers, erasures and archives."""

from __future__ import annotations

from collections.abc import Sequence

from dialogue.ledger.chain import Link, sha256
from dialogue.ledger.seals import Checkpoint, parse
from dialogue.ledger.verifying.chains import Chains
from dialogue.ledger.verifying.report import Report, of, record


class Whole:
    """A ledger whose chains were walked, with the archives that belong to it."""

    def __init__(self, chains: Chains, archives: Sequence[Chains], report: Report) -> None:
        self._chains, self._archives, self._report = chains, archives, report
        self._moved = {
            str(session): (int(str(number)), str(digest), (str(by), int(str(at))))
            for session, number, digest, by, at in chains.run(
                "SELECT session_id, number, record_hash, by_session, by_number FROM archived"
            )
        }
        self._unseen = 0

    def check(self, head: str | None) -> None:
        """Everything, with the checkpoint that was kept elsewhere, where there is one."""
        sealed = self._checkpoints(head)
        for link in self._chains.special.values():
            if link.kind == "archive":
                for session, number, _ in heads_of(link):
                    sealed[session] = number
        self._heads(sealed)
        self._layers()
        self._erasures()
        self._moves()
        if self._unseen:
            self._report.notes.append(
                f"{self._unseen} sealed heads lie in archives: verify them with --archive FILE"
            )

    # -- checkpoints -------------------------------------------------------------------------

    def _checkpoints(self, head: str | None) -> dict[str, int]:
        """The chain of checkpoints; gives up to which record each session is sealed."""
        report, previous, expected = self._report, "", 1
        sealed: dict[str, int] = {}
        kept = None if head is None else head.partition(":")
        for number, text, digest in self._chains.run(
            "SELECT number, record, record_hash FROM checkpoints ORDER BY number"
        ):
            where = f"checkpoint {number}"
            if sha256(str(text).encode("utf-8", "surrogateescape")) != digest:
                report.fault(where, "was changed: it does not give the hash beside it")
                previous, expected = str(digest), int(str(number)) + 1
                continue
            try:
                found = parse(str(text), str(digest))
            except ValueError as error:
                report.fault(where, str(error))
                continue
            if (found.number, found.number) != (number, expected):
                report.fault(where, f"checkpoint {expected} should stand there")
            elif found.previous != previous:
                report.fault(where, "does not follow the checkpoint before it")
            if kept is not None and kept[0] == str(number) and kept[2] != digest:
                report.fault(where, f"is not the one that was kept elsewhere ({head})")
            self._sealed(found)
            sealed |= {session: at for session, at, _ in found.heads}
            previous, expected = str(digest), found.number + 1
            report.checkpoints += 1
            report.head = str(found)
        if kept is not None and (not kept[0].isdecimal() or int(kept[0]) >= expected):
            report.fault(
                f"checkpoint {kept[0]}", "was kept elsewhere, and is not there: the end was cut off"
            )
        return sealed

    def _sealed(self, checkpoint: Checkpoint) -> None:
        for session, number, digest in checkpoint.heads:
            found = self._hash_at(session, number)
            moved = self._moved.get(session)
            if found is None and moved is not None and number <= moved[0]:
                if number < moved[0]:
                    self._unseen += 1
                    continue
                found = moved[1]
            if found is None:
                self._report.fault(
                    record(session, number), f"is missing: checkpoint {checkpoint.number} seals it"
                )
            elif found != digest:
                self._report.fault(
                    record(session, number), f"is not what checkpoint {checkpoint.number} seals"
                )

    def _hash_at(self, session: str, number: int) -> str | None:
        for chains in (self._chains, *self._archives):
            found = chains.hash_at(session, number)
            if found is not None:
                return found
        return None

    # -- heads -------------------------------------------------------------------------------

    def _heads(self, sealed: dict[str, int]) -> None:
        """Each session ends where a checkpoint, or the list of open heads, says it does."""
        opened: dict[str, tuple[int, str]] = {
            str(session): (int(str(number)), str(digest))
            for session, number, digest in self._chains.run(
                "SELECT session_id, number, record_hash FROM open_heads"
            )
        }
        self._report.unsealed = len(opened)
        for session, head in self._chains.heads.items():
            told = opened.pop(session, None)
            if told is not None and told != head:
                self._report.fault(
                    record(session, max(told[0], head[0])),
                    f"the session should end with record {told[0]}, and ends with {head[0]}",
                )
            elif told is None and sealed.get(session) != head[0]:
                self._report.fault(
                    record(*_named(session, head)), "is sealed by nothing: what follows was cut off"
                )
        for session, (number, _) in opened.items():
            self._report.fault(record(session, number), "is missing: it should be there, unsealed")

    # -- layers, erasures, archives ----------------------------------------------------------

    def _layers(self) -> None:
        there: set[str] = set()
        for digest, text in self._chains.run("SELECT hash, text FROM layers"):
            there.add(str(digest))
            if sha256(str(text).encode("utf-8", "surrogateescape")) != digest:
                self._report.fault(f"layer {digest}", "was changed: it does not give its hash")
        for digest in sorted(self._chains.layers - there):
            self._report.fault(f"layer {digest}", "is missing: records name it")

    def _erasures(self) -> None:
        rows = {
            str(digest): (str(session), int(str(number)))
            for digest, session, number in self._chains.run(
                "SELECT digest, by_session, by_number FROM erasures"
            )
        }
        named: dict[str, set[tuple[str, int]]] = {}  # by several where an erasing was broken off
        for at, link in self._chains.special.items():
            for digest in digests_of(link) if link.kind == "erasure" else ():
                named.setdefault(digest, set()).add(at)
        elsewhere = 0
        for digest, at in rows.items():
            if digest not in named and self._chains.hash_at(*at) is None and self._is_archive():
                elsewhere += 1  # the erasure stands in the ledger that this was moved from
            elif at not in named.get(digest, ()):
                self._report.fault(
                    record(*at), f"should be the erasure of content {digest}, and is not"
                )
        if elsewhere:
            self._report.notes.append(
                f"{elsewhere} contents were erased by records that stand in the ledger itself"
            )
        for digest, ats in named.items():
            if digest not in rows and not self._in_archive(digest):
                self._report.fault(
                    of(self._chains.special[min(ats)]), f"content {digest} is not marked as erased"
                )

    def _is_archive(self) -> bool:
        moved = [one for one in self._chains.special.values() if one.kind == "archive"]
        return bool(moved) and not self._moved

    def _in_archive(self, digest: str) -> bool:
        sql = "SELECT 1 FROM erasures WHERE digest = :digest"
        return bool(self._moved) and (
            not self._archives
            or any(list(chains.run(sql, digest=digest)) for chains in self._archives)
        )

    def _moves(self) -> None:
        report = self._report
        report.archived = len(self._moved)
        for session, (number, digest, by) in self._moved.items():
            link = self._chains.special.get(by)
            if link is None or (session, number, digest) not in heads_of(link):
                report.fault(record(*by), f"should archive session {session}, and does not")
            if session in self._chains.heads:
                report.fault(f"session {session}", "was archived, and stands here too")
            for chains in self._archives:
                if session in chains.heads and chains.heads[session] != (number, digest):
                    report.fault(record(session, number), "ends otherwise in the archive")
        if self._is_archive():
            for link in self._chains.special.values():
                for session, number, digest in heads_of(link):
                    if self._chains.heads.get(session) != (number, digest):
                        report.fault(record(session, number), "should be in this archive")
        for chains in self._archives:
            for session in chains.heads:
                if session not in self._moved and session not in self._chains.heads:
                    report.fault(
                        f"session {session}", "is in an archive that is not of this ledger"
                    )


def heads_of(link: Link) -> list[tuple[str, int, str]]:
    """The heads that the record of an archiving names."""
    found = link.body.get("heads")
    if link.kind != "archive" or not isinstance(found, list):
        return []
    return [
        (str(item[0]), int(str(item[1])), str(item[2])) for item in found if isinstance(item, list)
    ]


def digests_of(link: Link) -> list[str]:
    """The contents that the record of an erasure names."""
    found = link.body.get("erased")
    assert isinstance(found, list)
    return [str(item["digest"]) for item in found if isinstance(item, dict)]


def _named(session: str, head: tuple[int, str]) -> tuple[str, int]:
    return session, head[0]
