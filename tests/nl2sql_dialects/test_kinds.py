"""Metrics of every kind on small tables, in every engine, against numbers worked out by hand."""

from collections.abc import Sequence
from datetime import date, datetime
from decimal import Decimal

import pytest
import sqlglot
from sqlglot import exp

from nl2sql import readback
from nl2sql.compiler import Question, build
from nl2sql.errors import QuestionError, ReadBackError
from nl2sql.slots import Among, Comparison, Filter, Limit, Order, Slots, TimeSlot
from nl2sql.times import Grain, Range
from semantic_layer.load import loads
from semantic_layer.model import Layer
from semantic_layer.protocols import Cell
from tests.nl2sql_compile.mutate import mutations
from tests.nl2sql_compile.test_readback_mutations import EQUIVALENT
from tests.nl2sql_dialects.conftest import ENGINES, Build
from tests.nl2sql_dialects.engines import near
from tests.nl2sql_dialects.test_small import run

LAYER = """
wenshu: 1
layer: kinds
data_from: 2026-01-01
tables:
  sale:
    key: id
    columns: {id: integer, day: date, shop: text, client: text, price: {type: decimal, scale: 2}, weight: integer}
  balance:
    columns: {day: date, account: text, bank: text, amount: {type: decimal, scale: 2}}
dimensions:
  shop: {column: sale.shop}
  bank: {column: balance.bank}
objects:
  sale:
    table: sale
    time: {column: day}
    dimensions: [shop]
    metrics:
      sold: {sum: price}
      sales: {count: rows}
      clients: {count_distinct: client}
      dear: {count: rows, where: price > 15}
      ninth: {percentile: price, at: 0.9}
      mean: {average: price, weight: weight}
      mean_dear: {average: price, weight: weight, where: price > 15}
      ticket: {formula: sold / sales}
      so_far: {cumulative: sold}
      week: {rolling: sold, over: 7 days}
      week_clients: {rolling: clients, over: 7 days}
      week_ticket: {rolling: ticket, over: 7 days}
      this_month: {to_date: sold, period: month}
  balance:
    table: balance
    time: {column: day, snapshot: true, per: account, unasked: newest}
    dimensions: [bank]
    metrics:
      held: {sum: amount}
      opened: {sum: amount, take: first}
      accounts: {count: rows}
      held_each: {formula: held / accounts}
"""
DATA = [
    """
CREATE TABLE sale(id INT, day DATE, shop VARCHAR, client VARCHAR, price DECIMAL(18,2), weight INT);
INSERT INTO sale VALUES
 (1,'2026-01-03','a','x',10,1),(2,'2026-01-05','a','y',20,3),(3,'2026-01-05',NULL,'x',30,1),
 (4,'2026-01-12','b','x',40.5,2),(5,'2026-02-02','a','z',50,NULL),(6,'2026-02-09','b','x',NULL,5)
""",
    """
CREATE TABLE balance(day DATE, account VARCHAR, bank VARCHAR, amount DECIMAL(18,2));
INSERT INTO balance VALUES
 ('2026-01-10','A','p',100),('2026-01-20','A','p',110),('2026-02-15','A','q',120),
 ('2026-01-25','B','p',7.5),('2026-02-01','B','p',8.5),('2026-01-02','C',NULL,1)
""",
]
CLOCK = datetime(2026, 2, 10)
JANUARY = TimeSlot("1月", (Range(date(2026, 1, 1), date(2026, 2, 1)),), "period", "month")
BOTH = TimeSlot("1到2月", (Range(date(2026, 1, 1), date(2026, 3, 1)),), "between", "month")
WEEK = TimeSlot("1-5到1-11", (Range(date(2026, 1, 5), date(2026, 1, 12)),), "between", "day")
D = Decimal


@pytest.fixture
def asked(small: Build) -> "Asked":
    layer = loads(LAYER)
    return Asked(layer, small(layer, DATA))


class Asked:
    """Slots asked of every engine; the rows must be the same."""

    def __init__(self, layer: Layer, warehouses: dict[str, object]) -> None:
        self.layer, self.warehouses = layer, warehouses

    def __call__(self, slots: Slots) -> list[tuple[Cell, ...]]:
        first = run(self.warehouses["duckdb"], self.layer, slots, CLOCK)  # type: ignore[arg-type]
        for engine in ENGINES[1:]:
            other = run(self.warehouses[engine], self.layer, slots, CLOCK)  # type: ignore[arg-type]
            assert [[near(cell) for cell in row] for row in other.rows] == [
                list(row) for row in first.rows
            ], engine
        return list(first.rows)


def sale(
    *metrics: str, by: Sequence[str] = (), grain: Grain | None = None, time: TimeSlot | None = BOTH
) -> Slots:
    return Slots("sale", metrics, tuple(by), grain, time=time)


def test_a_weighted_average_counts_each_row_for_its_weight(asked: Asked) -> None:
    # (10·1 + 20·3 + 30·1 + 40.5·2) / 7: a row without a price or a weight counts for nothing
    assert asked(sale("mean", "mean_dear"))[0] == pytest.approx((181 / 7, 171 / 6))
    assert asked(sale("mean", by=["shop"])) == [
        ("a", pytest.approx(70 / 4)),
        ("b", pytest.approx(40.5)),
        (None, pytest.approx(30)),
    ]


def test_a_percentile_lies_between_the_values(small: Build) -> None:
    # 10 20 30 40.5 50: the 90th lies 0.6 of the way from 40.5 to 50
    layer = loads(LAYER)
    warehouses = small(layer, DATA)
    for engine in ("duckdb", "postgres"):
        found = run(warehouses[engine], layer, sale("ninth"), CLOCK)
        assert float(str(found.rows[0][0])) == pytest.approx(46.2, abs=0.005), engine
    with pytest.raises(QuestionError, match="not-in-dialect"):
        run(warehouses["sqlite"], layer, sale("ninth"), CLOCK)


def test_a_cumulative_number_begins_with_the_data(asked: Asked) -> None:
    february = Slots(
        "sale",
        ("so_far", "sold"),
        grain="month",
        time=TimeSlot("2月", (Range(date(2026, 2, 1), date(2026, 3, 1)),), "period", "month"),
    )
    assert asked(february) == [(date(2026, 2, 1), D("150.50"), D("50.00"))]
    assert asked(sale("so_far", grain="month", time=None)) == [
        (date(2026, 1, 1), D("100.50")),
        (date(2026, 2, 1), D("150.50")),
    ]
    assert asked(sale("so_far", time=JANUARY)) == [(D("100.50"),)]


def test_a_rolling_number_reads_before_the_range(asked: Asked) -> None:
    # each day's number is of that day and the six before it; the third of January counts on the 5th
    days = asked(sale("week", "week_clients", "week_ticket", grain="day", time=WEEK))
    assert days[0] == (date(2026, 1, 5), D("60.00"), 2, pytest.approx(20.0))
    assert [(day, total) for day, total, *_ in days] == [
        (date(2026, 1, 5 + index), D("60.00") if index < 5 else D("50.00")) for index in range(7)
    ]
    # asked without buckets: the seven days up to the end of what was asked
    assert asked(sale("week", "week_clients", time=JANUARY)) == [(None, 0)]
    assert asked(sale("week", time=WEEK)) == [(D("50.00"),)]


def test_a_distinct_count_over_a_window_is_counted_anew(asked: Asked) -> None:
    assert asked(sale("week_clients", by=["shop"], time=WEEK)) == [("a", 1), (None, 1)]


def test_to_date_begins_with_its_period(asked: Asked) -> None:
    weeks = asked(sale("this_month", grain="week", time=JANUARY))
    assert weeks == [
        (date(2025, 12, 29), D("10.00")),
        (date(2026, 1, 5), D("60.00")),
        (date(2026, 1, 12), D("100.50")),
        (date(2026, 1, 19), D("100.50")),
        (date(2026, 1, 26), D("100.50")),
    ]
    assert asked(sale("this_month", time=WEEK)) == [(D("60.00"),)]


def test_a_window_is_compared_with_the_window_before(asked: Asked) -> None:
    february = TimeSlot("2月", (Range(date(2026, 2, 1), date(2026, 3, 1)),), "period", "month")
    slots = Slots("sale", ("this_month",), time=february, comparison=Comparison("pop"))
    # February up to the tenth, and January up to the tenth
    assert asked(slots)[0][:2] == (D("50.00"), D("60.00"))
    by_month = Slots("sale", ("so_far",), (), "month", time=february, comparison=Comparison("pop"))
    assert asked(by_month)[0][:3] == (date(2026, 2, 1), D("150.50"), D("100.50"))


def test_running_totals_begin_with_what_was_asked(asked: Asked) -> None:
    slots = Slots("sale", ("sold", "ticket"), ("shop",), "month", time=BOTH, running=True)
    assert asked(slots) == [
        (date(2026, 1, 1), "a", D("30.00"), 15.0),
        (date(2026, 1, 1), "b", D("40.50"), 40.5),
        (date(2026, 1, 1), None, D("30.00"), 30.0),
        (date(2026, 2, 1), "a", D("80.00"), pytest.approx(80 / 3)),
        (date(2026, 2, 1), "b", D("40.50"), 20.25),
        (date(2026, 2, 1), None, D("30.00"), 30.0),
    ]


def test_each_key_has_a_last_state_of_its_own(asked: Asked) -> None:
    newest = TimeSlot("", (Range(date(2026, 1, 1), date(2026, 2, 11)),), "period", "day")
    # A stood at 110 on 20 January (its next is after the clock), B at 8.5, C at 1
    assert asked(Slots("balance", ("held", "accounts"), time=newest)) == [(D("119.50"), 3)]
    assert asked(Slots("balance", ("held", "opened"), ("bank",), time=JANUARY)) == [
        ("p", D("117.50"), D("107.50")),
        (None, D("1.00"), D("1.00")),
    ]
    by_month = Slots("balance", ("held", "held_each"), (), "month", time=BOTH)
    assert asked(by_month) == [
        (date(2026, 1, 1), D("118.50"), 39.5),
        (date(2026, 2, 1), D("128.50"), 64.25),
    ]


def test_the_last_state_is_chosen_before_the_filter(asked: Asked) -> None:
    only_p = (Filter("bank", Among(("p",))),)
    february = TimeSlot("2月", (Range(date(2026, 2, 1), date(2026, 3, 1)),), "period", "month")
    # A went to bank q in February: of p there is only B left
    assert asked(Slots("balance", ("held",), filters=only_p, time=february)) == [(D("8.50"),)]


def test_a_share_is_of_all_groups_and_the_rest_is_a_row(asked: Asked) -> None:
    slots = Slots("sale", ("sold",), ("shop",), time=BOTH, share=True)
    assert asked(slots) == [
        ("a", D("80.00"), pytest.approx(80 / 150.5)),
        ("b", D("40.50"), pytest.approx(40.5 / 150.5)),
        (None, D("30.00"), pytest.approx(30 / 150.5)),
    ]
    top = Slots(
        "sale",
        ("sold",),
        ("shop",),
        time=BOTH,
        order=Order(),
        limit=Limit(1, others=True),
        share=True,
    )
    assert asked(top) == [
        ("a", 0, D("80.00"), pytest.approx(80 / 150.5)),
        (None, 1, D("70.50"), pytest.approx(70.5 / 150.5)),
    ]


def test_a_row_of_totals_is_computed_anew(asked: Asked) -> None:
    slots = Slots("sale", ("clients", "ticket", "sold"), ("shop",), time=BOTH, totals=True)
    assert asked(slots) == [
        ("a", 0, 3, pytest.approx(80 / 3), D("80.00")),
        ("b", 0, 1, 20.25, D("40.50")),
        (None, 0, 1, 30.0, D("30.00")),
        (None, 1, 3, pytest.approx(150.5 / 6), D("150.50")),
    ]


def test_buckets_without_facts_are_filled(asked: Asked) -> None:
    weeks = TimeSlot("1月", (Range(date(2026, 1, 5), date(2026, 2, 2)),), "between", "week")
    assert asked(Slots("sale", ("sales", "sold"), (), "week", time=weeks, fill=True)) == [
        (date(2026, 1, 5), 2, D("50.00")),
        (date(2026, 1, 12), 1, D("40.50")),
        (date(2026, 1, 19), 0, None),
        (date(2026, 1, 26), 0, None),
    ]


MUTATED = {
    "weighted": sale("mean", "mean_dear", by=["shop"]),
    "percentile": sale("ninth"),
    "cumulative": sale("so_far", grain="month"),
    "rolling": sale("week", "week_clients", "week_ticket", by=["shop"], grain="week", time=JANUARY),
    "rolling without buckets": sale("week", time=WEEK),
    "to date": sale("this_month", grain="month"),
    "per key": Slots("balance", ("held", "opened", "held_each"), ("bank",), "month", time=BOTH),
}


@pytest.mark.parametrize("name", MUTATED)
def test_no_changed_statement_passes(name: str) -> None:
    layer, slots = loads(LAYER), MUTATED[name]
    sql = build(Question(slots, layer, CLOCK)).sql
    readback.check(sql, slots, layer, CLOCK)
    names = [*layer.tables["sale"].columns, *layer.tables["balance"].columns]
    columns = dict(zip(names, names[1:] + names[:1], strict=True))
    tree = sqlglot.parse_one(sql, "duckdb")
    assert isinstance(tree, exp.Select)
    survivors = []
    for what, changed in mutations(tree, columns):
        try:
            readback.check(changed, slots, layer, CLOCK)
        except ReadBackError:
            continue
        if what.partition(":")[0] not in EQUIVALENT:
            survivors.append(what)
    assert survivors == []


@pytest.mark.parametrize(
    ("slots", "code"),
    [
        (Slots("sale", ("clients",), ("shop",), share=True), "not-additive"),
        (Slots("sale", ("ticket",), ("shop",), share=True), "not-additive"),
        (Slots("sale", ("sold",), share=True), "nothing-to-part"),
        (Slots("sale", ("sold",), totals=True), "nothing-to-part"),
        (
            Slots("sale", ("clients",), ("shop",), limit=Limit(1, others=True), order=Order()),
            "not-additive",
        ),
        (Slots("sale", ("sold",), ("shop",), limit=Limit(1), totals=True), "not-together"),
        (Slots("sale", ("sold",), ("shop",), "month", time=BOTH, fill=True), "not-together"),
        (Slots("sale", ("week",), (), "month", time=BOTH, running=True), "window-twice"),
        (Slots("balance", ("held",), (), "month", time=BOTH, running=True), "window-of-snapshots"),
        (
            Slots("sale", ("sold",), (), "month", time=BOTH, comparison=Comparison("fixed")),
            "fixed-base-by-period",
        ),
    ],
)
def test_what_would_not_be_what_it_seems_is_declined(slots: Slots, code: str) -> None:
    with pytest.raises(QuestionError) as declined:
        build(Question(slots, loads(LAYER), CLOCK))
    assert declined.value.code == code
