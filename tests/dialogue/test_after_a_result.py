"""What follows a result: a condition on the members shown, and the sum of a column that was listed."""

import pytest

from tests.conversation import Talk


@pytest.mark.parametrize(
    ("first", "condition"),
    [
        ("8月各园区出租率", "其中空置数大于100的"),
        ("8月各園區出租率", "其中空置數大於100的"),
        ("occupancy rate by park in August", "among those, vacant units above 100"),
    ],
)
def test_a_condition_on_members_stands_beside_what_is_shown(
    talk: Talk, first: str, condition: str
) -> None:
    before = talk.say(first)
    turn = talk.say(condition)
    assert turn.slots is not None, turn.text
    assert turn.slots.metrics == ("occupancy_rate", "vacant_count")
    assert [item.metric for item in turn.slots.having] == ["vacant_count"]
    assert before.result is not None
    assert turn.result is not None
    shown = {row[0]: row[-1] for row in before.result.rows}
    assert 0 < turn.result.row_count < len(shown)
    assert all(row[-2] == shown[row[0]] and row[-1] > 100 for row in turn.result.rows)  # type: ignore[operator]
    turn = talk.say("空置数改成110以上" if turn.lang == "zh" else "vacant units above 110")
    assert turn.slots is not None, turn.text
    assert turn.slots.metrics == ("occupancy_rate", "vacant_count")
    assert [str(item.test.low) for item in turn.slots.having] == ["110"]


def test_a_condition_without_members_is_about_its_own_metric(talk: Talk) -> None:
    turn = talk.say("8月各园区出租率", "空置数大于100的园区")
    assert turn.slots is not None
    assert turn.slots.metrics == ("vacant_count",)


@pytest.mark.parametrize("asked", ["面积合计", "面积合计多少", "面積合計"])
def test_the_sum_of_a_column_that_was_listed(talk: Talk, asked: str) -> None:
    rows = talk.say("列出张江2号楼空置的房间").result
    turn = talk.say(asked)
    assert turn.outcome == "answer", turn.text
    assert rows is not None
    assert turn.result is not None
    at = [column.id for column in rows.columns].index("area_sqm")
    assert turn.result.rows == ((sum(row[at] for row in rows.rows),),)  # type: ignore[misc]


def test_the_sum_over_what_was_counted(talk: Talk) -> None:
    listed = talk.say("列出张江2号楼空置的房间", "面积合计").result
    counted = talk.say("列出张江2号楼空置的房间", "一共几套", "面积合计多少").result
    assert listed is not None
    assert counted is not None
    assert counted.rows == listed.rows


def test_a_column_after_a_number_is_still_asked_about(talk: Talk) -> None:
    assert talk.say("现在张江的空置数", "面积合计").outcome == "clarify"
