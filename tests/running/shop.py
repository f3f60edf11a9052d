"""A small shop over real DuckDB files: every amount is the version of the data, so the sum tells it."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import duckdb

from dialogue.engine import Moment
from dialogue.turn import Turn

ROWS = 1_000
MOMENT = Moment(datetime(2026, 9, 28), datetime(2026, 11, 29, 10))
LAYER = """
wenshu: 1
layer: shop
tables:
  sale: {key: sale_id, columns: {sale_id: integer, shop: text, amount: integer}}
objects:
  sale:
    words: {zh: [销售], en: [sale]}
    table: sale
    dimensions: [shop]
    metrics:
      takings: {sum: amount, words: {zh: [销售额], en: [takings]}, default: true}
dimensions:
  shop: {column: sale.shop, words: {zh: [门店], en: [shop]}}
"""
HEAVY = (
    "SELECT COUNT(*) AS n FROM range(1000000) AS a, range(1000000) AS b"
    " WHERE (a.range * b.range) % 7 = 3"
)


def sales(path: Path, version: int, columns: str = "sale_id, shop, amount") -> Path:
    """A database whose every amount is its version."""
    with duckdb.connect(path) as connection:
        connection.execute(
            f"CREATE TABLE sale AS SELECT {columns} FROM (SELECT range AS sale_id,"
            f" 'shop {version}-' || range % 5 AS shop, {version} AS amount FROM range({ROWS}))"
        )
    return path


def total(turn: Turn) -> int:
    """The version of the data that an answer comes from, by its sum."""
    assert turn.outcome == "answer", (turn.outcome, turn.text)
    return int(str(turn.all_rows[0][0])) // ROWS
