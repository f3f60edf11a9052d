"""The benchmarks measure what they say: the same rows from both statements, a layer of a thousand metrics."""

from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from benchmarks.load import write
from benchmarks.sql import CASES, CLOCK, Case, same
from nl2sql import guard, readback
from nl2sql.compiler import Question, build
from semantic_layer.load import load
from semantic_layer.model import Layer


@pytest.fixture(scope="module")
def connection(park_copy: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect(park_copy, read_only=True) as opened:
        yield opened


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_both_statements_give_the_same_rows(
    case: Case, connection: duckdb.DuckDBPyConnection, park_layer: Layer
) -> None:
    ours = build(Question(case.slots, park_layer, CLOCK)).sql
    readback.check(ours, case.slots, park_layer, CLOCK)
    guard.check(ours, park_layer)
    same(connection, case, ours)
    assert connection.execute(case.by_hand).fetchall()


def test_the_large_layer_has_a_thousand_metrics(tmp_path: Path) -> None:
    write(tmp_path)
    layer = load(tmp_path)
    assert len(layer.metrics) == 1000
    assert layer.metrics["metric_3_4"].parts == ("metric_3_0", "metric_3_1")
