"""Speech: words taken back, determiners that point at nothing, particles, dialect."""

from __future__ import annotations

import pytest

from nl2sql.reading import RuleReader
from nl2sql.slots import Among, Filter


def filters(reader: RuleReader, text: str) -> dict[str, tuple[str, ...]]:
    """The values that a text limits each field to."""
    reading = reader.read(text)
    assert not reading.unread, reading.unread
    assert not reading.references, reading.references
    return {
        edit.value.field: edit.value.test.values
        for edit in reading.edits
        if isinstance(edit.value, Filter) and isinstance(edit.value.test, Among)
    }


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("张江，呃不对，是临港的空置套数", {"park_id": ("P002",)}),
        (
            "张江3号楼，哎不对，是5号楼，空置率多少来着",
            {"park_id": ("P001",), "building_no": ("5号楼",)},
        ),
        ("把张江改成临港", {"park_id": ("P002",)}),
        ("那个2号楼的已租面积帮我查查", {"building_no": ("2号楼",)}),
        ("那个，麻烦看一下张江的出租率", {"park_id": ("P001",)}),
        ("Occupancy of Building 2 in July", {"building_no": ("2号楼",)}),
        ("8月张江满意度多少嘞", {"park_id": ("P001",)}),
        ("7月张江的工单数咧", {"park_id": ("P001",)}),
    ],
)
def test_what_stands_is_what_was_said_last(
    reader: RuleReader, text: str, expected: dict[str, tuple[str, ...]]
) -> None:
    assert filters(reader, text) == expected


def test_a_period_taken_back_gives_way(reader: RuleReader) -> None:
    times = [
        edit.value for edit in reader.read("8月不对是7月的出租率").edits if edit.slot == "time"
    ]
    assert [getattr(item, "words", "") for item in times] == ["7月"]


def test_one_of_several_taken_back_is_not_guessed(reader: RuleReader) -> None:
    assert reader.read("张江和临港，不对，是光谷的出租率").unread


def test_every_floor_is_not_the_first(reader: RuleReader) -> None:
    reading = reader.read("临港12号楼每一层的空房数")
    assert [edit.value for edit in reading.edits if edit.slot == "dimensions"] == [("floor_no",)]
    assert "floor_no" not in filters(reader, "临港12号楼每一层的空房数")


def test_writing_rows_is_refused_and_asking_anew_is_not(reader: RuleReader) -> None:
    assert reader.read("帮我把8月的工单全部改成已完成").intent == "change"
    assert reader.read("把张江改成临港").intent == "query"
    assert reader.read("把工单改成能耗费用").intent == "query"


@pytest.mark.parametrize("text", ["energy cost 2025", "arrears in Optics Valley, 2025"])
def test_a_year_at_the_end_is_a_period(reader: RuleReader, text: str) -> None:
    reading = reader.read(text)
    assert not reading.unread
    assert any(edit.slot == "time" for edit in reading.edits)


def test_these_ten_are_the_rows_shown(reader: RuleReader) -> None:
    assert [item.kind for item in reader.read("这十家 合计").references] == ["set"]
    assert not reader.read("这3个月的欠费").references
