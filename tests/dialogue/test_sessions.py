"""Sessions on a bad day: another writer, a memory that is lost, a ledger that cannot be reached."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from itertools import count
from pathlib import Path

import pytest

from dialogue import codec, processes
from dialogue.engine import Moment
from dialogue.ledger import Ledger, Unreachable
from dialogue.ledger.stores import Run
from dialogue.memory import Held, MemoryLost, ProcessMemory
from dialogue.record import record_of
from dialogue.session import LONGEST_TURN, Asked, Busy, Lost, Sessions
from dialogue.state import EMPTY
from dialogue.turn import Request
from dialogue.world import World
from semantic_layer.protocols import LOCAL
from tests.dialogue.test_ledger import MOMENT, ledger_at


@pytest.fixture
def ledger_file(tmp_path: Path) -> Path:
    return tmp_path / "ledger.sqlite"


FIRST, SECOND = Request("8月张江的收缴率"), Request("临港呢")


class Gone:
    """A memory that cannot be asked."""

    def load(self, session_id: str) -> Held | None:
        raise MemoryLost

    def keep(self, session_id: str, held: Held, turn: str) -> None:
        raise MemoryLost

    def recent(self, session_id: str) -> tuple[str, ...]:
        raise MemoryLost

    def forget(self, session_id: str) -> None:
        raise MemoryLost


@dataclass
class Switch:
    """Takes a ledger away: at once, or after so many more transactions."""

    ledger: Ledger
    left: int | None = None

    def __post_init__(self) -> None:
        self._transaction, self._snapshot = (
            self.ledger.store.transaction,
            self.ledger.store.snapshot,
        )
        self.ledger.store.transaction = self.transaction  # type: ignore[method-assign]
        self.ledger.store.snapshot = self.snapshot  # type: ignore[method-assign]

    @contextmanager
    def transaction(self) -> Iterator[Run]:
        if self.left == 0:
            raise Unreachable("the disk is full")
        self.left = None if self.left is None else self.left - 1
        with self._transaction() as run:
            yield run

    @contextmanager
    def snapshot(self) -> Iterator[Run]:
        if self.left == 0:
            raise Unreachable("the disk is full")
        with self._snapshot() as run:
            yield run


def sessions(world: World, ledger: Ledger | None, memory: object = None) -> Sessions:
    numbers = count(1)
    return Sessions(
        world,
        ledger,
        lambda: f"id-{next(numbers)}",
        memory=memory or ProcessMemory(),  # type: ignore[arg-type]
    )


def test_a_turn_that_runs_elsewhere_is_waited_for(world: World, ledger_file: Path) -> None:
    here, there = (sessions(world, ledger_at(ledger_file)) for _ in range(2))
    here.take("s", FIRST, LOCAL, MOMENT)
    there._process = "another machine"  # of which it is not known whether it lives
    there.intend("s", "t", 2, EMPTY, SECOND, LOCAL, MOMENT)
    later = replace(MOMENT, now=MOMENT.now + LONGEST_TURN - timedelta(seconds=1))
    with pytest.raises(Busy, match="session s is busy"):
        here.take("s", SECOND, LOCAL, later)
    turn = here.take("s", SECOND, LOCAL, Moment(MOMENT.clock, MOMENT.now + LONGEST_TURN))
    assert (turn.outcome, turn.seq) == ("answer", 2)  # the one begun there was interrupted


def test_a_turn_that_is_thought_the_first_and_is_not_goes_on_from_there(
    world: World, ledger_file: Path
) -> None:
    here, there = (sessions(world, ledger_at(ledger_file)) for _ in range(2))
    asked = Asked(FIRST, LOCAL, MOMENT, first=True)
    assert here.ask("s", asked).seq == 1
    assert there.ask("s", replace(asked, request=SECOND)).seq == 2
    (_, second) = map(record_of, ledger_at(ledger_file).entries())
    assert second.before is not None
    assert second.before.seq == 1


def test_a_turn_of_a_process_that_has_ended_is_not_waited_for(
    world: World, ledger_file: Path
) -> None:
    here, there = (sessions(world, ledger_at(ledger_file)) for _ in range(2))
    here.take("s", FIRST, LOCAL, MOMENT)
    there._process = (
        processes.name().rpartition("/")[0] + "/1"
    )  # the same number, begun at another time
    there.intend("s", "t", 2, EMPTY, SECOND, LOCAL, MOMENT)
    turn = here.take("s", SECOND, LOCAL, MOMENT)
    assert (turn.outcome, turn.seq) == ("answer", 2)


def test_without_memory_the_state_is_rebuilt_from_the_ledger(
    world: World, ledger_file: Path
) -> None:
    whole = sessions(world, None)
    lost = sessions(world, ledger_at(ledger_file), Gone())
    for request in (FIRST, SECOND, Request("按月"), Request(undo=True)):
        told = whole.take("s", request, LOCAL, MOMENT)
        turn = lost.take("s", request, LOCAL, MOMENT)
        assert (turn.slots, turn.sql, turn.seq) == (told.slots, told.sql, told.seq)
        assert turn.degraded == ("memory",)


@pytest.mark.parametrize(
    "text", ["临港呢", "只看1号楼", "第二个", "再加上应收", "按月", "电费应收"]
)
def test_a_follow_up_is_declined_while_the_session_cannot_be_recalled(
    world: World, ledger_file: Path, text: str
) -> None:
    ledger = ledger_at(ledger_file)
    found = sessions(world, ledger)
    found.take("s", FIRST, LOCAL, MOMENT)
    switch = Switch(ledger)
    switch.left = 0
    turn = found.take("s", Request(text), LOCAL, MOMENT)
    assert (turn.outcome, turn.reason, turn.degraded) == ("decline", "memory-lost", ("ledger",))
    assert (turn.seq, turn.slots, turn.record_hash) == (0, None, "")


def test_a_whole_question_is_answered_by_itself_meanwhile(world: World, ledger_file: Path) -> None:
    ledger = ledger_at(ledger_file)
    found = sessions(world, ledger)
    found.take("s", FIRST, LOCAL, MOMENT)
    switch = Switch(ledger)
    switch.left = 0
    turn = found.take("s", Request("8月应收"), LOCAL, MOMENT)
    assert turn.outcome == "answer"
    assert turn.slots is not None
    assert turn.slots.filters == ()
    assert turn.text.startswith("会话记录暂时读不到：这一问单独回答")
    assert turn.degraded == ("ledger",)
    switch.left = None
    again = found.take(
        "s", SECOND, LOCAL, MOMENT
    )  # the ledger is back: the session stands where it was
    assert again.slots is not None
    assert (again.seq, again.slots.metrics, again.degraded) == (2, ("collection_rate",), ())


def test_a_turn_that_cannot_be_recorded_is_not_answered(world: World, ledger_file: Path) -> None:
    ledger = ledger_at(ledger_file)
    found = sessions(world, ledger)
    found.take("s", FIRST, LOCAL, MOMENT)
    switch = Switch(ledger)
    switch.left = 1  # the intent is written, the outcome is not
    with pytest.raises(Lost, match="could not be recorded"):
        found.take("s", SECOND, LOCAL, MOMENT)
    switch.left = None
    assert found.take("s", SECOND, LOCAL, MOMENT).seq == 2
    assert [entry.outcome is None for entry in ledger.entries()] == [False, True, False]


def test_a_click_without_its_session_is_declined(world: World, ledger_file: Path) -> None:
    ledger = ledger_at(ledger_file)
    found = sessions(world, ledger)
    switch = Switch(ledger)
    switch.left = 0
    for request in (Request(choose=("receivable_amount",)), Request(undo=True), Request(keep=True)):
        assert found.take("s", request, LOCAL, MOMENT).reason == "memory-lost"


def test_memory_holds_few_sessions_and_their_newest_state() -> None:
    memory = ProcessMemory(sessions=2)
    held = Held(replace(EMPTY, seq=2), codec.dumps(EMPTY), None, "ann")
    memory.keep("a", held, "turn 2")
    memory.keep("a", replace(held, state=replace(EMPTY, seq=1)), "turn 1")
    assert memory.load("a") == held
    assert memory.recent("a") == ("turn 2",)
    memory.keep("b", held, "")
    memory.load("a")
    memory.keep("c", held, "")
    assert [memory.load(name) is not None for name in "abc"] == [True, False, True]


def test_memory_holds_no_more_than_its_bytes() -> None:
    memory = ProcessMemory(most=100_000)
    held = Held(EMPTY, "", None, "ann")
    for name in "abcde":
        memory.keep(name, replace(held, state=replace(EMPTY, seq=1)), "x" * 40_000)
    assert [memory.load(name) is not None for name in "abcde"] == [False, False, False, True, True]
    memory.keep("e", replace(held, state=replace(EMPTY, seq=2)), "x" * 200_000)
    assert [memory.load(name) is not None for name in "de"] == [False, True]  # the one in use stays
    memory.forget("e")
    memory.keep("f", replace(held, state=replace(EMPTY, seq=1)), "x" * 40_000)
    memory.keep("g", replace(held, state=replace(EMPTY, seq=1)), "x" * 40_000)
    assert memory.recent("f") == ("x" * 40_000,)  # what was let go takes no room


def test_watched_stages_come_in_order(world: World) -> None:
    stages: list[str] = []
    asked = Asked(
        Request("8月应收，另外空置房源有几套？"),
        LOCAL,
        MOMENT,
        watch=lambda stage: stages.append(type(stage).__name__),
    )
    assert sessions(world, None).ask("s", asked).outcome == "answer"
    assert stages == ["Reading", "Slots", "str", "Result"] * 2
