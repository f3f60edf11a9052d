"""Limits: a fair queue, time, rows. Whatever goes beyond is told with a code, never cut."""

import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from nl2sql.errors import Halted, Stopped
from nl2sql.warehouse import DuckDBWarehouse
from nl2sql.warehouses.gate import Gate
from nl2sql.warehouses.limited import Limited, Limits
from semantic_layer.protocols import Halt
from tests.running.shop import HEAVY


def until(true: Callable[[], bool]) -> None:
    end = time.monotonic() + 5
    while not true():
        assert time.monotonic() < end
        time.sleep(0.001)


class Queue:
    """Users that stand before a gate which one goes through at a time, in a known order."""

    def __init__(self, gate: Gate) -> None:
        self.gate, self.order, self.told = gate, [], {}
        self.threads: list[threading.Thread] = []

    def stand(self, name: str, halt: Halt | None = None) -> None:
        before = self.gate.waits.waiting

        def go() -> None:
            try:
                with self.gate.through(name[0], halt):
                    self.order.append(name)
            except Stopped as error:
                self.told[name] = error

        self.threads.append(threading.Thread(target=go))
        self.threads[-1].start()
        until(lambda: self.gate.waits.waiting > before or name in self.told)

    def end(self) -> None:
        for thread in self.threads:
            thread.join(5)


def test_users_take_turns_and_each_ones_queries_come_in_order() -> None:
    queue = Queue(Gate(1, 64, 16, 30.0))
    with queue.gate.through("a"):
        for name in ("a1", "a2", "a3", "a4", "b1", "b2", "c1", "a5", "b3"):
            queue.stand(name)
        assert queue.gate.waits.waiting == 9
    queue.end()
    assert queue.order == ["a1", "b1", "c1", "a2", "b2", "a3", "b3", "a4", "a5"]
    waits = queue.gate.waits
    assert (waits.running, waits.waiting, waits.passed, waits.refused) == (0, 0, 10, 0)
    assert 0 < waits.longest_seconds <= waits.waited_seconds


def test_one_who_comes_late_waits_for_one_round_only() -> None:
    queue = Queue(Gate(1, 200, 100, 30.0))
    with queue.gate.through("a"):
        for number in range(60):
            queue.stand(f"a{number}")
        queue.stand("z")
    queue.end()
    assert queue.order.index("z") == 1


def test_so_many_run_at_once_and_no_more() -> None:
    gate, most, running, lock = Gate(3, 64, 64, 30.0), [0], [0], threading.Lock()

    def go(user: str) -> None:
        with gate.through(user):
            with lock:
                running[0] += 1
                most[0] = max(most[0], running[0])
            time.sleep(0.01)
            with lock:
                running[0] -= 1

    threads = [threading.Thread(target=go, args=(str(number % 5),)) for number in range(40)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert most == [3]
    assert (gate.waits.running, gate.waits.passed) == (0, 40)


def test_a_full_queue_says_how_long() -> None:
    queue = Queue(Gate(1, 2, 16, 30.0))
    with queue.gate.through("a"):
        time.sleep(1.2)
    with queue.gate.through("a"):
        for name in ("a1", "b1", "c1"):
            queue.stand(name)
        error = queue.told["c1"]
        # two wait, each took 1.2 s: the third would come after 3 × 1.2
        assert (error.code, error.facts) == ("busy", {"waiting": "2", "seconds": "4"})
        assert str(error) == "too many queries are waiting (2): try again in about 4 s"
    queue.end()
    assert queue.order == ["a1", "b1"]
    assert queue.gate.waits.refused == 1


def test_one_user_cannot_fill_the_queue() -> None:
    queue = Queue(Gate(1, 64, 2, 30.0))
    with queue.gate.through("a"):
        for name in ("a1", "a2", "a3", "b1"):
            queue.stand(name)
        assert list(queue.told) == ["a3"]
        assert queue.told["a3"].code == "busy"
    queue.end()
    assert queue.order == ["a1", "b1", "a2"]


def test_who_is_halted_leaves_the_queue() -> None:
    queue, halt = Queue(Gate(1, 64, 16, 30.0)), Halt("a")
    with queue.gate.through("x"):
        queue.stand("a1", halt)
        queue.stand("b1")
        began = time.monotonic()
        halt.now()
        until(lambda: "a1" in queue.told)
        assert time.monotonic() - began < 0.3
        assert isinstance(queue.told["a1"], Halted)
        assert queue.gate.waits.waiting == 1
    queue.end()
    assert queue.order == ["b1"]
    with pytest.raises(Halted), queue.gate.through("a", halt):
        pass
    assert queue.gate.waits.running == 0


def test_one_waits_no_longer_than_patience() -> None:
    gate = Gate(1, 64, 16, 0.1)
    with gate.through("a"):
        with pytest.raises(Stopped) as told, gate.through("b"):
            pass
        assert told.value.code == "busy"
        assert gate.waits.waiting == 0
    with gate.through("b") as waited:
        assert waited < 0.1


def test_halting_and_passing_at_the_same_time_loses_no_place() -> None:
    gate = Gate(2, 500, 500, 30.0)
    halts = [Halt(str(number % 7)) for number in range(300)]
    ended: list[bool] = []

    def go(halt: Halt) -> None:
        try:
            with gate.through(halt.user, halt):
                time.sleep(0.0005)
            ended.append(True)
        except Halted:
            ended.append(False)

    threads = [threading.Thread(target=go, args=(halt,)) for halt in halts]
    for thread in threads:
        thread.start()
    for halt in halts[::2]:
        halt.now()
    for thread in threads:
        thread.join(10)
    assert len(ended) == 300
    assert (gate.waits.running, gate.waits.waiting) == (0, 0)


@pytest.fixture
def limited(database: Path) -> Callable[[Limits], Limited]:
    return lambda limits: Limited(DuckDBWarehouse(database), limits)


Limit = Callable[[Limits], Limited]


def test_a_query_may_take_so_long(limited: Limit) -> None:
    warehouse = limited(Limits(seconds=0.1))
    for halt in (None, Halt("u")):
        began = time.monotonic()
        with pytest.raises(Stopped) as told:
            warehouse.run(HEAVY, halt=halt)
        assert time.monotonic() - began < 0.4
        assert (told.value.code, told.value.facts) == ("timed-out", {"seconds": "0.1"})
    assert warehouse.run("SELECT SUM(amount) AS n FROM sale").rows == ((1000,),)


def test_a_halt_reaches_through(limited: Limit) -> None:
    warehouse, halt = limited(Limits()), Halt("u")
    timer = threading.Timer(0.1, halt.now)
    timer.start()
    began = time.monotonic()
    with pytest.raises(Halted, match="cancelled"):
        warehouse.run(HEAVY, halt=halt)
    assert time.monotonic() - began < 0.4
    assert warehouse.gate.waits.running == 0


def test_too_many_rows_are_told_never_cut(limited: Limit) -> None:
    warehouse = limited(Limits(rows=100))
    assert len(warehouse.run("SELECT sale_id FROM sale WHERE sale_id < 100").rows) == 100
    with pytest.raises(Stopped) as told:
        warehouse.run("SELECT sale_id FROM sale WHERE sale_id < 101")
    assert (told.value.code, told.value.facts) == ("too-many-rows", {"rows": "100"})
    assert str(told.value) == "the query gives more than 100 rows: narrow it"
    # what the caller itself cuts is cut as ever
    assert len(warehouse.run("SELECT sale_id FROM sale", limit=100).rows) == 100
    with pytest.raises(Stopped):
        warehouse.run("SELECT sale_id FROM sale", limit=101)
    assert len(warehouse.run("SELECT sale_id FROM sale WHERE sale_id < 5", limit=101).rows) == 5


def test_by_default_a_million_rows(limited: Limit) -> None:
    assert Limits().rows == 1_000_000
    with pytest.raises(Stopped, match="more than 1,000,000 rows"):
        limited(Limits()).run("SELECT range AS n FROM range(1000001)")


@pytest.mark.parametrize(
    "wrong", [{"concurrent": 0}, {"waiting": -1}, {"rows": 0}, {"seconds": 0.0}, {"patience": -1.0}]
)
def test_limits_are_above_zero(wrong: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="above 0"):
        Limits(**wrong)  # type: ignore[arg-type]
