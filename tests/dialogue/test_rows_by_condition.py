"""Single rows that are told apart by what a metric is of each: what is said, the slots, and the rows."""

from __future__ import annotations

import pytest

from dialogue.turn import Request
from dialogue.world import World
from nl2sql.slots import brief
from tests.conversation import Talk

AUGUST = ["2026-08-01", "2026-09-01"]
OWING = {"bill_outstanding": {"gt": "10000"}}
# what each bill of August leaves unpaid, straight from the tables
LEFT = """
select b.bill_id, b.receivable_amount - coalesce(sum(p.amount), 0) as unpaid
from fact_bill b left join fact_payment p on p.bill_id = b.bill_id
where b.bill_month = date '2026-08-01' group by b.bill_id, b.receivable_amount
"""
LISTED: list[tuple[str, dict[str, object]]] = [
    ("列出8月欠费超过1万的账单", {"filters": OWING}),
    ("8月欠费大于1万的账单有哪些", {"filters": OWING}),
    ("8月账单欠费超过1万的有哪些", {"filters": OWING}),
    ("8月欠费超过1万的账单", {"filters": OWING}),
    ("8月账单里欠费超过1万的", {"filters": OWING}),
    ("list the bills in August with arrears above 10000", {"filters": OWING}),
    ("which bills in August have arrears above 10000", {"filters": OWING}),
    ("bills with arrears above 10000 in August", {"filters": OWING}),
    ("列出8月欠费1万到5万的账单", {"filters": {"bill_outstanding": {"gte": "10000", "lte": "50000"}}}),
    ("8月应收超过5万的账单", {"filters": {"bill_amount": {"gt": "50000"}}}),
    ("8月实收超过5万的账单有哪些", {"filters": {"bill_received": {"gt": "50000"}}}),
    ("list bills with receivable over 50000 and arrears above 10000 in August", {"filters": {"bill_amount": {"gt": "50000"}} | OWING}),
    ("列出8月有欠费的账单", {"filters": {"bill_outstanding": {"gt": "0"}}}),
    ("8月没有欠费的账单有哪些", {"filters": {"bill_outstanding": {"lte": "0"}}}),
    ("8月响应时长超过60分钟的工单有哪些", {"filters": {"response_minutes": {"gt": "60"}}}),
    ("8月电费欠费超过1000的账单明细", {"filters": {"fee_type": ["ELECTRICITY"], "bill_outstanding": {"gt": "1000"}}}),
    ("8月张江租户欠费超过1万的账单", {"filters": {"park_id": ["P001"]} | OWING}),
]  # fmt: skip


@pytest.mark.parametrize(("said", "wanted"), LISTED, ids=[said for said, _ in LISTED])
def test_rows_are_listed(talk: Talk, said: str, wanted: dict[str, object]) -> None:
    turn = talk.say(said)
    assert turn.slots is not None, turn.text
    assert turn.slots.rows
    found = brief(turn.slots)
    assert {"metrics": [], "having": {}, "time": AUGUST, **wanted} == {
        key: found[key] for key in ("metrics", "having", "time", *wanted)
    }


def test_the_rows_are_those_that_meet_it(talk: Talk, world: World) -> None:
    turn = talk.say("列出8月欠费超过1万的账单")
    assert turn.result is not None
    ids = [column.id for column in turn.result.columns]
    at, unpaid = ids.index("bill_id"), ids.index("bill_outstanding")
    gold = world.warehouse.run(f"select * from ({LEFT}) where unpaid > 10000").rows
    assert len(gold) == 170
    assert {(row[at], row[unpaid]) for row in turn.result.rows} == set(gold)


NOT_GROUPED: list[tuple[str, dict[str, object]]] = [
    ("金额超过5万的合同", {"object": "contract", "filters": {"contract_rent": {"gt": "50000"}}}),
    ("月租金超过10万的合同", {"object": "contract", "filters": {"contract_rent": {"gt": "100000"}}}),
    ("哪些合同月租金超过10万", {"object": "contract", "filters": {"contract_rent": {"gt": "100000"}}}),
    ("contracts with monthly rent above 100000", {"object": "contract", "filters": {"contract_rent": {"gt": "100000"}}}),
    ("张江面积大于500的房间", {"filters": {"area_sqm": {"gt": "500"}, "park_id": ["P001"]}}),
    # a metric's own condition is one on the rows too
    ("空置面积超过500的房源", {"filters": {"area_sqm": {"gt": "500"}, "status": ["VACANT"]}}),
]  # fmt: skip


@pytest.mark.parametrize(("said", "wanted"), NOT_GROUPED, ids=[said for said, _ in NOT_GROUPED])
def test_rows_of_other_objects(talk: Talk, said: str, wanted: dict[str, object]) -> None:
    turn = talk.say(said)
    assert turn.slots is not None, turn.text
    assert turn.slots.rows
    found = brief(turn.slots)
    assert {key: found[key] for key in wanted} == wanted


def test_a_list_that_nobody_asked_for_is_told_and_can_be_flipped(talk: Talk) -> None:
    turn = talk.say("8月应收超过5万的账单")
    assert "未说要看什么，逐条列出" in turn.text
    told = next(item for item in turn.assumptions if item.slot == "rows")
    assert [item.label for item in told.alternatives][:3] == ["账单数", "应收", "实收"]
    counted = talk.send(Request(edit=told.alternatives[0].edits))
    assert counted.slots is not None
    assert brief(counted.slots)["metrics"] == ["bill_count"]
    assert brief(counted.slots)["filters"] == {"bill_amount": {"gt": "50000"}}
    assert "逐条列出" not in talk.say("列出8月应收超过5万的账单").text
    english = Talk(talk.world).say("bills with arrears above 10000 in August")
    assert "listed row by row" in english.text


COUNTED: list[tuple[str, str]] = [
    ("8月欠费超过1万的账单有几笔", "unpaid > 10000"),
    ("8月账单欠费超过1万的有几笔", "unpaid > 10000"),
    ("how many bills in August have arrears over 10000", "unpaid > 10000"),
    ("8月有欠费的账单有多少", "unpaid > 0"),
]


@pytest.mark.parametrize(("said", "where"), COUNTED, ids=[said for said, _ in COUNTED])
def test_rows_are_counted(talk: Talk, world: World, said: str, where: str) -> None:
    turn = talk.say(said)
    assert turn.result is not None, turn.text
    assert (
        turn.result.rows == world.warehouse.run(f"select count(*) from ({LEFT}) where {where}").rows
    )


def test_what_is_asked_of_such_rows(talk: Talk, world: World) -> None:
    of_them = f"select bill_id from ({LEFT}) where unpaid > 10000"
    gold = world.warehouse.run(
        "select sum(receivable_amount), (select sum(amount) from fact_payment"
        f" where bill_id in ({of_them})) from fact_bill where bill_id in ({of_them})"
    ).rows
    turn = talk.say("8月欠费超过1万的账单的应收", "再加上实收")
    assert turn.result is not None
    assert turn.result.rows == gold
    turn = talk.say("receivable of bills with arrears over 10000 in August")
    assert turn.result is not None
    assert turn.result.rows == ((gold[0][0],),)


def test_by_groups_the_condition_stays_on_the_rows(talk: Talk, world: World) -> None:
    turn = talk.say("各园区8月欠费超过1万的账单有几笔")
    assert turn.result is not None
    gold = world.warehouse.run(
        f"select park_id, count(*) from ({LEFT}) join fact_bill using (bill_id)"
        " where unpaid > 10000 group by park_id"
    ).rows
    assert {(row[0], row[-1]) for row in turn.result.rows} == set(gold)


FOLLOWED: list[tuple[list[str], dict[str, object]]] = [
    (["列出8月账单", "欠费超过1万的"], {"filters": OWING, "metrics": []}),
    (["列出8月账单", "只看欠费超过1万的"], {"filters": OWING, "metrics": []}),
    (["列出8月账单", "欠费超过1万的有几笔"], {"filters": OWING, "metrics": ["bill_count"]}),
    (["列出8月欠费超过1万的账单", "超过5万的呢"], {"filters": {"bill_outstanding": {"gt": "50000"}}, "metrics": []}),
    (["列出8月欠费超过1万的账单", "一共几笔"], {"filters": OWING, "metrics": ["bill_count"]}),
    (["列出8月欠费超过1万的账单", "张江的"], {"filters": OWING | {"park_id": ["P001"]}, "metrics": []}),
    # a condition on groups is one still
    (["列出8月账单", "欠费超过1万的租户"], {"dimensions": ["tenant_id"], "having": {"outstanding_amount": {"gt": "10000"}}}),
    (["8月各园区欠费", "欠费超过100万的呢"], {"dimensions": ["park_id"], "having": {"outstanding_amount": {"gt": "1000000"}}}),
    (["8月哪些租户欠费超过10万"], {"dimensions": ["tenant_id"], "having": {"outstanding_amount": {"gt": "100000"}}, "filters": {}}),
    (["8月账单欠费超过1万了吗"], {"metrics": ["outstanding_amount"], "filters": {}, "having": {}}),
]  # fmt: skip


@pytest.mark.parametrize(("said", "wanted"), FOLLOWED, ids=[" / ".join(c[0]) for c in FOLLOWED])
def test_what_follows(talk: Talk, said: list[str], wanted: dict[str, object]) -> None:
    turn = talk.say(*said)
    assert turn.slots is not None, turn.text
    found = brief(turn.slots)
    assert {key: found[key] for key in wanted} == wanted


RANKED: list[tuple[str, list[str]]] = [
    ("8月欠费最多的10张账单", ["bill_outstanding desc"]),
    ("top 10 bills by arrears in August", ["bill_outstanding desc"]),
    ("8月应收最低的10张账单", ["bill_amount asc"]),
]


@pytest.mark.parametrize(("said", "order"), RANKED, ids=[said for said, _ in RANKED])
def test_so_many_rows_in_its_order(talk: Talk, said: str, order: list[str]) -> None:
    turn = talk.say(said)
    assert turn.slots is not None, turn.text
    assert (turn.slots.rows, brief(turn.slots)["order"], brief(turn.slots)["limit"]) == (
        True,
        order,
        10,
    )


def test_the_most_of_them(talk: Talk, world: World) -> None:
    turn = talk.say("8月欠费最多的10张账单")
    assert turn.result is not None, turn.text
    at = [column.id for column in turn.result.columns].index("bill_outstanding")
    gold = world.warehouse.run(f"select unpaid from ({LEFT}) order by unpaid desc limit 10").rows
    assert [row[at] for row in turn.result.rows] == [row[0] for row in gold]


DECLINED: list[tuple[str, str]] = [
    ("列出收缴率低于90%的账单", "单条账单上没有“收缴率”这个数，不能按它逐条挑选。单条上可以作条件的有：单笔应收、单笔实收、单笔欠费。"),
    ("8月逾期金额超过1万的账单", "单条账单上没有“逾期金额”这个数，不能按它逐条挑选。单条上可以作条件的有：单笔应收、单笔实收、单笔欠费。"),
    ("欠费超过10万的合同", "单条合同上没有“欠费”这个数，不能按它逐条挑选。单条上可以作条件的有：单份月租。"),
    ("list bills with collection rate below 90%", "collection rate is no number of a single row of bills, so rows cannot be chosen by it. Numbers of single rows: bill amount, payments of a bill, arrears of a bill."),
]  # fmt: skip


@pytest.mark.parametrize(("said", "text"), DECLINED, ids=[said for said, _ in DECLINED])
def test_what_no_single_row_has(talk: Talk, said: str, text: str) -> None:
    turn = talk.say(said)
    assert (turn.outcome, turn.reason, turn.text) == ("decline", "row-condition", text)
