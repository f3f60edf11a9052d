"""Files of times with what is right: each row's text read and resolved, and every fault told.

Columns `lang,text,start,end_exclusive,grain,note`, and optionally `clock` (the row's own today) and
`looks` (back or ahead). A note may say `kind=compare`, `kind=grain`, or `and=START..END` for a
second range; `alt=` is a remark, never accepted.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path

from nl2sql.times.model import Calendar, CompareMatch, GrainMatch, Range, TimeMatch
from nl2sql.times.resolve import UnknownTimeError, resolve
from nl2sql.times.scanner import scan

Row = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Fault:
    """A row that is read otherwise: what is right, and what came out."""

    line: int
    text: str
    right: str
    found: str


def read_rows(path: Path) -> list[dict[str, str]]:
    """The rows of a file. Raises `ValueError` when a column is missing."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        reader = csv.DictReader(file)
        missing = {"text", "start", "end_exclusive", "grain"} - set(reader.fieldnames or ())
        if missing:
            raise ValueError(f"{path}: there is no column {', '.join(sorted(missing))}")
        return [{key: value or "" for key, value in row.items() if key} for row in reader]


def faults(
    rows: Iterable[Row], clock: datetime, calendar: Calendar | None = None
) -> Iterator[Fault]:
    """The rows that are not read right, under a clock (a row's own goes first)."""
    for line, row in enumerate(rows, 2):
        right, found = wanted(row), came(row, clock, calendar or Calendar())
        if right != found:
            yield Fault(line, row["text"], right, found)


def wanted(row: Row) -> str:
    """What a row says is right."""
    note = row.get("note", "")
    if "kind=compare" in note:
        return f"compare {'yoy' if 'yoy' in note or '-1y' in note else 'pop'}"
    if "kind=grain" in note:
        return f"grain {row['grain']}"
    spans = [f"{row['start']}..{row['end_exclusive']}"]
    spans += [piece[4:] for piece in note.split(";") if piece.startswith("and=")]
    return f"{' and '.join(spans)} {row['grain']}"


def came(row: Row, clock: datetime, calendar: Calendar) -> str:
    """What the grammar makes of a row's text."""
    text = row["text"].lower()
    found = scan(text)
    if not found:
        return "nothing"
    first = found[0]
    if isinstance(first, CompareMatch):
        return f"compare {first.kind}"
    if isinstance(first, GrainMatch):
        return f"grain {first.grain}"
    if (
        not isinstance(first, TimeMatch)
        or first.start != 0
        or text[first.end :].strip() not in ("", "对比")
    ):
        return f"only a part: {text[first.start : first.end]!r}"
    own = datetime.fromisoformat(row["clock"]) if row.get("clock") else clock
    try:
        resolved = resolve(
            first.expr, own, calendar, "ahead" if row.get("looks") == "ahead" else "back"
        )
    except UnknownTimeError as error:
        return f"unknown: {error}"
    return f"{' and '.join(_span(item) for item in resolved.ranges)} {resolved.grain}"


def _span(item: Range) -> str:
    return f"{_iso(item.start)}..{_iso(item.end)}"


def _iso(moment: date | datetime | None) -> str:
    if moment is None:
        return ""
    return (
        moment.isoformat(timespec="minutes") if isinstance(moment, datetime) else moment.isoformat()
    )


__all__ = ["Fault", "came", "faults", "read_rows", "wanted"]
