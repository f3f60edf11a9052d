"""What was meant last matters: after an explanation, 实收呢 and 再解释一下 are about explanations too."""

import pytest

from tests.conversation import Talk


@pytest.mark.parametrize(
    ("first", "then", "metric"),
    [
        ("收缴率怎么算", "实收呢", "实收："),
        ("收繳率怎麼算", "那實收呢？", "实收："),
        ("what is collection rate", "what about overdue amount?", "overdue amount:"),
        ("空置率的口径", "出租率和空置面积呢", "出租率："),
    ],
)
def test_another_metric_is_explained(talk: Talk, first: str, then: str, metric: str) -> None:
    slots = talk.say("8月张江的应收", first) and talk.state.slots
    turn = talk.say(then)
    assert turn.outcome == "explain", turn.text
    assert turn.text.startswith(metric)
    assert talk.state.slots == slots


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ("收缴率怎么算", "再解释一下"),
        ("收缴率怎么算", "没听懂。"),
        ("收繳率怎麼算", "再解釋一下"),
        ("收缴率怎么算", "怎么算的？"),
        ("what is collection rate", "Explain that again"),
        ("what is collection rate", "I don't understand"),
    ],
)
def test_the_same_is_explained_again(talk: Talk, first: str, then: str) -> None:
    turn = talk.say("8月张江的应收", first)
    again = talk.say(then)
    assert (again.outcome, again.text, again.sources) == ("explain", turn.text, turn.sources)
    assert talk.say(then).text == turn.text


def test_a_number_is_explained_again(talk: Talk) -> None:
    turn = talk.say("8月张江的收缴率", "这个数怎么来的")
    again = talk.say("再解释一下")
    assert (again.outcome, again.text, again.sql) == ("explain", turn.text, turn.sql)


@pytest.mark.parametrize("then", ["实收", "8月实收呢", "临港呢", "按园区呢"])
def test_a_question_is_still_a_question(talk: Talk, then: str) -> None:
    assert talk.say("8月张江的应收", "收缴率怎么算", then).outcome == "answer"


def test_only_the_turn_before_counts(talk: Talk) -> None:
    turn = talk.say("收缴率怎么算", "8月张江的应收", "实收呢")
    assert turn.outcome == "answer"
    assert talk.say("再解释一下").outcome == "decline"
    assert talk.state.explained == ()


def test_an_open_question_is_answered_first(talk: Talk) -> None:
    turn = talk.say("收费情况怎么样", "收缴率怎么算", "实收呢")
    assert turn.outcome == "answer"
    assert turn.slots is not None
    assert turn.slots.metrics == ("received_amount",)
