"""Varied questions about the park, as slots: one for each way a statement can be built."""

from datetime import date, datetime
from decimal import Decimal

from nl2sql.slots import (
    Among,
    Comparison,
    Contains,
    During,
    Filter,
    Having,
    Interval,
    Limit,
    Members,
    Missing,
    Order,
    Slots,
    TimeSlot,
)
from nl2sql.times import Range

CLOCK = datetime(2026, 9, 28)
AUGUST = TimeSlot("8月", (Range(date(2026, 8, 1), date(2026, 9, 1)),), "period", "month")
SEPTEMBER = TimeSlot("9月", (Range(date(2026, 9, 1), date(2026, 10, 1)),), "period", "month")
YEAR = TimeSlot("今年", (Range(date(2026, 1, 1), date(2027, 1, 1)),), "period", "year")
TWO_MONTHS = TimeSlot(
    "5月和8月",
    (Range(date(2026, 5, 1), date(2026, 6, 1)), Range(date(2026, 8, 1), date(2026, 9, 1))),
    "list",
    "month",
)
ENDING = TimeSlot(
    "明年到期", (Range(date(2027, 1, 1), date(2028, 1, 1)),), "period", "year", role="end_date"
)
NEWEST = TimeSlot("", (Range(date(2026, 9, 27), date(2026, 9, 28)),), "newest", "day")
ROLLING = TimeSlot(
    "近6个月", (Range(date(2026, 3, 29), date(2026, 9, 29)),), "rolling", "day", (6, "month")
)
P1 = Filter("park_id", Among(("P001",)))
P12 = Filter("park_id", Among(("P001", "P002")))
POLICY = (Filter("park_id", Among(("P001", "P003"))),)
NO_BUILDING = Filter("building_no", Missing())


def low(number: int) -> Interval:
    """At least."""
    return Interval(Decimal(number))


# name → slots; the ones in GUARDED are asked under POLICY
QUESTIONS: dict[str, Slots] = {
    "one number": Slots("bill", ("receivable_amount",), filters=(P1,), time=AUGUST),
    "by park": Slots("bill", ("bill_count",), ("park_id",), time=YEAR),
    "by month": Slots("work_order", ("order_count",), grain="month", time=YEAR, filters=(P12,)),
    "by half year": Slots("energy", ("energy_cost",), grain="half", time=YEAR),
    "two ranges": Slots("work_order", ("avg_response_minutes",), ("category",), time=TWO_MONTHS),
    "rate": Slots("work_order", ("finish_rate",), ("building_no",), filters=(P1,), time=AUGUST),
    "rollup": Slots("bill", ("collection_rate",), ("fee_type",), time=AUGUST),
    "rollup condition": Slots("bill", ("overdue_amount", "paying_tenant_count"), time=YEAR),
    "yoy": Slots(
        "bill", ("collection_rate",), ("park_id",), time=YEAR, comparison=Comparison("yoy")
    ),
    "pop by month": Slots(
        "work_order", ("order_count",), grain="month", time=YEAR, comparison=Comparison("pop")
    ),
    "pop": Slots("energy", ("energy_cost",), time=SEPTEMBER, comparison=Comparison("pop")),
    "snapshot": Slots(
        "park_building_resource", ("vacant_count",), ("usage_type",), filters=(P1,), time=NEWEST
    ),
    "snapshot by month": Slots(
        "park_building_resource", ("vacancy_rate",), grain="month", time=YEAR
    ),
    "snapshot unasked": Slots("park_building_resource", ("room_count",), ("park_id",)),
    "snapshot yoy": Slots(
        "park_building_resource",
        ("occupancy_rate",),
        grain="quarter",
        time=YEAR,
        comparison=Comparison("yoy"),
    ),
    "top": Slots(
        "bill", ("receivable_amount",), ("tenant_id",), time=YEAR, limit=Limit(5), order=Order()
    ),
    "ranks 10 to 15": Slots(
        "bill",
        ("bill_count",),
        ("industry",),
        time=YEAR,
        limit=Limit(15, 10),
        order=Order(None, False),
    ),
    "top within": Slots(
        "park_building_resource",
        ("vacant_area",),
        ("city", "building_no"),
        time=NEWEST,
        limit=Limit(2, per=("city",)),
    ),
    "having of one fact": Slots(
        "bill",
        ("receivable_amount",),
        ("park_id",),
        time=YEAR,
        having=(Having("receivable_amount", Interval(None, True, Decimal("90000000"), False)),),
    ),
    "having": Slots(
        "bill",
        ("collection_rate",),
        ("park_id",),
        time=YEAR,
        having=(Having("collection_rate", Interval(None, True, Decimal("0.9"), False)),),
    ),
    "having of another": Slots(
        "contract",
        ("monthly_rent",),
        ("industry",),
        having=(Having("avg_rent_per_sqm", Interval(Decimal(80), True, Decimal(100), True)),),
    ),
    "exists": Slots(
        "contract", ("contract_count",), filters=(P1, Filter("building_no", Among(("1号楼",))))
    ),
    "not exists": Slots(
        "contract",
        ("monthly_rent",),
        filters=(P1, Filter("building_no", Among(("1号楼", "2号楼"), True))),
    ),
    "bridge": Slots(
        "contract",
        ("contract_count", "leased_contract_area"),
        ("building_no",),
        filters=(P1, Filter("building_no", Among(("1号楼", "2号楼")))),
    ),
    "measured elsewhere": Slots("tenant", ("tenant_count", "high_tech_count"), ("park_id",)),
    "once per": Slots("energy", ("kwh_per_sqm",), ("park_id",), grain="quarter", time=YEAR),
    "two objects": Slots("bill", ("outstanding_amount", "order_count"), ("park_id",), time=AUGUST),
    "excluded": Slots(
        "work_order", ("order_count",), filters=(Filter("building_no", Among(("1号楼",), True)),)
    ),
    "missing": Slots("work_order", ("order_count",), filters=(NO_BUILDING,), time=YEAR),
    "contains": Slots(
        "tenant",
        ("tenant_count",),
        filters=(Filter("tenant_id", Contains("100%'s", negated=True)),),
    ),
    "date role": Slots(
        "contract",
        ("expiring_count",),
        ("park_id",),
        time=ENDING,
        filters=(Filter("contract_rent", low(9000)),),
    ),
    "date attribute": Slots(
        "bill", ("bill_count",), filters=(Filter("due_date", During(AUGUST.ranges)),), time=YEAR
    ),
    "rows by what they have gathered": Slots(
        "bill", rows=True, filters=(Filter("bill_outstanding", low(10000)),), time=AUGUST
    ),
    "rows ranked by what they have gathered": Slots(
        "bill", rows=True, order=Order("bill_outstanding"), limit=Limit(3), time=AUGUST
    ),
    "a sum over rows by what they have gathered": Slots(
        "bill",
        ("received_amount", "outstanding_amount"),
        ("park_id",),
        filters=(Filter("bill_outstanding", low(10000)),),
        time=AUGUST,
    ),
    "members": Slots(
        "work_order",
        ("order_count",),
        filters=(
            Filter(
                "building_no",
                Members(("park_id", "building_no"), (("P001", "1号楼"), ("P002", None))),
            ),
        ),
    ),
    "members of a many side": Slots(
        "contract",
        ("contract_count",),
        filters=(
            Filter(
                "building_no",
                Members(("park_id", "building_no"), (("P001", "1号楼"), ("P002", "2号楼"))),
            ),
        ),
    ),
    "by a many side among members": Slots(
        "contract",
        ("contract_count",),
        ("building_no",),
        filters=(
            Filter(
                "building_no",
                Members(("park_id", "building_no"), (("P001", "1号楼"), ("P002", "2号楼"))),
            ),
        ),
    ),
    "ranks of a many side": Slots(
        "contract", ("contract_count",), ("building_no",), filters=(P1,), limit=Limit(3)
    ),
    "a child compared": Slots(
        "contract",
        ("leased_contract_area",),
        ("park_id",),
        time=YEAR,
        comparison=Comparison("yoy"),
    ),
    "a child beside another object": Slots(
        "contract", ("leased_contract_area", "order_count"), ("park_id",), time=AUGUST
    ),
    "two dates of one object": Slots("contract", ("contract_count", "expiring_count")),
    "rolling": Slots("work_order", ("satisfaction_score",), grain="month", time=ROLLING),
    "by name": Slots(
        "work_order", ("order_count",), ("building_no",), filters=(P1,), order=Order("building_no")
    ),
    "share": Slots(
        "bill", ("receivable_amount", "received_amount"), ("park_id",), time=AUGUST, share=True
    ),
    "share of each month": Slots(
        "bill",
        ("outstanding_amount",),
        ("fee_type",),
        "month",
        time=YEAR,
        share=True,
        having=(Having("bill_count", low(10)),),
    ),
    "share of a ranking": Slots(
        "work_order",
        ("order_count",),
        ("building_no",),
        time=AUGUST,
        limit=Limit(3),
        order=Order(),
        share=True,
        filters=(P1,),
    ),
    "a part of all": Slots(
        "bill",
        ("receivable_amount",),
        ("park_id",),
        time=AUGUST,
        share=True,
        filters=(P12, Filter("fee_type", Among(("RENT",)))),
        lifted=("park_id",),
    ),
    "the others": Slots(
        "work_order",
        ("order_count",),
        ("building_no",),
        time=AUGUST,
        limit=Limit(3, others=True),
        order=Order(),
        share=True,
    ),
    "the others of each": Slots(
        "bill",
        ("receivable_amount",),
        ("park_id", "fee_type"),
        time=AUGUST,
        limit=Limit(1, per=("park_id",), others=True),
        order=Order(),
    ),
    "totals": Slots(
        "bill", ("collection_rate", "paying_tenant_count"), ("park_id",), time=AUGUST, totals=True
    ),
    "totals of a snapshot and of energy": Slots(
        "park_building_resource",
        ("occupancy_rate", "energy_cost"),
        ("park_id",),
        "quarter",
        time=YEAR,
        totals=True,
    ),
    "totals compared": Slots(
        "work_order",
        ("finish_rate",),
        ("category",),
        time=SEPTEMBER,
        totals=True,
        comparison=Comparison("yoy"),
    ),
    "running": Slots("bill", ("collection_rate",), ("park_id",), "month", time=YEAR, running=True),
    "running compared": Slots(
        "energy",
        ("energy_cost", "kwh_per_sqm"),
        grain="quarter",
        time=YEAR,
        running=True,
        comparison=Comparison("yoy"),
    ),
    "bare buckets": Slots(
        "work_order",
        ("order_count", "finish_rate", "satisfaction_score"),
        grain="day",
        time=SEPTEMBER,
        filters=(P1, Filter("category", Among(("COMPLAINT",)))),
        fill=True,
    ),
    "against a month": Slots(
        "bill",
        ("receivable_amount",),
        ("park_id",),
        time=SEPTEMBER,
        comparison=Comparison(
            "fixed", base=(Range(date(2026, 5, 1), date(2026, 6, 1)),), words="5月"
        ),
    ),
    "a snapshot against a day": Slots(
        "park_building_resource",
        ("occupancy_rate",),
        ("park_id",),
        time=NEWEST,
        comparison=Comparison(
            "fixed", base=(Range(date(2025, 12, 1), date(2026, 1, 1)),), words="去年12月底"
        ),
    ),
    "counted": Slots(
        "bill",
        ("outstanding_amount",),
        ("tenant_id",),
        time=YEAR,
        having=(Having("outstanding_amount", low(100000)),),
        counted="tenant_id",
    ),
    "counted by building": Slots(
        "park_building_resource",
        ("vacant_count",),
        ("building_no", "floor_no"),
        time=NEWEST,
        having=(Having("vacant_count", low(3)),),
        counted="floor_no",
    ),
    "policy": Slots("bill", ("outstanding_amount", "order_count"), ("park_id",), time=AUGUST),
    "policy on a many side": Slots("tenant", ("tenant_count",), ("industry",)),
    "list": Slots(
        "park_building_resource",
        filters=(P1, Filter("area_sqm", low(500))),
        time=AUGUST,
        rows=True,
    ),
    "list of tenants": Slots("tenant", filters=(P1,), rows=True, limit=Limit(10)),
    "list of ranks": Slots(
        "bill", filters=(P1,), time=AUGUST, rows=True, order=Order("bill_amount"), limit=Limit(6, 3)
    ),
    "list within": Slots(
        "contract",
        time=YEAR,
        rows=True,
        order=Order("contract_rent"),
        limit=Limit(2, per=("park_id",)),
    ),
}
GUARDED = {"policy", "policy on a many side"}
