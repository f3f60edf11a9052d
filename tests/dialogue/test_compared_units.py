"""What is compared with a month is a month: 比上月 where no period is said, or a longer one runs."""

from __future__ import annotations

import pytest

from nl2sql.slots import brief
from tests.conversation import Talk

SEPTEMBER = ["2026-09-01", "2026-10-01"]
QUARTER = ["2026-07-01", "2026-10-01"]
SAID = ["2026-08-01", "2026-09-01"]


@pytest.mark.parametrize(
    ("said", "time", "source"),
    [
        (["张江欠费比上月多多少"], SEPTEMBER, "default"),
        (["张江的欠费", "它的欠费比上月多多少"], SEPTEMBER, "default"),
        (["is Zhangjiang's outstanding up vs last month"], SEPTEMBER, "default"),
        (["各园区应收比上个季度"], QUARTER, "default"),
        (["今年各园区应收", "比上季度呢"], QUARTER, "default"),
        (["工单数比上周"], ["2026-09-28", "2026-10-05"], "default"),
        (["空置房源数比上月"], SEPTEMBER, "default"),
        (["8月欠费比上月多多少"], SAID, "said"),  # the month before August
        (["8月欠费", "比上月呢"], SAID, "carried"),
        (["2025年应收", "比上月呢"], ["2025-01-01", "2026-01-01"], "carried"),  # it runs no more
        (["张江欠费环比"], ["2026-01-01", "2026-09-29"], "default"),  # no unit was named
        (["今年各园区应收", "环比呢"], ["2026-01-01", "2027-01-01"], "carried"),
    ],
)
def test_the_period_that_is_compared(
    talk: Talk, said: list[str], time: list[str], source: str
) -> None:
    turn = [talk.say(text) for text in said][-1]
    assert turn.slots is not None
    found = brief(turn.slots)
    assert (found["time"], found["comparison"]) == (time, "pop")
    assert {item.key: item.source for item in turn.provenance}["time"] == source
    told = any(item.slot == "time" for item in turn.assumptions)
    assert told is (source == "default" and (len(said) == 1 or time in (SEPTEMBER, QUARTER)))


def test_a_month_so_far_is_compared_with_as_much_of_the_one_before(talk: Talk) -> None:
    """The bills of 1 to 28 September with those of 1 to 28 August (RULES.md §7)."""
    named = talk.say("9月张江欠费环比").all_rows
    assert talk.say("张江欠费比上月多多少").all_rows == named


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("今年应收同比", "去年同期 2025-01-01–2025-09-28"),  # as much of it as has gone by
        ("8月应收环比", "上期 2026年7月"),
        ("receivables in August yoy", "a year before 2025-08"),
    ],
)
def test_the_chip_of_a_comparison_tells_its_base(talk: Talk, said: str, words: str) -> None:
    assert {item.key: item.words for item in talk.say(said).chips}["comparison"] == words
