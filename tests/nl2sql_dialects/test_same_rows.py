"""The same slots give the same rows, of the same types, in DuckDB, SQLite and PostgreSQL: run for real."""

from datetime import date
from decimal import Decimal

import pytest

from dialogue.answer import digest
from nl2sql.slots import (
    Among,
    Comparison,
    Contains,
    Filter,
    Having,
    Interval,
    Limit,
    Members,
    Order,
    Slots,
    TimeSlot,
)
from nl2sql.times import Range
from tests.nl2sql_compile.questions import GUARDED, P1, P12, POLICY, QUESTIONS, YEAR
from tests.nl2sql_compile.test_metrics import METRICS, TIMED
from tests.nl2sql_dialects.conftest import Three
from tests.nl2sql_dialects.engines import near, types_of

OTHERS = ("sqlite", "postgres")
LAST_YEAR = TimeSlot("2025年", (Range(date(2025, 1, 1), date(2026, 1, 1)),), "period", "year")
BUILT = [name for name in METRICS if METRICS[name][0] in ("room", "contract", "order", "energy")]

MORE: dict[str, Slots] = {
    "a threshold in cents": Slots(
        "bill",
        ("receivable_amount", "outstanding_amount"),
        ("tenant_id",),
        time=LAST_YEAR,
        having=(Having("outstanding_amount", Interval(Decimal("0.01"))),),
    ),
    "no more than nothing": Slots(
        "bill",
        ("outstanding_amount",),
        ("tenant_id",),
        time=LAST_YEAR,
        having=(Having("outstanding_amount", Interval(None, True, Decimal(0), True)),),
    ),
    "a threshold finer than cents": Slots(
        "contract", rows=True, filters=(P1, Filter("contract_rent", Interval(Decimal("9000.005"))))
    ),
    "exactly": Slots(
        "park_building_resource",
        ("room_count",),
        ("building_no",),
        filters=(Filter("area_sqm", Interval(Decimal("120.5"), True, Decimal("480.25"), False)),),
    ),
    "ties among ranks": Slots(
        "work_order", ("order_count",), ("building_no",), limit=Limit(9, 3), order=Order()
    ),
    "lowest of a difference": Slots(
        "bill",
        ("outstanding_amount",),
        ("industry", "company_size"),
        time=LAST_YEAR,
        limit=Limit(5),
        order=Order(None, False),
    ),
    "yoy by day": Slots(
        "energy",
        ("energy_cost",),
        grain="day",
        time=TimeSlot("2月", (Range(date(2025, 2, 1), date(2025, 4, 1)),), "period", "month"),
        comparison=Comparison("yoy"),
    ),
    "yoy by week": Slots(
        "work_order", ("order_count",), grain="week", time=LAST_YEAR, comparison=Comparison("yoy")
    ),
    "pop by week": Slots(
        "work_order",
        ("order_count", "avg_finish_hours"),
        grain="week",
        time=YEAR,
        comparison=Comparison("pop"),
    ),
    "pop by quarter": Slots(
        "bill", ("collection_rate",), grain="quarter", time=YEAR, comparison=Comparison("pop")
    ),
    "pop by half year": Slots(
        "energy", ("kwh_per_sqm",), grain="half", time=LAST_YEAR, comparison=Comparison("pop")
    ),
    "by year": Slots("contract", ("contract_count", "avg_rent_per_sqm"), grain="year"),
    "by day": Slots("energy", ("water_ton", "gas_m3"), ("park_id",), grain="day", time=YEAR),
    "three objects": Slots(
        None, ("receivable_amount", "order_count", "energy_cost"), ("park_id",), time=LAST_YEAR
    ),
    "four facts": Slots(
        None,
        ("receivable_amount", "order_count", "energy_cost", "avg_rent_per_sqm", "room_count"),
        ("park_id",),
        grain="quarter",
        time=LAST_YEAR,
    ),
    "a boolean": Slots("tenant", ("tenant_count",), ("is_high_tech",)),
    "a boolean filtered": Slots(
        "tenant", ("tenant_count",), ("park_id",), filters=(Filter("is_high_tech", Among(("true",))),)
    ),
    "floors": Slots(
        "park_building_resource",
        ("vacant_area", "vacancy_rate"),
        ("floor_no",),
        filters=(P12,),
        order=Order("vacancy_rate"),
    ),
    "names sort by code point": Slots("tenant", ("tenant_count",), ("tenant_name",)),
    "names that contain": Slots(
        "tenant", ("tenant_count",), ("tenant_id",), filters=(Filter("tenant_name", Contains("科技")),)
    ),
    "negated over several": Slots(
        "work_order",
        ("order_count", "satisfaction_score"),
        ("category",),
        filters=(Filter("building_no", Among(("1号楼", "2号楼"), True)),),
    ),
    "members of pairs": Slots(
        "work_order",
        ("finish_rate",),
        ("building_no",),
        filters=(
            Filter(
                "building_no",
                Members(("park_id", "building_no"), (("P001", "1号楼"), ("P002", None))),
            ),
        ),
    ),
    "by a many side and month": Slots(
        "contract", ("monthly_rent",), ("building_no",), grain="month", time=LAST_YEAR, filters=(P1,)
    ),
    "ranks of a list": Slots(
        "work_order", rows=True, time=YEAR, filters=(P1,), order=Order("created_at"), limit=Limit(7)
    ),
}  # fmt: skip


def same(three: Three, slots: Slots, engine: str, policy: tuple[Filter, ...] = ()) -> None:
    """An engine's rows are DuckDB's: values, order, types and digest."""
    wanted, found = three.ask(slots, "duckdb", policy), three.ask(slots, engine, policy)
    assert found.columns == wanted.columns
    assert len(found.rows) == len(wanted.rows)
    for row, other in zip(found.rows, wanted.rows, strict=True):
        assert [near(cell) for cell in row] == list(other)
    assert types_of(found.rows) == types_of(wanted.rows)
    assert digest(found.rows) == digest(wanted.rows)


@pytest.mark.parametrize("engine", OTHERS)
@pytest.mark.parametrize("name", [*QUESTIONS, *MORE])
def test_a_question(name: str, engine: str, three: Three) -> None:
    slots = QUESTIONS[name] if name in QUESTIONS else MORE[name]
    same(three, slots, engine, POLICY if name in GUARDED else ())


@pytest.mark.parametrize("engine", OTHERS)
@pytest.mark.parametrize("metric", METRICS)
def test_a_metric_by_park(metric: str, engine: str, three: Three) -> None:
    same(three, Slots(None, (metric,), ("park_id",)), engine)


@pytest.mark.parametrize("engine", OTHERS)
@pytest.mark.parametrize("metric", BUILT)
def test_a_metric_by_building(metric: str, engine: str, three: Three) -> None:
    same(three, Slots(None, (metric,), ("building_no",), time=LAST_YEAR), engine)


@pytest.mark.parametrize("engine", OTHERS)
@pytest.mark.parametrize("metric", TIMED)
def test_a_metric_by_month(metric: str, engine: str, three: Three) -> None:
    same(three, Slots(None, (metric,), grain="month", time=LAST_YEAR), engine)


def test_the_questions_say_something(three: Three) -> None:
    """Few of them are empty: the sample has what they ask for."""
    names = [*QUESTIONS, *MORE]
    rows = [three.ask({**QUESTIONS, **MORE}[name], "duckdb").rows for name in names]
    empty = [name for name, found in zip(names, rows, strict=True) if not found]
    assert len(names) >= 60
    assert set(empty) <= {"ranks 10 to 15", "having of another"}  # empty in the whole park too
