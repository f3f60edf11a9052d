"""A conversation of 200 turns: what is remembered, and the time a turn takes, stay as they were."""

from __future__ import annotations

import time

from dialogue import codec
from dialogue.turn import Request
from dialogue.world import World
from nl2sql.edits import Edit
from nl2sql.slots import Among, Filter
from tests.conversation import Talk

# the members of the last result alone are kept, at most those that were shown
WIDE = ["今年各租户应收", "换成实收", "换成欠费", "去年的", "今年的"] * 5
ROUND: list[str | Request] = [
    "8月各园区的收缴率",
    "临港呢",
    "再加上应收",
    "按行业拆分",
    "只看前3名",
    "它们的欠费",
    "合计呢",
    "撤销",
    "张江的收费情况怎么样",
    "都要",
    "去年同期",
    "不用对比",
    Request(edit=(Edit("filters", "set", Filter("park_id", Among(("P003",)))),)),
    "算了，现在各园区空置率",
    "第二个的空置面积",
    "它的工单数",
    "沿用",
    "谢谢",
    "月球园区的空置率",
    "按月的走势",
]
TURNS = 200
ALLOWED = 1.5


def test_two_hundred_turns_stay_flat(world: World) -> None:
    sizes, times = [], []
    for _ in range(3):
        talk, took = Talk(world), []
        for index in range(TURNS):
            start = time.process_time()
            talk.hear(ROUND[index % len(ROUND)])
            took.append(time.process_time() - start)
            sizes.append(len(codec.dumps(talk.state)))
        times.append(took)
    least = [min(three) for three in zip(*times, strict=True)]
    laps = [sum(least[at : at + len(ROUND)]) for at in range(0, TURNS, len(ROUND))]
    # the lists that are kept have their bound after two rounds: from there on nothing grows
    assert max(sizes[TURNS - len(ROUND) : TURNS]) <= 1.1 * max(
        sizes[2 * len(ROUND) : 3 * len(ROUND)]
    )
    assert max(sizes) < 60_000
    assert min(laps[-3:]) < ALLOWED * min(laps[1:4]), laps
    assert len({turn.outcome for turn in talk.turns}) >= 4


def test_wide_results_do_not_pile_up(world: World) -> None:
    talk = Talk(world)
    sizes = [len(codec.dumps(talk.hear(text) and talk.state)) for text in WIDE]
    assert len(talk.state.past) == 20
    assert talk.state.shown is not None
    assert len(talk.state.shown.rows) == 1000
    assert max(sizes) < 40_000  # twenty times as much with the rows of every earlier result
