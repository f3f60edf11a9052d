"""The saved index: mapped back as it was, made anew when stale or damaged, never needed."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from nl2sql.errors import WarehouseError
from nl2sql.reading import RuleReader
from nl2sql.slots import Among, Filter
from nl2sql.warehouse import DuckDBWarehouse
from semantic_layer.index import source as source_module
from semantic_layer.model import Layer
from semantic_layer.protocols import Rows
from semantic_layer.values import ValueIndex, build_index
from tests.values.small import PARTIES, database, layer


class Counting:
    """A warehouse that counts what it is asked, and can change its version."""

    dialect, engine = "duckdb", "duckdb"

    def __init__(self, path: Path) -> None:
        self.inner = DuckDBWarehouse(path)
        self.asked, self.data_version, self.broken = 0, self.inner.data_version, False

    def run(self, sql: str, *, limit: int | None = None, halt: object = None) -> Rows:
        if self.broken:
            raise WarehouseError("gone")
        self.asked += 1
        return self.inner.run(sql, limit=limit)


@pytest.fixture
def small(tmp_path: Path) -> Layer:
    folder = tmp_path / "layer"
    folder.mkdir()
    return layer(folder)


@pytest.fixture
def warehouse(tmp_path: Path) -> Counting:
    return Counting(database(tmp_path / "small.duckdb"))


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    return tmp_path / "small.duckdb.wenshu-index"


def everything(index: ValueIndex) -> list[object]:
    base = index.base
    return [base.entry(at) for at in range(len(base))] + [
        sorted(base.near.one_edit("金麦碎")),
        base.parts.holding("远景"),
        index.holding("华芯"),
        list(index.find("看上海华芯和acme foods")),
        index.label("party", "P9"),
        base.places(),
    ]


def test_what_was_saved_comes_back_and_nothing_is_asked(
    small: Layer, warehouse: Counting, saved: Path
) -> None:
    made = build_index(small, warehouse, saved)
    asked = warehouse.asked
    assert asked > 0
    again = build_index(small, warehouse, saved)
    assert warehouse.asked == asked
    assert everything(again) == everything(made)
    assert len(made.base) == 2 + len(PARTIES) + 3


@pytest.mark.parametrize("harm", ["flip", "cut", "empty", "other", "header", "folder"])
def test_a_damaged_file_is_made_anew(
    small: Layer, warehouse: Counting, saved: Path, harm: str
) -> None:
    first = everything(build_index(small, warehouse, saved))
    data = saved.read_bytes()
    asked = warehouse.asked
    match harm:
        case "flip":
            at = len(data) - 40
            saved.write_bytes(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])
        case "cut":
            saved.write_bytes(data[:-64])
        case "empty":
            saved.write_bytes(b"")
        case "other":
            saved.write_bytes(os.urandom(5000))
        case "header":
            saved.write_bytes(data.replace(b'"format": 3', b'"format": 7', 1))
        case "folder":
            saved.unlink()
            saved.mkdir()
    assert everything(build_index(small, warehouse, saved)) == first
    assert warehouse.asked == asked * 2
    if harm != "folder":
        assert saved.read_bytes() == data


def test_every_byte_counts(small: Layer, warehouse: Counting, saved: Path) -> None:
    build_index(small, warehouse, saved)
    data = saved.read_bytes()
    key = source_module.version(small, warehouse)
    assert source_module.mapped(saved, key) is not None
    for at in range(0, len(data), 97):
        saved.write_bytes(data[:at] + bytes([data[at] ^ 0x10]) + data[at + 1 :])
        found = source_module.mapped(saved, key)
        assert found is None or data[at] == 0, at  # nothing but padding may differ


def test_sections_that_are_missing_are_not_missed_later(
    small: Layer, warehouse: Counting, saved: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = source_module.version(small, warehouse)
    source_module.save(saved, key, {"names": b"x"})
    assert source_module.mapped(saved, key) is None


def test_other_data_or_another_layer_is_another_index(
    small: Layer, warehouse: Counting, saved: Path, tmp_path: Path
) -> None:
    index = build_index(small, warehouse, saved)
    reader = RuleReader(small, index)
    assert index.named("新来的客户") == ()
    assert [edit.slot for edit in reader.read("新来的客户").edits] == ["dimensions"]
    index.refresh()
    asked = warehouse.asked
    warehouse.inner.close()
    changed = Counting(database(tmp_path / "small.duckdb", [("P99", "新来的客户")]))
    warehouse.inner, warehouse.data_version = changed.inner, changed.data_version
    index.refresh()
    assert warehouse.asked == asked * 2
    assert [one.key for one in index.named("新来的客户")] == ["P99"]
    (edit,) = reader.read("新来的客户").edits
    assert isinstance(edit.value, Filter)
    assert edit.value.test == Among(("P99",))
    assert [one.key for one in build_index(small, changed, saved).named("新来的客户")] == ["P99"]


def test_a_folder_that_cannot_be_written_is_no_fault(
    small: Layer, warehouse: Counting, tmp_path: Path
) -> None:
    index = build_index(small, warehouse, tmp_path / "not there" / "x.wenshu-index")
    assert [one.key for one in index.named("金麦穗")] == ["B2"]
    assert not (tmp_path / "not there").exists()
    assert [item.name for item in tmp_path.iterdir() if item.name.startswith(".")] == []


def test_the_file_is_as_readable_as_the_database(
    small: Layer, warehouse: Counting, saved: Path, tmp_path: Path
) -> None:
    base = tmp_path / "small.duckdb"
    base.chmod(0o640)
    build_index(small, warehouse, saved, base)
    assert saved.stat().st_mode & 0o777 == 0o640
    saved.unlink()
    build_index(small, warehouse, saved)
    assert saved.stat().st_mode & 0o777 == 0o600


def test_questions_wait_for_an_index_that_is_being_made(
    small: Layer, warehouse: Counting, monkeypatch: pytest.MonkeyPatch
) -> None:
    go = threading.Event()
    real = source_module.build

    def slow(*args: object) -> object:
        assert go.wait(20)
        return real(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(source_module, "build", slow)
    index = build_index(small, warehouse, large=3)
    assert not index.ready
    read: list[object] = []
    asking = threading.Thread(
        target=lambda: read.append(RuleReader(small, index).read("上海华芯的营业额"))
    )
    asking.start()
    asking.join(0.2)
    assert asking.is_alive()
    assert read == []
    go.set()
    asking.join(20)
    assert index.ready
    assert read[0].unread == ()  # type: ignore[attr-defined]
    assert read[0].taken[0].word == "上海华芯半导体有限公司"  # type: ignore[attr-defined]


def test_what_goes_wrong_in_the_background_is_told_to_who_asks(
    small: Layer, warehouse: Counting, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> object:
        raise MemoryError("too many")

    monkeypatch.setattr(source_module, "build", broken)
    index = build_index(small, warehouse, large=3)
    with pytest.raises(MemoryError):
        index.named("青禾")


def test_a_warehouse_that_fails_is_told_at_once(small: Layer, warehouse: Counting) -> None:
    warehouse.broken = True
    with pytest.raises(WarehouseError):
        build_index(small, warehouse, large=3)
