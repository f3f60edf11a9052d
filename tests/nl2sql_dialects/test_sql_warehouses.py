"""SQLite and PostgreSQL are opened so that a statement can only read, and not for ever."""

import sqlite3
import threading
import time
from collections.abc import Iterator
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path

import pytest

from nl2sql.errors import Halted, Stopped, WarehouseError
from nl2sql.warehouses import open_warehouse
from nl2sql.warehouses.cached import Cached
from nl2sql.warehouses.limited import Limited, Limits
from nl2sql.warehouses.postgres import PostgresWarehouse
from nl2sql.warehouses.sqlite import SQLiteWarehouse
from semantic_layer.load import loads
from semantic_layer.model import Layer
from semantic_layer.protocols import Halt

LAYER = """
wenshu: 1
layer: small
tables:
  t: {columns: {id: integer, amount: {type: decimal, scale: 2}, day: date, at: timestamp, yes: boolean, name: text}}
objects: {t: {table: t, time: {column: day, unasked: all}, metrics: {total: {sum: amount}}}}
"""
ROWS = [
    (1, Decimal("1.10"), date(2026, 1, 31), datetime(2026, 1, 31, 9, 30, 0, 250000), True, "甲"),
    (2, None, None, None, None, None),
]
READ = 'SELECT id, amount, day, "at", yes, name FROM t ORDER BY id ASC'
FOREVER = {
    "sqlite": "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT COUNT(*) FROM n",
    "postgres": "SELECT COUNT(*) FROM generate_series(1, 10000000) a, generate_series(1, 100000) b",
}
NO_READING = {
    "sqlite": [
        "INSERT INTO t (id) VALUES (3)",
        "DELETE FROM t",
        "CREATE TABLE x(a INT)",
        "CREATE TEMP TABLE x(a INT)",
        "DROP TABLE t",
        "ATTACH '/tmp/wenshu_test_attach.db' AS x",
        "PRAGMA query_only = OFF",
        "PRAGMA writable_schema = ON",
        "VACUUM INTO '/tmp/wenshu_test_vacuum.db'",
        "SELECT load_extension('x')",
        "SELECT readfile('/etc/passwd')",
        "BEGIN",
        "SELECT 1; DELETE FROM t",
    ],
    "postgres": [
        "INSERT INTO t (id) VALUES (3)",
        "DELETE FROM t",
        "CREATE TABLE x(a INT)",
        "CREATE TEMP TABLE x(a INT)",
        "DROP TABLE t",
        "WITH gone AS (DELETE FROM t RETURNING id) SELECT * FROM gone",
        "SELECT * INTO x FROM t",
        "COPY t TO '/tmp/wenshu_test_copy.csv'",
        "COPY t TO PROGRAM 'touch /tmp/wenshu_test_program'",
        "SET statement_timeout = 0",
        "SET TRANSACTION READ WRITE",
        "BEGIN READ WRITE",
        "SELECT 1; DELETE FROM t",
        "SELECT 1; COMMIT; DELETE FROM t",
        "SELECT id FROM other.t",
        "DO 'BEGIN END'",
    ],
}
Opened = SQLiteWarehouse | PostgresWarehouse


@pytest.fixture(scope="module")
def layer() -> Layer:
    return loads(LAYER)


@pytest.fixture(scope="module")
def sqlite_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("locked") / "small's.sqlite"
    with sqlite3.connect(path) as connection:
        connection.execute(
            'CREATE TABLE t(id INTEGER, amount INTEGER, day TEXT, "at" TEXT, yes BOOLEAN, name TEXT)'
        )
        connection.execute(
            "INSERT INTO t VALUES (1, 110, '2026-01-31', '2026-01-31 09:30:00.25', 1, '甲'),"
            " (2, NULL, NULL, NULL, NULL, NULL)"
        )
    connection.close()
    return path


@pytest.fixture(scope="module")
def opened(sqlite_file: Path, layer: Layer, postgres_url: str) -> Iterator[dict[str, Opened]]:
    import psycopg

    with psycopg.connect(postgres_url) as connection:
        connection.execute("CREATE SCHEMA locked")
        connection.execute(
            "CREATE TABLE locked.t(id INT, amount NUMERIC(14, 2), day DATE, at TIMESTAMP, yes BOOLEAN, name TEXT)"
        )
        connection.cursor().executemany(
            "INSERT INTO locked.t VALUES (%s, %s, %s, %s, %s, %s)", ROWS
        )
    found: dict[str, Opened] = {
        "sqlite": SQLiteWarehouse(sqlite_file, layer, timeout=0.5),
        "postgres": PostgresWarehouse(postgres_url, layer, schema="locked", timeout=0.5),
    }
    yield found
    for warehouse in found.values():
        warehouse.close()


@pytest.mark.parametrize("engine", FOREVER)
def test_rows_keep_their_types(engine: str, opened: dict[str, Opened]) -> None:
    found = opened[engine].run(READ)
    assert found.columns == ("id", "amount", "day", "at", "yes", "name")
    assert list(found.rows) == ROWS
    assert isinstance(found.rows[0][4], bool)
    assert opened[engine].run(READ, limit=1).rows == (ROWS[0],)
    assert opened[engine].engine.startswith(("sqlite 3.", "postgresql 1"))


@pytest.mark.parametrize(
    ("engine", "sql"), [(engine, sql) for engine, all_ in NO_READING.items() for sql in all_]
)
def test_nothing_but_reading(engine: str, sql: str, opened: dict[str, Opened]) -> None:
    with pytest.raises(WarehouseError):
        opened[engine].run(sql)
    assert opened[engine].run("SELECT COUNT(*) AS n FROM t").rows == ((2,),)
    assert not list(Path("/tmp").glob("wenshu_test_*"))


def test_a_setting_does_not_outlive_its_statement(opened: dict[str, Opened]) -> None:
    for _ in range(3):
        opened["postgres"].run("SELECT set_config('search_path', 'pg_catalog', false)")
        opened["postgres"].run("SELECT set_config('statement_timeout', '0', false)")
    with pytest.raises(WarehouseError, match=r"longer than 0\.5 s"):
        opened["postgres"].run("SELECT pg_sleep(5) FROM t")


@pytest.mark.parametrize("engine", FOREVER)
def test_a_long_query_is_stopped_alone(engine: str, opened: dict[str, Opened]) -> None:
    failed: list[str] = []

    def long() -> None:
        try:
            opened[engine].run(FOREVER[engine])
        except WarehouseError as error:
            failed.append(str(error))

    began = time.monotonic()
    thread = threading.Thread(target=long)
    thread.start()
    counts = [opened[engine].run("SELECT COUNT(*) AS n FROM t").rows for _ in range(20)]
    thread.join(10)
    assert time.monotonic() - began < 5
    assert counts == [((2,),)] * 20
    assert failed == ["the query took longer than 0.5 s and was stopped"]


@pytest.mark.parametrize("engine", FOREVER)
def test_an_error_is_of_this_floor(engine: str, opened: dict[str, Opened]) -> None:
    with pytest.raises(WarehouseError, match="missing"):
        opened[engine].run("SELECT missing FROM t")
    assert opened[engine].run("SELECT COUNT(*) AS n FROM t").rows == ((2,),)


def test_the_version_of_a_file_changes_with_it(
    sqlite_file: Path, layer: Layer, tmp_path: Path
) -> None:
    copy = tmp_path / "copy.sqlite"
    copy.write_bytes(sqlite_file.read_bytes())
    warehouse = SQLiteWarehouse(copy, layer)
    version = warehouse.data_version
    assert warehouse.data_version == version
    with sqlite3.connect(copy) as connection:
        connection.execute("UPDATE t SET amount = 111 WHERE id = 1")
    connection.close()
    assert warehouse.data_version != version
    warehouse.close()


def test_the_version_of_a_server_tells_of_new_rows(postgres_url: str, layer: Layer) -> None:
    import psycopg

    with psycopg.connect(postgres_url) as connection:
        connection.execute("CREATE SCHEMA versions")
        connection.execute(
            "CREATE TABLE versions.t(id INT, amount NUMERIC(14, 2), day DATE, at TIMESTAMP, yes BOOLEAN, name TEXT)"
        )
    versions = []
    for change in ("id = 0", "1 = 1"):
        warehouse = PostgresWarehouse(postgres_url, layer, schema="versions")
        versions += [warehouse.data_version, warehouse.data_version]
        warehouse.close()
        with psycopg.connect(postgres_url) as connection:
            connection.execute("INSERT INTO versions.t (id, day) VALUES (1, '2026-01-01')")
        assert change
    assert versions[0] == versions[1] != versions[2] == versions[3]


def test_decimals_that_are_not_whole_numbers_are_refused(layer: Layer, tmp_path: Path) -> None:
    path = tmp_path / "real.sqlite"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE t(id INTEGER, amount DECIMAL(14, 2))")
    connection.close()
    with pytest.raises(WarehouseError, match="must be declared INTEGER"):
        SQLiteWarehouse(path, layer)
    with pytest.raises(WarehouseError, match="scale: 2"):
        SQLiteWarehouse(path, loads(LAYER.replace("{type: decimal, scale: 2}", "decimal")))


def test_what_is_not_there_or_no_database(layer: Layer, tmp_path: Path) -> None:
    with pytest.raises(WarehouseError, match="there is no database"):
        SQLiteWarehouse(tmp_path / "none.sqlite", layer)
    (tmp_path / "text.sqlite").write_text("no database" * 1000)
    with pytest.raises(WarehouseError, match="cannot open"):
        SQLiteWarehouse(tmp_path / "text.sqlite", layer)
    with pytest.raises(WarehouseError):
        PostgresWarehouse("postgresql://nobody@127.0.0.1:1/none", layer)
    with pytest.raises(WarehouseError, match="no name of a schema"):
        PostgresWarehouse("postgresql://x/y", layer, schema="public -c x=y")


def test_a_warehouse_is_opened_by_its_url(
    sqlite_file: Path, postgres_url: str, layer: Layer, small_duckdb: Path
) -> None:
    urls = (
        f"sqlite:///{sqlite_file}",
        postgres_url,
        str(small_duckdb),
        f"duckdb:///{small_duckdb}",
    )
    opened = [open_warehouse(url, layer) for url in urls]
    assert [item.dialect for item in opened] == ["sqlite", "postgres", "duckdb", "duckdb"]


@pytest.fixture
def small_duckdb(tmp_path: Path) -> Path:
    import duckdb

    duckdb.connect(tmp_path / "small.duckdb").close()
    return tmp_path / "small.duckdb"


@pytest.mark.parametrize("engine", FOREVER)
def test_a_query_is_halted_at_once(
    engine: str, sqlite_file: Path, layer: Layer, postgres_url: str
) -> None:
    url = postgres_url if engine == "postgres" else f"sqlite:///{sqlite_file}"
    warehouse = open_warehouse(url, layer, timeout=20)
    for seconds in (0.3, 0.001, 0.0):
        halt, at = Halt("u"), [0.0]

        def stop(halt: Halt = halt, at: list[float] = at) -> None:
            at[0] = time.monotonic()
            halt.now()

        timer = threading.Timer(seconds, stop)
        timer.start()
        with pytest.raises(Halted, match="cancelled"):
            warehouse.run(FOREVER[engine], halt=halt)
        assert time.monotonic() - at[0] < 0.3
        with pytest.raises(Halted):
            warehouse.run("SELECT 1 AS n", halt=halt)
        for _ in range(5):  # a late cancellation does not reach the next statement
            assert warehouse.run("SELECT 1 AS n", halt=Halt("u")).rows == ((1,),)
    warehouse.close()


@pytest.mark.parametrize("engine", FOREVER)
def test_limits_hold_over_any_database(engine: str, opened: dict[str, Opened]) -> None:
    warehouse = Limited(opened[engine], Limits(seconds=0.2, rows=1))
    with pytest.raises(Stopped) as told:
        warehouse.run(FOREVER[engine])
    assert (told.value.code, told.value.facts) == ("timed-out", {"seconds": "0.2"})
    with pytest.raises(Stopped, match="more than 1 rows"):
        warehouse.run(READ)
    cached = Cached(opened[engine])
    assert cached.run(READ) is cached.run(READ)
    assert list(cached.run(READ).rows) == ROWS
