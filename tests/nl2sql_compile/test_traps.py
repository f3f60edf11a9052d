"""Numbers that tools of the field got wrong in public, each asked through slots on a layer of its own.

`tests/fixtures/bi_traps.yaml` holds the data and the right rows, `tests/fixtures/traps.yaml` the layer
and the question.
"""

import json
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pytest
import yaml

from nl2sql import guard, readback
from nl2sql.compiler import Question, build
from nl2sql.slots import from_json
from nl2sql.warehouse import DuckDBWarehouse
from semantic_layer.load import loads

FIXTURES = Path(__file__).parents[1] / "fixtures"
CASES = {
    case["id"]: case
    for case in yaml.safe_load((FIXTURES / "bi_traps.yaml").read_text(encoding="utf-8"))["cases"]
}
ASKED: dict[str, dict[str, Any]] = yaml.safe_load(
    (FIXTURES / "traps.yaml").read_text(encoding="utf-8")
)
PARTS = ("calendar", "tables", "dimensions", "objects")


def test_every_trap_is_asked() -> None:
    assert set(CASES) == set(ASKED)


@pytest.mark.parametrize("trap", ASKED)
def test_trap(trap: str, tmp_path: Path) -> None:
    case, asked = CASES[trap], ASKED[trap]
    path = tmp_path / "trap.duckdb"
    with duckdb.connect(path) as connection:
        for statement in case["tables"]:
            connection.execute(statement)
    parts = {"wenshu": 1, "layer": "trap"} | {name: asked[name] for name in PARTS if name in asked}
    layer = loads(yaml.safe_dump(parts, sort_keys=False))
    slots = from_json(json.dumps(asked["slots"], default=str))
    clock = datetime.combine(asked.get("clock", date(2026, 9, 28)), datetime.min.time())

    compiled = build(Question(slots, layer, clock))
    readback.check(compiled.sql, slots, layer, clock)
    guard.check(compiled.sql, layer)
    warehouse = DuckDBWarehouse(path)
    found = warehouse.run(compiled.sql)
    warehouse.close()

    keep = found.columns.index(asked["keep"]) if "keep" in asked else None
    shown = [found.columns.index(name) for name in asked.get("columns", found.columns)]
    rows = [
        [_plain(row[index]) for index in shown]
        for row in found.rows
        if keep is None or row[keep] is not None
    ]
    assert rows == case["right"]


def _plain(cell: object) -> object:
    """A cell as the case writes it: rounded to four places, dates as text."""
    if isinstance(cell, float | Decimal):
        rounded = round(float(cell), 4)
        return int(rounded) if rounded.is_integer() else rounded
    return cell.isoformat() if isinstance(cell, date) else cell
