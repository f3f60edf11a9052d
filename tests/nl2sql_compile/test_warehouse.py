"""The warehouse is locked by itself, whatever the guard lets through."""

import os
import threading
import time
from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from pathlib import Path

import duckdb
import pytest

from nl2sql.errors import WarehouseError
from nl2sql.warehouse import DuckDBWarehouse


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("locked") / "small.duckdb"
    with duckdb.connect(path) as connection:
        connection.execute("CREATE TABLE t(id INT, amount DECIMAL(12, 2), day DATE, name VARCHAR)")
        connection.execute(
            "INSERT INTO t VALUES (1, 1.10, '2026-01-31', '甲'), (2, NULL, NULL, NULL)"
        )
    return path


@pytest.fixture(scope="module")
def locked(small: Path) -> Iterator[DuckDBWarehouse]:
    opened = DuckDBWarehouse(small, timeout=0.5)
    yield opened
    opened.close()


def test_rows_keep_their_types(locked: DuckDBWarehouse) -> None:
    found = locked.run("SELECT id, amount, day, name FROM t ORDER BY id")
    assert found.columns == ("id", "amount", "day", "name")
    assert found.rows == ((1, Decimal("1.10"), date(2026, 1, 31), "甲"), (2, None, None, None))
    assert locked.run("SELECT id FROM t ORDER BY id", limit=1).rows == ((1,),)


@pytest.mark.parametrize(
    "sql",
    [
        "INSERT INTO t VALUES (3, 1, NULL, NULL)",
        "DELETE FROM t",
        "CREATE TABLE x(a INT)",
        "DROP TABLE t",
        "SELECT * FROM '/etc/passwd'",
        "SELECT * FROM read_text('/etc/passwd')",
        "SELECT * FROM read_csv('/etc/passwd')",
        "SELECT * FROM glob('/*')",
        "COPY t TO '/tmp/wenshu_test_copy.csv'",
        "EXPORT DATABASE '/tmp/wenshu_test_export'",
        "ATTACH '/tmp/wenshu_test_attach.db' AS x",
        "INSTALL httpfs",
        "LOAD httpfs",
        "SET enable_external_access = true",
        "SET lock_configuration = false",
        "SET memory_limit = '100GB'",
        "SET threads = 64",
        "RESET memory_limit",
        "SET temp_directory = '/tmp'",
    ],
)
def test_nothing_but_reading(sql: str, locked: DuckDBWarehouse) -> None:
    with pytest.raises(WarehouseError):
        locked.run(sql)
    assert locked.run("SELECT count(*) FROM t").rows == ((2,),)


def test_no_file_is_left(locked: DuckDBWarehouse) -> None:
    assert not [name for name in os.listdir("/tmp") if name.startswith("wenshu_test_")]


def test_a_long_query_is_stopped(locked: DuckDBWarehouse) -> None:
    began = time.monotonic()
    with pytest.raises(WarehouseError, match=r"longer than 0\.5 s"):
        locked.run(
            "SELECT count(*) FROM range(100000000) a, range(100000) b WHERE a.range % 7 = b.range % 11"
        )
    assert time.monotonic() - began < 5
    assert locked.run("SELECT count(*) FROM t").rows == ((2,),)


def test_one_long_query_does_not_stop_another(locked: DuckDBWarehouse) -> None:
    failed: list[str] = []

    def long() -> None:
        try:
            locked.run(
                "SELECT count(*) FROM range(100000000) a, range(100000) b WHERE a.range % 7 = b.range % 11"
            )
        except WarehouseError as error:
            failed.append(str(error))

    thread = threading.Thread(target=long)
    thread.start()
    counts = [locked.run("SELECT count(*) FROM t").rows for _ in range(20)]
    thread.join(10)
    assert counts == [((2,),)] * 20
    assert len(failed) == 1


def test_an_error_is_of_this_floor(locked: DuckDBWarehouse) -> None:
    with pytest.raises(WarehouseError, match="missing"):
        locked.run("SELECT missing FROM t")


def test_what_is_not_there_or_no_database(tmp_path: Path) -> None:
    with pytest.raises(WarehouseError, match="there is no database"):
        DuckDBWarehouse(tmp_path / "none.duckdb")
    (tmp_path / "text.duckdb").write_text("no database" * 1000)
    with pytest.raises(WarehouseError, match="cannot open"):
        DuckDBWarehouse(tmp_path / "text.duckdb")


def test_the_data_version_changes_with_the_data(small: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.duckdb"
    copy.write_bytes(small.read_bytes())
    first = DuckDBWarehouse(copy)
    version = first.data_version
    first.close()
    again = DuckDBWarehouse(copy)
    assert again.data_version == version
    again.close()
    with duckdb.connect(copy) as connection:
        connection.execute("UPDATE t SET amount = 2 WHERE id = 1")
    changed = DuckDBWarehouse(copy)
    assert changed.data_version != version
    changed.close()
