"""What the properties found, each with the right value, worked out by hand."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import date
from decimal import Decimal

import pytest

from nl2sql.errors import QuestionError
from nl2sql.slots import Among, Comparison, During, Filter, Limit, Members, Slots, TimeSlot
from nl2sql.times import Range
from semantic_layer.protocols import Cell
from tests.properties.small_park import Data, SmallPark

AUGUST = TimeSlot("8月", (Range(date(2026, 8, 1), date(2026, 9, 1)),), "period", "month")
THEN, NOW = date(2025, 8, 1), date(2026, 8, 1)


def contract(
    name: str, park: str | None, rent: int, signed: date, end: date | None
) -> tuple[object, ...]:
    return (name, None, park, signed, signed, end, Decimal(rent), "ACTIVE")


# C1 has rooms in 1号楼 and 2号楼 of P001, C2 one in 1号楼 of P002, C3 none
DATA: Data = {
    "dim_park": [("P001", "张江", "上海", "东区", None), ("P002", "临港", "上海", "西区", None)],
    "dim_building": [("B1", "P001", "1号楼", None, None), ("B2", "P001", "2号楼", None, None), ("B3", "P002", "1号楼", None, None)],
    "dim_room": [("R1", "B1", 1, "0101", None, "OFFICE"), ("R2", "B2", 1, "0101", None, "OFFICE"), ("R3", "B3", 1, "0101", None, "OFFICE")],
    "fact_contract": [contract("C1", "P001", 100, NOW, None), contract("C2", "P002", 10, NOW, NOW), contract("C3", "P002", 1, NOW, None)],
    "contract_room": [("C1", "R1", Decimal(5)), ("C1", "R2", Decimal(7)), ("C2", "R3", Decimal(9))],
    "fact_bill": [("K1", None, None, "P001", "RENT", NOW, NOW, Decimal(3))],
}  # fmt: skip


@pytest.fixture
def park() -> Iterator[SmallPark]:
    opened = SmallPark()
    opened.fill(DATA)
    yield opened
    opened.connection.close()


def cells(park: SmallPark, slots: Slots, names: Sequence[str]) -> list[tuple[Cell, ...]]:
    return [tuple(row[name] for name in names) for row in park.ask(slots)]


BY_BUILDING = Slots("contract", ("contract_count",), ("building_no",))
SHOWN = ("park_id", "building_no", "contract_count")


@pytest.mark.parametrize(
    ("members", "wanted"),
    [
        ((("P001", "1号楼"), ("P001", "2号楼")), [("P001", "1号楼", 1), ("P001", "2号楼", 1)]),
        ((("P002", "1号楼"),), [("P002", "1号楼", 1)]),
    ],
)
def test_a_many_side_by_group_among_members(
    park: SmallPark, members: tuple[tuple[str | None, ...], ...], wanted: list[tuple[Cell, ...]]
) -> None:
    """其中 … 各楼栋合同数: only the buildings that were shown, though C1 has another; was refused."""
    test = Members(("park_id", "building_no"), members)
    assert cells(park, BY_BUILDING.with_filter(Filter("building_no", test)), SHOWN) == wanted


def test_a_many_side_without_rows_takes_no_place(park: SmallPark) -> None:
    """C3 has no room: it is 未知 among the buildings, and no building's rival."""
    assert cells(park, BY_BUILDING, SHOWN) == [
        ("P001", "1号楼", 1),
        ("P001", "2号楼", 1),
        ("P002", "1号楼", 1),
        ("P002", None, 1),
    ]
    assert cells(park, replace(BY_BUILDING, limit=Limit(1)), SHOWN) == [
        ("P001", "1号楼", 1),
        ("P001", "2号楼", 1),
        ("P002", "1号楼", 1),
    ]


def test_two_dates_that_play_no_part_are_one_pass(park: SmallPark) -> None:
    """合同数和到期合同数, of all time; was an error of the read-back."""
    slots = Slots("contract", ("contract_count", "expiring_count"))
    assert cells(park, slots, slots.metrics) == [(3, 3)]


def test_a_child_measure_is_compared_by_group(park: SmallPark) -> None:
    """8月各园区合同面积同比; was an error of the read-back. A group with contracts and no rooms shows 0."""
    old = contract("C0", "P001", 1, THEN, None)
    bare = contract("C4", None, 1, NOW, None)
    park.fill({**DATA, "fact_contract": [*DATA["fact_contract"], old, bare], "contract_room": [*DATA["contract_room"], ("C0", "R1", Decimal(4))]})  # fmt: skip
    slots = Slots(
        "contract",
        ("leased_contract_area",),
        ("park_id",),
        time=AUGUST,
        comparison=Comparison("yoy"),
    )
    shown = ("park_id", "leased_contract_area", "leased_contract_area__base", "leased_contract_area__change")  # fmt: skip
    assert cells(park, slots, shown) == [
        ("P001", Decimal(12), Decimal(4), 2.0),
        ("P002", Decimal(9), None, None),
        (None, Decimal(0), None, None),
    ]
    assert cells(park, replace(slots, comparison=None), shown[:2]) == [
        ("P001", Decimal(12)),
        ("P002", Decimal(9)),
        (None, Decimal(0)),
    ]


def test_a_zero_stays_zero_beside_another_object(park: SmallPark) -> None:
    """P002 has contracts, none in a room with an area; P003 has bills only, so of contracts nothing."""
    park.fill(
        {
            "dim_park": [*DATA["dim_park"], ("P003", "滨江", "杭州", "东区", None)],
            "contract_room": [("C1", "R1", Decimal(5))],
            "fact_bill": [("K2", None, None, "P003", "RENT", NOW, NOW, Decimal(2))],
        }
    )
    alone = Slots("contract", ("leased_contract_area",), ("park_id",))
    assert cells(park, alone, ("park_id", "leased_contract_area")) == [("P001", 5), ("P002", 0)]
    both = replace(alone, metrics=("leased_contract_area", "receivable_amount"))
    assert cells(park, both, ("park_id", *both.metrics)) == [
        ("P001", Decimal(5), None),
        ("P002", Decimal(0), None),
        ("P003", None, Decimal(2)),
    ]


def test_two_dates_of_an_object_beside_another_object(park: SmallPark) -> None:
    """By day of signing and of ending: C2 alone ends; where contracts are, none ending is 0."""
    park.fill({"fact_contract": [contract("C1", "P001", 1, THEN, NOW)]})
    park.fill({"fact_bill": [("K2", None, None, "P003", "RENT", date(2026, 9, 1), NOW, Decimal(2))]})  # fmt: skip
    slots = Slots(
        "contract", ("contract_count", "expiring_count", "receivable_amount"), grain="month"
    )
    assert cells(park, slots, ("bucket", *slots.metrics)) == [
        (THEN, 1, 0, None),
        (NOW, 0, 1, None),
        (date(2026, 9, 1), None, None, Decimal(2)),
    ]


def test_a_sum_over_nulls_alone_is_what_it_is_beside_another(park: SmallPark) -> None:
    """A group that has facts, none with a value: 0 (RULES.md §9), whatever is asked besides."""
    park.fill({"fact_energy": [(NOW, "B1", "ELECTRICITY", None, None)]})
    alone = Slots("energy", ("electricity_kwh",), ("park_id",))
    both = replace(alone, metrics=("electricity_kwh", "metered_area"))
    assert cells(park, both, ("park_id", "electricity_kwh")) == [("P001", 0)]
    assert cells(park, alone, ("park_id", "electricity_kwh")) == [("P001", 0)]


def test_a_refused_question_passes_through_a_context_manager() -> None:
    """Python sets the traceback of an error on its way; a frozen error broke on that."""

    @contextmanager
    def around() -> Iterator[None]:
        yield

    with pytest.raises(QuestionError, match="no-object"), around():
        raise QuestionError("no-object")


def test_a_period_said_twice_gathers_once(park: SmallPark) -> None:
    """The period and a filter on the same dates: a rollup is limited by them once, and read back so."""
    august = (Range(date(2026, 8, 1), date(2026, 9, 1)),)
    slots = Slots(
        "bill",
        ("overdue_amount",),
        filters=(Filter("bill_month", During(august)),),
        time=TimeSlot("8月", august, "period", "month"),
    )
    park.fill({"fact_bill": [], "fact_payment": []})
    assert cells(park, slots, ("overdue_amount",)) == [(None,)]


def test_a_policy_that_says_what_was_asked_in_another_order(park: SmallPark) -> None:
    """Tenants of the two parks that the user may see: its condition stands twice in the SQL and counts once."""
    tenants = [(f"T{n}", f"租户{n}", None, None, None, None) for n in (1, 2, 3)]
    signed = [(f"C{n}", f"T{n}", f"P00{n}", NOW, NOW, None, 1, "ACTIVE") for n in (1, 2, 3)]
    park.fill({"fact_contract": signed, "dim_tenant": tenants})
    slots = Slots("tenant", rows=True, filters=(Filter("park_id", Among(("P002", "P003"))),))
    policy = (Filter("park_id", Among(("P003", "P002"))),)
    assert [row["tenant_id"] for row in park.ask(slots)] == ["T2", "T3"]
    assert [row["tenant_id"] for row in park.ask(slots, policy)] == ["T2", "T3"]
