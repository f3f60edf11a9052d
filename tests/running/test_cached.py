"""Kept results: by text and version, bounded, and one run for all who ask at once."""

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from api.files import Files
from dialogue.engine import take
from dialogue.state import EMPTY
from dialogue.turn import Request
from nl2sql.errors import Halted, Stopped, WarehouseError
from nl2sql.warehouse import DuckDBWarehouse
from nl2sql.warehouses.cached import Cached, weight
from nl2sql.warehouses.limited import Limited, Limits
from semantic_layer.protocols import Halt, Rows, User
from tests.running.shop import HEAVY, LAYER, MOMENT, sales

SUM = "SELECT SUM(amount) AS n FROM sale"


class Counting:
    """A warehouse that counts, and can be made to wait."""

    def __init__(self, inner: DuckDBWarehouse) -> None:
        self.inner, self.ran, self.open = inner, [], threading.Event()
        self.dialect, self.engine, self.data_version = "duckdb", inner.engine, "1"
        self.open.set()

    def run(self, sql: str, *, limit: int | None = None, halt: Halt | None = None) -> Rows:
        self.ran.append(sql)
        self.open.wait(5)
        return self.inner.run(sql, limit=limit, halt=halt)


@pytest.fixture
def counting(database: Path) -> Iterator[Counting]:
    found = DuckDBWarehouse(database, timeout=20)
    yield Counting(found)
    found.close()


def until(true: Callable[[], bool]) -> None:
    end = time.monotonic() + 5
    while not true():
        assert time.monotonic() < end
        time.sleep(0.001)


def test_the_same_text_over_the_same_data_runs_once(counting: Counting) -> None:
    cached = Cached(counting)
    for _ in range(3):
        assert cached.run(SUM).rows == ((1000,),)
    assert len(counting.ran) == 1
    cached.run(SUM, limit=1)  # what is cut is another result
    counting.data_version = "2"
    cached.run(SUM)
    assert len(counting.ran) == 3
    kept = cached.kept
    assert (kept.hits, kept.joined, kept.misses, kept.entries) == (2, 0, 3, 3)
    assert kept.bytes > 0


def test_entries_and_bytes_are_bounded_those_asked_for_last_stay(counting: Counting) -> None:
    cached = Cached(counting, entries=2)
    one, two, three = (f"SELECT {number} AS n" for number in (1, 2, 3))
    for sql in (one, two, one, three, one):
        cached.run(sql)
    assert counting.ran == [one, two, three]
    cached.run(two)
    assert counting.ran == [one, two, three, two]
    row = weight(counting.inner.run("SELECT repeat('x', 1000) AS n"))
    cached = Cached(counting, most_bytes=5 * row)
    for number in range(20):
        cached.run(f"SELECT repeat('x', 1000) AS n{number}")
    assert cached.kept.bytes <= 5 * row
    assert 3 <= cached.kept.entries <= 5


def test_what_is_too_large_is_not_kept(counting: Counting) -> None:
    cached = Cached(counting, most_bytes=100_000)
    for _ in range(2):
        assert len(cached.run("SELECT range AS n FROM range(10000)").rows) == 10_000
    assert len(counting.ran) == 2
    assert cached.kept.entries == 0


def test_the_weight_of_rows_is_about_their_memory() -> None:
    few = Rows(("n",), tuple(("x" * 100,) for _ in range(10)))
    many = Rows(("n",), tuple(("x" * 100,) for _ in range(10_000)))
    assert 10 * 149 < weight(few) < 10 * 300
    assert 0.85 < weight(many) / (weight(few) * 1000) < 1.1


def test_an_old_result_is_found_anew(counting: Counting) -> None:
    cached = Cached(counting, seconds=0.05)
    cached.run(SUM)
    time.sleep(0.06)
    cached.run(SUM)
    assert len(counting.ran) == 2


def test_what_several_ask_at_once_runs_once(counting: Counting) -> None:
    cached, found = Cached(counting), []
    counting.open.clear()
    threads = [
        threading.Thread(target=lambda: found.append(cached.run(SUM, halt=Halt("u")).rows))
        for _ in range(20)
    ]
    for thread in threads:
        thread.start()
    until(lambda: cached.kept.joined == 19)
    counting.open.set()
    for thread in threads:
        thread.join(5)
    assert found == [((1000,),)] * 20
    assert len(counting.ran) == 1
    assert (cached.kept.misses, cached.kept.hits) == (1, 0)


def test_who_asked_first_and_is_halted_leaves_the_others_their_answer(counting: Counting) -> None:
    """The one whose query all wait for cancels: the next one runs it."""
    slow = "SELECT COUNT(*) AS n FROM range(3000000) AS a WHERE hash(a.range) % 7 = 3"
    cached, told = Cached(counting), []
    counting.open.clear()
    first = Halt("first")

    def ask(halt: Halt) -> None:
        try:
            told.append(len(cached.run(slow, halt=halt).rows))
        except Halted as error:
            told.append(f"{halt.user} {error.code}")

    threads = [threading.Thread(target=ask, args=(first,))]
    threads[0].start()
    until(lambda: bool(counting.ran))
    threads += [threading.Thread(target=ask, args=(Halt(f"u{n}"),)) for n in range(3)]
    for thread in threads[1:]:
        thread.start()
    until(lambda: cached.kept.joined == 3)
    first.now()
    counting.open.set()
    for thread in threads:
        thread.join(10)
    assert sorted(map(str, told)) == ["1", "1", "1", "first cancelled"]
    assert len(counting.ran) == 2


def test_who_waits_for_others_can_be_halted_alone(counting: Counting) -> None:
    cached, found = Cached(counting), []
    counting.open.clear()
    thread = threading.Thread(target=lambda: found.append(cached.run(SUM).rows))
    thread.start()
    until(lambda: bool(counting.ran))
    halt = Halt("u")
    timer = threading.Timer(0.05, halt.now)
    timer.start()
    began = time.monotonic()
    with pytest.raises(Halted):
        cached.run(SUM, halt=halt)
    assert time.monotonic() - began < 0.3
    counting.open.set()
    thread.join(5)
    assert found == [((1000,),)]
    with pytest.raises(Halted):  # a halted turn gets nothing, also what is kept
        cached.run(SUM, halt=halt)


def test_errors_are_not_kept_but_told_to_all_who_wait(counting: Counting) -> None:
    cached, told = Cached(counting), []
    counting.open.clear()

    def ask() -> None:
        try:
            cached.run("SELECT nothing_there FROM sale")
        except WarehouseError as error:
            told.append(str(error))

    threads = [threading.Thread(target=ask) for _ in range(3)]
    for thread in threads:
        thread.start()
    until(lambda: cached.kept.joined == 2)
    counting.open.set()
    for thread in threads:
        thread.join(5)
    assert len(told) == 3
    assert len(counting.ran) == 1
    with pytest.raises(WarehouseError):
        cached.run("SELECT nothing_there FROM sale")
    assert len(counting.ran) == 2


def test_what_is_kept_waits_in_no_queue(database: Path) -> None:
    limited = Limited(DuckDBWarehouse(database), Limits(concurrent=1, waiting=0))
    cached = Cached(limited)
    cached.run(SUM)
    halt = Halt("u")

    def heavy() -> None:
        with pytest.raises(Halted):
            limited.run(HEAVY, halt=halt)

    thread = threading.Thread(target=heavy)
    thread.start()
    until(lambda: limited.gate.waits.running == 1)
    with pytest.raises(Stopped, match="too many queries"):
        limited.run(SUM)
    assert cached.run(SUM).rows == ((1000,),)
    halt.now()
    thread.join(5)


def test_users_share_what_their_permissions_make_the_same_and_only_that(
    tmp_path: Path, database: Path
) -> None:
    """What a user may see stands in the SQL: other permissions are another text."""
    folder = tmp_path / "policed"
    folder.mkdir()
    text = LAYER + "policies: [{attribute: shop, dimension: shop}]\n"
    (folder / "layer.yaml").write_text(text, encoding="utf-8")
    opened = Files(folder, sales(tmp_path / "own.duckdb", 3), cache=1 << 20).open()
    assert opened is not None
    cached = opened.world.warehouse
    assert isinstance(cached, Cached)

    def ask(name: str, shops: tuple[str, ...]) -> int:
        user = User(name, (("shop", shops),))
        turn = take(opened.world, EMPTY, Request("销售额"), user, MOMENT).turn
        return int(str(turn.all_rows[0][0])) if turn.all_rows[0][0] is not None else 0

    assert ask("anna", ("shop 3-0",)) == 600
    misses = cached.kept.misses
    assert ask("bert", ("shop 3-0",)) == 600  # may see the same: the same text, the same rows
    assert cached.kept.misses == misses
    assert ask("carl", ("shop 3-1", "shop 3-2")) == 1200
    assert ask("dora", ()) == 0
    assert cached.kept.misses > misses
    assert ask("anna", ("shop 3-0",)) == 600
    opened.close()


def test_off_unless_switched_on(layer_folder: Path, database: Path) -> None:
    opened = Files(layer_folder, database).open()
    assert opened is not None
    assert isinstance(opened.world.warehouse, Limited)
    opened.close()


def test_the_engine_has_the_threads_that_were_set(layer_folder: Path, tmp_path: Path) -> None:
    opened = Files(layer_folder, sales(tmp_path / "own.duckdb", 3), threads=1).open()
    assert opened is not None
    found = opened.world.warehouse.run("SELECT current_setting('threads')")
    assert found.rows == ((1,),)
    opened.close()
