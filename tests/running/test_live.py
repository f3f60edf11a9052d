"""Data and layers are replaced under running turns: each turn is of one version, whole."""

import os
import shutil
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import duckdb
import pytest

from api.clock import FrozenClock
from api.files import Files, Opened, marks
from api.live import Fault, Live
from dialogue.engine import take
from dialogue.ledger import Ledger
from dialogue.session import Asked, Sessions
from dialogue.state import EMPTY
from dialogue.turn import Request, Turn
from dialogue.world import World
from nl2sql.warehouses.cached import Cached
from nl2sql.warehouses.limited import Limits
from semantic_layer.protocols import LOCAL
from tests.running.conftest import Make
from tests.running.shop import LAYER, MOMENT, sales, total


def ask(world: World, question: str = "销售额") -> Turn:
    return take(world, EMPTY, Request(question), LOCAL, MOMENT).turn


def looked(live: Live) -> bool:
    """Two looks: the first one sees a change, the second that it stays."""
    return live.look() or live.look()


def open_files(folder: Path) -> int:
    """How many files of a folder this process has open, also those without a name by now."""
    found = 0
    for number in os.listdir("/proc/self/fd"):
        try:
            target = os.readlink(f"/proc/self/fd/{number}")
        except OSError:
            continue
        found += target.startswith(f"{folder}/") and ".duckdb" in target
    return found


@pytest.fixture
def files(layer_folder: Path, database: Path) -> Files:
    return Files(layer_folder, database, index=database.with_name("index"))


def test_another_file_is_another_world(files: Files, make: Make) -> None:
    told: list[str] = []
    live = Live(files.open, files.marks, switched=lambda w: told.append(w.warehouse.data_version))
    assert not live.look()
    with live.held() as world:
        first = ask(world)
    os.replace(make(2), files.database)
    assert not live.look()  # seen, not yet known to be whole
    assert live.look()
    assert not live.look()
    with live.held() as world:
        second = ask(world)
        assert ask(world, "shop 2-1 销售额").all_rows == ((400,),)  # the new values are known
        assert [len(world.values.named(f"shop {number}-1")) for number in (1, 2)] == [0, 1]
    assert (total(first), total(second)) == (1, 2)
    assert first.data_version != second.data_version == told[0]
    assert live.close()


def test_a_turn_in_flight_ends_where_it_began(files: Files, make: Make) -> None:
    live = Live(files.open, files.marks)
    with live.held() as old:
        assert total(ask(old)) == 1
        os.replace(make(2), files.database)
        assert looked(live)
        with live.held() as new:
            assert (total(ask(old)), total(ask(new))) == (1, 2)
        assert total(ask(old)) == 1
        assert (live.worlds, live.turns) == (2, 1)
        before = open_files(files.database.parent)
    assert (live.worlds, live.turns) == (1, 0)
    if sys.platform == "linux":
        assert open_files(files.database.parent) < before
    with pytest.raises(duckdb.Error):
        old.warehouse.run("SELECT 1 AS n")
    assert live.close()


def test_200_turns_while_the_file_is_replaced(files: Files, make: Make) -> None:
    """The rows of each turn are of the version that the turn names."""
    files = Files(files.layer, files.database, limits=Limits(waiting=500, waiting_each=500))
    live = Live(files.open, files.marks, every=0.02)
    live.start()
    version_of: dict[str, set[int]] = {}
    lock, ends = threading.Lock(), threading.Event()
    wrong: list[str] = []

    def turns(_: int) -> None:
        for _ in range(10):
            with live.held() as world:
                versions = {total(ask(world))}
                time.sleep(0.002)
                turn = ask(world)
                versions.add(total(turn))
                by_shop = ask(world, "各门店销售额").all_rows
            versions |= {int(str(row[0])[5:].partition("-")[0]) for row in by_shop}
            versions |= {int(str(row[1])) // 200 for row in by_shop}
            if len(versions) != 1:
                wrong.append(f"{versions} in a turn")
            with lock:
                version_of.setdefault(turn.data_version, set()).update(versions)

    def replace() -> None:
        version = 2
        while not ends.is_set():
            os.replace(make(version), files.database)
            version += 1
            ends.wait(0.1)

    writer = threading.Thread(target=replace)
    writer.start()
    with ThreadPoolExecutor(20) as pool:
        list(pool.map(turns, range(20)))
    ends.set()
    writer.join()
    assert wrong == []
    assert live.fault is None
    assert [versions for versions in version_of.values() if len(versions) > 1] == []
    assert len(version_of) >= 3
    assert live.close(5)
    if sys.platform == "linux":
        assert open_files(files.database.parent) == 0


def test_what_cannot_be_opened_keeps_the_old_one_and_is_tried_again(
    files: Files, make: Make, tmp_path: Path
) -> None:
    faults: list[Fault] = []
    live = Live(files.open, files.marks, faulted=faults.append, every=0.001)
    broken = tmp_path / "broken"
    broken.write_bytes(b"no database at all" * 1000)
    os.replace(broken, files.database)
    for _ in range(5):
        assert not live.look()
        time.sleep(0.05)
    assert len(faults) == 1
    assert "cannot open" in faults[0].text
    assert live.fault is not None
    assert live.fault.tries >= 3
    with live.held() as world:
        assert total(ask(world)) == 1
    os.replace(make(3), files.database)
    assert looked(live)
    assert live.fault is None
    with live.held() as world:
        assert total(ask(world)) == 3
    live.close()


def test_a_file_that_is_gone_keeps_the_old_one(files: Files, make: Make) -> None:
    faults: list[Fault] = []
    live = Live(files.open, files.marks, faulted=faults.append)
    files.database.unlink()
    assert not looked(live)
    assert "there is no database" in faults[0].text
    with live.held() as world:
        assert total(ask(world)) == 1
    os.replace(make(2), files.database)
    assert looked(live)
    live.close()


def test_data_that_do_not_fit_the_layer_are_not_taken_up(files: Files, tmp_path: Path) -> None:
    faults: list[Fault] = []
    live = Live(files.open, files.marks, faulted=faults.append)
    os.replace(sales(tmp_path / "less.duckdb", 2, "sale_id, shop"), files.database)
    assert not looked(live)
    assert "does not fit the layer" in faults[0].text
    assert "missing-column: `sale` has no column `amount`" in faults[0].text
    with live.held() as world:
        assert total(ask(world)) == 1
    assert (
        open_files(files.database.parent) == 2 or sys.platform != "linux"
    )  # the new one is closed again
    live.close()


def test_a_layer_is_replaced_alone_and_what_was_kept_of_the_data_stays(
    layer_folder: Path, database: Path
) -> None:
    files = Files(layer_folder, database, cache=1 << 20)
    live = Live(files.open, files.marks)
    with live.held() as old:
        assert total(ask(old)) == 1
        assert ask(old, "营业额").outcome != "answer"
        text = LAYER.replace("[销售额]", "[销售额, 营业额]")
        (layer_folder / "layer.yaml").write_text(text, encoding="utf-8")
        assert looked(live)
        with live.held() as new:
            assert new.warehouse is old.warehouse
            assert total(ask(new, "营业额")) == 1
            assert isinstance(new.warehouse, Cached)
            assert new.warehouse.kept.hits >= 1
    with live.held() as new:
        assert total(ask(new)) == 1  # still open: two worlds held it
    live.close()


def test_a_broken_layer_keeps_the_old_one_and_says_where(files: Files) -> None:
    faults: list[Fault] = []
    live = Live(files.open, files.marks, faulted=faults.append)
    (files.layer / "layer.yaml").write_text(LAYER.replace("sum: amount", "sum: amuont"))
    assert not looked(live)
    assert "layer.yaml:12:17: error unknown-column" in faults[0].text
    with live.held() as world:
        assert total(ask(world)) == 1
    live.close()


def test_the_same_data_are_the_same_world(files: Files) -> None:
    live = Live(files.open, files.marks)
    with live.held() as world:
        copy = files.database.with_name("copy")
        shutil.copy(files.database, copy)
        os.replace(copy, files.database)
        assert not looked(live)
        with live.held() as again:
            assert again is world
    assert not live.look()
    live.close()


def test_what_is_replaced_while_it_is_opened_is_one_version_and_then_the_next(
    files: Files, make: Make
) -> None:
    meanwhile: list[Callable[[], None]] = []

    def opening(old: Opened | None) -> Opened | None:
        opened = files.open(old)
        while meanwhile:
            meanwhile.pop()()
        return opened

    live = Live(opening, files.marks)
    third = make(3)
    for version, do in ((2, lambda: os.replace(third, files.database)), (3, lambda: None)):
        if version == 2:
            os.replace(make(2), files.database)
        meanwhile.append(do)
        assert looked(live)
        with live.held() as world:
            assert total(ask(world)) == version
    # written to in its place: not taken up before it is left alone
    old = live.fault, live.worlds
    meanwhile.append(lambda: os.utime(files.layer / "layer.yaml", (1, 1)))
    text = LAYER.replace("[销售额]", "[销售额, 营业额]")
    (files.layer / "layer.yaml").write_text(text, encoding="utf-8")
    assert not looked(live)
    assert (live.fault, live.worlds) == old
    assert looked(live)
    live.close()


def test_data_that_are_replaced_faster_than_they_are_looked_at(files: Files, make: Make) -> None:
    live = Live(files.open, files.marks)
    found = []
    for version in (2, 3, 4):
        os.replace(make(version), files.database)
        live.look()
        with live.held() as world:
            found.append(total(ask(world)))
    assert found == [1, 3, 3]
    assert live.look()
    with live.held() as world:
        assert total(ask(world)) == 4
    live.close()


def test_a_new_layer_is_recorded_before_the_first_turn_in_it(
    files: Files, layer_folder: Path, tmp_path: Path
) -> None:
    ledger = Ledger.at(tmp_path / "ledger.sqlite", FrozenClock(MOMENT.now))
    ids = (f"id-{number}" for number in range(100))
    held: list[Sessions] = []
    live = Live(files.open, files.marks, switched=lambda world: held[0].adopt(world))
    with live.held() as world:
        held.append(Sessions(world, ledger, ids.__next__))
    sessions = held[0]
    session = sessions.open()
    layers = []
    for label in ("营业额", "流水"):
        with live.held() as world:
            asked = Asked(Request("销售额"), LOCAL, MOMENT, world=world)
            turn = sessions.ask(session, asked)
            layers.append(turn.semantic_hash)
            assert ledger.layer_text(turn.semantic_hash) == world.layer.text
        text = LAYER.replace("[销售额]", f"[销售额, {label}]")
        (layer_folder / "layer.yaml").write_text(text, encoding="utf-8")
        assert looked(live)
    assert len(set(layers)) == 2
    assert sessions.world.layer.hash not in layers
    live.close()
    ledger.close()


def test_closing_waits_for_turns_in_flight(files: Files) -> None:
    others = {
        item for item in threading.enumerate() if item.name == "live"
    }  # of services elsewhere
    live = Live(files.open, files.marks, every=0.01)
    live.start()
    began, ends = threading.Event(), threading.Event()

    def turn() -> None:
        with live.held() as world:
            began.set()
            ends.wait(5)
            assert total(ask(world)) == 1

    thread = threading.Thread(target=turn)
    thread.start()
    began.wait(5)
    assert not live.close(0.05)
    ends.set()
    thread.join(5)
    assert live.turns == 0
    assert open_files(files.database.parent) == 0 or sys.platform != "linux"
    assert {item for item in threading.enumerate() if item.name == "live"} <= others


def test_marks_tell_of_what_changed(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("1")
    (tmp_path / "notes.txt").write_text("1")
    first = marks(tmp_path, tmp_path / "none")
    assert [Path(name).name for name, *_ in first] == ["a.yaml"]
    (tmp_path / "notes.txt").write_text("22")
    assert marks(tmp_path) == first
    (tmp_path / "b.yaml").write_text("1")
    assert len(marks(tmp_path)) == 2
