"""What a comparison by groups says in words: the largest rise and the largest fall."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest

from dialogue.answer import Answered, Shown, Timings
from dialogue.turn import Result
from dialogue.wording import moves
from semantic_layer.protocols import Cell
from tests.conversation import Talk

SAID = [
    (
        "今年各园区应收同比",
        "应收增加最多：前海金融港 +20,005,350.58 元（+17.54%）；减少最多：苏州湾创新园 -2,612,198.66 元（-3.25%）。",
    ),
    (
        "receivable by park this year compared with last year",
        "receivable rose most for Qianhai +20,005,350.58 CNY (+17.54%);"
        " fell most for Suzhou Bay -2,612,198.66 CNY (-3.25%).",
    ),
    # a rate by points
    (
        "现在各园区空置率环比",
        "空置率增加最多：光谷生物城 +3.5 个百分点（+9.39%）；减少最多：临港智造园 -0.57 个百分点（-4.45%）。",
    ),
    # where none rose alone, the fall alone
    ("今年各园区收缴率同比", "收缴率减少最多：光谷生物城 -14.09 个百分点（-15.31%）。"),
    (
        "collection rate by park this year compared with last year",
        "collection rate fell most for Optics Valley -14.09 points (-15.31%).",
    ),
    ("今年每月应收同比", "应收增加最多：2026-02 +4,688,022.95 元（+8.65%）。"),
    ("8月各楼栋工单数对比5月", "工单数增加最多：张江科技园、15号楼 +38（+63.33%）。"),
    # the total is no group
    (
        "今年各园区应收同比，带合计",
        "应收增加最多：前海金融港 +20,005,350.58 元（+17.54%）；减少最多：苏州湾创新园 -2,612,198.66 元（-3.25%）。",
    ),
]


@pytest.mark.parametrize(("said", "told"), SAID, ids=[said for said, _ in SAID])
def test_the_largest_rise_and_fall_are_told(talk: Talk, said: str, told: str) -> None:
    turn = talk.say(said)
    assert told in turn.text


def test_they_are_those_of_the_rows(talk: Talk) -> None:
    turn = talk.say("今年各租户应收同比")
    assert turn.result is not None
    ids = [column.id for column in turn.result.columns]
    label, diff = ids.index("tenant_id__label"), ids.index("receivable_amount__diff")
    moved: list[tuple[Decimal, Cell]] = sorted(
        (Decimal(str(row[diff])), row[label]) for row in turn.all_rows if row[diff] is not None
    )
    (low, fell), (high, rose) = moved[0], moved[-1]
    assert low < 0 < high
    assert f"增加最多：{rose} +{high.normalize():,f} 元" in turn.text
    assert f"减少最多：{fell} {low.normalize():,f} 元" in turn.text


@pytest.mark.parametrize(
    "said",
    [
        "今年各园区应收",  # not compared
        "今年张江和临港的应收同比",  # told one by one
        "今年应收最高的5个园区同比",  # a ranking shows a part of them
        "今年应收同比",
    ],
)
def test_otherwise_nothing_is_told(talk: Talk, said: str) -> None:
    turn = talk.say(said)
    assert turn.outcome == "answer", turn.text
    assert "增加最多" not in turn.text
    assert "减少最多" not in turn.text


def test_of_several_that_moved_alike_none_is_named(talk: Talk) -> None:
    turn = talk.say("8月各园区工单数同比")
    assert turn.result is not None
    assert turn.slots is not None
    ids = [column.id for column in turn.result.columns]
    at, rate = ids.index("order_count__diff"), ids.index("order_count__change")

    def told(*diffs: int | None) -> str:
        rows: list[tuple[Cell, ...]] = []
        for row, diff in zip(turn.all_rows, diffs, strict=False):
            cells = list(row)
            cells[at], cells[rate] = diff, None
            rows.append(tuple(cells))
        result = replace(turn.result or Result((), (), 0, False), rows=tuple(rows))
        answered = Answered("", result, tuple(rows), Shown((), ()), Timings(0, 0, 0))
        assert turn.slots is not None
        return moves(talk.world, turn.slots, answered, "zh")

    assert told(5, 5, 1, -2, -2) == ""
    assert told(5, 3, 1, -2, -2) == "工单数增加最多：张江科技园 +5。"
    assert told(0, 0, 0, 0, -2) == "工单数减少最多：光谷生物城 -2。"
    assert told(1, 2, 3, 4, 5) == "工单数增加最多：光谷生物城 +5。"
    assert told(5, 3, None, None, -2) == ""  # three that can be compared are few
