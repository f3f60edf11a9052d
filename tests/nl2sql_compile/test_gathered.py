"""A sum of a rollup, summed over the child rows: what counts, and what a sum over nothing is."""

from datetime import date, datetime

import duckdb
import pytest

from nl2sql import readback
from nl2sql.compiler import Question, build
from nl2sql.slots import Among, Comparison, Filter, Slots, TimeSlot
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
