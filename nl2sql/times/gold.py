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
from semantic_layer.text import normalise

Row = Mapping[str, str]
NEEDED = ("text", "start", "end_exclusive", "grain")
GRAINS = (
    "hour",
    "day",
    "week",
    "month",
    "quarter",
    "half",
    "year",
    "fiscal_quarter",
    "fiscal_year",
)
LINE = "line"  # where a row stands in its file


@dataclass(frozen=True, slots=True)
class Fault:
    """A row that is read otherwise: what is right, and what came out."""

    line: int
    text: str
    right: str
    found: str


def read_rows(path: Path) -> list[dict[str, str]]:
    """The rows of a file, each with its `line`.

    Raises `OSError`, and `ValueError` with the file, the line and what to do for a file without the
    columns or rows, with a date that is none, or another grain or look than there are.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.DictReader(file, strict=True)
            missing = [name for name in NEEDED if name not in (reader.fieldnames or ())]
            if missing:
                raise ValueError(
                    f"{path}:1: there is no column {', '.join(missing)}; the first line names them:"
                    f" lang,{','.join(NEEDED)},note, and optionally clock,looks"
                )
            rows = []
            for row in reader:
                kept = {key: (value or "").strip() for key, value in row.items() if key}
                rows.append({**kept, LINE: str(reader.line_num)})
                _checked(rows[-1], f"{path}:{reader.line_num}", extra=None in row)
    except UnicodeDecodeError as error:
        raise ValueError(f"{path}: this is no UTF-8 text; save it as CSV in UTF-8") from error
    except csv.Error as error:
        raise ValueError(f"{path}: this is no CSV file: {error}") from error
    if not rows:
        raise ValueError(f"{path}: there are no rows below the first line")
    return rows


def _checked(row: Row, place: str, extra: bool) -> None:
    """Raise `ValueError` where a row says nothing that a reading could be held against."""
    if extra:
        raise ValueError(f"{place}: there are more cells than columns; quote a text with commas")
    if not row["text"]:
        raise ValueError(f"{place}: the text is empty")
    if row.get("looks", "") not in ("", "back", "ahead"):
        raise ValueError(f"{place}: looks is {row['looks']!r}; write back or ahead")
    moments = {name: row.get(name, "") for name in ("start", "end_exclusive", "clock")}
    for piece in row.get("note", "").split(";"):
        if piece.startswith("and="):
            first, _, last = piece[4:].partition("..")
            moments |= {f"{piece} (from)": first, f"{piece} (to)": last}
    for name, moment in moments.items():
        try:
            datetime.fromisoformat(moment or "2026-01-01")
        except ValueError as error:
            raise ValueError(
                f"{place}: {name} is {moment!r}; write a date such as 2026-08-15,"
                " with a time of day as 2026-08-15T10:00"
            ) from error
    if "kind=compare" in row.get("note", ""):
        return
    if row["grain"] not in GRAINS:
        raise ValueError(f"{place}: grain is {row['grain']!r}; write one of {', '.join(GRAINS)}")
    if "kind=grain" not in row.get("note", "") and not (row["start"] or row["end_exclusive"]):
        raise ValueError(f"{place}: neither start nor end_exclusive is given")


def faults(
    rows: Iterable[Row], clock: datetime, calendar: Calendar | None = None
) -> Iterator[Fault]:
    """The rows that are not read right, under a clock (a row's own goes first)."""
    for line, row in enumerate(rows, 2):
        right, found = wanted(row), came(row, clock, calendar or Calendar())
        if right != found:
            yield Fault(int(row.get(LINE, line)), row["text"], right, found)


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
    """What the grammar makes of a row's text: all of it must be one time."""
    text = normalise(row["text"]).text.strip()
    found = scan(text)
    if not found:
        return "nothing"
    first = found[0]
    tail = "对比" if isinstance(first, TimeMatch) else ""
    if first.start != 0 or text[first.end :].strip() not in ("", tail):
        return f"only a part: {text[first.start : first.end]!r}"
    if isinstance(first, CompareMatch):
        return f"compare {first.kind}"
    if isinstance(first, GrainMatch):
        return f"grain {first.grain}"
    if not isinstance(first, TimeMatch):
        return "no comparison"
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
