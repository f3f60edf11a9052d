"""The SQLite file itself: its pages hang together, its tables are the ledger's, and no byte that holds
nothing was written by someone else."""

from __future__ import annotations

import hashlib
import mmap
import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from dialogue.ledger.chain import parse, sha256
from dialogue.ledger.schema import SEALS, statements, triggers
from dialogue.ledger.stores import Run, SQLiteReader
from dialogue.ledger.verifying.pages import Damaged, Region, header_faults, regions
from dialogue.ledger.verifying.report import of

_MISSING = re.compile(r"row (\d+) missing from index (\S+)")
GROWN = (
    "records",
    "contents",
    "layers",
    "checkpoints",
    "erasures",
    "archived",
    "alembic_version",
)
Told = tuple[str, str]


def file_faults(reader: SQLiteReader) -> Iterator[Told]:
    """What is wrong with a file, as where and what."""
    digest = beside(reader.path)
    if digest.exists() and digest.read_text("utf-8").split()[:1] != [_whole(reader.path)]:
        yield "the file", f"its digest is not the one in {digest.name}"
    try:
        with reader.snapshot() as run:
            yield from _schema(run)
            yield from _integrity(run)
            if reader.alone:
                yield from _unused(reader, run)
    except sqlite3.DatabaseError as error:
        yield "the file", f"cannot be read: {error}"


def beside(file: Path) -> Path:
    """Where the digest of a whole file stands, of an archive or a backup."""
    return file.with_name(f"{file.name}.sha256")


def _whole(file: Path) -> str:
    with file.open("rb") as data:
        return hashlib.file_digest(data, "sha256").hexdigest()


def _schema(run: Run) -> Iterator[Told]:
    """The tables, indexes and triggers are exactly those of a ledger, or of an archive of one."""
    expected = {_name(one): one for one in statements("sqlite") if one.startswith("CREATE")}
    seals = {_name(one): one for one in triggers("sqlite", SEALS, "seal")}
    found = {
        str(name): str(sql)
        for name, sql in run("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL")
    }
    if seals.keys() & found.keys():
        expected |= seals
    for name in sorted(expected.keys() | found.keys()):
        if name not in found:
            yield "the file", f"{name} is missing: nothing guards the ledger in its place"
        elif found[name] != expected.get(name):
            yield "the file", f"{name} is not as it was made"


def _name(statement: str) -> str:
    return statement.split()[2]


def _integrity(run: Run) -> Iterator[Told]:
    """SQLite's own check, with the record named where it names a row."""
    for (message,) in run("PRAGMA integrity_check"):
        if message == "ok":
            continue
        match = _MISSING.search(str(message))
        yield _owner(run, match) if match else "the file", str(message)


def _owner(run: Run, match: re.Match[str]) -> str:
    """The record that a row of a table belongs to."""
    rowid, index = int(match.group(1)), match.group(2)
    sql = "SELECT tbl_name FROM sqlite_master WHERE name = :index"
    table = str(next(iter(run(sql, index=index)))[0])
    return row_owner(run, table, rowid)


def row_owner(run: Run, table: str, rowid: int) -> str:
    """The name of the record that a row holds, or holds a content of."""
    try:
        if table == "records":
            sql = "SELECT record FROM records NOT INDEXED WHERE rowid = :rowid"
            text = str(next(iter(run(sql, rowid=rowid)))[0])
            return of(parse(text, sha256(text.encode("utf-8", "surrogateescape"))))
        if table == "contents":
            sql = "SELECT salt, data FROM contents NOT INDEXED WHERE rowid = :rowid"
            salt, data = next(iter(run(sql, rowid=rowid)))
            digest = sha256(bytes(salt) + bytes(data))  # type: ignore[call-overload]
            sql = "SELECT record, record_hash FROM records WHERE instr(record, :digest) > 0 LIMIT 1"
            holder, hashed = next(iter(run(sql, digest=digest)))
            return of(parse(str(holder), str(hashed)))
    except (sqlite3.DatabaseError, StopIteration, ValueError, TypeError):
        pass
    return f"row {rowid} of {table}"


def blind(region: Region, grown: frozenset[str]) -> bool:
    """Whether nothing tells what a byte should be: it is not used, and SQLite does not keep it zero."""
    return region.kind == "unused" and not (region.clean and region.owner in grown)


def trees(run: Run) -> tuple[dict[str, int], frozenset[str]]:
    """The root of every table and index, and which of them only grow."""
    found = list(run("SELECT name, tbl_name, rootpage FROM sqlite_master WHERE rootpage > 0"))
    roots = {str(name): int(str(root)) for name, _, root in found}
    return roots, frozenset(str(name) for name, table, _ in found if table in GROWN)


def _unused(reader: SQLiteReader, run: Run) -> Iterator[Told]:
    roots, grown = trees(run)
    with (
        reader.path.open("rb") as file,
        mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data,
    ):
        for fault in header_faults(data):
            yield "the file's header", fault
        try:
            for region in regions(data, roots):
                if region.kind != "unused" or blind(region, grown):
                    continue
                stretch = data[region.start : region.end]
                if any(stretch):
                    at = region.start + next(i for i, byte in enumerate(stretch) if byte)
                    yield (
                        f"byte {at} of the file",
                        f"holds nothing of {region.owner}, and is not zero",
                    )
        except (Damaged, IndexError, ValueError) as error:
            yield "the file", f"its pages do not hang together: {error}"
