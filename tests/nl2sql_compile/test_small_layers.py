"""What the format can say, each on a layer and data of its own: few rows, counted by hand."""

from datetime import date, datetime
from decimal import Decimal
from pathlib import Path

import duckdb
import pytest

from nl2sql import guard, readback
from nl2sql.compiler import Question, build
from nl2sql.errors import QuestionError
from nl2sql.slots import Among, Contains, Filter, Interval, Limit, Missing, Order, Slots
from nl2sql.warehouse import DuckDBWarehouse
from semantic_layer.load import loads
from semantic_layer.protocols import Cell

CLOCK = datetime(2026, 9, 28)


def answer(folder: Path, data: str, layer: str, slots: Slots) -> list[tuple[Cell, ...]]:
    """The rows of slots over data, under a layer."""
    path = folder / "small.duckdb"
    with duckdb.connect(path) as connection:
        connection.execute(data)
    found = loads("wenshu: 1\nlayer: small\n" + layer)
    compiled = build(Question(slots, found, CLOCK))
    readback.check(compiled.sql, slots, found, CLOCK)
    guard.check(compiled.sql, found)
    warehouse = DuckDBWarehouse(path)
    rows = warehouse.run(compiled.sql).rows
    warehouse.close()
    return list(rows)


RATIOS = """
tables: {e: {columns: {a: integer, b: integer, c: integer, k: text}}}
dimensions: {k: {column: e.k}}
objects:
  e:
    table: e
    dimensions: [k]
    metrics:
      sum_a: {sum: a}
      sum_b: {sum: b}
      sum_c: {sum: c}
      per_c: {formula: sum_b / sum_c}
      nested: {formula: sum_a / per_c}
      written: {formula: sum_a / (sum_b / sum_c)}
      less: {formula: sum_a - (sum_b - sum_c)}
      of_less: {formula: sum_a - less}
      by_row: {sum: a / b}
"""


@pytest.mark.parametrize(
    ("values", "wanted"),
    [
        ("(8, 4, 2, 'x')", (4.0, 4.0, 6, 2, 2.0)),
        ("(8, 4, 0, 'x')", (None, None, 4, 4, 2.0)),
        ("(8, 0, 2, 'x')", (None, None, 10, -2, None)),
        ("(8, 0, 0, 'x')", (None, None, 8, 0, None)),
    ],
)
def test_no_division_by_zero_anywhere(
    tmp_path: Path, values: str, wanted: tuple[object, ...]
) -> None:
    data = f"CREATE TABLE e(a INT, b INT, c INT, k TEXT); INSERT INTO e VALUES {values}"
    metrics = ("nested", "written", "less", "of_less", "by_row")
    assert answer(tmp_path, data, RATIOS, Slots(None, metrics)) == [wanted]
    (row,) = answer(tmp_path / ".", "SELECT 1", RATIOS, Slots(None, metrics, ("k",)))
    assert row == ("x", *wanted)


SOURCES = """
tables:
  bill: {source: tbl_bill, key: id, columns: {id: integer, shop_id: integer, x: decimal, day: date},
         joins: {shop: shop}, has_many: {payments: {table: payment, join: bill, where: day <= today()}}}
  payment: {source: main.tbl_payment, columns: {bill_id: integer, amount: decimal, day: date},
            joins: {bill: {table: bill, on: {bill_id: id}}}}
  shop: {source: "店 铺", key: shop_id, columns: {shop_id: integer, name: text}}
dimensions: {shop: {column: shop.shop_id, label: name}}
objects:
  bill:
    table: bill
    dimensions: [shop]
    rollups: {paid: {sum: amount, of: payments}, times: {count: rows, of: payments}}
    attributes: {age: {expr: "case when day < today() then 1 else 0 end"}}
    list: [shop, age]
    metrics:
      due: {sum: x}
      paid_amount: {sum: paid}
      unpaid: {count: rows, where: times = 0}
"""
SOURCE_DATA = """
CREATE TABLE tbl_bill(id INT, shop_id INT, x DECIMAL(9, 2), day DATE);
CREATE TABLE tbl_payment(bill_id INT, amount DECIMAL(9, 2), day DATE);
CREATE TABLE "店 铺"(shop_id INT, name TEXT);
INSERT INTO "店 铺" VALUES (1, '甲'), (2, '乙');
INSERT INTO tbl_bill VALUES (1, 1, 100, '2026-09-01'), (2, 1, 50, '2026-09-28'), (3, 9, 7, '2026-01-01');
INSERT INTO tbl_payment VALUES (1, 30, '2026-09-28'), (1, 20, '2026-09-02'), (1, 999, '2026-09-29');
"""


def test_tables_under_other_names_and_today_by_the_clock(tmp_path: Path) -> None:
    metrics = ("due", "paid_amount", "unpaid")
    assert answer(tmp_path, SOURCE_DATA, SOURCES, Slots(None, metrics, ("shop",))) == [
        (1, "甲", Decimal(150), Decimal(50), 1),
        (None, None, Decimal(7), Decimal(0), 1),
    ]


def test_a_ranking_without_those_that_lead_nowhere(tmp_path: Path) -> None:
    data = SOURCE_DATA + "INSERT INTO tbl_bill VALUES (4, NULL, 900, NULL), (5, 2, 150, NULL);"
    slots = Slots(None, ("due",), ("shop",), order=Order(), limit=Limit(1))
    rows = [(1, "甲", Decimal(150)), (2, "乙", Decimal(150))]
    assert answer(tmp_path, data, SOURCES, slots) == rows
    sql = build(Question(slots, loads("wenshu: 1\nlayer: small\n" + SOURCES), CLOCK)).sql
    assert sql.count("GROUP BY") == 1, "the groups of the bills' own column are the asked ones"


def test_an_expression_with_today_filters_and_is_listed(tmp_path: Path) -> None:
    slots = Slots("bill", rows=True, filters=(Filter("age", Interval(Decimal(1))),))
    assert answer(tmp_path, SOURCE_DATA, SOURCES, slots) == [(1, "甲", 1), (None, None, 1)]


ROLES = """
tables:
  place: {key: id, columns: {id: integer, city: text}}
  order:
    columns: {from: integer, to: integer, kind: text}
    joins: {group: {table: place, on: {from: id}}, order: {table: place, on: {to: id}}}
dimensions: {start: {column: place.city}, end: {column: place.city}, kind: {column: order.kind}}
objects:
  trip:
    table: order
    dimensions: {start: {via: group}, end: {via: order}, kind: {}}
    metrics: {select: {count: rows}}
"""
ROLE_DATA = """
CREATE TABLE place(id INT, city TEXT);
CREATE TABLE "order"("from" INT, "to" INT, kind TEXT);
INSERT INTO place VALUES (1, 'A'), (2, 'B');
INSERT INTO "order" VALUES (1, 2, 'x'), (1, 2, NULL), (2, 1, 'it''s 5%'), (NULL, 3, 'x');
"""


@pytest.mark.parametrize(
    ("dimensions", "filters", "wanted"),
    [
        (("start", "end"), (), [("A", "B", 2), ("B", "A", 1), (None, None, 1)]),
        (("end",), (Filter("start", Among(("A",))),), [("B", 2)]),
        ((), (Filter("start", Among(("A",), True)),), [(2,)]),
        ((), (Filter("end", Missing()),), [(1,)]),
        ((), (Filter("kind", Among(("it's 5%",))),), [(1,)]),
        ((), (Filter("kind", Contains("5%")),), [(1,)]),
        ((), (Filter("kind", Among(("x",), True)),), [(2,)]),
    ],
)
def test_names_that_are_words_of_sql_and_two_roles_of_a_table(
    tmp_path: Path,
    dimensions: tuple[str, ...],
    filters: tuple[Filter, ...],
    wanted: list[tuple[Cell, ...]],
) -> None:
    slots = Slots(None, ("select",), dimensions, filters=filters)
    assert answer(tmp_path, ROLE_DATA, ROLES, slots) == wanted


SHARED = """
tables:
  a: {key: id, columns: {id: integer, k: text, v: integer}, has_many: {parts: {table: pa, join: up}}}
  b: {key: id, columns: {id: integer, k: text, v: integer}, has_many: {parts: {table: pb, join: up}}}
  pa: {columns: {id: integer, n: integer}, joins: {up: a}}
  pb: {columns: {id: integer, n: integer}, joins: {up: b}}
dimensions: {k: {column: a.k}}
objects:
  a: {table: a, dimensions: [k], rollups: {n: {sum: n, of: parts}}, metrics: {parts_a: {sum: n}}}
  b: {table: b, dimensions: {k: {column: k}}, rollups: {n: {sum: n, of: parts}}, metrics: {parts_b: {sum: n}}}
"""
SHARED_DATA = """
CREATE TABLE a(id INT, k TEXT, v INT); INSERT INTO a VALUES (1, 'x', 1), (2, NULL, 1);
CREATE TABLE b(id INT, k TEXT, v INT); INSERT INTO b VALUES (1, 'x', 1), (2, 'y', 1);
CREATE TABLE pa(id INT, n INT); INSERT INTO pa VALUES (1, 1), (1, 2), (2, 4);
CREATE TABLE pb(id INT, n INT); INSERT INTO pb VALUES (1, 10), (2, 20), (2, 30);
"""


def test_two_objects_each_gathering_parts_of_its_own(tmp_path: Path) -> None:
    found = answer(tmp_path, SHARED_DATA, SHARED, Slots(None, ("parts_a", "parts_b"), ("k",)))
    assert found == [("x", 3, 10), ("y", None, 50), (None, 4, None)]


def test_an_own_column_filters_and_is_excluded(tmp_path: Path) -> None:
    slots = Slots(None, ("parts_b",), filters=(Filter("k", Among(("x",), True)),))
    assert answer(tmp_path, SHARED_DATA, SHARED, slots) == [(50,)]


SNAPSHOT = """
calendar: {week_starts: sunday}
tables: {s: {columns: {day: date, x: decimal}}}
objects: {s: {table: s, time: {column: day, snapshot: true, unasked: newest}, metrics: {level: {sum: x}}}}
"""


def test_the_last_snapshot_of_each_sunday_week(tmp_path: Path) -> None:
    data = """CREATE TABLE s(day DATE, x DECIMAL(9, 2));
    INSERT INTO s VALUES ('2026-09-04', 1), ('2026-09-05', 2), ('2026-09-06', 4);
    INSERT INTO s VALUES ('2026-09-07', 8), ('2026-12-31', 16)"""
    assert answer(tmp_path, data, SNAPSHOT, Slots(None, ("level",), grain="week")) == [
        (date(2026, 8, 30), Decimal(2)),
        (date(2026, 9, 6), Decimal(8)),
    ]


def test_a_dimension_and_a_metric_of_one_name_are_refused_together(tmp_path: Path) -> None:
    layer = RATIOS.replace("sum_a: {sum: a}", "k: {sum: a}").replace("sum_a", "k")
    with pytest.raises(QuestionError, match="one-name"):
        answer(tmp_path, "SELECT 1", layer, Slots(None, ("k",), ("k",)))


PERIODS = """
tables:
  lease: {key: id, columns: {id: integer}, has_many: {periods: {table: period, join: lease}}}
  period: {columns: {lease: integer, n: integer}, joins: {lease: {table: lease, "on": {lease: id}}}}
objects:
  lease:
    table: lease
    rollups: {n: {sum: n, of: periods}}
    metrics: {capped: {sum: "least(n, 5)"}}
"""


def test_rows_that_are_called_periods_are_no_list_of_buckets(tmp_path: Path) -> None:
    data = """CREATE TABLE lease(id INT); INSERT INTO lease VALUES (1), (2), (3);
    CREATE TABLE period(lease INT, n INT); INSERT INTO period VALUES (1, 2), (1, 9), (2, 3)"""
    assert answer(tmp_path, data, PERIODS, Slots(None, ("capped",))) == [(8,)]
