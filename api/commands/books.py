"""`wenshu audit …`: verify, erase, archive, back up."""

from __future__ import annotations

import getpass
import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, replace
from datetime import date
from pathlib import Path

from dialogue.codec import Json
from dialogue.feedback.marks import feedback_of
from dialogue.ledger import Ledger, LedgerError, Link, archiving, erasing
from dialogue.ledger.erasing import Target, Which
from dialogue.ledger.stores import SQLITE, SQLiteReader, SQLiteStore, beside, open_source
from dialogue.ledger.verifying import Report
from dialogue.ledger.verifying import verify as walk


def head(ledger: Ledger, as_json: bool) -> int:
    """Seal, and print the checkpoint. 1 when nothing is recorded yet."""
    found = ledger.seals.seal()
    if found is None:
        print("nothing is recorded yet", file=sys.stderr)
        return 1
    if as_json:
        print(
            json.dumps(
                {"head": str(found), "number": found.number, "hash": found.hash, "at": found.at}
            )
        )
    else:
        print(found)
    return 0


def check(url: str, archives: list[Path], head: str | None, as_json: bool) -> int:
    """Verify a ledger with its archives. 1 when anything is wrong, 2 when there is nothing to verify."""
    try:
        source = open_source(url)
        moved = [SQLiteReader(file) for file in archives]
        with _progress(as_json) as progress:
            report = walk(source, archives=moved, head=head, progress=progress)
    except LedgerError as error:
        return _refused(error)
    if as_json:
        print(json.dumps({"holds": report.holds, **asdict(report)}, ensure_ascii=False))
    else:
        _tell(report)
    return 0 if report.holds else 1


def _tell(report: Report) -> None:
    print(
        f"{report.records} records in {report.sessions} chains, {report.turns} turns "
        f"({len(report.interrupted)} interrupted), {report.contents} contents, "
        f"{report.erased} erased, {report.archived} sessions archived, "
        f"{report.checkpoints} checkpoints, {report.unsealed} sessions with records after the last one"
    )
    for note in report.notes:
        print(f"note: {note}")
    for fault in report.faults[:1]:
        print(f"broken: {fault}")
    for fault in report.faults[1:]:
        print(f"        {fault}")
    if report.holds:
        print(f"everything holds; head {report.head or 'none yet'}")


@contextmanager
def _progress(as_json: bool) -> Iterator[Callable[[int, int], None]]:
    """A bar on a terminal."""
    if as_json or not sys.stderr.isatty():
        yield lambda done, whole: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("records", total=None)
        yield lambda done, whole: bar.update(task, completed=done, total=whole)


def erase(
    ledger: Ledger,
    which: Which,
    why: str,
    archive: Path | None,
    who: str | None,
    yes: bool,
    as_json: bool,
) -> int:
    """List the contents that are to go; erase them when that is agreed to. 1 when there are none."""
    try:
        if archive is not None and not archive.is_file():
            raise LedgerError(f"there is no archive at {archive}")
        store = None if archive is None else SQLiteStore(archive)
        agreed = list[Target]()
        while True:
            with (ledger.store if store is None else store).snapshot() as run:
                found = erasing.targets(run, which)
            new = [target for target in found if target not in agreed]
            if not as_json:
                for target in new:
                    print(_line(target))
            if not found:
                print("nothing is recorded that would have to go", file=sys.stderr)
                return 1
            if yes or not new:  # a session may go on while it is thought over
                break
            if not _agreed(len(found)):
                print("nothing was erased: say --yes", file=sys.stderr)
                return 1
            agreed = found
        made = erasing.erase(ledger, found, who or account(), why, which, store)
        untitle(ledger.store.url, {target.link.session_id for target in found})
    except LedgerError as error:
        return _refused(error)
    if as_json:
        print(
            json.dumps(
                {"erased": made.body["erased"], "record": made.session_id, "hash": made.hash}
            )
        )
    else:
        print(f"{len(found)} contents erased; recorded in {made.session_id}")
    return 0


def untitle(ledger: str, sessions: set[str]) -> None:
    """Let go of the titles of sessions in the service's list: they are what users typed."""
    place = beside(ledger)
    if place.startswith(SQLITE) and not Path(place.removeprefix(SQLITE)).is_file():
        return  # no service has listed any
    from dialogue.directory import Directory  # with SQLAlchemy: half a second that is seldom needed

    directory = Directory(place)
    for session in sessions:
        directory.untitle(session)
    directory.close()


def _line(target: Target) -> str:
    turn = f" ({target.link.kind} of turn {target.link.turn_id})"
    return (
        f"{target.part}, {len(target.data)} bytes: "
        f"record {target.link.number} of session {target.link.session_id}{turn}"
    )


def _agreed(count: int) -> bool:
    if not sys.stdin.isatty():
        return False
    return input(f"erase these {count} contents for ever? (yes/no) ").strip() == "yes"


def archive(ledger: Ledger, before: str, file: Path, who: str | None, as_json: bool) -> int:
    """Move the sessions that ended before a day into a file."""
    try:
        date.fromisoformat(before)
        made, count = archiving.archive(ledger, before, file, who or account())
    except (LedgerError, ValueError) as error:
        return _refused(error)
    if as_json:
        print(json.dumps({"sessions": count, "file": str(file), "record": made.session_id}))
    else:
        print(f"{count} sessions moved to {file}; recorded in {made.session_id}")
    return 0


def backup(ledger: Ledger, file: Path, who: str | None, as_json: bool) -> int:
    """Copy the ledger into a file."""
    try:
        archiving.backup(ledger, file, who or account())
    except LedgerError as error:
        return _refused(error)
    size = file.stat().st_size
    print(json.dumps({"file": str(file), "bytes": size}) if as_json else f"{size} bytes in {file}")
    return 0


def log(ledger: Ledger, as_json: bool) -> int:
    """What was done with the ledger itself and who marked which turn, a line each."""
    for link in sorted((*ledger.notes(), *marks(ledger)), key=lambda one: one.at):
        body = link.body
        told = {"at": link.at, "kind": link.kind, **body}
        if as_json:
            print(json.dumps(told, ensure_ascii=False))
        else:
            what = body.get("what") or body.get("file") or "everything"
            words = json.dumps(what, ensure_ascii=False) if isinstance(what, dict) else str(what)
            reason = body.get("how") or body.get("why") or f"before {body.get('before')}"
            print(f"{link.at}  {link.kind:8} {body.get('who')}  {reason}  {words}")
    return 0


def marks(ledger: Ledger) -> Iterator[Link]:
    """Every feedback as a line of the log: who, what thumb, on which turn; not the reason in words."""
    for remark in ledger.remarks():
        found = feedback_of(remark)
        how = " ".join(filter(None, (f"thumb {found.mark.thumb}", found.mark.code)))
        body: dict[str, Json] = {"who": found.who, "how": how, "what": {"turn": found.turn_id}}
        yield replace(remark.link, body=body)


def account() -> str:
    """The name of the account that this runs as."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "unknown"


def _refused(error: Exception) -> int:
    print(error, file=sys.stderr)
    return 2
