"""A period and its base in one pass: numbers worked out by hand, and those of two passes, in every engine."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime

import pytest
import sqlglot
from sqlglot import exp

from nl2sql import readback
from nl2sql.compiler import Question, anchor, build
from nl2sql.errors import ReadBackError
from nl2sql.readback import from_slots
from nl2sql.slots import Among, Comparison, Filter, Having, Interval, Limit, Order, Slots, TimeSlot
from nl2sql.times import Range
from semantic_layer.load import loads
from semantic_layer.protocols import Cell, Rows
from tests.nl2sql_compile.mutate import mutations
from tests.nl2sql_compile.test_readback_mutations import EQUIVALENT
from tests.nl2sql_dialects.conftest import Build
from tests.nl2sql_dialects.test_small import run

CLOCK = datetime(2026, 9, 28)
LAYER = loads("""
wenshu: 1
layer: compared
tables:
  shop: {key: id, columns: {id: text, name: text}}
  sale:
    key: id
    columns: {id: integer, day: date, shop: text, kind: text, price: {type: decimal, scale: 2}}
    joins: {place: {table: shop, "on": {shop: id}}}
    has_many: {returns: {table: back, join: sale}}
  back:
    columns: {sale: integer, price: {type: decimal, scale: 2}}
    joins: {sale: {table: sale, "on": {sale: id}}}
  visit: {columns: {day: date, shop: text}, joins: {place: {table: shop, "on": {shop: id}}}}
dimensions:
  shop: {column: shop.id, label: name}
  kind: {column: sale.kind}
objects:
  sale:
    table: sale
    time: {column: day}
    dimensions: [shop, kind]
    rollups: {returned: {sum: price, of: returns}}
    metrics:
      sold: {sum: price}
      sales: {count: rows}
      by_card: {sum: price, where: kind = 'card'}
      cards: {count: rows, where: kind = 'card'}
      dearest: {max: price}
      mean: {average: price}
      mean_card: {average: price, where: kind = 'card'}
      kinds: {count_distinct: kind}
      ticket: {formula: sold / sales}
      given_back: {sum: returned}
      kept: {formula: sold - given_back}
      late: {sum: "greatest(price - returned, 0)"}
  visit: {table: visit, time: {column: day}, dimensions: [shop], metrics: {visits: {count: rows}}}
""")
# `gone` sold in the base alone, `new` in August 2026 alone and nothing but NULLs, `gap` in between
DATA = [
    """
CREATE TABLE shop(id VARCHAR, name VARCHAR);
INSERT INTO shop VALUES ('both', 'B'), ('gone', 'G'), ('new', 'N'), ('gap', 'P');
CREATE TABLE sale(id INT, day DATE, shop VARCHAR, kind VARCHAR, price DECIMAL(18,2));
INSERT INTO sale VALUES
 (1,'2026-08-01','both','card',10),(2,'2026-08-31','both',NULL,NULL),(3,'2025-08-31','both','cash',4),
 (4,'2025-08-01','gone','card',7),(5,'2026-08-15','new','cash',NULL),(6,'2026-08-15','nowhere','card',3),
 (7,'2025-08-15',NULL,'card',1),(8,'2026-01-15','gap','card',100),(9,'2026-09-01','both','card',1000),
 (10,'2025-09-01','both','card',2000),(11,'2025-07-31','both','card',3000),(12,'2026-07-31','both','card',5);
CREATE TABLE back(sale INT, price DECIMAL(18,2));
INSERT INTO back VALUES (1, 2), (1, 3), (3, 4), (8, 50), (9, 7), (NULL, 9);
CREATE TABLE visit(day DATE, shop VARCHAR);
INSERT INTO visit VALUES ('2026-08-02','both'),('2026-08-03','gap'),('2025-08-02','new'),('2024-08-02','gap')
"""
]
AUGUST = TimeSlot("8月", (Range(date(2026, 8, 1), date(2026, 9, 1)),), "period", "month")
YOY, POP = Comparison("yoy"), Comparison("pop")
JULY_TOO = Comparison("fixed", base=(Range(date(2026, 7, 1), date(2026, 9, 1)),), words="七八月")


def asked(*metrics: str, by: Sequence[str] = ("shop",), **more: object) -> Slots:
    plain = Slots("sale", metrics, tuple(by), time=AUGUST, comparison=YOY)
    return replace(plain, **more)  # type: ignore[arg-type]


BY_HAND: list[tuple[Slots, list[tuple[Cell, ...]]]] = [
    # a sum of nothing but NULLs is 0, one over no rows is not known; the shop in between is no group
    (asked("sold"), [("both", 10, 4), ("gone", None, 7), ("new", 0, None), (None, 3, 1)]),
    (asked("sales"), [("both", 2, 1), ("gone", None, 1), ("new", 1, None), (None, 1, 1)]),
    # none of the rows by card: 0, which is no base
    (asked("by_card"), [("both", 10, None), ("gone", None, 7), ("new", 0, None), (None, 3, 1)]),
    (asked("cards"), [("both", 1, None), ("gone", None, 1), ("new", 0, None), (None, 1, 1)]),
    (asked("dearest"), [("both", 10, 4), ("gone", None, 7), ("new", None, None), (None, 3, 1)]),
    (asked("mean"), [("both", 10, 4), ("gone", None, 7), ("new", None, None), (None, 3, 1)]),
    (asked("ticket"), [("both", 5, 4), ("gone", None, 7), ("new", 0, None), (None, 3, 1)]),
    (asked("kinds"), [("both", 1, 1), ("gone", None, 1), ("new", 1, None), (None, 1, 1)]),
    # what was given back by sales of August 2026: 0 where nothing was
    (asked("kept"), [("both", 5, None), ("gone", None, 7), ("new", 0, None), (None, 3, 1)]),
    (asked("late"), [("both", 5, None), ("gone", None, 7), ("new", 0, None), (None, 3, 1)]),
    # the base touches the period, or holds it
    (asked("sold", comparison=POP), [("both", 10, 5), ("new", 0, None), (None, 3, None)]),
    (asked("sold", comparison=JULY_TOO), [("both", 10, 15), ("new", 0, None), (None, 3, 3)]),
    # without groups
    (asked("sold", by=()), [(13, 12)]),
    (asked("cards", "sales", by=()), [(2, 2, 4, 3)]),
    (asked("kept", by=()), [(8, 8)]),
    (asked("sold", "sales", by=(), filters=(Filter("kind", Among(("none",))),)), [(None, None, 0, None)]),
]  # fmt: skip


@pytest.mark.parametrize(
    ("slots", "wanted"), BY_HAND, ids=lambda item: getattr(item, "metrics", "")
)
def test_by_hand(slots: Slots, wanted: list[tuple[Cell, ...]], small: Build) -> None:
    for engine, warehouse in small(LAYER, DATA).items():
        found = run(warehouse, LAYER, slots, CLOCK)
        names = [*slots.dimensions]
        for name in slots.metrics:
            names += [name, f"{name}__base"]
        at = [found.columns.index(name) for name in names]
        assert [tuple(row[index] for index in at) for row in found.rows] == [
            pytest.approx(row) if None not in row else row for row in wanted
        ], engine


ALIKE = [item[0] for item in BY_HAND] + [
    asked("sold", "mean_card", "cards", "dearest", by=("shop", "kind")),
    asked("sold", "kinds"),
    asked("kept", "visits"),
    asked("visits", "kinds", "late"),
    asked("kept", totals=True),
    asked("ticket", "cards", totals=True, comparison=POP),
    asked("sold", having=(Having("sold", Interval(None, True, 5)),)),  # type: ignore[arg-type]
    asked("sold", limit=Limit(1), order=Order()),
    asked("sales", by=("shop", "kind"), limit=Limit(1, 1, ("kind",)), order=Order("sold", False)),
    asked("sold", share=True),
    asked("ticket", by=("kind",), filters=(Filter("shop", Among(("both",), True)),)),
]


@pytest.mark.parametrize("policy", [(), (Filter("shop", Among(("both", "new"))),)])
def test_two_passes_give_the_same(
    policy: tuple[Filter, ...], small: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = small(LAYER, DATA)

    def answers() -> list[Rows]:
        return [
            run(item, LAYER, slots, CLOCK, policy) for slots in ALIKE for item in opened.values()
        ]

    at_once = answers()
    for module in (anchor, from_slots):
        monkeypatch.setattr(module, "at_once", lambda *_: False)
    assert [(item.columns, item.rows) for item in at_once] == [
        (item.columns, item.rows) for item in answers()
    ]


@pytest.mark.parametrize(
    ("slots", "passes"),
    [
        (asked("sold", "cards", "mean"), 1),
        (asked("kinds"), 2),  # a distinct count is 0 where a period has no rows
        (asked("sold", by=(), grain="month"), 2),  # the base's months stand beside later ones
        (asked("kept"), 2),  # sales, and what was given back
        (asked("kept", "kinds"), 3),
    ],
)
def test_what_takes_two_passes(slots: Slots, passes: int) -> None:
    plan = build(Question(slots, LAYER, CLOCK)).plan
    assert plan is not None
    assert len(plan.legs) == passes


SOLD = asked("sold", "cards", by=("kind",))
NOW = "sale.day >= CAST('2026-08-01' AS DATE) AND sale.day < CAST('2026-09-01' AS DATE)"
THEN = "sale.day >= CAST('2025-08-01' AS DATE) AND sale.day < CAST('2025-09-01' AS DATE)"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (f"WHEN {NOW}", f"WHEN {THEN}"),
        (f"WHEN {THEN}", f"WHEN {NOW}"),
        (f"WHEN {NOW}", "WHEN sale.day >= CAST('2026-08-01' AS DATE)"),
        (f"WHEN {THEN}", "WHEN sale.day < CAST('2025-09-01' AS DATE)"),
        (f"({THEN}) OR ({NOW})", NOW),
        (f"({THEN}) OR ({NOW})", f"({THEN}) OR ({NOW}) OR ({NOW})"),
        (f"({THEN}) OR ({NOW})", "sale.day >= CAST('2025-08-01' AS DATE)"),
        ("COALESCE(sale.price, 0) END) AS sold__base", "1 END) AS sold__base"),
        ("COALESCE(sale.price, 0) END) AS sold__base", "sale.price END) AS sold__base"),
        ("COALESCE(sale.price, 0) END) AS sold,", "COALESCE(sale.price, 0) ELSE 0 END) AS sold,"),
        ("AS sold__base, SUM", "AS cards__base, SUM"),
        ("NULLIF(sold__base, 0) AS sold__base", "NULLIF(cards__base, 0) AS sold__base"),
        ("FROM sale_totals", "FROM sale_totals WHERE sold > 0"),
        ("FROM sale_totals", "FROM (SELECT DISTINCT * FROM sale_totals) AS sale_totals"),
    ],
)
def test_a_wrong_pass_is_refused(old: str, new: str) -> None:
    """Periods exchanged, a bound lost, rows of one period alone, the measure of another column."""
    sql = sqlglot.parse_one(build(Question(SOLD, LAYER, CLOCK)).sql, "duckdb").sql("duckdb")
    readback.check(sql, SOLD, LAYER, CLOCK)
    assert old in sql
    with pytest.raises(ReadBackError):
        readback.check(sql.replace(old, new, 1), SOLD, LAYER, CLOCK)


@pytest.mark.parametrize(
    "new",
    ["(SELECT DISTINCT * FROM combined) AS combined", "sale_totals AS combined", "main.combined"],
)
def test_groups_by_another_name_are_refused(new: str) -> None:
    slots = asked("kept")
    sql = build(Question(slots, LAYER, CLOCK)).sql
    with pytest.raises(ReadBackError):
        readback.check(sql.replace("FROM combined", f"FROM {new}", 1), slots, LAYER, CLOCK)


def test_exchanged_periods_are_refused() -> None:
    """Each measure of the other's period, in all places."""
    sql = sqlglot.parse_one(build(Question(SOLD, LAYER, CLOCK)).sql, "duckdb").sql("duckdb")
    swapped = sql.replace(f"WHEN {NOW}", "?").replace(f"WHEN {THEN}", f"WHEN {NOW}")
    with pytest.raises(ReadBackError):
        readback.check(swapped.replace("?", f"WHEN {THEN}"), SOLD, LAYER, CLOCK)


@pytest.mark.parametrize(
    "slots",
    [SOLD, asked("kept"), asked("late"), asked("cards", "mean_card", by=(), comparison=POP)],
)
def test_no_changed_statement_passes(slots: Slots) -> None:
    tree = sqlglot.parse_one(build(Question(slots, LAYER, CLOCK)).sql, "duckdb")
    assert isinstance(tree, exp.Select)
    others = {"price": "id", "day": "id", "shop": "kind", "kind": "shop", "sale": "price"}
    found = list(mutations(tree, others))
    assert len(found) > 100
    passed = [
        what
        for what, sql in found
        if what.partition(":")[0] not in EQUIVALENT and passes(sql, slots)
    ]
    assert passed == []


def passes(sql: str, slots: Slots) -> bool:
    try:
        readback.check(sql, slots, LAYER, CLOCK)
    except ReadBackError:
        return False
    return True
