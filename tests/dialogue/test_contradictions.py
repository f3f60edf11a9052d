"""What cannot all hold is told before a database is asked; bounds of one turn hold together."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dialogue.world import World
from nl2sql.slots import brief
from tests.conversation import Talk


class Untouched:
    """A database that must not be asked."""

    def __init__(self, world: World) -> None:
        self.dialect, self.engine = world.warehouse.dialect, world.warehouse.engine
        self.data_version = world.warehouse.data_version

    def run(self, sql: str, *, limit: int | None = None, halt: object = None) -> object:
        raise AssertionError(f"asked: {sql}")


@pytest.mark.parametrize(
    ("text", "reason", "says"),
    [
        ("8月各园区收缴率高于90%低于50%的", "contradiction-bounds", "收缴率 > 90% < 50%"),
        ("8月各园区收缴率高于90%，并且收缴率低于50%的", "contradiction-bounds", "> 90% < 50%"),
        (
            "8月各园区收缴率低于50%或者收缴率高于90%的",
            "either-or",
            "“或者”两边不能在一次查询里任选其一",
        ),
        ("8月欠费低于1万或者高于10万的租户", "either-or", "请分开各问一次"),
        ("8月按园区或者按费项看应收", "either-or", "请分开各问一次"),
        ("tenants with arrears below 10000 or above 100000 in August", "either-or", "“or”"),
        ("8月欠费不是低于1万就是高于10万的租户", "unread", "不是"),
        ("不是张江就是临港的应收", "unread", "不是"),
        ("面积大于500，并且面积小于100的空置房间数", "contradiction-bounds", "面积 > 500 < 100"),
        ("张江已租的空置房源数", "contradiction-metric", "“空置数”的口径是“空置”"),
        ("张江99号楼的空置面积", "unknown-value", "99号楼"),
        ("光谷18号楼的空置面积", "contradiction-place", "“18号楼”不在“光谷生物城”里"),
        ("苏州的张江科技园的空置面积", "contradiction-place", "“张江科技园”不在“苏州”里"),
    ],
)
def test_contradictions_are_caught_before_any_query(
    world: World, talk: Talk, text: str, reason: str, says: str
) -> None:
    talk.say("8月张江的收缴率", "现在的空置率", "撤销")  # extents are known
    slots = talk.state.slots
    talk.world = replace(world, warehouse=Untouched(world))  # type: ignore[arg-type]
    turn = talk.say(text)
    assert (turn.outcome, turn.reason) == ("decline", reason), turn.text
    assert says in turn.text
    assert talk.state.slots == slots


@pytest.mark.parametrize(
    ("text", "key", "test"),
    [
        ("8月各园区收缴率高于85%低于90%的", "having", {"collection_rate": {"gt": "0.85", "lt": "0.9"}}),
        ("8月收缴率高于85%，并且收缴率低于90%的园区", "having", {"collection_rate": {"gt": "0.85", "lt": "0.9"}}),
        ("面积大于100，并且面积小于500的空置房间数", "filters", {"area_sqm": {"gt": "100", "lt": "500"}}),
    ],
)  # fmt: skip
def test_bounds_of_one_turn_hold_together(talk: Talk, text: str, key: str, test: object) -> None:
    turn = talk.say(text)
    assert turn.slots is not None, turn.text
    assert brief(turn.slots)[key] == test


def test_a_later_bound_replaces_the_one_before(talk: Talk) -> None:
    turn = talk.say("8月各园区收缴率低于90%的", "高于85%的")
    assert turn.slots is not None
    assert brief(turn.slots)["having"] == {"collection_rate": {"gt": "0.85"}}


def test_an_or_that_no_slot_holds_offers_no_words(talk: Talk) -> None:
    turn = talk.say("tenants with arrears below 10000 or above 100000 in August")
    assert (turn.reason, turn.not_understood, turn.suggestions) == ("either-or", ("or",), ())


def test_an_or_between_values_is_held(talk: Talk) -> None:
    turn = talk.say("8月张江或者临港的应收")
    assert turn.slots is not None
    assert brief(turn.slots)["filters"] == {"park_id": ["P001", "P002"]}
