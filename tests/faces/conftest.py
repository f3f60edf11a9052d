"""The park, served to clients that know nothing of it: in open mode, and to two users with keys."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from api.clock import epoch
from api.identity.keys import KeyFile, Wanted
from tests.http.served import Served, serving


@dataclass(frozen=True)
class Users:
    """A server with keys, and those of two users of whom one sees one park only."""

    served: Served
    ann: str
    bob: str


@pytest.fixture(scope="session")
def faces_database(park_database: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The park's data in a file of its own: a file is opened in one way at a time."""
    return Path(shutil.copy(park_database, tmp_path_factory.mktemp("faces") / "park.duckdb"))


@pytest.fixture(scope="module")
def served(faces_database: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server in open mode."""
    with serving(tmp_path_factory.mktemp("home"), faces_database) as found:
        yield found


@pytest.fixture(scope="module")
def users(park_database: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Users]:
    """A server with two users."""
    home = tmp_path_factory.mktemp("users")
    database = Path(shutil.copy(park_database, home / "park.duckdb"))
    keys = KeyFile(home / "keys.json")
    _, ann = keys.add(Wanted("ann", everything=True), epoch())
    _, bob = keys.add(Wanted("bob", attributes=(("park_id", ("P002",)),)), epoch())
    with serving(home, database) as found:
        yield Users(found, ann, bob)
