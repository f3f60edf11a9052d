"""Values in questions: parts of names, slips of one edit or of the ear, ambiguity, and what policies hide."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from dialogue.world import World
from nl2sql.reading import RuleReader
from nl2sql.slots import Among, Filter
from nl2sql.warehouse import DuckDBWarehouse
from semantic_layer.protocols import User
from semantic_layer.values import build_index
from tests.conversation import Talk
from tests.values.small import database, layer


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> World:
    folder: Path = tmp_path_factory.mktemp("small")
    found = layer(folder)
    warehouse = DuckDBWarehouse(database(folder / "small.duckdb"))
    values = build_index(found, warehouse)
    return World(found, RuleReader(found, values), values, warehouse)


@pytest.fixture
def of_area(small: World) -> Callable[[str], Talk]:
    return lambda area: Talk(small, User("someone", (("area", (area,)),)))


def filters(world: World, text: str) -> dict[str, tuple[str, ...]]:
    reading = world.reader.read(text)
    assert reading.unread == (), reading.unread
    assert reading.ambiguities == ()
    return {
        edit.value.field: edit.value.test.values
        for edit in reading.edits
        if isinstance(edit.value, Filter) and isinstance(edit.value.test, Among)
    }


@pytest.mark.parametrize(
    ("text", "key", "taken", "why"),
    [
        ("上海华芯半导体有限公司的营业额", "P1", None, None),
        ("上海华芯的营业额", "P1", "上海华芯半导体有限公司", "part"),
        ("华芯的营业额", "P1", "上海华芯半导体有限公司", "part"),
        ("看看博瑞生物的营业额", "P2", "苏州博瑞生物医药有限公司", "part"),
        ("远景新能源的营业额", "P4", "深圳远景新能源有限公司", "part"),
        ("turnover of acme foods ltd", "P5", None, None),
        ("客户p4的营业额", "P4", None, None),
        ("turnover of P4", "P4", None, None),
        ("turnover of acme foods", "P5", "Acme Foods Ltd", "part"),
        ("turnover of foods ltd", "P5", "Acme Foods Ltd", "part"),
        ("turnover of acme food ltd", "P5", "acme foods ltd", "near"),
        ("上海华心半导体有限公司的营业额", "P1", "上海华芯半导体有限公司", "near"),
        ("上海华芯办导体有限公司的营业额", "P1", "上海华芯半导体有限公司", "near"),
        ("虫庆瑞丰行的营业额", "P9", "重庆瑞丰行", "near"),
        ("重庆瑞封行的营业额", "P9", "重庆瑞丰行", "near"),
        ("苏州博瑞生物医要有限公司的营业额", "P2", "苏州博瑞生物医药有限公司", "near"),
        ("杭州远景智能庄备有限公司的营业额", "P3", "杭州远景智能装备有限公司", "near"),
    ],
)
def test_one_value_is_taken_and_said(
    small: World, text: str, key: str, taken: str | None, why: str | None
) -> None:
    assert filters(small, text) == {"party": (key,)}
    said = [(item.word, item.why) for item in small.reader.read(text).taken]
    assert said == ([] if taken is None else [(taken, why)])


def test_a_part_of_several_names_is_asked_about(small: World) -> None:
    turn = Talk(small).say("远景的营业额")
    assert turn.outcome == "clarify"
    assert turn.clarification is not None
    assert {option.id for option in turn.clarification.options} == {"P3", "P4"}


def test_what_is_near_to_several_names_is_asked_about(small: World) -> None:
    for text in ("金麦碎的营业额", "金麦地的营业额"):  # by their sound, by one edit
        turn = Talk(small).say(text)
        assert turn.outcome == "clarify"
        assert turn.clarification is not None
        assert {option.id for option in turn.clarification.options} == {"B2", "B3"}


@pytest.mark.parametrize(
    "text", ["长风商行13号店的营业额", "长风商行1号店的营业额", "长风商行1的营业额"]
)
def test_digits_must_be_equal(small: World, text: str) -> None:
    assert Talk(small).say(text).outcome == "decline"


def test_digits_that_are_equal_may_have_a_slip_beside_them(small: World) -> None:
    assert filters(small, "长风商航12号店的营业额") == {"party": ("P7",)}


def test_a_name_in_two_dimensions_stays_both(small: World) -> None:
    turn = Talk(small).say("青禾的营业额")
    assert turn.outcome == "clarify"
    assert turn.clarification is not None
    assert {option.id for option in turn.clarification.options} == {"party", "brand"}


def test_a_word_of_the_layer_and_a_stored_name_stay_both(small: World) -> None:
    turn = Talk(small).say("云帆的营业额")  # a kind, by the layer; a party, by the data
    assert turn.outcome == "clarify"
    assert turn.clarification is not None
    assert {option.id for option in turn.clarification.options} == {"kind", "party"}


def test_a_value_under_two_parents_is_asked_about(world: World) -> None:
    turn = Talk(world).say("2号楼的出租率")
    assert turn.outcome == "clarify"
    assert turn.clarification is not None
    assert len(turn.clarification.options) > 1


# -- policy: A1 has P1 P3 P5 P6 P7 P8, A2 has P2 P4 P9


def test_hidden_values_are_no_candidates(of_area: Callable[[str], Talk]) -> None:
    turn = of_area("A1").say("远景的营业额")  # of two, one may be seen
    assert turn.outcome == "answer"
    assert turn.slots is not None
    assert turn.slots.filter("party") == Filter("party", Among(("P3",)))
    assert "新能源" not in turn.text


@pytest.mark.parametrize(
    ("text", "unknown"),
    [
        ("博瑞的营业额", "博玉的营业额"),  # a part
        ("苏州博瑞生物医药的营业额", "苏州博玉生物医药的营业额"),  # a beginning
        ("重庆瑞封行的营业额", "重庆玉封行的营业额"),  # the same sound
        ("苏州博瑞生物医要有限公司的营业额", "苏州博玉生物依要有限公司的营业额"),  # one edit
    ],
)
def test_a_hidden_value_is_like_one_that_does_not_exist(
    of_area: Callable[[str], Talk], text: str, unknown: str
) -> None:
    hidden, absent = of_area("A1").say(text), of_area("A1").say(unknown)
    assert (
        (hidden.outcome, hidden.reason) == (absent.outcome, absent.reason) == ("decline", "unread")
    )
    assert hidden.suggestions == absent.suggestions
    told = hidden.text.replace("“", "").replace("”", "")
    assert "苏州博瑞生物医药有限公司" not in told
    assert "重庆瑞丰行" not in told
    seen = of_area("A2").say(text)
    assert seen.outcome == "answer"


def test_a_hidden_name_that_was_said_whole_is_called_as_it_was_said(
    of_area: Callable[[str], Talk],
) -> None:
    turn = of_area("A1").say("苏州博瑞生物医药有限公司的营业额")
    assert (turn.outcome, turn.reason) == ("decline", "unread")
    turn = of_area("A2").say("东片的营业额")
    assert (turn.outcome, turn.reason) == ("decline", "unread")
    assert "东片" in turn.text


def test_an_alias_of_a_hidden_value_is_not_completed(world: World) -> None:
    turn = Talk(world, User("someone", (("park_id", ("P002",)),))).say("8月前海的用电量")
    assert (turn.outcome, turn.reason) == ("decline", "unread")
    assert turn.text == "没有听懂“前海”（也可能是您无权查看的名称），不敢据此给数。"


def test_what_is_offered_may_be_seen(world: World) -> None:
    hidden = Talk(world, User("someone", (("park_id", ("P002",)),)))
    open_to = Talk(world, User("someone", (("park_id", ("P006",)),)))
    asked = "8月前诲的用电量"
    assert not [one for one in hidden.say(asked).suggestions if "前海" in one.label]
    assert [one for one in open_to.say(asked).suggestions if "前海" in one.label]


def test_a_hidden_dimension_of_two_is_not_offered(of_area: Callable[[str], Talk]) -> None:
    turn = of_area("A2").say("青禾的营业额")  # neither the party nor the brand is in A2
    assert turn.outcome == "decline"
    assert of_area("A1").say("青禾的营业额").outcome == "clarify"


def test_names_without_an_attribute_are_all_hidden(small: World) -> None:
    turn = Talk(small, User("nobody")).say("华芯的营业额")
    assert (turn.outcome, turn.reason) == ("decline", "unread")
