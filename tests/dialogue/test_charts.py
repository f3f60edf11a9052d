"""What results are drawn as, and where nothing is drawn; the labels of codes."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal

import pytest

from api.turn_json import result_json
from dialogue.charts import chart
from dialogue.turn import Chart, Column, Result
from dialogue.world import World
from nl2sql.slots import Having, Interval, Limit, Slots, TimeSlot
from nl2sql.times import Range
from semantic_layer.protocols import Cell
from tests.conversation import CLOCK, Talk

MONTHS = ("bucket",)
OWED, BASE = "receivable_amount", "receivable_amount__base"


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ("8月应收", None),
        ("8月应收同比", None),
        ("8月各园区应收", Chart("bars", ("park_id",), (), (OWED,), ("bars",))),
        ("8月各园区应收同比", Chart("grouped", ("park_id",), (), (OWED, BASE), ("grouped",))),
        ("8月各园区应收前3名，其他合并", Chart("bars", ("park_id",), (), (OWED,), ("bars",))),
        ("8月各园区应收、实收和收缴率", Chart("grouped", ("park_id",), (), (OWED, "received_amount"), ("grouped",))),
        ("2025年各月应收", Chart("line", MONTHS, (), (OWED,), ("line", "bars"))),
        ("2025年各月应收同比", Chart("line", MONTHS, (), (OWED, BASE), ("line", "grouped"))),
        ("2025年各月各园区应收", Chart("line", MONTHS, ("park_id",), (OWED,), ("line", "stacked"))),
        ("2025年各月各园区收缴率", Chart("line", MONTHS, ("park_id",), ("collection_rate",), ("line",))),
        ("8月各园区各费用类型应收", Chart("grouped", ("park_id",), ("fee_type",), (OWED,), ("grouped", "stacked"))),
        ("8月各园区各费用类型收缴率", Chart("grouped", ("park_id",), ("fee_type",), ("collection_rate",), ("grouped",))),
        ("2025年各月各园区各费用类型应收", None),  # three axes
        ("列出8月的工单", None),
        ("8月各租户应收", None),  # more than can be read
        ("2025年每天的工单数", Chart("line", MONTHS, (), ("order_count",), ("line",))),
    ],
)  # fmt: skip
def test_the_shape_of_slots_tells_the_drawing(talk: Talk, said: str, found: Chart | None) -> None:
    turn = talk.say(said)
    assert turn.outcome == "answer"
    assert turn.result is not None
    assert turn.result.chart == found


def test_groups_within_their_parents_are_one_axis(talk: Talk) -> None:
    """8号楼 is a building of some park: both are its name, and a park beside it is no other axis."""
    assert_chart = Chart("bars", ("park_id", "building_no"), (), ("order_count",), ("bars",))
    turn = talk.say("8月张江和滨江各园区各楼栋工单数")
    assert turn.slots is not None
    assert turn.slots.dimensions == ("park_id", "building_no")
    assert turn.result is not None
    assert turn.result.chart == assert_chart


def test_a_running_month_is_told(talk: Talk) -> None:
    turn = talk.say("今年各月应收")
    assert turn.result is not None
    assert turn.result.chart == Chart(
        "line", MONTHS, (), (OWED,), ("line", "bars"), ("2026-09-01",)
    )


def test_a_total_is_never_drawn_and_others_are(talk: Talk) -> None:
    turn = talk.say("8月各园区应收，含合计")
    assert turn.result is not None
    assert turn.result.columns[2].kind == "mark"
    assert turn.result.chart == Chart("bars", ("park_id",), (), (OWED,), ("bars",))
    one = talk.say("只看张江")
    assert one.result is not None
    assert one.result.chart is None  # one group and its total: nothing to compare


def result(columns: str, *rows: tuple[Cell, ...]) -> Result:
    kinds = {"bucket": "bucket", "park_id": "value", "fee_type": "value"}
    found = [Column(name, name, kinds.get(name, "metric")) for name in columns.split()]  # type: ignore[arg-type]
    return Result(tuple(found), rows, len(rows), False)


def stacks(world: World, slots: Slots, *numbers: int) -> bool:
    rows = [
        (park, fee, Decimal(number))
        for (park, fee), number in zip(
            [("P001", "RENT"), ("P001", "WATER"), ("P002", "RENT")], numbers, strict=True
        )
    ]
    found = chart(world.layer, slots, result("park_id fee_type receivable_amount", *rows), CLOCK)
    assert found is not None
    return "stacked" in found.kinds


def test_only_parts_of_a_whole_are_stacked(world: World) -> None:
    slots = Slots("bill", (OWED,), ("park_id", "fee_type"))
    assert stacks(world, slots, 1, 2, 0)
    assert not stacks(world, slots, 1, -2, 3)
    few = Slots("bill", (OWED,), ("park_id", "fee_type"), limit=Limit(3))
    assert not stacks(world, few, 1, 2, 3)  # the heights would be those of what is shown


def test_picked_months_are_not_joined_by_a_line(world: World) -> None:
    high = Having(OWED, Interval(Decimal(5)))
    slots = Slots("bill", (OWED,), grain="month", having=(high,))
    rows = result("bucket receivable_amount", (date(2026, 1, 1), 7), (date(2026, 6, 1), 9))
    found = chart(world.layer, slots, rows, CLOCK)
    assert found == Chart("bars", MONTHS, (), (OWED,), ("bars",))


def test_two_rows_at_one_place_are_not_drawn(world: World) -> None:
    slots = Slots("bill", (OWED,), ("park_id",))
    twice = result("park_id receivable_amount", ("P001", 1), ("P001", 2), ("P002", 3))
    assert chart(world.layer, slots, twice, CLOCK) is None
    undated = result("bucket receivable_amount", (None, 1), (date(2026, 6, 1), 2))
    assert chart(world.layer, Slots("bill", (OWED,), grain="month"), undated, CLOCK) is None


def test_a_bucket_that_the_period_cuts_is_partial(world: World) -> None:
    spans = (Range(date(2026, 6, 15), date(2026, 8, 1)), Range(date(2026, 8, 1), date(2026, 9, 1)))
    slots = Slots("bill", (OWED,), grain="month", time=TimeSlot("", spans, "between"))
    months = [(date(2026, month, 1), month) for month in (6, 7, 8)]
    found = chart(world.layer, slots, result("bucket receivable_amount", *months), CLOCK)
    assert found is not None
    assert found.partial == ("2026-06-01",)
    early = chart(
        world.layer, slots, result("bucket receivable_amount", *months), datetime(2026, 8, 31, 23)
    )
    assert early is not None
    assert early.partial == ("2026-06-01", "2026-08-01")


@pytest.mark.parametrize(
    ("said", "label"), [("8月各费用类型应收", "电费"), ("receivable by fee type in August", "electricity fee")]
)  # fmt: skip
def test_codes_have_labels_in_the_language_of_the_turn(talk: Talk, said: str, label: str) -> None:
    found = talk.say(said).result
    assert found is not None
    told = result_json(found)["labels"]
    assert isinstance(told, dict)
    assert told["fee_type"]["ELECTRICITY"] == label
    assert "park_id" not in told


def test_names_that_stand_in_a_column_are_not_told_twice(talk: Talk) -> None:
    found = talk.say("8月各园区应收").result
    assert found is not None
    assert found.labels == ()
