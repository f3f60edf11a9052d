"""Ranks where a unit of time stays: months are ranked with what was named, and that is told."""

from __future__ import annotations

import pytest

from dialogue.turn import Request
from nl2sql.slots import BUCKET
from tests.conversation import Talk

TOLD = [
    (
        ["今年欠费按月看", "前5的租户"],
        "第 1–5 名（租户和月一起排）",
        "仍按月分开，名次是租户和月一起排的，同一租户可能占几行",
        ["不按月", "每个月前5的租户"],
    ),
    (
        ["今年各园区每周应收", "最高的3个"],
        "",  # three rows are told one by one, each with its week
        "仍按自然周分开，名次是园区和自然周一起排的，同一园区可能占几行",
        ["不按自然周", "每个自然周前3的园区"],
    ),
    (
        ["8月每天工单数", "工单最多的前5个园区"],
        "第 1–5 名（园区和自然日一起排）",
        "同一园区可能占几行",
        ["不按自然日", "每个自然日前5的园区"],
    ),
    (
        ["arrears by month this year", "top 5 tenants"],
        "ranks 1–5 (tenant and month ranked together)",
        "still by month: tenant and month are ranked together, one tenant may stand in several rows",
        ["not by month", "top 5 tenant in each month"],
    ),
]


@pytest.mark.parametrize(("said", "ranks", "assumed", "labels"), TOLD)
def test_it_is_told_and_can_be_flipped(
    talk: Talk, said: list[str], ranks: str, assumed: str, labels: list[str]
) -> None:
    turn = talk.say(*said)
    assert ranks in turn.text
    assert assumed in turn.text
    assert turn.slots is not None
    assert turn.slots.grain is not None
    told = next(item for item in turn.assumptions if item.slot == "limit")
    assert [item.label for item in told.alternatives] == labels
    before = talk.state
    for item, per in zip(told.alternatives, ((), (BUCKET,)), strict=True):
        found = []
        for request in (Request(item.label), Request(edit=item.edits)):
            talk.state = before
            after = talk.send(request)
            assert (after.outcome, after.switch) == ("answer", None), after.text
            assert after.slots is not None
            assert after.slots.limit is not None
            assert (after.slots.limit.per, after.slots.dimensions) == (per, turn.slots.dimensions)
            assert (after.slots.grain is None) == (not per)
            assert after.result is not None
            found.append(after.result.rows)
        assert found[0] == found[1]


def test_the_ranks_say_so_as_long_as_they_stand(talk: Talk) -> None:
    turn = talk.say("今年欠费按月看", "前5的租户", "去年呢")
    assert "第 1–5 名（租户和月一起排）" in turn.text
    assert all(item.slot != "limit" for item in turn.assumptions)
    chip = next(item for item in turn.chips if item.key == "limit")
    assert chip.words == "第 1–5 名（租户和月一起排）"


@pytest.mark.parametrize(
    "said",
    [
        ["今年欠费最高的5个租户"],
        ["今年欠费最高的5个月"],
        ["今年每月欠费前5的租户"],
        ["今年每个园区欠费前2的租户"],
    ],
)
def test_nothing_is_told_where_it_is_not_so(talk: Talk, said: list[str]) -> None:
    turn = talk.say(*said)
    assert "一起排" not in turn.text
    assert all(item.slot != "limit" for item in turn.assumptions)


@pytest.mark.parametrize("said", ["每月前3", "每个月前3", "各月前3名", "top 3 in each month"])
def test_so_many_of_each_month_of_the_groups_before(talk: Talk, said: str) -> None:
    turn = talk.say("今年各园区每月欠费", said)
    assert turn.slots is not None, turn.text
    assert turn.slots.limit is not None
    assert turn.slots.limit.per == (BUCKET,)
    assert turn.result is not None
    assert turn.result.row_count == 27  # three of each of the nine months that have bills
