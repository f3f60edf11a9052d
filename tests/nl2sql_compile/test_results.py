"""What RULES.md §9 promises of results, each against SQL written by hand on the park database."""

import itertools
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date
from decimal import Decimal

import pytest

from nl2sql.compiler import Question, build
from nl2sql.errors import QuestionError
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
from semantic_layer.model import Layer
from semantic_layer.protocols import Rows
from tests.nl2sql_compile.questions import (
    AUGUST,
    CLOCK,
    NEWEST,
    ROLLING,
    SEPTEMBER,
    TWO_MONTHS,
    YEAR,
)

Ask = Callable[..., Rows]
Gold = Callable[[str], list[tuple[object, ...]]]

UNTIL = TimeSlot("截至8月底", (Range(None, date(2026, 9, 1)),), "open", "day")
P1 = Filter("park_id", Among(("P001",)))
P2 = Filter("park_id", Among(("P002",)))
P1_ROOMS = """
    select distinct x.contract_id, b.building_no, b.park_id
    from contract_room x join dim_room r on r.room_id = x.room_id
    join dim_building b on b.building_id = r.building_id"""
NATURAL = "order by length(building_no), building_no"


def same(found: Rows, wanted: Sequence[Sequence[object]]) -> None:
    """Equal rows in equal order; floats to nine digits."""
    assert len(wanted) > 0
    assert len(found.rows) == len(wanted)
    for row, other in zip(found.rows, wanted, strict=True):
        cells = [
            pytest.approx(cell, rel=1e-9) if isinstance(cell, float) else cell for cell in other
        ]
        assert list(row) == cells


# -- fan-out, many sides, NULL keys ------------------------------------------------------------


def test_a_contract_counts_once_in_each_building(ask: Ask, gold: Gold) -> None:
    found = ask(Slots(None, ("contract_count", "monthly_rent"), ("building_no",), filters=(P1,)))
    same(
        found,
        gold(f"""
        select k.building_no, count(*), sum(c.monthly_rent)
        from fact_contract c left join ({P1_ROOMS}) k on k.contract_id = c.contract_id
        where c.park_id = 'P001' group by 1 {NATURAL.replace("building_no", "k.building_no")}"""),
    )
    whole = ask(Slots(None, ("contract_count",), filters=(P1,))).rows[0][0]
    assert sum(row[1] for row in found.rows) > whole


def test_a_contract_without_rooms_stays(ask: Ask, gold: Gold) -> None:
    found = ask(Slots(None, ("contract_count", "leased_contract_area"), ("building_no",)))
    without = [row for row in found.rows if row[2] is None]
    same(
        Rows((), tuple(without)),
        gold("""
        select park_id, (select park_name from dim_park p where p.park_id = c.park_id), null, count(*), 0
        from fact_contract c where contract_id not in (select contract_id from contract_room)
        group by 1, 2 order by 1"""),
    )


def test_an_area_is_that_of_the_rooms_asked_for(ask: Ask, gold: Gold) -> None:
    building = Filter("building_no", Among(("1号楼",)))
    found = ask(Slots(None, ("monthly_rent", "leased_contract_area"), filters=(P1, building)))
    same(
        found,
        gold(f"""
        select (select sum(monthly_rent) from fact_contract where park_id = 'P001' and contract_id in
                  (select contract_id from ({P1_ROOMS}) where building_no = '1号楼')),
               (select sum(x.leased_area) from contract_room x
                join dim_room r on r.room_id = x.room_id
                join dim_building b on b.building_id = r.building_id
                join fact_contract c on c.contract_id = x.contract_id
                where c.park_id = 'P001' and b.building_no = '1号楼')"""),
    )


def test_a_contract_outside_a_building(ask: Ask, gold: Gold) -> None:
    building = Filter("building_no", Among(("1号楼",), negated=True))
    found = ask(Slots(None, ("contract_count",), filters=(P1, building)))
    same(
        found,
        gold(f"""
        select count(*) from fact_contract where park_id = 'P001' and contract_id not in
        (select contract_id from ({P1_ROOMS}) where building_no = '1号楼' and park_id = 'P001')"""),
    )


def test_orders_without_a_building_are_kept(ask: Ask, gold: Gold) -> None:
    found = ask(Slots(None, ("order_count",), ("building_no",), filters=(P1,), time=YEAR))
    same(
        found,
        gold(f"""
        select b.building_no, count(*) from fact_work_order o
        left join dim_building b on b.building_id = o.building_id
        where o.park_id = 'P001' and o.created_at >= date '2026-01-01' group by 1
        {NATURAL.replace("building_no", "b.building_no")}"""),
    )
    assert found.rows[-1][0] is None


@pytest.mark.parametrize(
    ("test", "condition"),
    [
        (Among(("1号楼",), negated=True), "building_no is null or building_no <> '1号楼'"),
        (
            Among(("1号楼", "2号楼"), negated=True),
            "building_no is null or building_no not in ('1号楼', '2号楼')",
        ),
        (Missing(), "building_no is null"),
        (Missing(negated=True), "building_no is not null"),
        (Contains("号楼"), "building_no like '%号楼%'"),
        (Contains("1", negated=True), "building_no is null or building_no not like '%1%'"),
    ],
)
def test_exclusion_keeps_nulls(
    test: Among | Missing | Contains, condition: str, ask: Ask, gold: Gold
) -> None:
    found = ask(Slots(None, ("order_count",), filters=(Filter("building_no", test),)))
    same(
        found,
        gold(f"""
        select count(*) from fact_work_order o
        left join dim_building b on b.building_id = o.building_id where {condition}"""),
    )


def test_two_objects_on_a_shared_dimension(ask: Ask, gold: Gold) -> None:
    found = ask(Slots(None, ("bill_count", "order_count"), ("park_id",), time=AUGUST))
    same(
        found,
        gold("""
        select park_id, park_name,
          (select count(*) from fact_bill b where b.park_id = p.park_id and bill_month = date '2026-08-01'),
          (select count(*) from fact_work_order o where o.park_id = p.park_id
             and created_at >= date '2026-08-01' and created_at < date '2026-09-01')
        from dim_park p order by 1"""),
    )


# -- time --------------------------------------------------------------------------------------


def test_a_snapshot_is_the_last_of_its_period(ask: Ask, gold: Gold) -> None:
    found = ask(Slots(None, ("vacant_count",), time=YEAR))
    same(
        found,
        gold("""
        select count(*) filter (where status = 'VACANT') from fact_room_status
        where snapshot_date = date '2026-09-27'"""),
    )
    assert ask(Slots(None, ("vacant_count",))).rows == found.rows
    assert ask(Slots(None, ("vacant_count",), time=NEWEST)).rows == found.rows


def test_snapshots_never_add_over_two_periods(ask: Ask, gold: Gold) -> None:
    found = ask(Slots(None, ("room_count",), time=TWO_MONTHS))
    assert found.rows == ask(Slots(None, ("room_count",), time=AUGUST)).rows
    by_month = ask(Slots(None, ("room_count",), grain="month", time=TWO_MONTHS))
    same(
        by_month,
        gold("""
        select date_trunc('month', snapshot_date)::date, count(*) from fact_room_status
        where snapshot_date in (date '2026-05-31', date '2026-08-31') group by 1 order by 1"""),
    )


def test_the_newest_snapshot_is_not_after_the_clock(ask: Ask, gold: Gold) -> None:
    found = ask(Slots(None, ("vacant_count",)), clock=CLOCK.replace(month=3, day=10))
    same(
        found,
        gold("""
        select count(*) from fact_room_status
        where snapshot_date = date '2026-02-28' and status = 'VACANT'"""),
    )


def test_a_rolling_span_in_its_own_unit_is_whole_buckets(ask: Ask, gold: Gold) -> None:
    found = ask(Slots(None, ("order_count",), grain="month", time=ROLLING))
    same(
        found,
        gold("""
        select date_trunc('month', created_at)::date, count(*) from fact_work_order
        where created_at >= date '2026-04-01' and created_at < date '2026-10-01'
        group by 1 order by 1"""),
    )
    assert len(found.rows) == 6


def test_the_last_day_is_whole(ask: Ask, gold: Gold) -> None:
    day = TimeSlot("昨天", (Range(date(2026, 9, 27), date(2026, 9, 28)),), "period", "day")
    same(
        ask(Slots(None, ("order_count",), time=day)),
        gold("select count(*) from fact_work_order where created_at::date = date '2026-09-27'"),
    )


@pytest.mark.parametrize("grain", ["day", "week", "month", "quarter", "half", "year"])
def test_every_grain(grain: str, ask: Ask, gold: Gold) -> None:
    first = {
        "half": "make_date(2026, case when month(created_at) > 6 then 7 else 1 end, 1)",
    }.get(grain, f"date_trunc('{grain}', created_at)::date")
    found = ask(Slots(None, ("order_count",), grain=grain, time=YEAR))  # type: ignore[arg-type]
    same(
        found,
        gold(f"""
        select {first}, count(*) from fact_work_order
        where created_at >= date '2026-01-01' group by 1 order by 1"""),
    )


# -- comparison --------------------------------------------------------------------------------

COST = "(select sum(cost) from fact_energy where reading_date >= date '{}' and reading_date < date '{}')"
COMPARED = [
    (
        "yoy, open",
        YEAR,
        Comparison("yoy"),
        ("2026-01-01", "2026-09-29"),
        ("2025-01-01", "2025-09-29"),
    ),
    (
        "yoy, full",
        YEAR,
        Comparison("yoy", True),
        ("2026-01-01", "2027-01-01"),
        ("2025-01-01", "2026-01-01"),
    ),
    (
        "pop, open",
        SEPTEMBER,
        Comparison("pop"),
        ("2026-09-01", "2026-09-29"),
        ("2026-08-01", "2026-08-29"),
    ),
    (
        "pop, closed",
        AUGUST,
        Comparison("pop"),
        ("2026-08-01", "2026-09-01"),
        ("2026-07-01", "2026-08-01"),
    ),
]


@pytest.mark.parametrize(
    ("time", "kind", "now", "base"), [row[1:] for row in COMPARED], ids=[row[0] for row in COMPARED]
)
def test_comparison(
    time: TimeSlot,
    kind: Comparison,
    now: tuple[str, str],
    base: tuple[str, str],
    ask: Ask,
    gold: Gold,
) -> None:
    found = ask(Slots(None, ("energy_cost",), time=time, comparison=kind))
    assert found.columns == tuple(
        f"energy_cost{end}" for end in ("", "__base", "__diff", "__change")
    )
    same(
        found,
        gold(
            f"select a, b, a - b, a / b - 1 from (select {COST.format(*now)} a, {COST.format(*base)} b)"
        ),
    )


def test_comparison_by_month(ask: Ask, gold: Gold) -> None:
    found = ask(
        Slots(None, ("energy_cost",), grain="month", time=YEAR, comparison=Comparison("pop"))
    )
    months = gold("""
        select date_trunc('month', reading_date)::date, sum(cost) from fact_energy
        where reading_date >= date '2025-12-01' group by 1 order by 1""")
    pairs = [(month, cost, before) for (_, before), (month, cost) in itertools.pairwise(months)]
    assert [row[:3] for row in found.rows[: len(pairs)]] == pairs
    assert len(pairs) == 9


def test_half_years_compare_with_half_years(ask: Ask, gold: Gold) -> None:
    year = TimeSlot("2025年", (Range(date(2025, 1, 1), date(2026, 1, 1)),), "period", "year")
    found = ask(
        Slots(None, ("energy_cost",), grain="half", time=year, comparison=Comparison("pop"))
    )
    halves = [
        COST.format(*pair)
        for pair in (
            ("2024-07-01", "2025-01-01"),
            ("2025-01-01", "2025-07-01"),
            ("2025-07-01", "2026-01-01"),
        )
    ]
    ((before, first, second),) = gold(f"select {', '.join(halves)}")
    assert [row[:3] for row in found.rows] == [
        (date(2025, 1, 1), first, before),
        (date(2025, 7, 1), second, first),
    ]


def test_comparison_keeps_groups_of_either_side(ask: Ask, gold: Gold) -> None:
    found = ask(
        Slots(None, ("bill_count",), ("tenant_id",), time=AUGUST, comparison=Comparison("yoy"))
    )
    wanted = gold("""
        select tenant_id, nullif(count(*) filter (where bill_month = date '2026-08-01'), 0),
               nullif(count(*) filter (where bill_month = date '2025-08-01'), 0)
        from fact_bill where bill_month in (date '2026-08-01', date '2025-08-01')
        group by 1 order by 1""")
    assert [(row[0], *row[2:4]) for row in found.rows] == wanted
    assert any(row[1] is None for row in wanted)
    assert any(row[2] is None for row in wanted)


def test_a_base_of_zero_or_before_the_data_is_null(ask: Ask) -> None:
    early = TimeSlot("2024年1月", (Range(date(2024, 1, 1), date(2024, 2, 1)),), "period", "month")
    for metric in ("order_count", "energy_cost", "collection_rate"):
        ((value, *base),) = ask(
            Slots(None, (metric,), time=early, comparison=Comparison("yoy"))
        ).rows
        assert value is not None
        assert base == [None, None, None]


def test_a_zero_denominator_is_null(ask: Ask) -> None:
    never = TimeSlot("", (Range(date(2020, 1, 1), date(2020, 2, 1)),), "period", "month")
    for metric in ("collection_rate", "finish_rate", "vacancy_rate", "kwh_per_sqm"):
        assert ask(Slots(None, (metric,), time=never)).rows == ((None,),)
    assert ask(Slots(None, ("order_count",), time=never)).rows == ((0,),)


# -- ranks and conditions on groups ------------------------------------------------------------

PAID = """
    select t.tenant_id, t.tenant_name, b.park_id, sum(b.receivable_amount) as due, count(*) as n
    from fact_bill b join dim_tenant t on t.tenant_id = b.tenant_id
    where b.bill_month >= date '2026-01-01' group by all"""


def test_ranks_keep_ties(ask: Ask, gold: Gold) -> None:
    found = ask(Slots(None, ("bill_count",), ("tenant_id",), time=YEAR, limit=Limit(3)))
    wanted = gold("""
        with n as (select tenant_id, count(*) as n from fact_bill
                   where bill_month >= date '2026-01-01' group by 1)
        select tenant_id, n from n where n >= (select n from n order by n desc limit 1 offset 2)
        order by n desc, tenant_id""")
    assert [(row[0], row[2]) for row in found.rows] == wanted


@pytest.mark.parametrize(("first", "last"), [(1, 1), (2, 2), (4, 9)])
def test_ranges_of_ranks(first: int, last: int, ask: Ask, gold: Gold) -> None:
    found = ask(
        Slots(None, ("receivable_amount",), ("tenant_id",), time=YEAR, limit=Limit(last, first))
    )
    wanted = gold(f"""
        select tenant_id, tenant_name, sum(due) from ({PAID}) group by 1, 2
        qualify rank() over (order by sum(due) desc) between {first} and {last}
        order by sum(due) desc, 1""")
    same(found, wanted)
    assert len(wanted) == last - first + 1


def test_the_lowest_come_first_when_asked(ask: Ask, gold: Gold) -> None:
    found = ask(
        Slots(None, ("vacancy_rate",), ("building_no",), limit=Limit(2), order=Order(None, False))
    )
    wanted = gold("""
        select b.park_id, p.park_name, b.building_no,
               sum(case when status = 'VACANT' then area_sqm else 0 end) / sum(area_sqm) as rate
        from fact_room_status s join dim_room r using (room_id) join dim_building b using (building_id)
        join dim_park p on p.park_id = b.park_id
        where snapshot_date = date '2026-09-27' group by 1, 2, 3
        qualify rank() over (order by rate) <= 2
        order by rate, b.park_id, length(b.building_no), b.building_no""")
    same(found, wanted)


def test_top_of_each_group(ask: Ask, gold: Gold) -> None:
    slots = Slots(
        None,
        ("receivable_amount",),
        ("park_id", "tenant_id"),
        time=YEAR,
        limit=Limit(2, per=("park_id",)),
    )
    same(
        ask(slots),
        gold(f"""
        select park_id, (select park_name from dim_park p where p.park_id = x.park_id), tenant_id, tenant_name, due
        from ({PAID}) x qualify rank() over (partition by park_id order by due desc) <= 2
        order by park_id, due desc, tenant_id"""),
    )


def test_unknown_takes_no_place_in_a_ranking(ask: Ask, gold: Gold) -> None:
    found = ask(Slots(None, ("order_count",), ("building_no",), limit=Limit(1000)))
    assert None not in [row[2] for row in found.rows]
    whole = ask(Slots(None, ("order_count",), ("building_no",)))
    assert None in [row[2] for row in whole.rows]


def test_a_later_metric_ranks(ask: Ask, gold: Gold) -> None:
    slots = Slots(
        None,
        ("bill_count",),
        ("park_id",),
        time=YEAR,
        order=Order("received_amount"),
        limit=Limit(2),
    )
    wanted = gold("""
        select park_id from fact_bill join fact_payment using (bill_id)
        where bill_month >= date '2026-01-01' group by 1 order by sum(amount) desc limit 2""")
    assert [(row[0],) for row in ask(slots).rows] == wanted


@pytest.mark.parametrize("down", [False, True])
def test_order_by_a_dimension_is_natural(down: bool, ask: Ask) -> None:
    found = ask(
        Slots(
            None, ("room_count",), ("building_no",), filters=(P1,), order=Order("building_no", down)
        )
    )
    names = [f"{number}号楼" for number in range(1, len(found.rows) + 1)]
    assert [row[0] for row in found.rows] == (names[::-1] if down else names)
    assert len(names) > 10


def test_order_by_time(ask: Ask) -> None:
    found = ask(Slots(None, ("order_count",), grain="month", time=YEAR, order=Order("bucket")))
    days = [row[0] for row in found.rows]
    assert days == sorted(days, reverse=True)
    assert len(days) == 9


@pytest.mark.parametrize(
    ("test", "condition"),
    [
        (Interval(None, True, Decimal("0.9"), False), "rate < 0.9"),
        (Interval(Decimal("0.8"), True, Decimal("0.9"), True), "rate >= 0.8 and rate <= 0.9"),
        (Interval(Decimal("0.85"), False), "rate > 0.85"),
    ],
)
def test_having(test: Interval, condition: str, ask: Ask, gold: Gold) -> None:
    slots = Slots(
        None,
        ("collection_rate",),
        ("industry",),
        time=YEAR,
        having=(Having("collection_rate", test),),
    )
    rates = """
        select industry, sum(coalesce(paid, 0)) / sum(receivable_amount) as rate
        from fact_bill b join dim_tenant t using (tenant_id)
        left join (select bill_id, sum(amount) as paid from fact_payment group by 1) p using (bill_id)
        where bill_month >= date '2026-01-01' group by 1"""
    same(ask(slots), gold(f"select * from ({rates}) where {condition} order by 1"))


# -- values, members, policies -----------------------------------------------------------------


def test_members_are_those_rows(ask: Ask, gold: Gold) -> None:
    members = Members(
        ("park_id", "building_no"), (("P001", "1号楼"), ("P002", "2号楼"), ("P001", None))
    )
    found = ask(
        Slots(None, ("order_count",), ("building_no",), filters=(Filter("building_no", members),))
    )
    wanted = gold("""
        select o.park_id, b.building_no, count(*)
        from fact_work_order o left join dim_building b using (building_id)
        where (o.park_id, coalesce(b.building_no, '-')) in
              (('P001', '1号楼'), ('P002', '2号楼'), ('P001', '-'))
        group by 1, 2 order by 1, length(b.building_no), 2""")
    assert [(row[0], *row[2:]) for row in found.rows] == wanted
    assert len(wanted) == 3


@pytest.mark.parametrize("fields", [("park_id",), ("park_id", "building_no")])
def test_members_of_an_empty_result_are_none(fields: tuple[str, ...], ask: Ask) -> None:
    found = ask(Slots(None, ("order_count",), filters=(Filter(fields[-1], Members(fields, ())),)))
    assert found.rows == ((0,),)


def test_members_of_one_field(ask: Ask) -> None:
    members = Filter("park_id", Members(("park_id",), (("P001",), ("P003",))))
    among = Filter("park_id", Among(("P001", "P003")))
    assert (
        ask(Slots(None, ("bill_count",), filters=(members,))).rows
        == ask(Slots(None, ("bill_count",), filters=(among,))).rows
    )


@pytest.mark.parametrize("text", ["科技", "%", "_", "'", "100%'; drop table dim_tenant; --", "（"])
def test_a_part_of_a_name_is_taken_literally(text: str, ask: Ask, gold: Gold) -> None:
    found = ask(Slots("tenant", rows=True, filters=(Filter("tenant_id", Contains(text)),)))
    wanted = gold("select tenant_id, tenant_name from dim_tenant order by 1")
    assert [row[0] for row in found.rows] == [key for key, name in wanted if text in str(name)]


def test_a_value_that_is_no_number_is_refused(park_layer: Layer) -> None:
    for value in ("1 or 1=1", "1e9", "", "٣"):
        slots = Slots(None, ("room_count",), filters=(Filter("floor_no", Among((value,))),))
        with pytest.raises(QuestionError, match="bad-value"):
            build(Question(slots, park_layer, CLOCK))


def test_a_policy_holds_on_every_leg(ask: Ask) -> None:
    asked = [
        Slots(None, ("bill_count", "order_count", "electricity_kwh"), time=AUGUST),
        Slots(None, ("collection_rate",), ("fee_type",), time=YEAR, comparison=Comparison("yoy")),
        Slots(None, ("avg_rent_per_sqm", "contract_count"), ("building_no",)),
        Slots(None, ("tenant_count",), ("industry",)),
        Slots(None, ("kwh_per_sqm",), grain="month", time=YEAR),
        Slots("tenant", rows=True),
    ]
    for slots in asked:
        limited, filtered = ask(slots, (P2,)), ask(replace(slots, filters=(P2,)))
        cells = [tuple(row[-3:]) for row in limited.rows]
        assert cells == [tuple(row[-3:]) for row in filtered.rows]
        assert cells != [tuple(row[-3:]) for row in ask(slots).rows]


def test_a_policy_and_a_filter_both_hold(ask: Ask) -> None:
    assert ask(Slots(None, ("bill_count",), filters=(P1,)), (P2,)).rows == ((0,),)


def test_an_attribute_of_rows_filters(ask: Ask, gold: Gold) -> None:
    filters = (
        Filter("bill_amount", Interval(Decimal(50000), False)),
        Filter("due_date", During(SEPTEMBER.ranges)),
    )
    same(
        ask(Slots(None, ("bill_count",), filters=filters)),
        gold("""
        select count(*) from fact_bill where receivable_amount > 50000
        and due_date >= date '2026-09-01' and due_date < date '2026-10-01'"""),
    )


def test_a_date_that_is_named(ask: Ask, gold: Gold) -> None:
    ending = TimeSlot(
        "", (Range(date(2027, 1, 1), date(2027, 4, 1)),), "period", "quarter", role="end_date"
    )
    same(
        ask(Slots(None, ("contract_count", "leased_contract_area"), time=ending)),
        gold("""
        select (select count(*) from fact_contract where end_date between date '2027-01-01' and date '2027-03-31'),
               (select sum(leased_area) from contract_room x join fact_contract c using (contract_id)
                where end_date between date '2027-01-01' and date '2027-03-31')"""),
    )


# -- detail lists ------------------------------------------------------------------------------


def test_a_list_of_tenants_of_a_park(ask: Ask, gold: Gold) -> None:
    found = ask(Slots("tenant", rows=True, filters=(P1,)))
    assert found.columns[:3] == ("tenant_id", "tenant_id__label", "tenant_name")
    wanted = gold("""
        select tenant_id, tenant_name, tenant_name, industry, company_size, is_high_tech, city
        from dim_tenant t where exists (select 1 from fact_contract c
          where c.tenant_id = t.tenant_id and c.park_id = 'P001' and c.status = 'ACTIVE') order by 1""")
    same(found, wanted)


def test_a_list_of_rooms_is_of_one_snapshot(ask: Ask, gold: Gold) -> None:
    building = Filter("building_no", Among(("1号楼",)))
    for time in (None, NEWEST, YEAR):
        found = ask(Slots("park_building_resource", rows=True, filters=(P1, building), time=time))
        wanted = gold("""
            select s.room_id, s.status from fact_room_status s join dim_room r using (room_id)
            where r.building_id = 'P001-B01' and snapshot_date = date '2026-09-27' order by 1""")
        assert [(row[0], row[-1]) for row in found.rows] == wanted


BILLS = "from fact_bill where bill_month = date '2026-08-01'"


@pytest.mark.parametrize(
    ("limit", "down", "condition"),
    [
        (Limit(3), True, "rank() over (order by receivable_amount desc) <= 3"),
        (Limit(3), False, "rank() over (order by receivable_amount) <= 3"),
        (Limit(9, 5), True, "rank() over (order by receivable_amount desc) between 5 and 9"),
        (
            Limit(2, per=("park_id",)),
            True,
            "rank() over (partition by park_id order by receivable_amount desc) <= 2",
        ),
    ],
)
def test_a_cut_list_keeps_ties(
    limit: Limit, down: bool, condition: str, ask: Ask, gold: Gold
) -> None:
    slots = Slots("bill", rows=True, time=AUGUST, order=Order("bill_amount", down), limit=limit)
    wanted = gold(f"""
        select bill_id, receivable_amount {BILLS} qualify {condition}
        order by receivable_amount {"desc" if down else ""}, bill_id""")
    assert [(row[0], row[-1]) for row in ask(slots).rows] == wanted


def test_a_list_without_an_order_is_cut_by_place(ask: Ask, gold: Gold) -> None:
    first = ask(Slots("bill", rows=True, time=AUGUST, limit=Limit(10)))
    rest = ask(Slots("bill", rows=True, time=AUGUST, limit=Limit(10, 4)))
    wanted = gold(f"select bill_id {BILLS} order by 1 limit 10")
    assert [row[:1] for row in first.rows] == wanted
    assert rest.rows == first.rows[3:]


# -- what cannot be met ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("slots", "code"),
    [
        (Slots(None, ("bill_count",), ("floor_no",)), "unreachable"),
        (
            Slots(None, ("bill_count",), filters=(Filter("usage_type", Among(("LAB",))),)),
            "unreachable",
        ),
        (Slots(None, ("bill_count",), comparison=Comparison("yoy")), "comparison-needs-time"),
        (
            Slots(None, ("bill_count",), time=UNTIL, comparison=Comparison("pop")),
            "comparison-needs-period",
        ),
        (Slots(None, ("tenant_count",), grain="month"), "grain-needs-time"),
        (Slots(None, ("bill_count",), ("park_id",), order=Order("nothing")), "unknown-metric"),
        (Slots("bill", rows=True, order=Order("nothing")), "unknown-order"),
        (Slots(None, rows=True), "no-object"),
        (Slots("bill", ("bill_cout",)), "unknown-metric"),
    ],
)
def test_what_cannot_be_met_is_declined(slots: Slots, code: str, park_layer: Layer) -> None:
    with pytest.raises(QuestionError) as raised:
        build(Question(slots, park_layer, CLOCK))
    assert raised.value.code == code
