"""A name that a policy hides is told like one that there is not: nobody finds out by asking which of both it is."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from api.request_json import edit_json, request_of
from dialogue import codec
from dialogue.alone import alone
from dialogue.engine import Moment
from dialogue.turn import Request, Turn
from dialogue.world import World
from nl2sql.reading import RuleReader
from nl2sql.slots import Among, Filter
from nl2sql.warehouse import DuckDBWarehouse
from semantic_layer.protocols import User
from semantic_layer.values import build_index
from tests.conversation import CLOCK, Talk
from tests.values.small import database, layer

HERS = User("ann", (("park_id", ("P001", "P003")),))
AWAY = User("bob", (("park_id", ("P005",)),))


def told(turn: Turn, name: str) -> str:
    """All that a turn tells, the name aside that was asked for, and the words that look like it."""
    shown = (
        turn.outcome,
        turn.reason,
        turn.text,
        turn.slots,
        turn.sql,
        turn.all_rows,
        turn.clarification,
        turn.assumptions,
        turn.not_understood,
        turn.switch,
        turn.chips,
        [item for item in turn.suggestions if turn.reason != "unread"],
        codec.dumps(turn.changes),
    )
    text = re.sub(r"最接近的有：[^。]*。|Nearest: [^.]*\.", "", repr(shown)).replace(" \\'", "\\'")
    return re.sub(re.escape(name), "…", text, flags=re.IGNORECASE) if name else text


@pytest.mark.parametrize(
    ("text", "hidden", "unknown"),
    [
        (text, *names)
        for texts, names in (
            (
                (
                    "8月{}的应收",
                    "{}",
                    "张江和{}8月的应收",
                    "{}和张江8月的应收",
                    "张江、{}和苏州湾8月的应收",
                    "张江和{}园区现在的空置面积",
                    "张江或{}的空置房源数，按园区看",
                    "除{}外各园区8月的应收",
                    "除张江和{}外各园区8月应收",
                    "8月应收，不含{}",
                    "张江{}8月应收",
                    "{}1号楼的出租率",
                    "张江比{}8月应收高多少",
                    "8月应收最高的3个租户。{}呢？",
                    "8月应收，另外{}有多少租户",
                    "收缴率是怎么算的，{}呢",
                    "{}为什么这么低",
                    "名字里有{}的租户8月应收",
                    "不限{}，8月应收",
                ),
                ("临港", "月球"),
            ),
            (("8月{}的应收", "张江和{}8月的应收"), ("临港智造园", "月球智造园")),
            (("8月{}的应收", "张江和{}8月的应收", "{}"), ("P002", "P999")),
            (
                ("receivable of {} in August", "Zhangjiang and {}: receivable in August", "{}?"),
                ("Lingang", "Jupiter"),
            ),
            (("Zhangjiang and {}: receivable in August",), ("Optics Valley", "Copper Valley")),
        )
        for text in texts
    ],
)
def test_one_is_told_like_the_other(world: World, text: str, hidden: str, unknown: str) -> None:
    for before in ((), ("各园区8月应收",), ("1号楼的出租率",)):
        turns = []
        for name in (hidden, unknown):
            talk = Talk(world, HERS)
            talk.say(*before, text.format(name))
            turns.append((told(talk.turns[-1], name), told(talk.say("9月呢"), name)))
        assert turns[0] == turns[1]


def test_what_may_be_seen_is_answered_and_the_rest_is_told(world: World) -> None:
    for name in ("临港", "月球"):
        turn = Talk(world, HERS).say(f"张江和{name}8月的应收")
        assert turn.outcome == "answer"
        assert turn.slots is not None
        assert turn.slots.filter("park_id") == Filter("park_id", Among(("P001",)))
        assert f"没有找到“{name}”，或您无权查看，没有算在内" in turn.text
    turn = Talk(world).say("张江和月球8月的应收")  # who sees everything is asked no such thing
    assert (turn.outcome, turn.text.partition("。")[0]) == (
        "decline",
        "没有听懂“月球”，不敢据此给数",
    )


def test_a_word_beside_what_is_no_name_of_the_data_is_not_left_out(world: World) -> None:
    for text in ("电费和月球费8月的应收", "应收和月球", "张江8月应收和月球"):
        turn = Talk(world, HERS).say(text)
        assert (turn.outcome, turn.reason) == ("decline", "unread"), text


def test_whose_name_it_is_it_is_read(world: World) -> None:
    turn = Talk(world, AWAY).say("Zhangjiang and Optics Valley: receivable in August")
    assert turn.slots is not None
    assert turn.slots.filter("park_id") == Filter("park_id", Among(("P005",)))
    assert "“zhangjiang” was not found, or you may not see it" in turn.text


def test_what_is_hidden_is_taken_again_as_it_was(world: World) -> None:
    """Under the values that the turn was bound to, of which none is hidden."""
    from dialogue import heard

    said = "张江和临港8月的应收"
    turn = Talk(world, HERS).say(said)
    assert turn.heard is not None
    assert {item.name for item in turn.heard.values} == {"张江科技园", "苏州湾创新园"}
    values = heard.pinned([turn.heard])
    again = World(world.layer, world.reader.over(values), values, world.warehouse)
    assert told(Talk(again, HERS).say(said), "") == told(turn, "")


@pytest.mark.parametrize("negated", [False, True])
@pytest.mark.parametrize(
    ("hidden", "unknown"), [("P002", "P999"), ("临港智造园", "月球智造园"), ("临港", "月球")]
)
def test_by_hand(world: World, hidden: str, unknown: str, negated: bool) -> None:
    for beside in ((), ("P001",)):
        turns = []
        for name in (hidden, unknown):
            talk = Talk(world, HERS)
            talk.say("各园区8月应收")
            values = Filter("park_id", Among((*beside, name), negated))
            edit = Request(edit=(codec_edit(values),))
            turns.append(told(talk.send(edit), name))
        assert turns[0] == turns[1]
        assert "临港智造" not in str(turns).replace(hidden, "")


def codec_edit(values: Filter) -> object:
    from nl2sql.edits import Edit

    made = Edit("filters", "set", values)
    return request_of({"edit": [dict(edit_json(made))]}).edit[0]


def test_a_reply_to_a_question_back(world: World) -> None:
    turns = []
    for name in ("临港", "月球"):
        talk = Talk(world, HERS)
        asked = talk.say("1号楼的出租率")
        assert asked.outcome == "clarify"
        turns.append((told(talk.say(name), name), told(talk.say("张江"), name)))
    assert turns[0] == turns[1]


def test_a_session_that_cannot_be_recalled(world: World) -> None:
    moment = Moment(CLOCK, CLOCK)
    for text in ("8月{}的应收", "张江和{}8月应收", "{}"):
        hidden, unknown = (
            told(alone(world, Request(text.format(name)), HERS, moment), name)
            for name in ("临港", "月球")
        )
        assert hidden == unknown


# -- names that begin alike, sound alike, are one edit apart: small.py, with what is hidden and without


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> tuple[World, World]:
    """A world of parties, and the same without those that A1 does not see."""
    folder: Path = tmp_path_factory.mktemp("both")
    found = layer(folder)
    more = [
        ("P10", "上海华腾电子有限公司"),
        ("P11", "金麦岁食品"),
        ("P12", "上海华芯微电子有限公司"),
    ]
    made = []
    for name, parties in (("with", more), ("without", [])):
        warehouse = DuckDBWarehouse(database(folder / f"{name}.duckdb", parties))
        values = build_index(found, warehouse)
        made.append(World(found, RuleReader(found, values), values, warehouse))
    return made[0], made[1]


@pytest.mark.parametrize(
    "text",
    [
        "上海华腾电子有限公司的营业额",
        "上海华腾的营业额",
        "华腾电子的营业额",
        "上海华腾店子有限公司的营业额",
        "上海华芯微电子有限公司的营业额",
        "上海华芯微电子的营业额",
        "上海华芯和上海华腾的营业额",
        "金麦岁食品的营业额",
        "金麦岁的营业额",
        "金麦碎的营业额",
        "p10的营业额",
        "turnover of p11",
    ],
)
def test_a_hidden_name_is_read_as_if_it_were_not_there(
    both: tuple[World, World], text: str, of: Callable[[World], Talk]
) -> None:
    there, absent = (of(world).say(text) for world in both)
    assert told(there, "") == told(absent, "")
    assert there.not_understood == absent.not_understood


@pytest.fixture
def of() -> Callable[[World], Talk]:
    return lambda world: Talk(world, User("someone", (("area", ("A1",)),)))
