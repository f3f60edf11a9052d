"""A turn ends once, whatever happens, and its session is free again: without a server, with turns made to fail."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, cast

import pytest

from api.http.events import Event, Stream
from api.http.problems import Problem
from api.http.taking import BYTES, TIMES, Running, Turns
from api.live import Live
from dialogue.engine import Moment
from dialogue.ledger import Conflict
from dialogue.session import Asked, Lost, Sessions
from dialogue.turn import Request, Turn
from semantic_layer.protocols import LOCAL, User

MOMENT = Moment(datetime(2026, 9, 28), datetime(2026, 11, 30))


@dataclass
class Made:
    """Sessions that give a turn each time, after doing something else first."""

    first: Callable[[], None] = lambda: None
    at_once: int = 0
    most: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def ask(self, session_id: str, asked: Asked) -> Turn:
        with self.lock:
            self.at_once += 1
            self.most = max(self.most, self.at_once)
        try:
            self.first()
            return Turn(asked.turn_id, session_id, 1, "", "chat", "好", all_rows=((1,),) * 1_000)
        finally:
            with self.lock:
                self.at_once -= 1


class World:
    """A world whose policy lets everything be seen."""

    def policy(self, user: User) -> tuple[()]:
        return ()


class Worlds:
    @contextmanager
    def held(self) -> Iterator[World]:
        yield World()


def turns(
    sessions: Made, present: Callable[[Turn], str] = lambda turn: "{}", **given: Any
) -> Turns:
    told = {"at_once": 4, "queues": False, "kept": 300.0, **given}
    return Turns(cast(Sessions, sessions), cast(Live, Worlds()), present, **told)


def asked(turn_id: str, mark: str = "") -> Asked:
    return Asked(Request(question="?"), LOCAL, MOMENT, turn_id=turn_id, mark=mark)


async def told(running: Running) -> list[Event]:
    return [event async for event in running.stream.after(0)]


async def ended(running: Running) -> Turn | Problem:
    try:
        return (await asyncio.wait_for(running.turn(), 10))[0]
    except Problem as problem:
        return problem


def raising(error: BaseException) -> Callable[..., Any]:
    def do(*_: object) -> None:
        raise error

    return do


@pytest.mark.parametrize(
    ("made", "present", "code"),
    [
        (Made(raising(Conflict("elsewhere"))), str, "conflict"),
        (Made(raising(Lost("no disk"))), str, "unrecorded"),
        (Made(raising(ZeroDivisionError("secret 42"))), str, "fault"),
        (Made(), raising(ValueError("secret 42")), "fault"),
        (Made(raising(MemoryError())), str, "fault"),
    ],
    ids=["conflict", "lost", "fault", "fault in wording", "no memory"],
)
def test_a_turn_that_fails_ends_and_frees_its_session_and_key(
    made: Made, present: Callable[[Turn], str], code: str
) -> None:
    async def run() -> None:
        taking = turns(made, present)
        running = taking.start("s", "local", asked("t1", "key:body"))
        problem = await ended(running)
        assert isinstance(problem, Problem)
        assert problem.code == code
        assert "secret" not in problem.detail
        events = await told(running)
        assert [event.name for event in events] == ["error"]
        assert taking.marked("key") is None
        assert taking._rooms == {}
        again = taking.start("s", "local", asked("t2", "key:body"))
        await ended(again)

    asyncio.run(run())


def test_the_session_is_free_before_the_end_is_told() -> None:
    async def run() -> None:
        taking = turns(Made())
        for number in range(50):
            running = taking.start("s", "local", asked(f"t{number}"))
            last = (await told(running))[-1]
            assert last.name == "turn"  # and the next one is not refused as busy

    asyncio.run(run())


def test_what_follows_a_turn_cannot_break_it() -> None:
    async def run() -> None:
        taking = turns(Made())
        taking.ended.append(raising(ValueError("x")))
        turn = await ended(taking.start("s", "local", asked("t1")))
        assert isinstance(turn, Turn)
        assert turn.all_rows == ()  # those that are shown are in its JSON: the others are let go

    asyncio.run(run())


def test_a_queue_lets_one_at_a_time_through() -> None:
    async def run() -> None:
        made = Made(lambda: threading.Event().wait(0.01) and None)
        taking = turns(made, queues=True)
        found: list[Running] = []
        for number in range(12):  # they come while others end
            found.append(taking.start("s", "local", asked(f"t{number}")))
            await asyncio.sleep(0.004)
        for running in found:
            assert isinstance(await ended(running), Turn)
        assert made.most == 1
        assert taking._rooms == {}

    asyncio.run(run())


def test_two_at_the_same_moment_are_not_both_taken() -> None:
    async def run() -> None:
        taking = turns(Made())
        first = taking.start("s", "local", asked("t1"))
        with pytest.raises(Problem) as refused:
            taking.start("s", "local", asked("t2"))
        assert refused.value.code == "busy"
        assert isinstance(await ended(first), Turn)

    asyncio.run(run())


def test_turns_that_wait_when_the_service_stops_end_too() -> None:
    async def run() -> None:
        go = threading.Event()
        made = Made(lambda: go.wait(10) and None)
        taking = turns(made, queues=True, at_once=1)
        found = [
            taking.start(f"s{number % 2}", "local", asked(f"t{number}")) for number in range(6)
        ]
        await asyncio.sleep(0.05)
        threading.Timer(0.3, go.set).start()
        await taking.drain(0.1)
        for running in found:
            await ended(running)
            assert (await told(running))[-1].name in ("turn", "error")
        with pytest.raises(Problem) as refused:
            taking.start("s", "local", asked("late"))
        assert refused.value.code == "stopping"

    asyncio.run(run())


def test_a_turn_of_a_session_that_is_deleted_is_let_go() -> None:
    async def run() -> None:
        taking = turns(Made())
        running = taking.start("s", "local", asked("t1"))
        await ended(running)
        taking.forget("s")
        assert taking.find("t1") is None

    asyncio.run(run())


def test_turns_that_were_taken_are_kept_as_far_as_there_is_room() -> None:
    async def run() -> None:
        taking = turns(Made(), lambda turn: "x" * (BYTES // TIMES // 2 - 100))
        for number in range(1, 5):
            await ended(taking.start("s", "local", asked(f"t{number}")))
        found = [taking.find(f"t{number}") is not None for number in range(1, 5)]
        assert found == [
            False,
            True,
            True,
            True,
        ]  # three were there when the fourth began, of more than fits

    asyncio.run(run())


def test_events_after_a_number_that_was_never_told_end() -> None:
    async def run() -> None:
        stream = Stream(asyncio.get_running_loop())
        stream.tell("text", {"text": "a"})
        stream.tell("turn", {})
        await asyncio.sleep(0)
        for number, expected in ((0, [1, 2]), (1, [2]), (2, []), (99, [])):
            found = [event.number async for event in stream.after(number)]
            assert found == expected
        assert stream.readers == 0
        assert [stream.over(number) for number in (0, 1, 2, 99)] == [False, False, True, True]

    asyncio.run(run())
