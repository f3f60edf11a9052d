"""Every metric of the park layer against SQL written by hand: alone, by park, by month, filtered."""

from collections.abc import Callable, Sequence
from datetime import date

import pytest

from nl2sql.slots import Among, Filter, Slots, TimeSlot
from nl2sql.times import Range
from semantic_layer.model import Layer
from semantic_layer.protocols import Rows

Ask = Callable[..., Rows]
Gold = Callable[[str], list[tuple[object, ...]]]

YEAR = TimeSlot("2025年", (Range(date(2025, 1, 1), date(2026, 1, 1)),), "period", "year")

# The rows of each object, with its park and day, by hand: nothing of the layer in it.
ROWS = {
    "room": """
        select s.snapshot_date as day, b.park_id, r.area_sqm, s.status
        from fact_room_status s
        join dim_room r on r.room_id = s.room_id
        join dim_building b on b.building_id = r.building_id""",
    "bill": """
        select b.bill_month as day, b.park_id, b.tenant_id, b.due_date,
               b.receivable_amount as due,
               coalesce((select sum(p.amount) from fact_payment p where p.bill_id = b.bill_id), 0) as paid,
               exists (select 1 from fact_payment p where p.bill_id = b.bill_id) as has_payment
        from fact_bill b""",
    "contract": """
        select c.sign_date as day, c.park_id, c.status, c.monthly_rent,
               coalesce((select sum(x.leased_area) from contract_room x
                         where x.contract_id = c.contract_id), 0) as area
        from fact_contract c""",
    "ending": "select end_date as day, park_id, status from fact_contract",
    "tenant": """
        select c.park_id, t.tenant_id, t.is_high_tech
        from dim_tenant t join fact_contract c on c.tenant_id = t.tenant_id and c.status = 'ACTIVE'""",
    "order": """
        select created_at as day, park_id, status, satisfaction,
               epoch_us(responded_at) - epoch_us(created_at) as to_response,
               epoch_us(finished_at) - epoch_us(created_at) as to_finish
        from fact_work_order""",
    "energy": """
        select e.reading_date as day, b.park_id, e.energy_type, e.quantity, e.cost,
               b.building_id, b.gross_area
        from fact_energy e join dim_building b on b.building_id = e.building_id""",
}

AREA = "list_sum(list_transform(list_distinct(list({'b': building_id, 'a': gross_area})), lambda x: x.a))"
KWH = "sum(case when energy_type = 'ELECTRICITY' then quantity else 0 end)"
OVERDUE = "case when due_date < date '2026-09-28' and due > paid then due - paid else 0 end"

# metric: its rows, and its value over them
METRICS = {
    "room_count": ("room", "count(*)"),
    "total_area": ("room", "sum(area_sqm)"),
    "vacant_count": ("room", "count(*) filter (where status = 'VACANT')"),
    "vacant_area": ("room", "sum(case when status = 'VACANT' then area_sqm else 0 end)"),
    "leased_area": ("room", "sum(case when status = 'LEASED' then area_sqm else 0 end)"),
    "occupancy_rate": ("room", "sum(area_sqm) filter (where status = 'LEASED') / sum(area_sqm)"),
    "vacancy_rate": ("room", "sum(area_sqm) filter (where status = 'VACANT') / sum(area_sqm)"),
    "bill_count": ("bill", "count(*)"),
    "receivable_amount": ("bill", "sum(due)"),
    "received_amount": ("bill", "sum(paid)"),
    "outstanding_amount": ("bill", "sum(due) - sum(paid)"),
    "collection_rate": ("bill", "sum(paid) / nullif(sum(due), 0)"),
    "overdue_amount": ("bill", f"sum({OVERDUE})"),
    "paying_tenant_count": ("bill", "count(distinct tenant_id) filter (where has_payment)"),
    "contract_count": ("contract", "count(*)"),
    "expiring_count": ("ending", "count(*) filter (where status <> 'TERMINATED')"),
    "leased_contract_area": ("contract", "sum(area)"),
    "monthly_rent": ("contract", "sum(monthly_rent)"),
    "avg_rent_per_sqm": ("contract", "sum(monthly_rent) / nullif(sum(area), 0)"),
    "tenant_count": ("tenant", "count(distinct tenant_id)"),
    "high_tech_count": ("tenant", "count(distinct tenant_id) filter (where is_high_tech)"),
    "order_count": ("order", "count(*)"),
    "done_count": ("order", "count(*) filter (where status = 'DONE')"),
    "uncancelled_count": (
        "order",
        "count(*) filter (where status in ('OPEN', 'IN_PROGRESS', 'DONE'))",
    ),
    "finish_rate": (
        "order",
        "count(*) filter (where status = 'DONE') / nullif(count(*) filter (where status <> 'CANCELLED'), 0)",
    ),
    "response_time": ("order", "avg(to_response)"),
    "avg_response_minutes": ("order", "avg(to_response) / 1e6 / 60"),
    "finish_time": ("order", "avg(to_finish)"),
    "avg_finish_hours": ("order", "avg(to_finish) / 1e6 / 3600"),
    "satisfaction_score": ("order", "sum(satisfaction) / count(satisfaction)"),
    "electricity_kwh": ("energy", KWH),
    "water_ton": ("energy", "sum(case when energy_type = 'WATER' then quantity else 0 end)"),
    "gas_m3": ("energy", "sum(case when energy_type = 'GAS' then quantity else 0 end)"),
    "energy_cost": ("energy", "sum(cost)"),
    "metered_area": ("energy", AREA),
    "kwh_per_sqm": ("energy", f"{KWH} / nullif({AREA}, 0)"),
}
TIMED = [name for name, (rows, _) in METRICS.items() if rows != "tenant"]


def rows_of(metric: str, by_month: bool = False) -> str:
    """FROM and WHERE of the year 2025, by hand."""
    kind = METRICS[metric][0]
    text = f"from ({ROWS[kind]}) x where true"
    if kind == "tenant":
        return text
    year = "{0} >= date '2025-01-01' and {0} < date '2026-01-01'"
    if kind == "room":
        last = (
            f"select max(snapshot_date) from fact_room_status where {year.format('snapshot_date')}"
        )
        if by_month:
            last += " group by year(snapshot_date), month(snapshot_date)"
        return f"{text} and day in ({last})"
    return f"{text} and {year.format('day')}"


def slots(metric: str, **more: object) -> Slots:
    time = YEAR if METRICS[metric][0] != "tenant" else None
    return Slots(None, (metric,), time=time, **more)  # type: ignore[arg-type]


def same(found: Sequence[Sequence[object]], wanted: Sequence[Sequence[object]]) -> None:
    """Equal rows; numbers to nine digits (an average has no exact form)."""
    assert len(found) == len(wanted)
    for row, other in zip(found, wanted, strict=True):
        assert [_plain(cell) for cell in row] == [_plain(cell) for cell in other]


def _plain(cell: object) -> object:
    if cell is None or isinstance(cell, str | date | bool):
        return cell
    return pytest.approx(float(cell), rel=1e-9)  # type: ignore[arg-type]


def test_every_metric_is_here(park_layer: Layer) -> None:
    assert set(METRICS) == set(park_layer.metrics)


@pytest.mark.parametrize("metric", METRICS)
def test_alone(metric: str, ask: Ask, gold: Gold) -> None:
    wanted = gold(f"select {METRICS[metric][1]} {rows_of(metric)}")
    same(ask(slots(metric)).rows, wanted)
    assert wanted[0][0] not in (None, 0)


@pytest.mark.parametrize("metric", METRICS)
def test_by_park(metric: str, ask: Ask, gold: Gold) -> None:
    found = ask(slots(metric, dimensions=("park_id",)))
    assert found.columns == ("park_id", "park_id__label", metric)
    wanted = gold(f"""
        select x.park_id, (select park_name from dim_park p where p.park_id = x.park_id), {METRICS[metric][1]}
        {rows_of(metric)} group by 1, 2 order by 1""")
    same(found.rows, wanted)
    assert len(wanted) == 6


@pytest.mark.parametrize("metric", TIMED)
def test_by_month(metric: str, ask: Ask, gold: Gold) -> None:
    found = ask(slots(metric, grain="month"))
    assert found.columns == ("bucket", metric)
    wanted = gold(f"""
        select make_date(year(day)::int, month(day)::int, 1), {METRICS[metric][1]}
        {rows_of(metric, True)} group by 1 order by 1""")
    same(found.rows, wanted)
    assert len(wanted) == 12


@pytest.mark.parametrize("metric", METRICS)
def test_of_one_park(metric: str, ask: Ask, gold: Gold) -> None:
    found = ask(slots(metric, filters=(Filter("park_id", Among(("P002",))),)))
    same(found.rows, gold(f"select {METRICS[metric][1]} {rows_of(metric)} and park_id = 'P002'"))


@pytest.mark.parametrize("kind", sorted({rows for rows, _ in METRICS.values()} - {"ending"}))
def test_all_metrics_of_an_object_at_once(kind: str, ask: Ask, gold: Gold) -> None:
    """Together each number is what it is alone, and nothing is repeated."""
    names = [name for name, (rows, _) in METRICS.items() if rows == kind]
    found = ask(Slots(None, tuple(names), ("park_id",), time=None if kind == "tenant" else YEAR))
    values = ", ".join(METRICS[name][1] for name in names)
    wanted = gold(f"select park_id, {values} {rows_of(names[0])} group by 1 order by 1")
    same([(row[0], *row[2:]) for row in found.rows], wanted)
