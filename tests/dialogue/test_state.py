"""State is structure: the sum of its changes, the same in every process, and nobody else's."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dialogue import codec
from dialogue.changes import apply
from dialogue.record import Step, outcome_parts
from dialogue.refer import last_mentioned
from dialogue.state import EMPTY, VERSION, State
from dialogue.turn import Request, Turn
from dialogue.world import World
from nl2sql.edits import Edit
from nl2sql.slots import Among, Filter
from tests.conversation import Talk, take_turns

CHIP = Request(edit=(Edit("filters", "set", Filter("park_id", Among(("P002",)))),))
SAID: list[str | Request] = [
    "今年欠费最多的5家租户",
    "它们的收缴率",
    "第二个的电费呢",
    "收费情况怎么样",
    "实收",
    "8月各园区收费情况",
    "算了，1号楼的出租率",
    "张江",
    "沿用",
    "撤销",
]
KINDS: list[str | Request] = [
    *SAID,
    "8月各园区收缴率",
    "临港呢",
    "加上前海",
    "除张江外",
    "不限园区",
    "去年同期",
    "不用对比",
    "按行业拆分",
    "只看前3名",
    "其中收缴率低于90%的",
    "合计呢",
    "各园区应收占比",
    "列出来",
    "张江各楼栋空置面积",
    "按月的走势",
    "换个话题",
    "它的工单数",
    "那上个月呢",
    "1",
    "都要",
    "都不是",
    "谢谢",
    "收缴率是怎么算的",
    "这个数怎么来的",
    "月球园区的空置率",
    "为什么这么低",
    "今年欠费最多的5家租户？工单数呢",
    Request(undo=True),
    Request(keep=True),
    Request(choose=("collection_rate",)),
    CHIP,
]
conversations = st.lists(st.sampled_from(KINDS), min_size=1, max_size=12)


def rebuilt(turns: list[Turn]) -> State:
    """The state that the changes sum up to, as they stand in the records of the turns."""
    state = EMPTY
    for turn in turns:
        recorded = codec.loads(outcome_parts(turn, "")["steps"], tuple)
        for step in recorded:
            assert isinstance(step, Step)
            state = apply(state, step.changes)
    return state


@given(turns=conversations)
@settings(max_examples=25)
def test_the_state_is_the_sum_of_the_changes(world: World, turns: list[str | Request]) -> None:
    talk = Talk(world)
    for turn in turns:
        talk.hear(turn)
        assert codec.loads(codec.dumps(talk.state), State) == talk.state
        if talk.turns[-1].slots is not None:
            assert talk.state.slots == talk.turns[-1].slots
            assert talk.state.provenance == talk.turns[-1].provenance
    assert rebuilt(talk.turns) == talk.state


@given(turns=conversations, others=conversations)
@settings(max_examples=10)
def test_two_conversations_share_nothing(
    world: World, turns: list[str | Request], others: list[str | Request]
) -> None:
    """One beside another, turn by turn, comes out as it does alone."""
    alone, one, other = Talk(world), Talk(world), Talk(world)
    for turn in turns:
        alone.hear(turn)
    for index, turn in enumerate(turns):
        one.hear(turn)
        if index < len(others):
            other.hear(others[index])
    assert codec.dumps(one.state) == codec.dumps(alone.state)


def test_a_new_conversation_knows_nothing(world: World) -> None:
    one, other = Talk(world), Talk(world)
    one.say("8月张江的收缴率")
    assert other.say("临港呢").outcome == "clarify"


@pytest.mark.parametrize("seed", ["0", "4242"])
def test_the_same_turns_in_another_process_give_the_same_bytes(
    world: World, park_database: Path, seed: str
) -> None:
    here = take_turns(world, KINDS)
    script = (
        "import sys; from tests.conversation import open_world, take_turns; "
        "from tests.dialogue.test_state import KINDS; "
        "print(*take_turns(open_world(sys.argv[1]), KINDS), sep='\\n')"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(park_database)],
        env={**os.environ, "PYTHONHASHSEED": seed},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=True,
    )
    assert done.stdout.splitlines() == here


def test_no_text_of_earlier_turns_is_needed(talk: Talk) -> None:
    talk.say("8月张江的收缴率", "临港呢")
    text = codec.dumps(talk.state)
    assert "临港呢" not in text
    assert "收缴率" not in text


def test_what_waits_for_an_answer_is_edits_not_text(talk: Talk) -> None:
    talk.say("请问8月各园区收费情况怎么样")
    text = codec.dumps(talk.state)
    assert talk.state.pending is not None
    assert "请问" not in text
    assert "怎么样" not in text
    talk.state = codec.loads(text, State)
    turn = talk.say("第三个")
    assert turn.slots is not None
    assert (turn.slots.metrics, turn.slots.dimensions) == (("collection_rate",), ("park_id",))


def test_what_is_remembered_can_be_named(talk: Talk) -> None:
    talk.say("8月张江的收缴率", "收缴率怎么算", "临港呢")
    entity = last_mentioned(talk.state.entities, None)
    assert talk.state.topic == "bill"
    assert entity is not None
    assert (entity.fields, entity.values, entity.turn) == (("park_id",), ("P002",), 3)
    assert [item.values for item in talk.state.entities] == [("P001",), ("P002",)]
    assert (talk.state.intent, talk.state.lang, talk.state.seq) == ("query", "zh", 3)
    assert talk.say("收缴率怎么算").outcome == "explain"
    assert talk.state.intent == "explain_metric"


def test_a_state_of_a_later_release_is_not_read() -> None:
    text = codec.dumps(EMPTY).replace(f'"version":{VERSION}', f'"version":{VERSION + 1}')
    with pytest.raises(ValueError, match=f"knows versions up to {VERSION}"):
        codec.loads(text, State)


def test_undo_of_the_first_question_leads_back_to_nothing(talk: Talk) -> None:
    talk.say("8月张江的收缴率")
    turn = talk.say("撤销")
    assert (turn.outcome, talk.state.slots) == ("chat", None)
    assert turn.changes.dropped == ("object", "metrics", "time", "filters.park_id")
    assert talk.say("撤销").reason == "nothing-to-undo"


def test_what_undo_changed_is_told(talk: Talk) -> None:
    talk.say("8月张江的收缴率", "按行业拆分")
    turn = talk.say("撤销")
    assert turn.changes.dropped == ("dimensions",)
    assert turn.changes.kept == ("object", "metrics", "time", "filters.park_id")


def test_undo_takes_back_the_choice_too(talk: Talk) -> None:
    talk.say("8月张江的收缴率", "收费情况怎么样", "实收", "撤销")
    assert talk.say("临港的收费情况呢").outcome == "clarify"
