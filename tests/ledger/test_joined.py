"""Writes that come while others are written: one transaction for all of them, and each its own fate."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest

from dialogue.ledger import Conflict, Ledger, Unreachable
from dialogue.ledger.joined import Joined, _Waiting
from dialogue.ledger.stores import Run, SQLiteReader, SQLiteStore
from dialogue.ledger.verifying import verify
from tests.ledger.conftest import Hands


class Held(SQLiteStore):
    """A file whose first transaction ends when it is let go, and that counts them."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.count, self.begun, self.end = 0, threading.Event(), threading.Event()
        self.away = False

    @contextmanager
    def transaction(self) -> Iterator[Run]:
        self.count += 1
        if self.away and self.count > 1:
            raise Unreachable("the disk is full")
        with super().transaction() as run:
            yield run
            self.begun.set()
            assert self.end.wait(10)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Held]:
    made = Held(tmp_path / "some.sqlite")
    with SQLiteStore.transaction(made) as run:
        run("CREATE TABLE numbers (number INTEGER PRIMARY KEY)")
    yield made
    made.close()


def insert(number: int) -> Callable[[Run], None]:
    def write(run: Run) -> None:
        if number < 0:
            raise Conflict(str(number))
        run("INSERT INTO numbers VALUES (:number)", number=number)

    return write


def written(store: Held, numbers: list[int]) -> list[BaseException | None]:
    """What becomes of writes that come while the first of them is written."""
    joined = Joined(store)
    with ThreadPoolExecutor(len(numbers)) as pool:
        first: Future[None] = pool.submit(joined.write, insert(numbers[0]))
        assert store.begun.wait(10)
        others = [pool.submit(joined.write, insert(number)) for number in numbers[1:]]
        while len(joined._gathered) < len(others):
            time.sleep(0.001)
        store.end.set()
        return [one.exception(10) for one in (first, *others)]


def kept(store: Held) -> list[int]:
    with store.snapshot() as run:
        return [int(str(number)) for (number,) in run("SELECT number FROM numbers ORDER BY number")]


def test_what_gathers_is_written_at_once(store: Held) -> None:
    assert written(store, [1, 2, 3, 4, 5]) == [None] * 5
    assert kept(store) == [1, 2, 3, 4, 5]
    assert store.count == 2


def test_who_is_refused_is_refused_alone(store: Held) -> None:
    first, *others = written(store, [1, 2, -3, 4, 2])
    assert first is None
    assert [type(error).__name__ for error in others] in (
        ["NoneType", "Conflict", "NoneType", "IntegrityError"],
        ["IntegrityError", "Conflict", "NoneType", "NoneType"],  # the other 2 came first
    )
    assert kept(store) == [1, 2, 4]


def test_nobody_is_told_that_what_could_not_be_written_was(store: Held) -> None:
    store.away = True
    first, *others = written(store, [1, 2, 3])
    assert first is None
    assert [str(error) for error in others] == ["the disk is full"] * 2
    assert kept(store) == [1]


def test_nor_where_the_writer_was_interrupted(store: Held) -> None:
    joined = Joined(store)
    other = _Waiting(insert(8))
    joined._gathered.append(other)

    def interrupted(run: Run) -> None:
        raise KeyboardInterrupt

    store.end.set()
    with pytest.raises(KeyboardInterrupt):
        joined.write(interrupted)
    assert other.over
    assert str(other.error) == "whoever wrote it down was interrupted"
    assert kept(store) == []
    joined.write(insert(9))
    assert kept(store) == [9]


def test_sessions_at_once_make_a_ledger_that_holds(tmp_path: Path, clock: Hands) -> None:
    file = tmp_path / "ledger.sqlite"
    ledger = Ledger.at(file, clock)

    def talk(session: str) -> None:
        for number in range(10):
            turn, at = f"{session}-{number}", "2026-11-29T10:00:00"
            ledger.append(session, "intent", turn, at, {"seq": number}, {"before": f"{number}"})
            facts = {"outcome": "answer"}
            parts = {"steps": "[]", "after": f"{number + 1}"}
            made = ledger.append(session, "outcome", turn, at, facts, parts)
            assert made.number == 2 * number + 2

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(talk, [f"s{index}" for index in range(8)]))
    ledger.close()
    report = verify(SQLiteReader(file))
    assert (report.holds, report.turns) == (True, 80)
