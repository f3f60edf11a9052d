"""State is structure: it goes through JSON unharmed, and the same turns give the same state."""

from __future__ import annotations

from dialogue import codec
from dialogue.state import State
from dialogue.world import World
from tests.conversation import Talk

SAID = [
    "今年欠费最多的5家租户",
    "它们的收缴率",
    "第二个的电费呢",
    "收费情况怎么样",
    "实收",
    "8月各园区收费情况",
    "算了，1号楼的出租率",
    "张江",
    "撤销",
]


def test_every_state_round_trips(talk: Talk) -> None:
    for text in SAID:
        talk.say(text)
        assert codec.loads(codec.dumps(talk.state), State) == talk.state, text


def test_the_same_turns_give_the_same_bytes(world: World) -> None:
    one, other = Talk(world), Talk(world)
    for text in SAID:
        one.say(text)
        other.say(text)
        assert codec.dumps(one.state) == codec.dumps(other.state)


def test_two_conversations_share_nothing(world: World) -> None:
    one, other = Talk(world), Talk(world)
    one.say("8月张江的收缴率")
    turn = other.say("临港呢")
    assert turn.outcome == "clarify"


def test_no_text_of_earlier_turns_is_needed(talk: Talk) -> None:
    talk.say("8月张江的收缴率", "临港呢")
    text = codec.dumps(talk.state)
    assert "临港呢" not in text
    assert "收缴率" not in text
