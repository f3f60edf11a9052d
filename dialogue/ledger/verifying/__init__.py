"""Walk a whole ledger and find what does not hold: every chain, content, checkpoint, and every byte.

What this shows, and what it does not, is said in docs/ledger.md.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import ExitStack

from dialogue.ledger.errors import LedgerError
from dialogue.ledger.schema import VERSION
from dialogue.ledger.stores import Run, Source, SQLiteReader, shown
from dialogue.ledger.verifying.chains import Chains
from dialogue.ledger.verifying.file import file_faults
from dialogue.ledger.verifying.report import Fault, Progress, Report
from dialogue.ledger.verifying.whole import Whole

__all__ = ["Fault", "Report", "verify"]


def verify(
    source: Source,
    *,
    archives: Sequence[Source] = (),
    head: str | None = None,
    progress: Progress = lambda done, whole: None,
) -> Report:
    """Walk a ledger, and the archives that sessions of it were moved to. Nothing is written.

    `head` is a checkpoint that was kept elsewhere, as `NUMBER:HASH`: all that it sealed must be there.
    Raises `LedgerError` for what is no ledger of today's version.
    """
    report = Report()
    try:
        with ExitStack() as stack:
            walked: list[Chains] = []
            for one in (*archives, source):
                run = stack.enter_context(one.snapshot())
                known(run, one)
                walked.append(Chains(run, report))
                walked[-1].walk(progress)
            for index, chains in enumerate(walked[:-1]):
                Whole(chains, (), report).check(None)
                report.notes.append(f"archive {archives[index].url}: {len(chains.heads)} sessions")
            Whole(walked[-1], walked[:-1], report).check(head)
            for chains in walked:
                chains.strays()
    except sqlite3.DatabaseError as error:
        report.fault("the file", f"cannot be read: {error}")
    for one in (*archives, source):
        if isinstance(one, SQLiteReader):
            for where, what in file_faults(one, report.notes.append):
                report.fault(where, what)
    return report


def known(run: Run, source: Source) -> None:
    """Raises `LedgerError` where the database is no ledger, or one of another version."""
    try:
        version = next(iter(run("SELECT version_num FROM alembic_version")), ("",))[0]
    except Exception as error:
        if any(said in str(error) for said in ("malformed", "not a database", "unsupported")):
            raise
        raise LedgerError(f"{shown(source.url)} is no ledger of this version: {error}") from error
    if version != VERSION:
        raise LedgerError(
            f"{shown(source.url)} is a ledger of version {version or '?'}, not {VERSION}: any command that "
            "records brings it up to date"
        )
