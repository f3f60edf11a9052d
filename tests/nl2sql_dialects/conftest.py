"""A sample of the park in three databases, and asking all of them the same."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import duckdb
import pytest

from nl2sql import guard, readback
from nl2sql.compiler import Question, build
from nl2sql.slots import Filter, Slots
from nl2sql.warehouse import DuckDBWarehouse
from nl2sql.warehouses.postgres import PostgresWarehouse
from nl2sql.warehouses.sqlite import SQLiteWarehouse
from semantic_layer.load import load
from semantic_layer.model import Layer
from semantic_layer.protocols import Rows, Warehouse
from tests.nl2sql_compile.questions import CLOCK
from tests.nl2sql_dialects.engines import into_postgres, into_sqlite, postgres_server

ROOT = Path(__file__).parents[2]
ENGINES = ("duckdb", "sqlite", "postgres")

# Three parks, a part of each table; responses get a fraction of a second.
SAMPLE = """
CREATE TABLE dim_park AS SELECT * FROM park.dim_park WHERE park_id <= 'P003';
CREATE TABLE dim_building AS SELECT * FROM park.dim_building WHERE park_id <= 'P003';
CREATE TABLE dim_room AS SELECT * FROM park.dim_room r
  WHERE building_id IN (SELECT building_id FROM dim_building) AND hash(room_id) % 4 = 0;
CREATE TABLE fact_room_status AS SELECT * FROM park.fact_room_status
  WHERE room_id IN (SELECT room_id FROM dim_room);
CREATE TABLE dim_tenant AS SELECT * FROM park.dim_tenant;
CREATE TABLE fact_contract AS SELECT * FROM park.fact_contract
  WHERE park_id <= 'P003' AND hash(contract_id) % 6 = 0;
CREATE TABLE contract_room AS SELECT * FROM park.contract_room
  WHERE contract_id IN (SELECT contract_id FROM fact_contract);
CREATE TABLE fact_bill AS SELECT * FROM park.fact_bill
  WHERE contract_id IN (SELECT contract_id FROM fact_contract) AND hash(bill_id) % 2 = 0;
CREATE TABLE fact_payment AS SELECT * FROM park.fact_payment
  WHERE bill_id IN (SELECT bill_id FROM fact_bill);
CREATE TABLE fact_work_order AS
  SELECT * REPLACE (responded_at + to_microseconds((hash(order_id) % 999983)::BIGINT) AS responded_at)
  FROM park.fact_work_order WHERE park_id <= 'P003' AND hash(order_id) % 5 = 0;
CREATE TABLE fact_energy AS SELECT * FROM park.fact_energy
  WHERE building_id IN (SELECT building_id FROM dim_building) AND day(reading_date) % 6 = 0;
"""


@dataclass(frozen=True, slots=True)
class Three:
    """One layer over three databases with the same rows."""

    layer: Layer
    warehouses: dict[str, Warehouse]

    def sql(self, slots: Slots, engine: str, policy: tuple[Filter, ...] = ()) -> str:
        """The checked statement of slots in an engine's dialect."""
        dialect = self.warehouses[engine].dialect
        sql = build(Question(slots, self.layer, CLOCK, policy), dialect).sql
        readback.check(sql, slots, self.layer, CLOCK, policy, dialect)
        guard.check(sql, self.layer, dialect)
        return sql

    def ask(self, slots: Slots, engine: str, policy: tuple[Filter, ...] = ()) -> Rows:
        """The rows of slots in one engine."""
        return self.warehouses[engine].run(self.sql(slots, engine, policy))


@pytest.fixture(scope="session")
def scaled_layer(tmp_path_factory: pytest.TempPathFactory) -> Layer:
    """The park's layer, with the digits after the point of its decimals."""
    folder = tmp_path_factory.mktemp("scaled") / "layer"
    folder.mkdir()
    for file in (ROOT / "fixtures" / "park" / "layer").glob("*.yaml"):
        text = file.read_text(encoding="utf-8")
        if file.name == "tables.yaml":
            text = re.sub(r"(?<=quantity: )decimal\b", "{type: decimal, scale: 3}", text)
            text = re.sub(r"(?<!type)(: )decimal\b", r"\1{type: decimal, scale: 2}", text)
        (folder / file.name).write_text(text, encoding="utf-8")
    return load(folder)


@pytest.fixture(scope="session")
def postgres_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A PostgreSQL server of this run's own."""
    with postgres_server(tmp_path_factory.mktemp("pg")) as url:
        yield url


@pytest.fixture(scope="session")
def three(
    park_database: Path,
    scaled_layer: Layer,
    postgres_url: str,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Three]:
    """The sample in all engines."""
    folder = tmp_path_factory.mktemp("three")
    with duckdb.connect(folder / "sample.duckdb") as connection:
        connection.execute(f"ATTACH '{park_database}' AS park (READ_ONLY)")
        connection.execute(SAMPLE)
        into_sqlite(connection, scaled_layer, folder / "sample.sqlite")
        into_postgres(connection, scaled_layer, postgres_url, "park")
    opened = {
        "duckdb": DuckDBWarehouse(folder / "sample.duckdb"),
        "sqlite": SQLiteWarehouse(folder / "sample.sqlite", scaled_layer),
        "postgres": PostgresWarehouse(postgres_url, scaled_layer, schema="park"),
    }
    yield Three(scaled_layer, dict(opened))
    for warehouse in opened.values():
        warehouse.close()


Build = Callable[[Layer, Sequence[str]], dict[str, Warehouse]]


@pytest.fixture
def small(tmp_path: Path, postgres_url: str, request: pytest.FixtureRequest) -> Iterator[Build]:
    """A few tables, made by DuckDB's SQL, in all engines."""
    opened: list[DuckDBWarehouse | SQLiteWarehouse | PostgresWarehouse] = []

    def make(layer: Layer, data: Sequence[str]) -> dict[str, Warehouse]:
        at = f"small_{abs(hash(request.node.nodeid))}_{len(opened)}"
        with duckdb.connect(tmp_path / f"{at}.duckdb") as connection:
            for statement in data:
                connection.execute(statement)
            into_sqlite(connection, layer, tmp_path / f"{at}.sqlite")
            into_postgres(connection, layer, postgres_url, at)
        made = {
            "duckdb": DuckDBWarehouse(tmp_path / f"{at}.duckdb"),
            "sqlite": SQLiteWarehouse(tmp_path / f"{at}.sqlite", layer),
            "postgres": PostgresWarehouse(postgres_url, layer, schema=at),
        }
        opened.extend(made.values())
        return dict(made)

    yield make
    for warehouse in opened:
        warehouse.close()
