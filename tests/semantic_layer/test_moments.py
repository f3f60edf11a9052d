"""Columns by another clock in a layer: what it may say of them, and what a database must hold."""

from pathlib import Path

import duckdb
import pytest

from nl2sql.warehouse import DuckDBWarehouse
from semantic_layer.errors import LayerError
from semantic_layer.format import json_schema
from semantic_layer.lint import lint
from semantic_layer.load import documents, load, loads
from semantic_layer.model import Moment

LAYER = """\
wenshu: 1
layer: clocks
calendar: {timezone: Europe/Amsterdam}
tables:
  e:
    key: id
    columns:
      id: integer
      k: text
      at: {type: timestamp, zone: UTC}
      own: {type: timestamp, zone: Europe/Amsterdam}
      plain: timestamp
      sent: {type: epoch, unit: milliseconds}
    joins: {before: {table: e, on: {sent: sent}}}
    has_many:
      after: {table: e, join: before}
dimensions:
  k: {column: e.k}
objects:
  e:
    table: e
    time: {column: at, roles: {sent: {}}}
    dimensions: [k]
    rollups: {ids: {sum: id, of: after}}
    attributes:
      shown: {expr: sent}
      later: {expr: "coalesce(at, sent)"}
      took: {expr: "microseconds_between(at, sent) / 60000000"}
    list: [k, shown]
    metrics:
      rows: {description: {zh: 行数}, count: rows}
      newest: {description: {zh: 最新}, max: sent}
      late: {description: {zh: 迟}, count: rows, where: "sent > at or at is null"}
"""
DATA = """
CREATE TABLE e(id INT, k TEXT, "at" TIMESTAMP, own TIMESTAMP, plain TIMESTAMP, sent BIGINT);
INSERT INTO e VALUES (1, 'a', '2026-01-01', '2026-01-01', '2026-01-01', 1767225600000)
"""


def test_what_is_kept_by_another_clock() -> None:
    layer = loads(LAYER)
    assert layer.tables["e"].moments == {
        "at": Moment("UTC"),
        "sent": Moment("UTC", "milliseconds"),
    }
    assert layer.tables["e"].columns["sent"] == "epoch"
    assert layer.objects["e"].attributes["shown"].type == "timestamp"


# what is changed, into what: the code, and a part of the message
REFUSED = {
    "no such zone": ("zone: UTC}", "zone: Mars}", "bad-value", "no time zone `Mars`"),
    "a zone of a date": ("type: timestamp, zone: UTC", "type: date, zone: UTC", "bad-value", "only a timestamp"),
    "a count without its unit": ("{type: epoch, unit: milliseconds}", "epoch", "bad-value", "says its unit"),
    "an unknown unit": ("unit: milliseconds", "unit: minutes", "bad-value", "unit"),
    "a unit of a timestamp": ("plain: timestamp", "plain: {type: timestamp, unit: seconds}", "bad-value", "only an epoch"),
    "a sum": ("max: sent", "sum: sent", "bad-moment", "moments have no sum"),
    "an average of either": ("max: sent", 'average: "coalesce(sent, at)"', "bad-moment", "moments have no average"),
    "reckoned with": ("expr: sent}", "expr: sent / 1000}", "bad-moment", "cannot be reckoned with"),
    "a number as a bound": ("sent > at or", "sent > 1767225600 or", "bad-moment", "compared with dates"),
    "time between two made": ("between(at, sent)", "between(greatest(at, plain), sent)", "bad-moment", "plain columns"),
    "a dimension": ("k: {column: e.k}", "k: {column: e.at}", "bad-moment", "values of a dimension"),
    "a label": ("k: {column: e.k}", "k: {column: e.k, label: sent}", "bad-moment", "labels of a dimension"),
    "a rollup": ("sum: id,", "max: sent,", "bad-moment", "moments have no max"),
    "a join of two clocks": ("on: {sent: sent}", "on: {plain: at}", "bad-moment", "not keep their moments alike"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_has_no_meaning_is_refused(name: str) -> None:
    old, new, code, message = REFUSED[name]
    assert old in LAYER
    with pytest.raises(LayerError) as error:
        loads(LAYER.replace(old, new, 1))
    assert {item.code for item in error.value.issues} == {code}
    assert message in error.value.issues[0].message


def test_the_schema_knows_the_keys() -> None:
    column = json_schema()["$defs"]["TableSpec"]["properties"]["columns"]["additionalProperties"]
    assert set(column["anyOf"][1]["properties"]) == {"type", "scale", "zone", "unit"}
    assert "epoch" in column["anyOf"][0]["enum"]


STORED = {
    "as it is said": ("", "", ""),
    "a count as a timestamp": ("ALTER TABLE e ALTER sent TYPE TIMESTAMP USING plain", "column-type", "declared epoch"),
    "a count as text": ("ALTER TABLE e ALTER sent TYPE TEXT", "column-type", "declared epoch and stored as VARCHAR"),
    "a timestamp as a count": ("ALTER TABLE e ALTER \"at\" TYPE BIGINT USING 1", "column-type", "declare it integer"),
    "a clock for every session": ("ALTER TABLE e ALTER plain TYPE TIMESTAMPTZ", "column-zone", "its own clock"),
    "too coarse a unit": ("UPDATE e SET sent = sent * 1000", "epoch-unit", "declare it `unit: microseconds`"),
    "too fine a unit": ("UPDATE e SET sent = sent / 1000", "epoch-unit", "declare it `unit: seconds`"),
}  # fmt: skip


@pytest.mark.parametrize("name", STORED)
def test_what_a_database_holds(name: str, tmp_path: Path) -> None:
    change, code, message = STORED[name]
    (tmp_path / "layer.yaml").write_text(LAYER, encoding="utf-8")
    with duckdb.connect(tmp_path / "small.duckdb") as connection:
        connection.execute(DATA)
        connection.execute(change or "SELECT 1")
    warehouse = DuckDBWarehouse(tmp_path / "small.duckdb")
    try:
        issues = lint(load(tmp_path), documents(tmp_path), warehouse)
    finally:
        warehouse.close()
    found = [item for item in issues if item.severity == "error"]
    assert [item.code for item in found] == ([code] if code else [])
    assert all(message in str(item) for item in found)
