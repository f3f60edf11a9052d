"""A DuckDB file is opened as it stands at its path now, and its version is of just that."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from nl2sql.errors import WarehouseError
from nl2sql.warehouse import DuckDBWarehouse
from tests.running.shop import sales


def test_the_file_that_is_open_is_the_one_that_the_version_is_of(
    tmp_path: Path, database: Path
) -> None:
    first = DuckDBWarehouse(database)
    os.replace(sales(tmp_path / "b.duckdb", 2), database)
    second = DuckDBWarehouse(database)
    assert first.run("SELECT SUM(amount) AS n FROM sale").rows == ((1000,),)
    assert second.run("SELECT SUM(amount) AS n FROM sale").rows == ((2000,),)
    assert first.data_version != second.data_version
    first.close()
    again = DuckDBWarehouse(database)
    assert again.data_version == second.data_version
    assert sorted(path.name for path in tmp_path.iterdir()) == ["shop.duckdb"]
    again.close()
    second.close()


def test_nobody_writes_to_a_file_that_is_open(database: Path) -> None:
    warehouse = DuckDBWarehouse(database)
    assert len(warehouse.data_version) == 32
    write = f"import duckdb; duckdb.connect({str(database)!r})"
    told = subprocess.run([sys.executable, "-c", write], capture_output=True, text=True)
    assert "lock" in told.stderr
    warehouse.close()
    told = subprocess.run([sys.executable, "-c", write], capture_output=True, text=True)
    assert told.stderr == ""


def test_where_no_link_can_be_made_a_path_is_opened_once(
    database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object) -> None:
        raise PermissionError("no links")

    monkeypatch.setattr("nl2sql.warehouse.os.link", refused)
    warehouse = DuckDBWarehouse(database)
    assert warehouse.run("SELECT SUM(amount) AS n FROM sale").rows == ((1000,),)
    with pytest.raises(WarehouseError, match="let this user write there"):
        DuckDBWarehouse(database)
    assert warehouse.run("SELECT SUM(amount) AS n FROM sale").rows == ((1000,),)
    warehouse.close()
    DuckDBWarehouse(database).close()
    assert sorted(path.name for path in database.parent.iterdir()) == ["shop.duckdb"]


def test_a_log_beside_a_file_is_read_and_is_part_of_its_version(tmp_path: Path) -> None:
    """A writer that died leaves its last changes in the log: they are data."""
    died = (
        "import duckdb, os, sys; c = duckdb.connect(sys.argv[1]);"
        "c.execute('CREATE TABLE sale (amount INTEGER)'); c.execute('CHECKPOINT');"
        "c.execute('INSERT INTO sale VALUES ' + sys.argv[2]); os._exit(0)"
    )
    versions = set()
    for values in ("(1)", "(2)"):
        path = tmp_path / f"{values[1]}.duckdb"
        subprocess.run([sys.executable, "-c", died, str(path), values], check=True)
        assert path.with_name(f"{path.name}.wal").exists()
        warehouse = DuckDBWarehouse(path)
        assert warehouse.run("SELECT amount FROM sale").rows == ((int(values[1]),),)
        versions.add(warehouse.data_version)
        warehouse.close()
    assert len(versions) == 2
