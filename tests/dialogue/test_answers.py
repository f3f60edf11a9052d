"""Answers in words: every number is of the rows, what was assumed can be flipped, and what is empty says why."""

from __future__ import annotations

import re
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dialogue.changes import keys
from dialogue.checked import unbacked
from dialogue.slot_words import slot_words
from dialogue.turn import Request, Turn
from dialogue.words import describe, number
from dialogue.world import World
from nl2sql.slots import brief
from tests.conversation import Talk
from tests.dialogue.test_state import KINDS
from tests.dialogue.test_suggestions import ENGLISH, MORE


@pytest.mark.parametrize(
    ("said", "says"),
    [
        (["8月张江的实收"], "实收：19,797,247.74 元（约 1,979.72 万元）。"),
        (["8月实收"], "实收：53,115,863.97 元（约 5,311.59 万元）。"),
        (["今年应收"], "元（约 5.3 亿元）"),
        (["8月张江实收多少万"], "实收：1,979.72 万元。"),
        (["8月张江的实收", "是多少万"], "实收：1,979.72 万元。"),
        (["今年应收多少亿"], "应收：5.3 亿元。"),
        (["received amount in August"], "53,115,863.97 CNY (about 53.12 million CNY)."),
        (["8月工单数"], "工单数：2,756。"),
        (["8月张江的收缴率"], "收缴率：91.89%。数据截至 2026-09-01。"),
        (["8月各园区收缴率"], "收缴率最高：滨江数字园 96.48%；最低：光谷生物城 74.31%。"),
        (["8月张江的收缴率同比"], "（去年同期 "),
        (["8月应收同比"], "（去年同期 59,025,510.59 元，变化 1.35%）"),
        (["collection rate by park in August", "only Lingang", "undo"], "Undone. 2026-08 collection rate"),
        (["collection rate by park in August"], "lowest for Optics Valley 74.31%."),
        (["上海的空置率", "滨江呢"], "不再限定上海。"),
        (["今年各园区应收前3名"], "未说次序，按应收从高到低。"),
        (["合同数"], "未说时间，按 全部时间 计。"),
        (["8月各园区收缴率高于99%的"], "是“收缴率 > 99%”排除了所有数据，去掉它就有。"),
        (["名字里有火星的租户今年的欠费"], "是“租户含“火星””排除了所有数据"),
        (["collection rate by park over 99% in August"], "It is “collection rate > 99%” that leaves nothing"),
    ],
)  # fmt: skip
def test_what_an_answer_says(talk: Talk, said: list[str], says: str) -> None:
    assert says in talk.say(*said).text


def stray_numbers(world: World, turn: Turn) -> list[str]:
    """Numbers of a text that are neither in the rows nor in the words for the slots."""
    assert turn.slots is not None
    assert turn.result is not None
    told = describe(world, turn.slots, turn.lang)
    frame = [told.period, told.filters, told.dimensions, told.metrics, turn.fresh_to or ""]
    frame += [slot_words(world, turn.slots, key, turn.lang) for key in keys(turn.slots)]
    frame += [item for switch in [turn.switch] if switch for item in switch.dropped]
    frame += [item.value for item in turn.assumptions]
    columns = turn.result.columns
    for index, column in enumerate(columns):
        if column.kind in ("value", "label", "bucket"):
            for row in turn.all_rows:
                cell = row[index]
                frame += [str(cell), str(cell)[:7]]
                frame.append(world.label(column.id, None if cell is None else str(cell), turn.lang))
    cells = [cell for row in turn.all_rows for cell in row]
    text = re.sub(r"(?:是“|没有一个|不再限定|It is|No ).*", "", turn.text)
    found = unbacked(text, frame, [*cells, turn.result.row_count, len(turn.result.rows)])
    return list(found)


@given(turns=st.lists(st.sampled_from([*KINDS, *ENGLISH, *MORE]), min_size=1, max_size=6))
@settings(max_examples=30)
def test_every_number_in_a_text_is_in_the_rows(world: World, turns: list[str | Request]) -> None:
    talk = Talk(world)
    for said in turns:
        turn = talk.hear(said)
        if turn.outcome == "answer" and not turn.parts:
            assert stray_numbers(world, turn) == [], turn.text


def test_a_number_that_is_not_in_the_rows_is_seen() -> None:
    cells = [Decimal("461105415.53"), 0.8697]
    told = "今年实收 461,105,415.53 元（约 4.61 亿元），收缴率 86.97%"
    assert unbacked(told, ["今年"], cells) == ()
    assert unbacked(told.replace("4.61", "4.62"), ["今年"], cells) == ("4.62",)
    assert unbacked("实收 461,105,415.54 元", [], cells) == ("461,105,415.54",)


@pytest.mark.parametrize(
    ("text", "slot"),
    [
        ("张江的收缴率", "time"),
        ("张江的空置率", "time"),
        ("张江的合同", "metrics"),
        ("谁欠得最多", "dimensions"),
        ("今年各园区应收前3名", "order"),
        ("实收走势", "time"),
        ("collection rate in Zhangjiang", "time"),
    ],
)
def test_what_was_assumed_can_be_flipped(talk: Talk, text: str, slot: str) -> None:
    turn = talk.say(text)
    before = talk.state
    found = [item for item in turn.assumptions if item.slot == slot]
    assert len(found) == 1, turn.text
    assert found[0].alternatives
    for other in found[0].alternatives:
        talk.state = before
        flipped = talk.send(Request(edit=other.edits))
        assert flipped.outcome in ("answer", "clarify"), flipped.text  # expiring: when?
        if flipped.outcome == "answer":
            assert flipped.slots != turn.slots, other.label
            assert flipped.lang == turn.lang
    if slot == "time":  # and what is offered can be said as well
        talk.state = before
        said = talk.say(found[0].alternatives[1].label)
        talk.state = before
        clicked = talk.send(Request(edit=found[0].alternatives[1].edits))
        assert said.slots is not None
        assert clicked.slots is not None
        assert brief(said.slots) == brief(clicked.slots)


def test_where_a_number_came_from(talk: Talk, world: World) -> None:
    talk.say("8月张江的收缴率", "只看租金")
    turn = talk.say("这个数怎么来的")
    (before,), (after,) = (
        world.warehouse.run(f"select count(*) from fact_bill {where}").rows[0]
        for where in (
            "",
            "where park_id = 'P001' and fee_type = 'RENT' and bill_month = date '2026-08-01'",
        )
    )
    assert isinstance(before, int)
    assert isinstance(after, int)
    assert f"账单共 {before:,} 行，筛选后 {after:,} 行；" in turn.text
    assert "筛选 = 张江科技园（沿用第 1 轮）" in turn.text or "张江科技园（本轮说的）" in turn.text
    assert "公式：实收 ÷ 应收" in turn.text
    assert turn.sql == talk.turns[1].sql


@pytest.mark.parametrize(
    "text", ["how was this computed", "how did you get this", "这个数怎么来的"]
)
def test_the_ways_to_ask_where_from(talk: Talk, text: str) -> None:
    turn = talk.say("collection rate in August", text)
    assert turn.outcome == "explain"
    assert turn.sql == talk.turns[0].sql
    assert number(Decimal(0), False, "en") == "0"


def test_permissions_are_told_where_a_number_came_from(talk: Talk, world: World) -> None:
    from semantic_layer.protocols import User

    talk = Talk(world, User("asker", (("park_id", ("P002",)),)))
    assert "权限限定 = 临港智造园" in talk.say("8月的收缴率", "这个数怎么来的").text


def test_a_named_base_is_said_with_its_figure(talk: Talk) -> None:
    turn = talk.say("8月张江收缴率", "比5月呢")
    assert "对比5月 " in turn.text
    assert "百分点" in turn.text


def test_a_word_that_was_not_understood_is_not_offered_for_itself(talk: Talk) -> None:
    turn = talk.say("今年欠费最多的5家租户", "第二个的合同到期日")
    assert turn.not_understood == ("到期日",)
    assert "到期日" not in [item.label for item in turn.suggestions]


@pytest.mark.parametrize(
    "said",
    [
        ("本月到期合同数", "同比"),
        ("本月到期合同數", "環比"),
        ("contracts expiring this month", "year over year"),
        ("未来3个月到期合同数", "同比"),
        ("本月各园区到期合同数", "同比"),
        ("今年到期合同数按月", "同比"),
        ("本月到期合同数", "跟5月比"),
    ],
)
def test_a_date_that_looks_ahead_is_compared_whole(talk: Talk, said: tuple[str, str]) -> None:
    """What the period counts alone is what it counts beside its base, after today too."""
    alone, compared = (talk.say(text).result for text in said)
    assert alone is not None
    assert compared is not None
    at = [column.id for column in compared.columns].index("expiring_count")
    keys = len(alone.columns) - 1
    assert {(*row[:keys], row[at]) for row in compared.rows} >= set(alone.rows)
    assert sum(int(str(row[at] or 0)) for row in compared.rows) == sum(
        int(str(row[-1])) for row in alone.rows
    )


def test_a_date_that_looks_back_is_compared_up_to_today(talk: Talk) -> None:
    turn = talk.say("本月签约合同数同比")
    assert "2026-09-29" in (turn.sql or "")
    assert "2025-09-29" in (turn.sql or "")
