"""The five ways in which conversations over data go wrong. Each test fails when someone brings one back."""

from __future__ import annotations

import dataclasses
import typing
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from dialogue import codec
from dialogue.by_hand import stored_key
from dialogue.changes import keys, value_at
from dialogue.world import World
from nl2sql.reading import Reading, RuleReader
from nl2sql.reading.tokens import Seen, everything
from nl2sql.reading.wordlist import WordList
from nl2sql.slots import Among, Contains, During, Slots, TimeSlot
from tests.conversation import Talk
from tests.dialogue.test_state import KINDS

FOLLOW_UPS = [
    "2026年8月张江科技园各楼栋空置房源数",
    "那这个月呢",
    "只看1号楼",
    "再加上空置面积",
    "它的出租率",
]


@dataclass
class Overheard(RuleReader):
    """A reader that keeps what it was given: any other reader gets no more."""

    inner: RuleReader
    given: list[str] = field(default_factory=list)

    @property
    def words(self) -> WordList:
        return self.inner.words

    def read(self, text: str, seen: Seen = everything) -> Reading:
        self.given.append(text)
        return self.inner.read(text, seen)

    def split(self, text: str, seen: Seen = everything) -> tuple[str, ...]:
        self.given.append(text)
        return self.inner.split(text, seen)


def test_no_history_in_what_a_reader_is_given(world: World) -> None:
    """1. History text in a prompt: a reader is given this turn's text, and of equal length at turn 200."""
    reader = Overheard(world.reader)
    talk = Talk(replace(world, reader=reader))
    for text in [*FOLLOW_UPS, "收费情况怎么样", "2", *FOLLOW_UPS]:
        suggested = {item.label for turn in talk.turns[-1:] for item in turn.suggestions}
        reader.given.clear()
        turn = talk.say(text)
        suggested |= {item.label for item in turn.suggestions}
        given = {one for one in reader.given if one != text}
        assert all(not any(old in one for old in FOLLOW_UPS if old != text) for one in given), given
        assert max(map(len, given), default=0) <= 40  # single words to suggest, of the layer
    assert "text" in {item.name for item in dataclasses.fields(Reading)}


def test_no_model_is_asked_on_the_dialogue_floor() -> None:
    """1 again: nothing above the readers may put a prompt together."""
    words = ("openai", "prompt =", "messages=[", "chat.completions")
    for file in Path("dialogue").rglob("*.py"):
        text = file.read_text("utf-8").lower()
        assert not any(word in text for word in words), file


def test_slots_are_no_free_text(world: World) -> None:
    """2. Slots as free text: identifiers of the layer and stored values alone, whatever was typed."""
    talk, layer = Talk(world), world.layer
    for turn in KINDS:
        talk.hear(turn)
        slots = talk.state.slots
        if slots is None:
            continue
        assert slots.object in layer.objects
        assert set(slots.metrics) <= set(layer.metrics)
        assert set(slots.dimensions) <= set(layer.dimensions)
        attributes = layer.objects[slots.object].attributes
        for item in slots.filters:
            assert item.field in layer.dimensions or item.field in attributes
            if isinstance(item.test, Among) and layer.dimensions[item.field].indexed:
                for one in item.test.values:
                    assert stored_key(world, item.field, one) == one, (item.field, one)
        assert slots.counted is None or slots.counted in layer.dimensions
        if slots.time is not None:
            assert slots.time.ranges
    free = {
        name
        for name, kind in typing.get_type_hints(Slots).items()
        if kind is str or (kind == (str | None) and name not in ("object", "grain", "counted"))
    }
    assert free == set()
    spoken = {
        Contains: {"text", "kind"},
        TimeSlot: {"words", "kind", "role"},
        During: {"words", "kind"},
    }
    for (
        kind,
        allowed,
    ) in spoken.items():  # the only words kept: a literal part of a name, a period's
        texts = {name for name, hint in typing.get_type_hints(kind).items() if "str" in str(hint)}
        assert texts <= allowed


@pytest.mark.parametrize(
    ("text", "changed"),
    [
        ("那这个月呢", {"time"}),
        ("只看1号楼", {"filters.building_no"}),
        ("再加上空置面积", {"metrics"}),
        ("同比", {"comparison"}),
        ("按用途拆分", {"dimensions"}),
    ],
)
def test_a_follow_up_is_not_parsed_from_zero(talk: Talk, text: str, changed: set[str]) -> None:
    """3. A follow-up read from zero: it changes what it says, and every other slot is the very same."""
    before = talk.say(FOLLOW_UPS[0]).slots
    turn = talk.say(text)
    assert before is not None
    assert turn.slots is not None, turn.text
    for key in keys(before):
        if key not in changed:
            assert value_at(turn.slots, key) == value_at(before, key), key
    assert set(turn.changes.set) == changed
    sources = {item.key: (item.source, item.turn) for item in turn.provenance}
    assert all(sources[key] == ("carried", 1) for key in keys(before) if key not in changed)


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("收缴率", "object"),
        ("算了，看看出租率", "words"),
        ("今年各用途的可租面积", "whole"),
        ("by the way, collection rate", "object"),
    ],
)
def test_a_new_topic_lets_go(talk: Talk, text: str, rule: str) -> None:
    """4. No reset: a new topic drops what was carried, says so, and gives it back for one word."""
    slots = talk.say("8月临港智造园1号楼的空置面积").slots
    turn = talk.say(text)
    assert turn.switch is not None, turn.text
    assert turn.switch.rule == rule
    assert turn.slots is not None
    assert turn.slots.filters == ()
    place = "临港智造园" if turn.lang == "zh" else "Lingang"
    assert turn.switch.dropped[0] == place
    assert turn.text.startswith(("已换话题", "New topic"))
    assert talk.say("沿用").slots is not None
    assert talk.state.slots is not None
    assert talk.state.slots.pinned("park_id") == "P002"
    talk.say("撤销", "撤销")
    assert talk.state.slots == slots


@pytest.mark.parametrize(
    "text", ["另外告诉我空置数", "张江呢", "换成空置数", "按用途拆分", "再加上出租率", "那上个月呢"]
)
def test_what_is_near_a_new_topic_is_none(talk: Talk, text: str) -> None:
    """4 again, the other way round: nothing is lost where the topic goes on."""
    talk.say("8月临港智造园的空置面积")
    turn = talk.say(text)
    assert turn.switch is None, turn.text
    assert turn.slots is not None
    assert turn.slots.pinned("park_id") == ("P001" if text == "张江呢" else "P002")


def test_what_is_known_is_not_asked_for(talk: Talk) -> None:
    """5. Asking for what is known: said before, chosen before, or the only one there can be."""
    talk.say("8月张江的空置面积")
    assert talk.say("1号楼呢").outcome == "answer"  # in which park is known
    assert talk.say("各楼层").outcome == "answer"
    talk.say("换个话题", "收费情况怎么样", "实收")
    assert talk.say("临港的收费情况呢").outcome == "answer"
    assert talk.say("上个月呢").outcome == "answer"


def test_what_policy_leaves_no_choice_about_is_not_asked_for(world: World) -> None:
    """5 again: one candidate is no question."""
    from semantic_layer.protocols import User

    talk = Talk(world, User("asker", (("park_id", ("P003",)),)))
    assert talk.say("1号楼的空置面积").outcome == "answer"


def test_a_state_holds_no_text_of_any_turn(world: World) -> None:
    """1 to 3 together: what was typed is nowhere in what is remembered, but for a period's own words."""
    talk = Talk(world)
    for turn in KINDS:
        talk.hear(turn)
        if isinstance(turn, str) and len(turn) > 4:
            assert turn not in codec.dumps(talk.state), turn
