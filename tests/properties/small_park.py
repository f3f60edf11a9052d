"""A park of a few rows, drawn at random and full of traps, and questions about it that are valid.

NULLs, keys that lead nowhere, equal rows, amounts of zero, several payments of a bill, orders at
midnight, snapshots on several days, facts after today. The facts' own amounts are never NULL, as in
the demo's schema (`test_counterexamples.py` says why); those reached by a join are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any, TypeAlias

import duckdb
from hypothesis import strategies as st

from nl2sql import guard, readback
from nl2sql.compiler import Question, build
from nl2sql.slots import (
    Among,
    Contains,
    During,
    Filter,
    Interval,
    Members,
    Missing,
    Slots,
    Test,
    TimeSlot,
)
from nl2sql.times import Range
from semantic_layer.load import load
from semantic_layer.model import Layer
from semantic_layer.protocols import Cell

ROOT = Path(__file__).parents[2]
CLOCK = datetime(2026, 9, 28, 10, 30)
LAYER: Layer = load(ROOT / "fixtures" / "park" / "layer")
Row: TypeAlias = dict[str, Cell]
Data: TypeAlias = dict[str, list[tuple[object, ...]]]

# ---- data ------------------------------------------------------------------------------------

PARKS, BUILDINGS, ROOMS = ("P001", "P002", "P003"), ("B1", "B2", "B3"), ("R1", "R2", "R3", "R4")
TENANTS, CONTRACTS, BILLS = ("T1", "T2"), ("C1", "C2", "C3"), ("K1", "K2", "K3", "K4")
NUMBERS = ("1号楼", "2号楼", "10号楼")
DAYS = tuple(
    map(
        date.fromisoformat,
        ("2025-08-01", "2025-09-28", "2026-01-01", "2026-08-01", "2026-08-31", "2026-09-01",
         "2026-09-28", "2026-09-29", "2026-12-31"),
    )
)  # fmt: skip
AMOUNTS = tuple(map(Decimal, ("0", "0.01", "33.33", "100", "100000")))


def maybe(strategy: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Sometimes NULL."""
    return st.one_of(strategy, strategy, strategy, st.none())


def one(values: Sequence[object]) -> st.SearchStrategy[Any]:
    return st.sampled_from(values)


def lost(values: Sequence[str]) -> st.SearchStrategy[Any]:
    """A key, sometimes NULL, sometimes of nothing."""
    return one((*values, *values, "nowhere", None))


MOMENT = st.builds(
    datetime.combine,
    one(DAYS),
    one([datetime.min.time(), datetime.max.time().replace(microsecond=0), datetime(1, 1, 1, 9, 30).time()]),
)  # fmt: skip


def enum(dimension: str, count: int = 2) -> st.SearchStrategy[Any]:
    """Some stored values of an enum."""
    return one(tuple(LAYER.dimensions[dimension].enum or ())[:count])


# table → its columns with their types, the strategy of a row, and how many columns its key has
TABLES: dict[str, tuple[str, list[st.SearchStrategy[Any]], int]] = {
    "dim_park": (
        "park_id TEXT, park_name TEXT, city TEXT, district TEXT, opened_on DATE",
        [one(PARKS), one(["张江", "临港"]), maybe(one(["上海", "苏州"])), maybe(one(["东区", "西区"])), st.none()],
        1,
    ),
    "dim_building": (
        "building_id TEXT, park_id TEXT, building_no TEXT, floors INT, gross_area DECIMAL(12, 2)",
        [one(BUILDINGS), lost(PARKS), maybe(one(NUMBERS)), st.none(), maybe(one(AMOUNTS))],
        1,
    ),
    "dim_room": (
        "room_id TEXT, building_id TEXT, floor_no INT, room_no TEXT, area_sqm DECIMAL(10, 2), usage_type TEXT",
        [one(ROOMS), lost(BUILDINGS), maybe(one([1, 2, 10])), one(["0101"]), maybe(one(AMOUNTS)), maybe(enum("usage_type"))],
        1,
    ),
    "fact_room_status": (
        "snapshot_date DATE, room_id TEXT, status TEXT",
        [one(DAYS), one((*ROOMS, "nowhere")), maybe(enum("status"))],
        2,
    ),
    "dim_tenant": (
        "tenant_id TEXT, tenant_name TEXT, industry TEXT, company_size TEXT, is_high_tech BOOLEAN, city TEXT",
        [one(TENANTS), one(["100%'s", "下_线"]), maybe(enum("industry")), maybe(enum("company_size")), maybe(st.booleans()), maybe(one(["上海", "北京"]))],
        1,
    ),
    "fact_contract": (
        "contract_id TEXT, tenant_id TEXT, park_id TEXT, sign_date DATE, start_date DATE, end_date DATE, monthly_rent DECIMAL(14, 2), status TEXT",
        [one(CONTRACTS), lost(TENANTS), lost(PARKS), maybe(one(DAYS)), one(DAYS), maybe(one(DAYS)), one(AMOUNTS), maybe(enum("contract_status", 3))],
        1,
    ),
    "contract_room": (
        "contract_id TEXT, room_id TEXT, leased_area DECIMAL(10, 2)",
        [one(CONTRACTS), one((*ROOMS, "nowhere")), one(AMOUNTS)],
        2,
    ),
    "fact_bill": (
        "bill_id TEXT, contract_id TEXT, tenant_id TEXT, park_id TEXT, fee_type TEXT, bill_month DATE, due_date DATE, receivable_amount DECIMAL(14, 2)",
        [one(BILLS), st.none(), lost(TENANTS), lost(PARKS), maybe(enum("fee_type")), maybe(one(DAYS)), maybe(one(DAYS)), one(AMOUNTS)],
        1,
    ),
    "fact_payment": (
        "payment_id TEXT, bill_id TEXT, paid_on DATE, channel TEXT, amount DECIMAL(14, 2)",
        [one(["Y1", "Y2", "Y3", "Y4", "Y5"]), lost(BILLS), one(DAYS), one(["BANK"]), one((*AMOUNTS, Decimal("-20")))],
        1,
    ),
    "fact_work_order": (
        "order_id TEXT, park_id TEXT, building_id TEXT, tenant_id TEXT, category TEXT, priority TEXT, status TEXT, created_at TIMESTAMP, responded_at TIMESTAMP, finished_at TIMESTAMP, satisfaction INT",
        [one(["W1", "W2", "W3", "W4"]), lost(PARKS), lost(BUILDINGS), lost(TENANTS), maybe(enum("category")), maybe(enum("priority")), maybe(enum("order_status", 4)), maybe(MOMENT), maybe(MOMENT), maybe(MOMENT), maybe(one([1, 5]))],
        1,
    ),
    "fact_energy": (
        "reading_date DATE, building_id TEXT, energy_type TEXT, quantity DECIMAL(14, 3), cost DECIMAL(14, 2)",
        [one(DAYS), one((*BUILDINGS, "nowhere")), enum("energy_type"), one(AMOUNTS), one(AMOUNTS)],
        3,
    ),
}  # fmt: skip

PLACES = ("dim_park", "dim_building")
READS = {  # object → the tables that questions about it read
    "park_building_resource": (*PLACES, "dim_room", "fact_room_status"),
    "tenant": ("dim_park", "dim_tenant", "fact_contract"),
    "contract": (*PLACES, "dim_room", "dim_tenant", "fact_contract", "contract_room"),
    "bill": ("dim_park", "dim_tenant", "fact_bill", "fact_payment"),
    "work_order": (*PLACES, "dim_tenant", "fact_work_order"),
    "energy": (*PLACES, "fact_energy"),
}


@st.composite
def data(draw: st.DrawFn, objects: Sequence[str]) -> Data:
    """Rows for everything that questions about some objects read."""
    found: Data = {}
    for table in dict.fromkeys(name for item in objects for name in READS[item]):
        _, cells, key = TABLES[table]
        rows = st.lists(
            st.tuples(*cells),
            max_size=6 if key > 1 else 5,
            unique_by=lambda row, key=key: row[:key],  # type: ignore[misc]
        )
        found[table] = draw(rows)
    return found


class SmallPark:
    """One connection, filled anew for every example."""

    def __init__(self) -> None:
        self.connection = duckdb.connect(":memory:", config={"threads": 1})
        for name in TABLES:
            self.make(name)

    def make(self, table: str) -> None:
        """An empty table."""
        self.connection.execute(f"CREATE OR REPLACE TABLE {table}({TABLES[table][0]})")

    def fill(self, rows: Data) -> None:
        """Replace the rows of some tables."""
        for table, found in rows.items():
            self.make(table)
            if found:
                marks = ", ".join(f"({', '.join('?' * len(row))})" for row in found)
                self.connection.execute(
                    f"INSERT INTO {table} VALUES {marks}", [cell for row in found for cell in row]
                )

    def ask(self, slots: Slots, policy: tuple[Filter, ...] = ()) -> list[Row]:
        """The rows of slots, after every check that an answer passes."""
        compiled = build(Question(slots, LAYER, CLOCK, policy))
        readback.check(compiled.sql, slots, LAYER, CLOCK, policy)
        guard.check(compiled.sql, LAYER)
        cursor = self.connection.execute(compiled.sql)
        names = [str(item[0]) for item in cursor.description or ()]
        return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]


# ---- questions -------------------------------------------------------------------------------


def span(start: str | None, end: str | None) -> Range:
    """A half-open range."""
    return Range(start and date.fromisoformat(start), end and date.fromisoformat(end))  # type: ignore[arg-type]


PERIODS = (
    TimeSlot("8月", (span("2026-08-01", "2026-09-01"),), "period", "month"),
    TimeSlot("9月", (span("2026-09-01", "2026-10-01"),), "period", "month"),
    TimeSlot("今年", (span("2026-01-01", "2027-01-01"),), "period", "year"),
    TimeSlot("去年", (span("2025-01-01", "2026-01-01"),), "period", "year"),
    TimeSlot("三季度", (span("2026-07-01", "2026-10-01"),), "period", "quarter"),
    TimeSlot("年初至今", (span("2026-01-01", "2026-09-29"),), "to_date", "day"),
    TimeSlot("今天", (span("2026-09-28", "2026-09-29"),), "period", "day"),
)
OTHER_PERIODS = (
    TimeSlot(
        "去年8月和今年8月",
        (span("2025-08-01", "2025-09-01"), span("2026-08-01", "2026-09-01")),
        "list",
        "month",
    ),
    TimeSlot("8月底以前", (span(None, "2026-09-01"),), "open", "month"),
    TimeSlot("9月以来", (span("2026-09-01", None),), "open", "month"),
    TimeSlot("近3个月", (span("2026-06-29", "2026-09-29"),), "rolling", "day", (3, "month")),
)
GRAINS = ("day", "week", "month", "quarter", "half", "year")
POOLS: dict[str, tuple[str, ...]] = {
    "park_id": (*PARKS, "nowhere"),
    "building_no": NUMBERS,
    "floor_no": ("1", "2", "10"),
    "city": ("上海", "苏州"),
    "district": ("东区", "西区"),
    "tenant_id": TENANTS,
    "tenant_name": ("100%'s", "下_线"),
    "tenant_city": ("上海", "北京"),
}


def pool(field: str) -> tuple[str, ...]:
    """Values that may be asked for, stored or not."""
    return POOLS.get(field) or tuple(LAYER.dimensions[field].enum or ())[:3]


@st.composite
def conditions(draw: st.DrawFn, field: str) -> Test:
    """A test on a dimension, or on an attribute named `object.attribute`."""
    owner, _, name = field.rpartition(".")
    if owner:
        kind = LAYER.objects[owner].attributes[name].type
        if kind in ("date", "timestamp"):
            return During(draw(one(PERIODS + OTHER_PERIODS)).ranges)
        low, high = draw(maybe(one(AMOUNTS))), draw(maybe(one(AMOUNTS)))
        return Interval(low, draw(st.booleans()), high, draw(st.booleans())) if low is not None or high is not None else Interval(Decimal(1))  # fmt: skip
    kind = draw(st.sampled_from(["among", "among", "among", "missing", "contains"]))
    if kind == "missing":
        return Missing(draw(st.booleans()))
    if kind == "contains" and LAYER.dimensions[field].type == "text":
        return Contains(draw(one(["0", "1", "上", "%", "_", "'", "江"])), draw(st.booleans()))
    values = draw(st.lists(one(pool(field)), min_size=1, max_size=2, unique=True))
    return Among(tuple(values), draw(st.booleans()))


@st.composite
def filters(
    draw: st.DrawFn, objects: Sequence[str], most: int = 2, attributes: bool = True
) -> tuple[Filter, ...]:
    """Filters that all objects can meet, one a field."""
    fields = shared(objects)
    if attributes and len(objects) == 1:
        found = LAYER.objects[objects[0]]
        fields += [
            f"{objects[0]}.{name}"
            for name, item in found.attributes.items()
            if item.type != "text" and name not in LAYER.dimensions
        ]
    chosen = draw(st.lists(one(fields), max_size=most, unique=True))
    result = [Filter(field.rpartition(".")[2], draw(conditions(field))) for field in chosen]
    if "building_no" in fields and "building_no" not in chosen and draw(st.integers(0, 9)) == 0:
        pairs = st.tuples(maybe(one(PARKS)), maybe(one(NUMBERS)))
        rows = draw(st.lists(pairs, min_size=1, max_size=3, unique=True))
        result.append(Filter("building_no", Members(("park_id", "building_no"), tuple(rows))))
    return tuple(result)


def shared(objects: Sequence[str]) -> list[str]:
    """The dimensions that all objects have."""
    first, *rest = [LAYER.objects[name].dimensions for name in objects]
    return [name for name in first if all(name in other for other in rest)]


def far(metric: str, dimension: str) -> bool:
    """Whether a leaf of a metric reaches a dimension through a many side."""
    for leaf in LAYER.leaves(metric):
        route = LAYER.objects[leaf.object].route(leaf.table, dimension)
        if route is None or route.many is not None:
            return True
    return False


@dataclass(frozen=True)
class Case:
    """Data, and a question about them."""

    data: Data
    slots: Slots
    objects: tuple[str, ...]

    def __repr__(self) -> str:
        """The data without empty tables, and the slots without empty slots."""
        rows = {name: rows for name, rows in self.data.items() if rows}
        told = {
            name: getattr(self.slots, name)
            for name in self.slots.__dataclass_fields__
            if getattr(self.slots, name) not in (None, (), False)
        }
        return f"Case({rows}, {told})"

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """How hypothesis shows it."""
        printer.text(repr(self))

    def but(self, **changes: object) -> Slots:
        """The question, changed."""
        return replace(self.slots, **changes)  # type: ignore[arg-type]


@st.composite
def cases(
    draw: st.DrawFn,
    *,
    metrics: Sequence[str] = tuple(LAYER.metrics),
    most: int = 2,
    dimensions: tuple[int, int] = (0, 2),
    grain: bool = True,
    periods: Sequence[TimeSlot] = PERIODS + OTHER_PERIODS,
    timed: bool = False,
    apart: bool = False,
) -> Case:
    """A valid question about one object; `apart`: no group shares a row with another."""
    first = draw(one(metrics))
    owner = LAYER.metrics[first].object
    fellows = [name for name in metrics if LAYER.metrics[name].object == owner]
    more = draw(st.lists(one(fellows), max_size=most - 1, unique=True)) if most > 1 else []
    asked = tuple(dict.fromkeys((first, *more)))
    found = LAYER.objects[owner]
    usable = [
        name
        for name in found.dimensions
        if not (apart and any(far(metric, part) for metric in asked for part in LAYER.path(name)))
    ]
    low, high = dimensions
    by = draw(st.lists(one(usable), min_size=low, max_size=high, unique=True))
    dated = found.time.default is not None
    role = draw(one([None, *found.time.roles])) if dated and not found.time.snapshot else None
    time = None
    if dated and (timed or draw(st.booleans())):
        time = replace(draw(one(periods)), role=role)
    cut = draw(one(GRAINS)) if grain and dated and draw(st.integers(0, 2)) == 0 else None
    slots = Slots(owner, asked, tuple(by), cut, filters=draw(filters((owner,))), time=time)
    return Case(draw(data((owner,))), slots, (owner,))
