"""Whole turns over a column in UTC: the newest day, 数据截至, fiscal quarters, hours."""

from datetime import date, datetime
from pathlib import Path

import duckdb
import pytest

from dialogue.wording import fresh_to
from dialogue.world import World
from nl2sql.reading import RuleReader
from nl2sql.slots import Slots
from nl2sql.warehouse import DuckDBWarehouse
from semantic_layer.load import loads
from semantic_layer.values import build_index

CLOCK = datetime(2026, 3, 1, 12)
LAYER = """
wenshu: 1
layer: till
calendar: {{timezone: Asia/Shanghai, fiscal_year_starts: 4}}
tables:
  sale: {{columns: {{at: {{{column}}}, amount: integer}}}}
objects:
  sale:
    words: {{zh: [销售], en: [sales]}}
    table: sale
    time: {{column: at, snapshot: {snapshot}, unasked: {unasked}}}
    metrics:
      turnover: {{words: {{zh: [营业额], en: [turnover]}}, sum: amount}}
"""
MOMENTS = ("2025-12-31 16:30", "2026-02-28 15:59:59", "2026-02-28 16:00")  # of UTC


def world(folder: Path, column: str, snapshot: bool) -> World:
    path = folder / "till.duckdb"
    kept = "epoch_ms(ts)" if "milli" in column else "epoch(ts)::INT" if "epoch" in column else "ts"
    with duckdb.connect(path) as connection:
        values = ", ".join(f"(TIMESTAMP '{at}', {index})" for index, at in enumerate(MOMENTS, 1))
        connection.execute(
            f'CREATE TABLE sale AS SELECT {kept} AS "at", amount FROM (VALUES {values}) t(ts, amount)'
        )
    unasked = "newest" if snapshot else "year_to_date"
    text = LAYER.format(column=column, snapshot=str(snapshot).lower(), unasked=unasked)
    layer, warehouse = loads(text), DuckDBWarehouse(path)
    values_ = build_index(layer, warehouse)
    return World(layer, RuleReader(layer, values_), values_, warehouse)


@pytest.mark.parametrize(
    "column",
    ["type: timestamp, zone: UTC", "type: epoch, unit: seconds", "type: epoch, unit: milliseconds"],
)
@pytest.mark.parametrize("snapshot", [True, False])
def test_the_newest_day_is_one_of_business(column: str, snapshot: bool, tmp_path: Path) -> None:
    """16:00 UTC of 28 February is midnight of 1 March in Shanghai; the first is of 1 January."""
    here = world(tmp_path, column, snapshot)
    extent = here.extent(here.layer.objects["sale"], "at", CLOCK)
    assert (extent.first, extent.last) == (date(2026, 1, 1), date(2026, 3, 1))
    assert fresh_to(here, Slots("sale", ("turnover",)), CLOCK) == "2026-03-01"
    earlier = here.extent(here.layer.objects["sale"], "at", datetime(2026, 2, 28, 12))
    assert earlier.last == (date(2026, 2, 28) if snapshot else date(2026, 3, 1))
    here.warehouse.close()  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("text", "grain"),
    [
        ("按财年看营业额", "fiscal_year"), ("按财季看营业额", "fiscal_quarter"),
        ("turnover by fiscal year", "fiscal_year"), ("turnover by fiscal quarter", "fiscal_quarter"),
        ("按年看营业额", "year"), ("turnover by quarter", "quarter"),
    ],
)  # fmt: skip
def test_fiscal_words(text: str, grain: str, tmp_path: Path) -> None:
    here = world(tmp_path, "type: timestamp, zone: UTC", False)
    reading = here.reader.read(text)
    assert [edit.value for edit in reading.edits if edit.slot == "grain"] == [grain]
    here.warehouse.close()  # type: ignore[attr-defined]
