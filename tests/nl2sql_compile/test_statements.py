"""Slots, their SQL and its rows are as written down in `tests/fixtures/statements.yaml`.

The same turn gives the same SQL for ever: a change here is meant, and written anew by
`python -m tests.nl2sql_compile.statements`.
"""

import pytest
import yaml

from nl2sql.warehouse import DuckDBWarehouse
from semantic_layer.model import Layer
from tests.nl2sql_compile.questions import QUESTIONS
from tests.nl2sql_compile.statements import FILE, Pair, pair

WRITTEN: dict[str, Pair] = yaml.safe_load(FILE.read_text(encoding="utf-8"))


def test_every_question_is_written_down() -> None:
    assert list(WRITTEN) == list(QUESTIONS)


@pytest.mark.parametrize("name", QUESTIONS)
def test_slots_sql_rows(name: str, park_layer: Layer, warehouse: DuckDBWarehouse) -> None:
    assert pair(name, park_layer, warehouse) == WRITTEN[name]
