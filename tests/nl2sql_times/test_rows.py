"""Rows of our own, computed by hand from RULES.md §7, under several clocks and both looks."""

from __future__ import annotations

import csv
from datetime import date, datetime
from pathlib import Path
from typing import cast

import pytest

from nl2sql.times import Look, TimeMatch, resolve, scan

ROWS = list(csv.DictReader((Path(__file__).parent / "rows.csv").open(encoding="utf-8")))


def _moment(text: str) -> date | datetime | None:
    if not text:
        return None
    return datetime.fromisoformat(text) if "T" in text else date.fromisoformat(text)


def test_there_are_many() -> None:
    assert len(ROWS) >= 150


@pytest.mark.parametrize("row", ROWS, ids=[f"{row['clock']}-{row['text']}" for row in ROWS])
def test_row(row: dict[str, str]) -> None:
    found = scan(row["text"])
    assert [(type(item), item.start, item.end) for item in found] == [
        (TimeMatch, 0, len(row["text"]))
    ]
    match = found[0]
    assert isinstance(match, TimeMatch)
    clock = datetime.fromisoformat(row["clock"] + "T12:00")
    resolved = resolve(match.expr, clock, look=cast(Look, row["look"]))
    wanted = [
        tuple(_moment(part) for part in span.split("..")) for span in row["ranges"].split("|")
    ]
    assert [(span.start, span.end) for span in resolved.ranges] == wanted
    assert resolved.grain == row["grain"]
