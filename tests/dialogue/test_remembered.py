"""What is remembered of pure functions: it changes nothing but the time they take."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from decimal import Decimal
from itertools import combinations

import pytest

from dialogue import answer
from dialogue.world import World, statements
from nl2sql.errors import QuestionError
from nl2sql.known import Known
from nl2sql.slots import Among, Filter, Having, Interval, Slots

CLOCK = datetime(2026, 9, 28, 12)
VACANT = Slots(object="park_building_resource", metrics=("vacant_count",), dimensions=("park_id",))
PARK = (Filter("park_id", Among(("P001",))),)


@pytest.fixture
def fresh(world: World) -> World:
    """The park, which has not been asked yet."""
    return replace(world, compiled=statements())


def over(least: str) -> Slots:
    """Parks with at least so many vacant rooms."""
    return replace(VACANT, having=(Having("vacant_count", Interval(Decimal(least))),))


def test_each_question_keeps_its_own_statement(fresh: World) -> None:
    asked = [
        (VACANT, CLOCK, ()),
        (VACANT, CLOCK, PARK),
        (VACANT, CLOCK, (Filter("park_id", Among(())),)),
        (VACANT, datetime(2025, 9, 28, 12), ()),
        (over("1.5"), CLOCK, ()),
        (over("1.50"), CLOCK, ()),  # equal to the one before, and written as it was said
    ]
    anew = [answer.compiled(fresh, *one) for one in asked]
    assert [answer.prepare(fresh, *one).sql for one in (*asked, *asked)] == anew * 2
    assert all(one != other for one, other in combinations(anew, 2))


def test_a_statement_is_of_a_day(fresh: World) -> None:
    day = [datetime(2026, 9, 28), CLOCK, datetime(2026, 9, 28, 23, 59, 59, 999999)]
    assert len({answer.compiled(fresh, VACANT, moment, ()) for moment in day}) == 1
    assert len({answer.prepare(fresh, VACANT, moment, ()).sql for moment in day}) == 1


def test_what_is_refused_is_refused_again(fresh: World) -> None:
    named = (Filter("nothing_known", Among(("x",))),)
    for _ in range(2):
        with pytest.raises(QuestionError, match="not-permitted"):
            answer.prepare(fresh, VACANT, CLOCK, named)


def test_a_reading_is_kept_while_the_values_are(world: World) -> None:
    reader = world.reader.over(world.values)
    text = "8月张江的应收"
    assert reader.read(text) is reader.read(text)
    assert reader.read(text) == reader.read_anew(text) == world.reader.read(text)


def test_so_many_are_kept_those_asked_for_last() -> None:
    made: list[str] = []
    known: Known[str, str] = Known(2)

    def get(key: str) -> str:
        return known.get(key, lambda: made.append(key) or key.upper())

    assert [get(key) for key in "abacaba"] == [*"ABACABA"]
    assert made == [*"abcb"]
