"""The SQLite file itself: its pages hang together, its tables are the ledger's, and no byte that holds
nothing was written by someone else."""

from __future__ import annotations

import hashlib
import mmap
import re
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from io import BufferedReader
from pathlib import Path

from dialogue.ledger.chain import parse, sha256
from dialogue.ledger.pages import Bytes, Damaged, Region, header_faults, loose, page_size, regions
from dialogue.ledger.schema import GROWN, SEALS, statements, triggers
from dialogue.ledger.stamp import stamp_in, summed, which
from dialogue.ledger.stores import Run, SQLiteReader
from dialogue.ledger.verifying.report import of

_MISSING = re.compile(r"row (\d+) missing from index (\S+)")
Told = tuple[str, str]


def file_faults(reader: SQLiteReader, note: Callable[[str], None]) -> Iterator[Told]:
    """What is wrong with a file, as where and what; `note` takes what could not be looked at."""
    digest = beside(reader.path)
    if digest.exists() and digest.read_text("utf-8").split()[:1] != [_whole(reader.path)]:
        yield "the file", f"its digest is not the one in {digest.name}"
    if not reader.alone:
        note(f"{reader.path} is in use: bytes of it that hold nothing were not looked at")
    else:
        with reader.path.open("rb") as file, _mapped(file) as data:
            yield from (("the file's header", fault) for fault in header_faults(data))
    checks = [_schema, _integrity]
    if reader.alone:
        checks.append(lambda run: _unused(reader, run, note))
    for check in checks:  # where one can read no further, another still finds the place
        try:
            with reader.snapshot() as run:
                yield from check(run)
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


def _mapped(file: BufferedReader) -> mmap.mmap:
    return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)


def _unused(reader: SQLiteReader, run: Run, note: Callable[[str], None]) -> Iterator[Told]:
    roots, grown = trees(run)
    with reader.path.open("rb") as file, _mapped(file) as data:
        try:
            if stamp_in(data):
                yield from _stamped(data, roots)
            left = 0
            for region in regions(data, roots):
                if blind(region, grown):
                    left += region.end - region.start
                elif region.kind == "unused" and any(data[region.start : region.end]):
                    yield _place(run, data, roots, region), "holds nothing, and is not zero"
            if not stamp_in(data):
                note(
                    f"{reader.path} has no stamp (its last process was killed, or it is large): {left} bytes that "
                    "hold nothing were not looked at"
                )
        except (Damaged, IndexError, ValueError) as error:
            yield "the file", f"its pages do not hang together: {error}"


def _place(run: Run, data: Bytes, roots: Mapping[str, int], region: Region) -> str:
    """Where bytes are that hold nothing: the page, and the record that stands next on it."""
    size = page_size(data)
    page = region.start // size
    rows = [one for one in regions(data, roots) if one.kind == "row" and one.start // size == page]
    near = min(rows, key=lambda one: abs(one.start - region.end), default=None)
    beside = f", beside {row_owner(run, near.owner, near.rowid)}" if near is not None else ""
    return f"page {page + 1} of the file ({region.owner}{beside})"


def _stamped(data: Bytes, roots: Mapping[str, int]) -> Iterator[Told]:
    """The pages that keep what stood there are those that were stamped."""
    owners = dict(loose(data, {"sqlite_master": 1, **roots}, GROWN))
    told, found = stamp_in(data), summed(data, owners)
    if told == found:
        return
    page = which(told, found, owners)
    if page == 0:
        yield "the file's header", "its stamp (bytes 60 to 63, 68 to 71) is not as it was made"
    elif page is not None:
        owner = "its header and the list of tables" if page == 1 else owners[page]
        yield f"page {page} of the file ({owner})", "is not as it was when the file was closed"
    else:
        yield "the file", "some pages are not as they were when the file was closed"
