"""`python -m benchmarks sql`: the generated SQL against the best that was written by hand, in DuckDB.

On a park of about a million bills (made once, var/bench). Both statements of a question give the same
rows (checked), and run in turns, so that a busy machine slows both.
"""

from __future__ import annotations

import statistics
import time
from dataclasses import dataclass
from datetime import date, datetime
from math import exp, log
from pathlib import Path

import duckdb

from api.settings import demo_layer
from fixtures.park.generate import generate
from nl2sql import guard, readback
from nl2sql.compiler import Question, build
from nl2sql.slots import Among, Comparison, Filter, Limit, Order, Slots, TimeSlot
from nl2sql.times import Range
from semantic_layer.load import load

DATABASE = Path("var/bench/park-4.duckdb")
SCALE, RUNS, THREADS = 4, 31, 2
CLOCK = datetime(2026, 9, 28)
EACH, MEAN = 1.15, 1.05


def span(words: str, start: date, end: date) -> TimeSlot:
    """A period."""
    return TimeSlot(words, (Range(start, end),), "period", "month")


YEAR = span("2025年", date(2025, 1, 1), date(2026, 1, 1))
AUGUST = span("2026年8月", date(2026, 8, 1), date(2026, 9, 1))
ALL = span("2024年以来", date(2024, 1, 1), date(2027, 1, 1))
NEWEST = TimeSlot("", (Range(date(2026, 9, 27), date(2026, 9, 28)),), "newest", "day")
P1 = Filter("park_id", Among(("P001",)))


@dataclass(frozen=True, slots=True)
class Case:
    """A question as slots, and the best SQL for it by hand."""

    name: str
    slots: Slots
    by_hand: str


CASES = (
    Case(
        "receivable by month and park, all years",
        Slots("bill", ("receivable_amount",), ("park_id",), "month", time=ALL),
        """
        with sums as (
            select date_trunc('month', bill_month)::date as m, park_id, sum(receivable_amount) as due
            from fact_bill where bill_month >= date '2024-01-01' and bill_month < date '2027-01-01'
            group by 1, 2)
        select m, p.park_id, p.park_name, due
        from sums left join dim_park p using (park_id) order by 1, 2""",
    ),
    Case(
        "collection rate by fee type, a year",
        Slots("bill", ("collection_rate",), ("fee_type",), time=YEAR),
        """
        with due as (
            select fee_type, sum(receivable_amount) as due from fact_bill
            where bill_month >= date '2025-01-01' and bill_month < date '2026-01-01' group by 1),
        paid as (
            select b.fee_type, sum(p.amount) as paid from fact_payment p join fact_bill b using (bill_id)
            where b.bill_month >= date '2025-01-01' and b.bill_month < date '2026-01-01' group by 1)
        select fee_type, coalesce(paid, 0) / nullif(due, 0)
        from due left join paid using (fee_type) order by 1""",
    ),
    Case(
        "collection rate of a park, a month",
        Slots("bill", ("collection_rate",), filters=(P1,), time=AUGUST),
        """
        with bills as (
            select bill_id, receivable_amount from fact_bill
            where bill_month >= date '2026-08-01' and bill_month < date '2026-09-01' and park_id = 'P001')
        select (select sum(p.amount) from fact_payment p where p.bill_id in (select bill_id from bills))
            / nullif((select sum(receivable_amount) from bills), 0)""",
    ),
    Case(
        "overdue amount by park, year to date",
        Slots(
            "bill",
            ("overdue_amount",),
            ("park_id",),
            time=span("今年", date(2026, 1, 1), date(2026, 9, 29)),
        ),
        """
        with bills as (
            select bill_id, park_id, due_date, receivable_amount from fact_bill
            where bill_month >= date '2026-01-01' and bill_month < date '2026-09-29'),
        paid as (
            select bill_id, sum(amount) as amount from fact_payment
            where bill_id in (select bill_id from bills) group by bill_id),
        sums as (
            select b.park_id, sum(case when b.due_date < date '2026-09-28'
                then greatest(b.receivable_amount - coalesce(paid.amount, 0), 0) else 0 end) as late
            from bills b left join paid using (bill_id) group by 1)
        select p.park_id, p.park_name, late from sums left join dim_park p using (park_id) order by 1""",
    ),
    Case(
        "top 10 tenants by receivable, a year",
        Slots(
            "bill",
            ("receivable_amount",),
            ("tenant_id",),
            time=YEAR,
            order=Order(),
            limit=Limit(10),
        ),
        """
        with sums as (
            select tenant_id, sum(receivable_amount) as due from fact_bill
            where bill_month >= date '2025-01-01' and bill_month < date '2026-01-01' group by 1),
        ranked as (select *, rank() over (order by due desc nulls last) as r from sums)
        select t.tenant_id, t.tenant_name, r.due from ranked r join dim_tenant t using (tenant_id)
        where r <= 10 order by due desc nulls last, 1""",
    ),
    Case(
        "receivable by park, a year over the year before",
        Slots(
            "bill", ("receivable_amount",), ("park_id",), time=YEAR, comparison=Comparison("yoy")
        ),
        """
        with sums as (
            select park_id,
                sum(receivable_amount) filter (where bill_month >= date '2025-01-01') as now,
                sum(receivable_amount) filter (where bill_month < date '2025-01-01') as base
            from fact_bill
            where bill_month >= date '2024-01-01' and bill_month < date '2026-01-01' group by 1)
        select p.park_id, p.park_name, now, nullif(base, 0), now - nullif(base, 0), now / nullif(base, 0) - 1
        from sums left join dim_park p using (park_id) order by 1""",
    ),
    Case(
        "vacancy rate by building of a park, newest",
        Slots(
            "park_building_resource",
            ("vacancy_rate",),
            ("building_no",),
            filters=(P1,),
            time=NEWEST,
        ),
        """
        select b.building_no,
            sum(case when s.status = 'VACANT' then r.area_sqm else 0 end) / nullif(sum(r.area_sqm), 0)
        from fact_room_status s left join dim_room r on r.room_id = s.room_id
        left join dim_building b on b.building_id = r.building_id
        where s.snapshot_date = (select max(snapshot_date) from fact_room_status
                                 where snapshot_date >= date '2026-09-27' and snapshot_date < date '2026-09-28')
            and b.park_id = 'P001'
        group by 1 order by length(b.building_no) nulls last, 1""",
    ),
    Case(
        "occupancy rate by month, a year",
        Slots("park_building_resource", ("occupancy_rate",), grain="month", time=YEAR),
        """
        select date_trunc('month', s.snapshot_date)::date,
            sum(case when s.status = 'LEASED' then r.area_sqm else 0 end) / nullif(sum(r.area_sqm), 0)
        from fact_room_status s left join dim_room r on r.room_id = s.room_id
        where s.snapshot_date in (
            select max(snapshot_date) from fact_room_status
            where snapshot_date >= date '2025-01-01' and snapshot_date < date '2026-01-01'
            group by date_trunc('month', snapshot_date))
        group by 1 order by 1""",
    ),
    Case(
        "orders and response time by category and month",
        Slots(
            "work_order", ("order_count", "avg_response_minutes"), ("category",), "month", time=YEAR
        ),
        """
        select date_trunc('month', created_at)::date, category, count(*),
            avg(datediff('microsecond', created_at, responded_at)) / 60000000
        from fact_work_order
        where created_at >= timestamp '2025-01-01' and created_at < timestamp '2026-01-01'
        group by 1, 2 order by 1, 2""",
    ),
    Case(
        "outstanding and orders by park (two facts)",
        Slots("bill", ("outstanding_amount", "order_count"), ("park_id",), time=YEAR),
        """
        with due as (
            select park_id, sum(receivable_amount) as due from fact_bill
            where bill_month >= date '2025-01-01' and bill_month < date '2026-01-01' group by 1),
        paid as (
            select b.park_id, sum(p.amount) as paid from fact_payment p join fact_bill b using (bill_id)
            where b.bill_month >= date '2025-01-01' and b.bill_month < date '2026-01-01' group by 1),
        orders as (
            select park_id, count(*) as n from fact_work_order
            where created_at >= timestamp '2025-01-01' and created_at < timestamp '2026-01-01' group by 1)
        select p.park_id, p.park_name, due - coalesce(paid, 0), n
        from due left join paid using (park_id) full join orders using (park_id)
        left join dim_park p using (park_id) order by 1""",
    ),
    Case(
        "electricity per sqm by park and quarter",
        Slots("energy", ("kwh_per_sqm",), ("park_id",), "quarter", time=YEAR),
        """
        with kwh as (
            select date_trunc('quarter', e.reading_date)::date as q, e.building_id,
                sum(case when e.energy_type = 'ELECTRICITY' then e.quantity else 0 end) as n
            from fact_energy e
            where e.reading_date >= date '2025-01-01' and e.reading_date < date '2026-01-01' group by 1, 2)
        select kwh.q, p.park_id, p.park_name, sum(kwh.n) / nullif(sum(b.gross_area), 0)
        from kwh left join dim_building b using (building_id) left join dim_park p using (park_id)
        group by 1, 2, 3 order by 1, 2""",
    ),
)


def main() -> None:
    """Measure and print; the last line is the geometric mean."""
    if not DATABASE.exists():
        print(f"making {DATABASE} (about half a minute) …", flush=True)
        generate(DATABASE, scale=SCALE)
    layer = load(demo_layer())
    connection = duckdb.connect(str(DATABASE), read_only=True, config={"threads": THREADS})
    bills = connection.execute("select count(*) from fact_bill").fetchall()[0][0]
    print(f"{bills:,} bills; medians of {RUNS} runs in turns, {THREADS} threads, milliseconds\n")
    print(f"{'question':50} {'ours':>8} {'by hand':>8} {'ratio':>7}")
    ratios = []
    for case in CASES:
        ours = build(Question(case.slots, layer, CLOCK)).sql
        readback.check(ours, case.slots, layer, CLOCK)
        guard.check(ours, layer)
        same(connection, case, ours)
        took = in_turns(connection, ours, case.by_hand)
        ratio = took[0] / took[1]
        ratios.append(ratio)
        mark = "" if ratio <= EACH else f"  over {EACH}"
        print(f"{case.name:50} {took[0]:8.2f} {took[1]:8.2f} {ratio:7.2f}{mark}", flush=True)
    mean = exp(sum(map(log, ratios)) / len(ratios))
    print(f"\ngeometric mean {mean:.3f} (bar {MEAN}), worst {max(ratios):.2f} (bar {EACH})")


def same(connection: duckdb.DuckDBPyConnection, case: Case, ours: str) -> None:
    """Both statements give the same rows; the columns that ours shows besides are left out."""
    cursor = connection.execute(ours)
    names = [item[0] for item in cursor.description or ()]
    pinned = [name for name in ("park_id", "park_id__label") if case.slots.fixed(name[:7])]
    kept = [index for index, name in enumerate(names) if name not in pinned]
    found = [tuple(_cell(row[index]) for index in kept) for row in cursor.fetchall()]
    wanted = [tuple(map(_cell, row)) for row in connection.execute(case.by_hand).fetchall()]
    if found != wanted:
        raise SystemExit(f"{case.name}: not the same rows\n{found[:3]}\n{wanted[:3]}\n{ours}")


def _cell(value: object) -> object:
    """A cell for comparison: figures without an exact form by nine digits."""
    return f"{value:.9g}" if isinstance(value, float) else value


def in_turns(connection: duckdb.DuckDBPyConnection, *statements: str) -> list[float]:
    """The median milliseconds of each statement, run in turns; the order changes every time."""
    took: list[list[float]] = [[] for _ in statements]
    for run in range(RUNS + 2):
        order = range(len(statements)) if run % 2 else reversed(range(len(statements)))
        for index in order:
            start = time.perf_counter()
            connection.execute(statements[index]).fetchall()
            if run > 1:
                took[index].append((time.perf_counter() - start) * 1000)
    return [statistics.median(item) for item in took]
