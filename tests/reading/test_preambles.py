"""Who wants a number, and what for, is passed over where it is known for that, and told where it is not."""

from __future__ import annotations

import time

import pytest

from nl2sql.reading import RuleReader

ZH = "8月张江的收款率"
EN = "collection rate of Zhangjiang in August"


@pytest.mark.parametrize(
    "said",
    [
        "财务要个数，",
        "财务那边要数：",
        "领导问，",
        "老板在催，",
        "王总问，",
        "集团要报表，",
        "公司要个数，",  # no grouping by companies
        "物业要个数，",  # no property fees
        "做个报表用，",
        "写周报用，",
        "做PPT用，",
        "明天开会用，",  # not of tomorrow
        "给领导汇报用，",
        "要给领导看的，",
        "经营分析会用，",
        "替财务问一下，",
        "汇报材料要用，",
        "打扰一下，",
        "核对一下，",
        "王总问，明天开会用，",
        "財務要個數，",
    ],
)
def test_who_asks_and_what_for(reader: RuleReader, said: str) -> None:
    plain = [edit.value for edit in reader.read(ZH).edits]
    for text in (said + ZH, f"{ZH}，{said.rstrip('，：')}"):
        reading = reader.read(text)
        assert not reading.unread, text
        assert [edit.value for edit in reading.edits] == plain, text


@pytest.mark.parametrize(
    "said",
    [
        "for the board meeting, ",
        "for the weekly report, ",  # not by week
        "my boss wants to know, ",
        "the CFO is asking: ",
        "finance wants a number, ",
        "on behalf of finance, ",
        "quick one for the CFO, ",
        "I'm preparing the board pack, ",
        "I need this for a deck, ",
        "ahead of tomorrow's meeting, ",  # not of tomorrow
        "for the board meeting I need the ",
        "sorry to bother you, ",
    ],
)
def test_in_english(reader: RuleReader, said: str) -> None:
    reading = reader.read(said + EN)
    assert not reading.unread
    assert [edit.value for edit in reading.edits] == [e.value for e in reader.read(EN).edits]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("供应商要个数，8月张江的收款率", "供应商"),
        ("董事会要绿色报表，8月张江的收款率", "绿色"),
        ("财务要毛利，8月张江的收款率", "毛利"),
        ("财务要欠费，8月张江的收款率", "财务"),  # a slot is in it
        ("财务要个数", "财务"),  # and says nothing besides
        ("财务的收款率，8月张江", "财务"),
        (f"for the green board meeting, {EN}", "green"),
        (f"the suppliers asked, {EN}", "suppliers"),
        (f"for sales, {EN}", "sales"),  # a part of what is counted, maybe
    ],
)
def test_what_is_not_known_is_told(reader: RuleReader, text: str, told: str) -> None:
    assert told in [item.text for item in reader.read(text).unread]


def test_a_value_is_no_reader(reader: RuleReader) -> None:
    edits = reader.read("for retail, vacant rooms").edits
    assert any(edit.slot == "filters" for edit in edits)


def test_words_without_end_take_no_time(reader: RuleReader) -> None:
    begun = time.perf_counter()
    for part in ("正在", "我们我", "要想要", "给王总", "the board ", "me us this "):
        reader.read((part * 500)[:900] + "，" + ZH)
    assert time.perf_counter() - begun < 20
