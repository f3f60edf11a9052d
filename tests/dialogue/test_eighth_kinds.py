"""Kinds of saying that the eighth set of blind dialogues found: what is said, then the slots that must stand."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from dialogue.world import World
from nl2sql.slots import brief
from tests.conversation import Talk

AUGUST = ["2026-08-01", "2026-09-01"]
JULY = ["2026-07-01", "2026-08-01"]
TOP5 = "今年欠费最多的5家企业是哪些"
BOTH = "各园区8月应收和实收"
SUM = ["receivable_amount", "received_amount"]
NOT_TOP2 = {"park_id": {"not": ["P001", "P006"]}}
CASES: list[tuple[str, list[str], dict[str, object]]] = [
    # after a total, what it was made of
    ("each of those that were summed", [TOP5, "合计多少", "这5家各自的收缴率"], {"metrics": ["collection_rate"], "dimensions": ["tenant_id"]}),
    ("they are those that were summed", [TOP5, "合计多少", "它们的收缴率"], {"dimensions": ["tenant_id"]}),
    ("an attribute beside them", [TOP5, "合计多少", "它们是什么行业的"], {"dimensions": ["tenant_id", "industry"]}),
    ("each, in English", ["top 5 tenants by outstanding this year", "their total", "the collection rate of each of them"], {"dimensions": ["tenant_id"]}),
    ("a total across them", ["top 3 parks by number of paying tenants in August", "what is the total across those three?"], {"dimensions": []}),
    ("each of two summed", ["张江和临港8月应收合计", "各是多少"], {"dimensions": ["park_id"], "filters": {"park_id": ["P001", "P002"]}}),
    ("a part of them is no row each", [TOP5, "合计多少", "其中生物医药的有多少"], {"dimensions": []}),
    # so many of them
    ("two answers together", ["张江8月实收", "临港呢", "这两个加起来呢"], {"filters": {"park_id": ["P001", "P002"]}, "dimensions": []}),
    ("two answers together, without a pointer", ["张江8月实收", "临港呢", "两个一共多少"], {"filters": {"park_id": ["P001", "P002"]}}),
    ("two answers together, spoken", ["张江8月实收", "那临港嘞", "这俩加一块儿呢"], {"filters": {"park_id": ["P001", "P002"]}}),
    ("the last two of three", ["张江8月实收", "临港呢", "滨江呢", "这两个一共多少"], {"filters": {"park_id": ["P002", "P004"]}}),
    ("two rows of a ranking", ["8月各费项应收", "最多的两项", "这两项合计多少"], {"filters": {"fee_type": ["RENT", "PROPERTY"]}, "dimensions": []}),
    ("ten rows, with a pause", ["今年欠费前十的租户", "这十家 合计"], {"metrics": ["outstanding_amount"], "dimensions": [], "limit": None}),
    ("both, in English", ["Zhangjiang received in August", "and Lingang", "both of them combined"], {"filters": {"park_id": ["P001", "P002"]}}),
    ("one after the other, added", ["张江8月应收", "临港呢", "加起来呢"], {"filters": {"park_id": ["P001", "P002"]}}),
    ("three, one after the other", ["张江8月应收", "临港呢", "滨江呢", "总共多少"], {"filters": {"park_id": ["P001", "P002", "P004"]}}),
    ("two months, added", ["张江8月应收", "7月的呢", "加起来"], {"time": [JULY, AUGUST], "grain": None}),
    ("snapshots do not add up over time", ["张江8月空置数", "7月的呢", "合计多少"], {"time": JULY}),
    ("what was not asked of both is not added", ["张江8月应收", "临港的实收呢", "加起来"], {"filters": {"park_id": ["P002"]}}),
    # it, of what was asked about all along
    ("it keeps the groups", ["8月张江各费项应收", "它7月呢"], {"dimensions": ["fee_type"], "filters": {"park_id": ["P001"]}, "time": JULY}),
    ("it keeps the groups, in English", ["receivable of Zhangjiang in August by fee type", "what about it in July"], {"dimensions": ["fee_type"], "time": JULY}),
    # all groups of a ranking
    ("all groups are listed", ["临港空置数最多的3栋楼", "全部楼栋都列出来"], {"metrics": ["vacant_count"], "dimensions": ["building_no"], "limit": None}),
    ("their rows are listed", ["临港空置数最多的3栋楼", "列出全部楼栋的明细"], {"metrics": []}),
    ("all of an object are listed", ["张江的租户全列出来"], {"object": "tenant", "metrics": [], "filters": {"park_id": ["P001"]}}),
    # a noun that is left out
    ("of large companies", ["明年到期合同数是多少", "大型企业的有多少"], {"metrics": ["expiring_count"], "filters": {"company_size": ["LARGE"]}}),
    ("of companies of an industry", ["明年到期合同数", "生物医药企业的有多少"], {"metrics": ["expiring_count"], "filters": {"industry": ["BIOMED"]}}),
    ("the companies themselves", ["明年到期合同数是多少", "大型企业有多少"], {"metrics": ["tenant_count"]}),
    # a measure word that counts what is counted already
    ("how many of those counted", ["各园区高新企业数", "总共有多少家"], {"metrics": ["high_tech_count"], "dimensions": []}),
    ("how many vacant ones", ["各园区空置房源数", "一共有几间"], {"metrics": ["vacant_count"], "dimensions": []}),
    ("how many of what an area is of", ["8月空置面积", "有多少套"], {"metrics": ["vacant_count"], "time": AUGUST}),
    ("how many expire", ["各园区到期合同数 2027年", "一共多少份"], {"metrics": ["expiring_count"], "dimensions": []}),
    ("how many of another kind of number", ["各园区出租率", "一共有几间"], {"metrics": ["room_count"]}),
    # fewer rows of a table
    ("fewer rows, the same columns", [BOTH, "只要应收前三的园区"], {"metrics": SUM, "order": ["receivable_amount desc"], "limit": 3}),
    ("fewer rows by the second column", [BOTH, "只看实收最高的两个园区"], {"metrics": SUM, "order": ["received_amount desc"], "limit": 2}),
    ("fewer rows, in English", ["receivable and received by park in August", "only the top 3 by received"], {"metrics": SUM, "order": ["received_amount desc"]}),
    # buckets
    ("ranks of days are not ranks of weeks", ["上周每天的报修量", "哪天最多", "换成近四周，按周看"], {"grain": "week", "limit": None, "order": []}),
    ("fewer ranks still in each month", ["今年每月应收最高的园区", "按季度看", "前2名"], {"grain": "quarter", "limit": 2}),
    ("those ranked, by month", ["今年各园区应收前3", "按月看"], {"filters": {"park_id": ["P001", "P006", "P002"]}, "grain": "month", "limit": None}),
    ("a festival's own day", ["中秋节当天工单数"], {"time": ["2026-09-25", "2026-09-26"]}),
    # what is denied
    ("not this month but that", ["张江8月应收", "不是8月，是7月"], {"time": JULY, "filters": {"park_id": ["P001"]}}),
    ("that month, not this", ["张江8月应收", "是7月不是8月"], {"time": JULY}),
    ("not here, it should be there", ["张江8月应收", "不是张江，应该是临港"], {"filters": {"park_id": ["P002"]}}),
    ("not here but there", ["张江8月应收", "不是张江而是临港"], {"filters": {"park_id": ["P002"]}}),
    ("not by this but by that", ["张江8月应收按费项", "不是按费项，是按租户"], {"dimensions": ["tenant_id"]}),
    ("two denied at once", ["张江8月应收", "不是应收是实收，也不是8月是7月"], {"metrics": ["received_amount"], "time": JULY}),
    ("not August but July", ["Zhangjiang receivable in August", "not August but July"], {"time": JULY}),
    ("July, not August", ["Zhangjiang receivable in August", "I meant July, not August"], {"time": JULY}),
    ("denied in traditional characters", ["張江8月應收", "不是8月，是7月"], {"time": JULY}),
    ("not of two is an exclusion", ["不是张江、临港的8月应收"], {"filters": {"park_id": {"not": ["P001", "P002"]}}}),
    # more than in another period
    ("how much more than in May", ["8月实收比5月多多少"], {"comparison": "fixed", "time": AUGUST}),
    ("how much higher than last month", ["8月收缴率比7月高几个百分点"], {"comparison": "pop", "metrics": ["collection_rate"]}),
    ("how far apart", ["8月实收与5月相差多少"], {"comparison": "fixed"}),
    ("how many more, in English", ["how many more tickets in August than in July"], {"comparison": "pop", "metrics": ["order_count"]}),
    # the others
    ("others than those named", ["张江和临港8月应收", "一共呢", "再加上滨江", "其他园区合计多少"], {"filters": {"park_id": {"not": ["P001", "P002", "P004"]}}, "dimensions": []}),
    ("others than those ranked", ["8月应收最高的两个园区", "其他的呢"], {"filters": NOT_TOP2, "dimensions": ["park_id"], "limit": None}),
    ("the other four", ["8月应收最高的两个园区", "剩下四个的合计"], {"filters": NOT_TOP2, "dimensions": []}),
    ("several others", ["8月应收最高的两个园区", "另外几个园区呢"], {"filters": NOT_TOP2, "dimensions": ["park_id"]}),
    ("the others, in English", ["August receivable of the top 2 parks", "and the others"], {"filters": NOT_TOP2}),
    ("other parks have no building 1 alone", ["张江1号楼8月空置数", "其他园区呢"], {"filters": {"park_id": {"not": ["P001"]}}}),
    ("other buildings of the park", ["张江1号楼8月空置数", "其他楼栋呢"], {"filters": {"park_id": ["P001"], "building_no": {"not": ["1号楼"]}}}),
    ("other than, said twice", ["除张江外的其他园区8月应收"], {"filters": {"park_id": {"not": ["P001"]}}}),
    # kinds
    ("kinds are ranked", ["8月光谷工单最多的前两类"], {"dimensions": ["category"], "limit": 2}),
    ("which kind", ["8月应收最多的是哪类"], {"dimensions": ["fee_type"], "limit": 1}),
    # registered
    ("registered in", ["注册在北京的企业数"], {"metrics": ["tenant_count"], "filters": {"tenant_city": ["北京"]}}),
    ("not registered in", ["现在入驻企业数是多少", "不是上海注册的呢"], {"filters": {"tenant_city": {"not": ["上海"]}}}),
]  # fmt: skip


def held(slots: Mapping[str, object], wanted: Mapping[str, object]) -> None:
    assert {key: slots.get(key) for key in wanted} == wanted


@pytest.mark.parametrize(
    ("said", "wanted"), [case[1:] for case in CASES], ids=[c[0] for c in CASES]
)
def test_slots(talk: Talk, said: list[str], wanted: dict[str, object]) -> None:
    turn = talk.say(*said)
    assert turn.outcome == "answer", turn.text
    assert turn.slots is not None
    held(brief(turn.slots), wanted)


CLINIC: list[tuple[list[str], dict[str, object]]] = [
    (["各医院本月急诊量", "一共多少人次"], {"metrics": ["emergency_count"], "dimensions": []}),
    (["8月就诊量", "急诊有多少人次"], {"metrics": ["emergency_count"], "time": AUGUST}),
    (["8月各医院就诊人数", "总共多少人"], {"metrics": ["seen_patients"], "dimensions": []}),
    (["东湖总院8月就诊量", "不是8月，是7月"], {"time": JULY, "filters": {"hospital_id": ["H01"]}}),
    (["东湖总院8月就诊量", "其他医院呢"], {"filters": {"hospital_id": {"not": ["H01"]}}}),
    (["东湖总院8月就诊量", "城南呢", "这两家一共多少"], {"filters": {"hospital_id": ["H01", "H02"]}}),
]  # fmt: skip


@pytest.mark.parametrize(("said", "wanted"), CLINIC)
def test_in_another_domain(clinic_world: World, said: list[str], wanted: dict[str, object]) -> None:
    turn = Talk(clinic_world).say(*said)
    assert turn.outcome == "answer", turn.text
    assert turn.slots is not None
    held(brief(turn.slots), wanted)


@pytest.mark.parametrize(
    "said",
    [
        ["8月各园区应收", "其他的呢"],  # none was left out
        ["其他园区的应收"],
        ["目前空置率最高的三栋楼", "其他的呢"],  # of several parks: told apart by no one value
        ["8月各园区应收前3", "这五个一共多少"],  # three were shown
        ["张江8月实收", "这两个一共多少"],
    ],
)
def test_what_is_meant_is_asked(talk: Talk, said: list[str]) -> None:
    assert (turn := talk.say(*said)).outcome == "clarify", turn.text


@pytest.mark.parametrize(
    ("said", "unread"),
    [
        ("哪个园区8月应收比7月多", "多"),  # has grown: not the one that is most
        ("8月实收比临港多多少", "多多少"),
        ("张江两栋楼的空置数", "两栋"),  # a number of them, not building 2
        ("不是8月的应收", "不是"),
        ("两个月一共多少", "两个月"),
    ],
)
def test_what_is_not_understood(talk: Talk, said: str, unread: str) -> None:
    turn = talk.say(said)
    assert (turn.outcome, turn.reason, turn.not_understood) == ("decline", "unread", (unread,))


@pytest.mark.parametrize(
    ("said", "first", "count"),
    [
        ("近半年每月工单量", "2026-04-01", 6),
        ("近一年每月应收", "2025-10-01", 12),
        ("近一年按季度应收", "2025-10-01", 4),
    ],
)
def test_whole_buckets_of_a_longer_unit(talk: Talk, said: str, first: str, count: int) -> None:
    rows = talk.say(said).all_rows
    assert (str(rows[0][0]), len(rows)) == (first, count)


@pytest.mark.parametrize(
    ("said", "all_of_them"),
    [
        ("今年每月应收最高的园区", "今年每月各园区应收"),
        ("今年每月各园区应收前1", "今年每月各园区应收"),
        ("7月和8月应收最高的园区", "7月和8月各园区应收"),
        ("top park by receivable each month this year", "今年每月各园区应收"),
    ],
)
def test_ranks_begin_anew_in_each_bucket(talk: Talk, said: str, all_of_them: str) -> None:
    best: dict[object, tuple[object, ...]] = {}
    for row in talk.say(all_of_them).all_rows:
        if row[0] not in best or row[-1] > best[row[0]][-1]:  # type: ignore[operator]
            best[row[0]] = row
    turn = talk.say(said)
    assert list(turn.all_rows) == list(best.values())
    assert turn.slots is not None
    assert turn.slots.limit is not None
    assert turn.slots.limit.per == ("bucket",)


def test_the_total_of_the_others_is_the_rest(talk: Talk) -> None:
    top = talk.say("8月应收最高的两个园区").all_rows
    rest = talk.say("其他园区合计多少").all_rows[0][0]
    whole = talk.say("所有园区的应收").all_rows[0][0]
    assert sum(row[-1] for row in top) + rest == whole  # type: ignore[misc, operator]


def test_an_aside_is_a_question_of_its_own(talk: Talk) -> None:
    turn = talk.say("张江现在出租率多少？顺便讲个笑话")
    assert [part.outcome for part in turn.parts] == ["answer", "decline"]
    after = talk.say("滨江呢")
    assert after.slots is not None
    held(brief(after.slots), {"metrics": ["occupancy_rate"], "filters": {"park_id": ["P004"]}})
