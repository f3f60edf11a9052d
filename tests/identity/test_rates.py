"""Limits per user in a moving window, on a clock that a test moves."""

from __future__ import annotations

import logging

import limits.storage.memory
import pytest
from limits.errors import StorageError

from api.identity import IdentityError
from api.identity.rates import Rates


class Hands:
    """A clock, also in the place of the `time` module that the library looks at."""

    def __init__(self) -> None:
        self.instant = 1_800_000_000.0

    def time(self) -> float:
        return self.instant


@pytest.fixture
def hands(monkeypatch: pytest.MonkeyPatch) -> Hands:
    made = Hands()
    monkeypatch.setattr(limits.storage.memory, "time", made)
    return made


def test_the_window_moves(hands: Hands) -> None:
    rates = Rates("3/minute", clock=hands.time)
    taken = []
    for after in (0, 10, 20, 5, 24, 2, 1, 9):
        hands.instant += after
        taken.append((hands.instant % 1000, rates.take("acme/ann")))
    assert taken == [(0, 0), (10, 0), (30, 0), (35, 26), (59, 2), (61, 0), (62, 9), (71, 0)]


def test_waiting_as_told_is_enough(hands: Hands) -> None:
    rates = Rates("5/minute", clock=hands.time)
    for span in (0.1, 7.3, 0.0, 11.9, 3.0, 0.5) * 5:
        hands.instant += span
        if wait := rates.take("ann"):
            hands.instant += wait - 1.001
            assert rates.take("ann") > 0
            hands.instant += 1.001
            assert rates.take("ann") == 0


def test_each_user_has_their_own(hands: Hands) -> None:
    rates = Rates("1/hour", clock=hands.time)
    users = ("acme/ann", "acme/bob", "other/ann", "安妮")
    assert [rates.take(user) for user in users] == [0, 0, 0, 0]
    assert [rates.take(user) for user in users] == [3601] * 4


def test_several_limits_and_a_refusal_costs_nothing(hands: Hands) -> None:
    rates = Rates("2/second; 3/minute", clock=hands.time)
    assert [rates.take("ann") for _ in range(5)] == [0, 0, 2, 2, 2]
    hands.instant += 2
    assert rates.take("ann") == 0
    hands.instant += 2
    assert rates.take("ann") == 57


@pytest.mark.parametrize("limit", ["", "60", "0/minute", "minute", "60/fortnight", "-1/minute"])
def test_what_is_no_limit(limit: str) -> None:
    with pytest.raises(IdentityError, match="a rate limit is written 60/minute"):
        Rates(limit)


@pytest.mark.parametrize(
    "store", ["", "memory", "file:///x", "memcached://localhost", "redis://h:x"]
)
def test_what_is_no_store(store: str) -> None:
    with pytest.raises(IdentityError, match="in memory:// or in a Redis"):
        Rates("1/minute", store)


def test_a_store_that_is_down_limits_nobody_and_is_told_once(
    hands: Hands, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    rates = Rates("1/minute", "redis://:secret@127.0.0.1:1/0", clock=hands.time)
    for _ in range(3):
        assert [rates.take("ann") for _ in range(50)] == [0] * 50
        hands.instant += 11
    (told,) = [record.getMessage() for record in caplog.records]
    assert told.startswith("the store of rate limits is down, nobody is limited")
    assert "secret" not in told


def test_a_store_that_comes_back_limits_again(
    hands: Hands, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    rates = Rates("1/minute", clock=hands.time)

    def down(*_: object) -> bool:
        raise StorageError(ConnectionError("gone"))

    with monkeypatch.context() as patch:
        patch.setattr(rates._limiter, "test", down)
        assert [rates.take("ann"), rates.take("ann")] == [0, 0]
    hands.instant += 11
    assert [rates.take("ann"), rates.take("ann")] == [0, 61]
    assert [record.getMessage().partition(",")[0] for record in caplog.records] == [
        "the store of rate limits is down",
        "the store of rate limits is back",
    ]
