"""The gold file of times: 100 % of its rows, under the clock it was written for."""

from __future__ import annotations

import csv
from datetime import date, datetime
from pathlib import Path

import pytest

from nl2sql.times import CompareMatch, GrainMatch, TimeMatch, resolve, scan
from nl2sql.times.gold import faults, read_rows

CLOCK = datetime(2026, 9, 28, 12)
ROWS = list(csv.DictReader((Path(__file__).parent / "time_gold.csv").open(encoding="utf-8")))


def _moment(text: str) -> date | datetime | None:
    if not text:
        return None
    return datetime.fromisoformat(text) if "T" in text else date.fromisoformat(text)


@pytest.mark.parametrize("row", ROWS, ids=[f"{row['lang']}-{row['text']}" for row in ROWS])
def test_row(row: dict[str, str]) -> None:
    text, note = row["text"].lower(), row["note"]
    found = scan(text)
    assert found, "nothing was found"
    first = found[0]
    if "kind=compare" in note:
        assert isinstance(first, CompareMatch)
        assert (first.start, first.end) == (0, len(text))
        assert first.kind == ("yoy" if "yoy" in note or "-1y" in note else "pop")
        return
    if "kind=grain" in note:
        assert first == GrainMatch(0, len(text), row["grain"])  # type: ignore[arg-type]
        return
    assert isinstance(first, TimeMatch)
    assert first.start == 0
    assert text[first.end :] in ("", "对比")
    resolved = resolve(first.expr, CLOCK)
    spans = [(row["start"], row["end_exclusive"])]
    for piece in note.split(";"):
        if piece.startswith("and="):
            start, _, end = piece[4:].partition("..")
            spans.append((start, end))
    wanted = [(_moment(start), _moment(end)) for start, end in spans]
    assert [(span.start, span.end) for span in resolved.ranges] == wanted
    assert resolved.grain == row["grain"]


def test_the_file_checker_finds_each_fault(tmp_path: Path) -> None:
    rows = [
        {
            "text": "8月",
            "start": "2026-08-01",
            "end_exclusive": "2026-09-01",
            "grain": "month",
            "note": "",
        },
        {
            "text": "8月",
            "start": "2027-08-01",
            "end_exclusive": "2027-09-01",
            "grain": "month",
            "looks": "ahead",
        },
        {
            "text": "今天",
            "start": "2026-01-01",
            "end_exclusive": "2026-01-02",
            "grain": "day",
            "clock": "2026-01-01",
        },
        {"text": "8月", "start": "2026-07-01", "end_exclusive": "2026-08-01", "grain": "month"},
        {"text": "头条", "start": "2026-07-01", "end_exclusive": "2026-08-01", "grain": "month"},
    ]
    found = list(faults(rows, CLOCK))
    assert [(item.line, item.found) for item in found] == [
        (5, "2026-08-01..2026-09-01 month"),
        (6, "nothing"),
    ]
    assert list(faults(ROWS, CLOCK)) == []


HEAD = "lang,text,start,end_exclusive,grain,note,clock,looks\n"


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "there is no column text, start, end_exclusive, grain"),
        (b"text,start\n8,2026-08-01\n", "there is no column end_exclusive, grain"),
        (HEAD.encode(), "no rows"),
        ((HEAD + "zh,8月,2026-08-01,2026-13-01,month,,,\n").encode(), "2: end_exclusive is '2026-13-01'"),
        ((HEAD + "zh,8月,2026-08-01,2026-09-01,moon,,,\n").encode(), "2: grain is 'moon'"),
        ((HEAD + "zh,8月,2026-08-01,2026-09-01,month,,heute,\n").encode(), "2: clock is 'heute'"),
        ((HEAD + "zh,8月,2026-08-01,2026-09-01,month,,,up\n").encode(), "2: looks is 'up'"),
        ((HEAD + "zh,8月,,,month,,,\n").encode(), "2: neither start nor end_exclusive"),
        ((HEAD + "zh,,2026-08-01,2026-09-01,month,,,\n").encode(), "2: the text is empty"),
        ((HEAD + "zh,8月,2026-08-01,2026-09-01,month,and=x..y,,\n").encode(), "and=x..y (from) is 'x'"),
        ((HEAD + "zh,Aug 1, 2026,2026-08-01,2026-08-02,day,,,\n").encode(), "more cells than columns"),
        ((HEAD + "zh,8月,2026-08-01,2026-09-01,month,,,\n").encode("gbk"), "no UTF-8"),
        ((HEAD + 'zh,"8月,2026').encode(), "no CSV"),
    ],
)  # fmt: skip
def test_a_file_that_cannot_be_checked_says_why(tmp_path: Path, content: bytes, told: str) -> None:
    path = tmp_path / "times.csv"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"times\.csv") as error:
        read_rows(path)
    assert told in str(error.value)
