"""What tests share: the park demo, made once a run."""

from pathlib import Path

import pytest

from fixtures.park.generate import generate
from semantic_layer.load import load
from semantic_layer.model import Layer

ROOT = Path(__file__).parent.parent


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
