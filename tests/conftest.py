"""What tests share: the park demo, made once a run."""

import os
import shutil
from pathlib import Path

import hypothesis
import pytest

from dialogue.world import World
from fixtures.clinic import generate as clinic
from fixtures.park.generate import generate
from nl2sql.reading import RuleReader
from nl2sql.warehouse import DuckDBWarehouse
from semantic_layer.load import load
from semantic_layer.model import Layer
from semantic_layer.values import build_index

ROOT = Path(__file__).parent.parent

# The same examples every run, so that a red build is the change's own doing; WENSHU_EXAMPLES=5000
# draws new ones (tests/properties). No deadline: a busy machine is no fault.
hypothesis.settings.register_profile(
    "wenshu", deadline=None, derandomize="WENSHU_EXAMPLES" not in os.environ
)
hypothesis.settings.load_profile("wenshu")


@pytest.fixture(scope="session")
def park_database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The park warehouse, generated once."""
    path = tmp_path_factory.mktemp("park") / "park.duckdb"
    generate(path)
    return path


@pytest.fixture(scope="session")
def park_layer() -> Layer:
    """The park's semantic layer."""
    return load(ROOT / "fixtures" / "park" / "layer")


@pytest.fixture(scope="session")
def world(park_database: Path, park_layer: Layer) -> World:
    """The park, ready to be asked."""
    warehouse = DuckDBWarehouse(park_database)
    values = build_index(park_layer, warehouse)
    return World(park_layer, RuleReader(park_layer, values), values, warehouse)


@pytest.fixture(scope="session")
def clinic_database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The clinic warehouse, generated once."""
    path = tmp_path_factory.mktemp("clinic") / "clinic.duckdb"
    clinic.generate(path)
    return path


@pytest.fixture(scope="session")
def clinic_world(clinic_database: Path) -> World:
    """The clinic, ready to be asked."""
    layer = load(ROOT / "fixtures" / "clinic" / "layer")
    own = clinic_database.with_name("world.duckdb")  # a file is opened in one way at a time
    warehouse = DuckDBWarehouse(Path(shutil.copy(clinic_database, own)))
    values = build_index(layer, warehouse)
    return World(layer, RuleReader(layer, values), values, warehouse)
