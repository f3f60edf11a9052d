"""A sum of a rollup, summed over the child rows: what counts, and what a sum over nothing is."""

from datetime import date, datetime
from decimal import Decimal

import duckdb
import pytest

from nl2sql import readback
from nl2sql.compiler import Question, build
from nl2sql.slots import (
    Among,
    Comparison,
    Filter,
    Interval,
    Limit,
    Order,
    Slots,
    TimeSlot,
)
from nl2sql.times import Range
from semantic_layer.model import Layer

CLOCK = datetime(2026, 9, 28)
ROWS = """
create table fact_bill as select * from (values
  ('b1', 'RENT', date '2026-01-01', 100), ('b2', 'RENT', date '2026-01-01', 50),
  ('b3', 'WATER', date '2026-02-01', 10), ('b4', 'POWER', date '2025-01-01', 7)
) as t (bill_id, fee_type, bill_month, receivable_amount);
create table fact_payment as select * from (values
  ('p1', 'b1', 30), ('p2', 'b1', 20), ('p3', 'b2', null), ('p4', 'nowhere', 999), ('p5', null, 999)
) as t (payment_id, bill_id, amount);
alter table fact_bill add column tenant_id varchar;
alter table fact_bill add column park_id varchar;
alter table fact_bill add column due_date date;
create table dim_tenant (tenant_id varchar, tenant_name varchar);
create table dim_park (park_id varchar, park_name varchar);
"""


def asked(layer: Layer, slots: Slots) -> list[tuple[object, ...]]:
    sql = build(Question(slots, layer, CLOCK)).sql
    readback.check(sql, slots, layer, CLOCK)
    with duckdb.connect() as connection:
        connection.execute(ROWS)
        return connection.execute(sql).fetchall()


def during(start: date, end: date) -> TimeSlot:
    return TimeSlot("", (Range(start, end),), "period", "month")


YEAR = during(date(2026, 1, 1), date(2027, 1, 1))


def test_payments_without_a_bill_do_not_count(park_layer: Layer) -> None:
    assert asked(park_layer, Slots("bill", ("received_amount",))) == [(50,)]


def test_over_bills_without_payments_it_is_0_and_over_no_bills_unknown(park_layer: Layer) -> None:
    water = (Filter("fee_type", Among(("WATER",))),)
    none = (Filter("fee_type", Among(("OTHER",))),)
    assert asked(park_layer, Slots("bill", ("received_amount",), filters=water)) == [(0,)]
    assert asked(park_layer, Slots("bill", ("received_amount",), filters=none)) == [(None,)]


def test_every_group_of_bills_is_shown(park_layer: Layer) -> None:
    slots = Slots("bill", ("received_amount",), ("fee_type",), time=YEAR)
    assert asked(park_layer, slots) == [("RENT", 50), ("WATER", 0)]


def test_a_month_without_bills_is_unknown_and_one_without_payments_0(park_layer: Layer) -> None:
    time = during(date(2026, 1, 1), date(2026, 4, 1))
    slots = Slots("bill", ("received_amount",), grain="month", time=time, fill=True)
    assert [row[1] for row in asked(park_layer, slots)] == [50, 0, None]


@pytest.mark.parametrize("dimensions", [(), ("fee_type",)])
def test_a_base_without_payments_is_0_within_a_formula(
    park_layer: Layer, dimensions: tuple[str, ...]
) -> None:
    slots = Slots(
        "bill", ("outstanding_amount",), dimensions, time=YEAR, comparison=Comparison("yoy")
    )
    bases = {row[len(dimensions) + 1] for row in asked(park_layer, slots)}
    assert 7 in bases


OWING = (Filter("bill_outstanding", Interval(low=Decimal(20))),)  # b1 and b2, of 50 each


@pytest.mark.parametrize(
    ("slots", "rows"),
    [
        (Slots("bill", ("received_amount",), filters=OWING), [(50,)]),
        (Slots("bill", ("received_amount", "bill_count"), filters=OWING), [(50, 2)]),
        (Slots("bill", ("outstanding_amount",), ("fee_type",), filters=OWING), [("RENT", 100)]),
        (
            Slots("bill", ("received_amount",), filters=OWING, time=YEAR, comparison=Comparison("yoy")),
            [(50, None, None, None)],
        ),
        (
            Slots("bill", ("received_amount",), grain="month", filters=OWING, time=YEAR, running=True),
            None,
        ),
    ],
)  # fmt: skip
def test_a_limit_on_what_a_bill_has_gathered_is_on_the_bills(
    park_layer: Layer, slots: Slots, rows: list[tuple[object, ...]] | None
) -> None:
    found = asked(park_layer, slots)
    if rows is not None:
        assert found == rows
    else:
        assert found[0] == (date(2026, 1, 1), 50)


@pytest.mark.parametrize("limit", [None, Limit(2)])
def test_a_list_by_what_its_rows_have_gathered(park_layer: Layer, limit: Limit | None) -> None:
    slots = Slots(
        "bill", rows=True, filters=OWING, order=Order("bill_received"), limit=limit, time=YEAR
    )
    found = asked(park_layer, slots)
    assert [(row[0], *row[-2:]) for row in found] == [("b1", 50, 50), ("b2", 50, 0)]
