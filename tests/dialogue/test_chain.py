"""The chain of the README: every answer equal to gold SQL, park and building gone after the switch."""

from __future__ import annotations

from dialogue.world import World
from nl2sql.slots import brief
from tests.conversation import Talk

VACANT = """
select b.building_no, count(*) filter (where s.status = 'VACANT'),
       sum(case when s.status = 'VACANT' then r.area_sqm else 0 end)
from fact_room_status s join dim_room r using (room_id) join dim_building b using (building_id)
where b.park_id = 'P001' and s.snapshot_date = date '{day}' {more}
group by b.building_no order by length(b.building_no), b.building_no
"""
COLLECTION = """
select (select sum(p.amount) from fact_payment p join fact_bill b using (bill_id)
        where b.bill_month between date '2026-01-01' and date '2026-09-28')
     / (select sum(receivable_amount) from fact_bill
        where bill_month between date '2026-01-01' and date '2026-09-28')
"""


def test_the_chain(world: World, talk: Talk) -> None:
    def gold(day: str, more: str = "") -> list[tuple[object, ...]]:
        return list(world.warehouse.run(VACANT.format(day=day, more=more)).rows)

    first = talk.say("张江科技园2026年8月各楼栋空置房源数")
    assert list(first.all_rows) == [row[:2] for row in gold("2026-08-31")]
    assert [row[0] for row in first.all_rows][:3] == ["1号楼", "2号楼", "3号楼"]

    second = talk.say("那这个月呢")
    assert list(second.all_rows) == [row[:2] for row in gold("2026-09-27")]
    assert set(second.changes.kept) == {"object", "metrics", "dimensions", "filters.park_id"}
    assert second.changes.set == ("time",)

    only = "and b.building_no = '1号楼'"
    third = talk.say("只看1号楼")
    assert list(third.all_rows) == [row[:2] for row in gold("2026-09-27", only)]

    fourth = talk.say("再加上空置面积")
    assert list(fourth.all_rows) == gold("2026-09-27", only)

    fifth = talk.say("算了，看看收缴率")
    assert fifth.switch is not None
    assert fifth.switch.dropped == ("张江科技园", "1号楼", "2026年9月")
    assert fifth.text.startswith("已换话题，不再沿用：张江科技园、1号楼、2026年9月（说“沿用")
    assert fifth.slots is not None
    assert brief(fifth.slots)["filters"] == {}
    assert brief(fifth.slots)["dimensions"] == []
    assert brief(fifth.slots)["time"] == ["2026-01-01", "2026-09-29"]
    (value,) = world.warehouse.run(COLLECTION).rows[0]
    assert abs(fifth.all_rows[0][0] - value) < 1e-9  # type: ignore[operator]

    sixth = talk.say("这个数怎么来的")
    assert sixth.outcome == "explain"
    assert sixth.sql == fifth.sql
    assert "收缴率 = 实收 ÷ 应收" in sixth.text
    assert "2026-01-01–2026-09-28（默认）" in sixth.text


def test_where_each_slot_came_from(talk: Talk) -> None:
    talk.say("张江科技园2026年8月各楼栋空置房源数", "那这个月呢")
    turn = talk.say("只看1号楼")
    sources = {item.key: (item.source, item.turn) for item in turn.provenance}
    assert sources == {
        "object": ("carried", 1),
        "metrics": ("carried", 1),
        "dimensions": ("carried", 1),
        "time": ("carried", 2),
        "filters.park_id": ("carried", 1),
        "filters.building_no": ("said", 3),
    }
