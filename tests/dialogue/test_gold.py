"""Gold results are run once and come back exactly; reports are compared turn by turn."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pytest

from dialogue.evaluation import Gold
from dialogue.evaluation.against import Change, changes
from nl2sql.remembering import Remembering
from semantic_layer.protocols import Rows

ROWS = Rows(
    ("a", "b", "c", "d", "e", "f"),
    (
        (1, Decimal("1.50"), 0.1 + 0.2, "张江", date(2026, 8, 1), None),
        (2, Decimal("-0"), float("inf"), "", datetime(2026, 8, 1, 9, 30, 0, 5), True),
    ),
)


class Counting:
    """A warehouse that counts what it is asked."""

    dialect, engine = "duckdb", "test 1"

    def __init__(self, data_version: str = "d1", rows: Rows = ROWS) -> None:
        self.data_version, self.rows, self.asked = data_version, rows, 0

    def run(self, sql: str, *, limit: int | None = None, halt: object = None) -> Rows:
        self.asked += 1
        return self.rows


def test_a_statement_runs_once_for_a_state_of_the_data(tmp_path: Path) -> None:
    file, first = tmp_path / "gold.sqlite", Counting()
    gold = Gold(first, file)
    assert gold.rows("select 1") == gold.rows("select 1") == ROWS
    assert first.asked == 1
    next_run = Counting()
    again = Gold(next_run, file).rows("select 1")
    assert next_run.asked == 0
    assert again == ROWS
    for row, was in zip(again.rows, ROWS.rows, strict=True):
        assert [(type(cell), str(cell)) for cell in row] == [
            (type(cell), str(cell)) for cell in was
        ]
    other = Counting("d2", Rows(("a",), ((3,),)))
    assert Gold(other, file).rows("select 1").rows == ((3,),)
    assert other.asked == 1


def test_a_cell_that_no_file_holds_is_found_again(tmp_path: Path) -> None:
    odd = Counting(rows=Rows(("a",), ((timedelta(1),),)))  # type: ignore[arg-type]
    assert Gold(odd, tmp_path / "gold.sqlite").rows("select 1") == odd.rows
    broken = tmp_path / "broken.sqlite"
    broken.write_bytes(b"no database" * 100)
    assert Gold(Counting(), broken).rows("select 1") == ROWS


def test_what_was_asked_for_last_is_kept() -> None:
    inner = Counting()  # 12 cells and one each
    kept = Remembering(inner, cells=30)
    for sql in ("a", "b", "a", "c", "a", "b"):
        kept.run(sql)
    assert inner.asked == 4  # b was let go of for c


def turn(dialogue: str, number: int, ok: bool, reason: str = "") -> dict[str, object]:
    return {"dialogue": dialogue, "turn": number, "ok": ok, "reason": reason}


def test_what_became_right_and_wrong() -> None:
    before = {
        "set": "s",
        "turns": [turn("a", 1, True), turn("a", 2, False, "x"), turn("a", 2, True)],
    }
    now = {"set": "s", "turns": [turn("a", 1, False, "y"), turn("a", 2, True), turn("a", 2, True), turn("b", 1, True)]}  # fmt: skip
    found = changes([before], [now])
    assert found.right == (Change("s", "a", 2, True, "x"),)
    assert found.wrong == (Change("s", "a", 1, False, "y"),)
    assert found.unmatched == 1
    with pytest.raises(ValueError, match="no report of"):
        changes([{"set": "s"}], [now])
