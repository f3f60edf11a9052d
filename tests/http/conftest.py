"""The park, served."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.http.people import People, people
from tests.http.served import Served, serving


@pytest.fixture(scope="session")
def http_database(park_database: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The park's data in a file of its own: a file is opened in one way at a time."""
    return Path(shutil.copy(park_database, tmp_path_factory.mktemp("http") / "park.duckdb"))


@pytest.fixture(scope="module")
def served(http_database: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server in open mode."""
    with serving(tmp_path_factory.mktemp("home"), http_database) as found:
        yield found


@pytest.fixture
def client(served: Served) -> Iterator[httpx.Client]:
    """A client in open mode."""
    with served.client() as found:
        yield found


@pytest.fixture(scope="module")
def guarded(
    http_database: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Served, People]]:
    """A server that knows its users, results kept, and their keys."""
    home = tmp_path_factory.mktemp("guarded")
    keys = people(home)
    with serving(home, http_database, cache_mb=16) as found:
        yield found, keys
