"""First questions: of any layer, answered when they are asked."""

from __future__ import annotations

import shutil
from datetime import datetime
from pathlib import Path

import pytest

from dialogue.openers import openers
from dialogue.world import World
from fixtures.hotel import generate as hotel
from nl2sql.reading import RuleReader
from nl2sql.warehouse import DuckDBWarehouse
from semantic_layer.load import load
from semantic_layer.protocols import LOCAL, User
from semantic_layer.values import build_index
from tests.conversation import CLOCK, Talk

LATER = datetime(2027, 2, 3)  # the data end months before


@pytest.fixture(scope="module")
def worlds(
    world: World, clinic_world: World, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, World]:
    path = tmp_path_factory.mktemp("hotel") / "hotel.duckdb"
    hotel.generate(path)
    layer = load(Path(__file__).parents[2] / "fixtures" / "hotel" / "layer")
    warehouse = DuckDBWarehouse(Path(shutil.copy(path, path.with_name("world.duckdb"))))
    values = build_index(layer, warehouse)
    other = World(layer, RuleReader(layer, values), values, warehouse)
    return {"park": world, "clinic": clinic_world, "hotel": other}


@pytest.mark.parametrize(
    ("name", "lang", "first", "last"),
    [
        ("park", "zh", "上月应收是多少", "收缴率怎么算"),
        ("park", "en", "Receivable last month", "How is collection rate calculated"),
        ("clinic", "zh", "上月开单金额是多少", "专家占比怎么算"),
        ("clinic", "en", "Billed amount last month", "How is chief share calculated"),
        ("hotel", "zh", "上月订单金额是多少", None),
        ("hotel", "en", "Booking amount last month", None),
    ],
)
def test_they_are_of_the_layer(
    worlds: dict[str, World], name: str, lang: str, first: str, last: str | None
) -> None:
    found = openers(worlds[name], LOCAL, CLOCK, lang)
    assert (len(found), len(set(found)), found[0]) == (6, 6, first)
    assert last in (None, found[-1])
    assert openers(worlds[name], LOCAL, CLOCK, lang) is found  # made once a day


@pytest.mark.parametrize("clock", [CLOCK, LATER], ids=["now", "later"])
@pytest.mark.parametrize("lang", ["zh", "en"])
@pytest.mark.parametrize("name", ["park", "clinic", "hotel"])
def test_each_is_answered(worlds: dict[str, World], name: str, lang: str, clock: datetime) -> None:
    found = openers(worlds[name], LOCAL, clock, lang)
    assert len(found) == 6
    for text in found:
        turn = Talk(worlds[name], clock=clock).say(text)
        assert turn.lang == lang
        if turn.outcome == "answer":
            assert turn.result is not None
            assert turn.result.rows, text
            assert turn.result.rows[0][-1] is not None, text
        else:
            assert turn.outcome == "explain", text


def test_a_month_without_data_is_not_asked_for(worlds: dict[str, World]) -> None:
    assert openers(worlds["park"], LOCAL, LATER, "zh")[0] == "2026年9月应收是多少"
    before = openers(worlds["park"], LOCAL, datetime(2020, 1, 1), "zh")  # no data yet, but tenants
    assert before == ("租户数是多少", "各园区租户数", "租户数前5的园区", "收缴率怎么算")


def test_a_policy_hides_what_it_cannot_tell_apart(worlds: dict[str, World]) -> None:
    guest = User("guest", (("hospital_id", ("H02",)),))
    for text in openers(worlds["clinic"], guest, CLOCK, "zh"):
        assert "各医院" not in text  # there is one
        assert Talk(worlds["clinic"], guest).say(text).outcome in ("answer", "explain"), text


@pytest.mark.parametrize(
    ("name", "said", "example"),
    [
        ("park", "你好", "各园区收缴率"),
        ("clinic", "你好", "各医院爽约率"),
        ("hotel", "hello", "cancellation rate by region"),
    ],
)
def test_a_greeting_gives_an_example_of_the_layer(
    worlds: dict[str, World], name: str, said: str, example: str
) -> None:
    talk = Talk(worlds[name])
    assert example in talk.say(said).text
    assert talk.say(example).outcome == "answer"
