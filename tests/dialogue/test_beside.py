"""占比, 合计, 其他, 累计: said, carried, and let go where they no longer have a meaning."""

import pytest

from dialogue.world import World
from nl2sql.slots import Limit
from tests.conversation import Talk

BY_PARK = """
select p.park_id, p.park_name, sum(b.receivable_amount),
       sum(b.receivable_amount) / sum(sum(b.receivable_amount)) over ()
from fact_bill b left join dim_park p using (park_id)
where b.bill_month >= date '2026-08-01' and b.bill_month < date '2026-09-01'
group by 1, 2 order by 1
"""


def gold(world: World, sql: str) -> list[tuple[object, ...]]:
    return list(world.warehouse.run(sql).rows)


def test_a_share_is_said_and_carried_to_what_adds_up(world: World, talk: Talk) -> None:
    first = talk.say("2026年8月各园区应收占比")
    assert list(first.all_rows) == gold(world, BY_PARK)
    rate = talk.say("收缴率呢")
    assert rate.slots is not None
    assert not rate.slots.share
    assert rate.changes.dropped == ("share",)
    again = talk.say("应收占比呢")
    assert list(again.all_rows) == gold(world, BY_PARK)
    cleared = talk.say("不看占比")
    assert list(cleared.all_rows) == [row[:3] for row in gold(world, BY_PARK)]


@pytest.mark.parametrize(
    "question",
    [
        "2026年8月张江应收占全部的比例",
        "2026年8月张江应收占比多少",
        "share of the total receivable of Zhangjiang in August 2026",
    ],
)
def test_a_part_is_a_part_of_all(question: str, world: World, talk: Talk) -> None:
    turn = talk.say(question)
    assert list(turn.all_rows) == gold(world, BY_PARK)[:1]
    assert "36.01%" in turn.text
    other = talk.say("临港呢")
    assert list(other.all_rows) == gold(world, BY_PARK)[1:2]


def test_a_row_of_totals_is_no_park(world: World, talk: Talk) -> None:
    turn = talk.say("2026年8月各园区收缴率，带合计")
    whole = talk.say("合计呢")
    assert turn.all_rows[-1][:3] == (None, None, 1)
    assert turn.all_rows[-1][3] == pytest.approx(whole.all_rows[0][0])
    assert len(turn.all_rows) == 7
    members = Talk(world)
    members.say("2026年8月各园区收缴率，带合计")
    assert len(members.say("它们的工单数").all_rows) == 6


def test_the_rest_of_a_ranking_is_one_row(world: World, talk: Talk) -> None:
    turn = talk.say("2026年8月应收最高的2个园区，其余合并为其他")
    rows = sorted(gold(world, BY_PARK), key=lambda row: -row[2])  # type: ignore[operator]
    assert turn.slots is not None
    assert turn.slots.limit == Limit(2, others=True)
    assert [row[3] for row in turn.all_rows] == [
        rows[0][2],
        rows[1][2],
        sum(row[2] for row in rows[2:]),  # type: ignore[misc]
    ]
    assert "并列" not in turn.text
    refused = Talk(world).say("2026年8月收缴率最高的2个园区，其余合并为其他")
    assert (refused.outcome, refused.reason) == ("decline", "not-additive")
    nothing = Talk(world).say("2026年8月各园区应收，其余合并为其他")
    assert (nothing.outcome, nothing.reason) == ("decline", "others-without-ranks")


@pytest.mark.parametrize(
    "question", ["2026年各月累计应收", "cumulative receivable by month in 2026"]
)
def test_running_totals_need_buckets(question: str, world: World, talk: Talk) -> None:
    turn = talk.say(question)
    months = gold(
        world,
        """
        with months as (
            select date_trunc('month', bill_month)::date as m, sum(receivable_amount) as due
            from fact_bill where bill_month >= date '2026-01-01' and bill_month < date '2027-01-01'
            group by 1)
        select m, sum(due) over (order by m) from months order by m
        """,
    )
    assert list(turn.all_rows) == months
    whole = Talk(world).say("2026年累计应收")
    assert whole.slots is not None
    assert not whole.slots.running
    assert whole.all_rows == ((months[-1][1],),)


def test_what_has_no_meaning_is_declined(world: World) -> None:
    rate = Talk(world).say("2026年8月各园区收缴率占比")
    assert (rate.outcome, rate.reason) == ("decline", "not-additive")
    alone = Talk(world).say("2026年8月应收占比")
    assert (alone.outcome, alone.reason) == ("decline", "nothing-to-part")


def test_the_total_of_shares_is_one_number(talk: Talk) -> None:
    whole = talk.say("8月应收").all_rows
    turn = talk.say("8月各园区应收占比", "前3名其余合并", "合计呢")
    assert turn.slots is not None
    assert (turn.slots.share, turn.slots.dimensions, turn.slots.filters) == (False, (), ())
    assert turn.all_rows == whole
