"""A query is stopped from another thread, at once, and the warehouse goes on."""

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from api.files import Files
from dialogue.engine import take
from dialogue.faults import told as words_of
from dialogue.session import Asked, Sessions
from dialogue.sight import Sight
from dialogue.state import EMPTY
from dialogue.turn import Request
from nl2sql.errors import Halted, Stopped, WarehouseError
from nl2sql.warehouse import DuckDBWarehouse
from nl2sql.warehouses.watchdog import Watchdog
from semantic_layer.protocols import LOCAL, Halt, Rows, User
from tests.running.shop import HEAVY, LAYER, MOMENT, sales


@pytest.fixture
def warehouse(database: Path) -> Iterator[DuckDBWarehouse]:
    found = DuckDBWarehouse(database, timeout=20)
    yield found
    found.close()


def after(seconds: float, do: Callable[[], None]) -> None:
    timer = threading.Timer(seconds, do)
    timer.daemon = True
    timer.start()


def test_a_heavy_query_is_stopped_at_once_and_the_next_one_runs(warehouse: DuckDBWarehouse) -> None:
    halt, at = Halt("u"), [0.0]

    def stop() -> None:
        at[0] = time.monotonic()
        halt.now()

    after(0.2, stop)
    with pytest.raises(Halted, match="the query was cancelled") as told:
        warehouse.run(HEAVY, halt=halt)
    assert time.monotonic() - at[0] < 0.3
    assert told.value.code == "cancelled"
    assert warehouse.run("SELECT SUM(amount) AS n FROM sale").rows == ((1000,),)


def test_what_is_halted_stays_halted(warehouse: DuckDBWarehouse) -> None:
    halt = Halt("u")
    halt.now("closing")
    halt.now("cancelled")
    assert halt.reason == "closing"
    for _ in range(3):
        with pytest.raises(Halted) as told:
            warehouse.run("SELECT 1 AS n", halt=halt)
        assert told.value.code == "closing"
    assert warehouse.run("SELECT 1 AS n", halt=Halt("u")).rows == ((1,),)


@pytest.mark.parametrize("seconds", [0.0, 0.0005, 0.001, 0.002, 0.005])
def test_a_halt_that_comes_while_the_query_begins_is_not_lost(
    seconds: float, warehouse: DuckDBWarehouse
) -> None:
    for _ in range(10):
        halt, began = Halt("u"), time.monotonic()
        after(seconds, halt.now)
        with pytest.raises(Halted):
            warehouse.run(HEAVY, halt=halt)
        assert time.monotonic() - began < 0.5


def test_only_the_query_of_the_halt_is_stopped(warehouse: DuckDBWarehouse) -> None:
    halts = [Halt("u") for _ in range(3)]
    ended: list[int] = []

    def run(number: int) -> None:
        with pytest.raises(Halted):
            warehouse.run(HEAVY, halt=halts[number])
        ended.append(number)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(3)]
    for thread in threads:
        thread.start()
    for number in (1, 0, 2):
        time.sleep(0.1)
        assert number not in ended
        halts[number].now()
        threads[number].join(1)
    assert ended == [1, 0, 2]


def test_too_long_is_told_from_cancelled(database: Path) -> None:
    warehouse = DuckDBWarehouse(database, timeout=0.1)
    began = time.monotonic()
    with pytest.raises(Stopped, match=r"longer than 0\.1 s") as told:
        warehouse.run(HEAVY, halt=Halt("u"))
    assert time.monotonic() - began < 0.5
    assert (told.value.code, isinstance(told.value, Halted)) == ("timed-out", False)
    warehouse.close()


def test_a_statement_that_fails_is_not_a_stopped_one(warehouse: DuckDBWarehouse) -> None:
    with pytest.raises(WarehouseError, match="nothing_there") as told:
        warehouse.run("SELECT nothing_there FROM sale", halt=Halt("u"))
    assert not isinstance(told.value, Stopped)


def test_too_much_memory_is_told(database: Path) -> None:
    warehouse = DuckDBWarehouse(database, memory="20MB")
    with pytest.raises(Stopped, match=r"more memory than it may take \(20MB\)") as told:
        warehouse.run("SELECT LIST(a.range || 'x') AS n FROM range(10000000) AS a")
    assert told.value.code == "out-of-memory"
    assert warehouse.run("SELECT SUM(amount) AS n FROM sale").rows == ((1000,),)
    warehouse.close()


def test_rows_come_whole_in_pieces_and_cut_where_asked(warehouse: DuckDBWarehouse) -> None:
    many = "SELECT range AS n FROM range(50001)"
    assert warehouse.run(many).rows == tuple((n,) for n in range(50001))
    for limit in (0, 1, 20_000, 20_001, 40_000, 60_000):
        assert len(warehouse.run(many, limit=limit).rows) == min(limit, 50_001)
    assert warehouse.run("SELECT 1 AS n WHERE FALSE").rows == ()


def test_one_thread_watches_all_queries(warehouse: DuckDBWarehouse) -> None:
    warehouse.run("SELECT 1 AS n")
    before = threading.active_count()
    for _ in range(50):
        warehouse.run("SELECT 1 AS n", halt=Halt("u"))
    assert threading.active_count() <= before
    assert [t.name for t in threading.enumerate()].count("watchdog") == 1


def test_the_watchdog_stops_in_the_order_of_time_and_never_after_the_end() -> None:
    dog, stopped = Watchdog(), []

    def long(name: str, seconds: float) -> None:
        over = threading.Event()

        def stop() -> None:
            stopped.append(name)
            over.set()

        with dog.watching(stop, seconds) as watch:
            over.wait(5)
            assert watch.why == "timed-out"

    threads = [
        threading.Thread(target=long, args=item) for item in (("b", 0.2), ("c", 0.3), ("a", 0.1))
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert list(dict.fromkeys(stopped)) == ["a", "b", "c"]
    with dog.watching(lambda: stopped.append("late"), 0.05):
        pass
    time.sleep(0.1)
    assert "late" not in stopped


def test_a_stop_that_fails_is_tried_again() -> None:
    tries: list[int] = []
    over = threading.Event()

    def stop() -> None:
        tries.append(1)
        if len(tries) < 3:
            raise RuntimeError("not just now")
        over.set()

    halt = Halt("u")
    with Watchdog().watching(stop, 60.0, halt) as watch:
        halt.now()
        assert over.wait(5)
    assert (len(tries) >= 3, watch.why) == (True, "cancelled")


@pytest.mark.parametrize(
    ("error", "zh", "en", "reason"),
    [
        (Halted("cancelled"), "查询已取消", "was cancelled", "cancelled"),
        (Halted("closing"), "服务正在关闭", "is closing", "closing"),
        (Stopped("timed-out", {"seconds": "30"}), "查询超过 30 秒", "longer than 30 s", "timed-out"),
        (Stopped("busy", {"waiting": "64", "seconds": "12"}), "约 12 秒后", "about 12 s", "busy"),
        (Stopped("too-many-rows", {"rows": "1,000,000"}), "超过 1,000,000 行", "more than 1,000,000 rows", "too-many-rows"),
        (Stopped("out-of-memory", {"memory": "4GB"}), "内存超过 4GB", "more memory than 4GB", "out-of-memory"),
        (WarehouseError("gone"), "请把故障码 b5284cf9 告诉管理员", "fault code b5284cf9", "warehouse"),
    ],
)  # fmt: skip
def test_each_end_has_words_of_its_own(
    error: WarehouseError, zh: str, en: str, reason: str
) -> None:
    assert zh in words_of("zh", error)[0]
    assert en in words_of("en", error)[0]
    assert words_of("zh", error)[1] == words_of("en", error)[1] == reason


class Halting:
    """A warehouse that halts the turn when its statements hold a text."""

    def __init__(self, inner: DuckDBWarehouse, text: str, halt: Halt) -> None:
        self.inner, self.text, self.halt, self.asked = inner, text, halt, []
        self.dialect, self.engine, self.data_version = "duckdb", inner.engine, inner.data_version

    def run(self, sql: str, *, limit: int | None = None, halt: Halt | None = None) -> Rows:
        self.asked.append(sql)
        if self.text in sql:
            self.halt.now("cancelled")
        return self.inner.run(sql, limit=limit, halt=halt)


def turned(layer_folder: Path, database: Path, question: str, text: str) -> tuple[object, Halting]:
    opened = Files(layer_folder, database).open()
    assert opened is not None
    halt = Halt(LOCAL.id)
    halting = Halting(DuckDBWarehouse(database), text, halt)
    sessions = Sessions(
        replace(opened.world, warehouse=halting), None, iter(["s", "1", "2"]).__next__
    )
    asked = Asked(Request(question), LOCAL, MOMENT, halt=halt)
    turn = sessions.ask(sessions.open(), asked)
    return turn, halting


def test_a_halted_turn_says_so_and_changes_nothing(layer_folder: Path, database: Path) -> None:
    turn, halting = turned(layer_folder, database, "各门店销售额", "SUM")
    assert (turn.outcome, turn.reason) == ("error", "cancelled")
    assert turn.text == "查询已取消，没有给出结果。"
    assert turn.result is None
    assert len(halting.asked) == 1


def test_a_turn_halted_while_it_looks_further_is_no_answer(
    layer_folder: Path, database: Path
) -> None:
    """Nothing found: which condition emptied it is looked for; halted there, nothing is claimed."""
    turn, halting = turned(layer_folder, database, "门店不为空的销售额大于1万的门店", "nothing")
    asked = len(halting.asked)
    assert asked > 1
    turn, halting = turned(
        layer_folder, database, "门店不为空的销售额大于1万的门店", halting.asked[1]
    )
    assert (turn.outcome, turn.reason, len(halting.asked)) == ("error", "cancelled", 2)


class Stopping(Halting):
    """A warehouse that stops the second query of a turn."""

    def run(self, sql: str, *, limit: int | None = None, halt: Halt | None = None) -> Rows:
        self.asked.append(sql)
        if len(self.asked) == 2:
            raise Stopped("busy", {"waiting": "64", "seconds": "9"})
        return self.inner.run(sql, limit=limit, halt=halt)


def test_what_there_was_no_time_to_look_for_is_not_claimed(
    layer_folder: Path, database: Path
) -> None:
    """The answer stands; which condition emptied it is left unsaid."""
    opened = Files(layer_folder, database).open()
    assert opened is not None
    question = Request("门店不为空的销售额大于1万的门店")
    plain = take(opened.world, EMPTY, question, LOCAL, MOMENT).turn
    stopping = Stopping(DuckDBWarehouse(database), "", Halt("u"))
    hurried = take(replace(opened.world, warehouse=stopping), EMPTY, question, LOCAL, MOMENT).turn
    assert len(stopping.asked) == 2
    assert (plain.outcome, hurried.outcome) == ("answer", "answer")
    assert plain.text.startswith(hurried.text.rstrip("。"))
    assert len(hurried.text) < len(plain.text)


def test_no_time_to_look_is_no_sign_that_a_user_may_not_see(tmp_path: Path) -> None:
    folder = tmp_path / "layer"
    folder.mkdir()
    text = LAYER.replace("amount: integer", "amount: integer, clerk: text").replace(
        "dimensions: [shop]", "dimensions: [shop, clerk]"
    )
    text += "  clerk: {column: sale.clerk, words: {zh: [店员], en: [clerk]}}\n"
    text += "policies: [{attribute: shop, dimension: shop}]\n"
    (folder / "layer.yaml").write_text(text, encoding="utf-8")
    columns = "sale_id, shop, amount, 'clerk of ' || shop AS clerk"
    opened = Files(folder, sales(tmp_path / "shop.duckdb", 1, columns)).open()
    assert opened is not None
    policy = opened.world.policy(User("u", (("shop", ("shop 1-0",)),)))
    clerks = opened.world.values.named("clerk of shop 1-0")
    assert Sight(opened.world, policy, MOMENT.clock).of(clerks) == tuple(clerks)
    stopping = Stopping(DuckDBWarehouse(tmp_path / "shop.duckdb"), "", Halt("u"))
    stopping.asked.append("")
    hurried = replace(opened.world, warehouse=stopping)
    with pytest.raises(Stopped, match="too many queries"):
        Sight(hurried, policy, MOMENT.clock).of(clerks)
