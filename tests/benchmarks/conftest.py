"""A park of the benchmarks' own: DuckDB refuses to open one file twice with different settings."""

import shutil
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def park_copy(park_database: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The park warehouse, in a file that no other test has open."""
    return Path(shutil.copy(park_database, tmp_path_factory.mktemp("benchmarks") / "park.duckdb"))
