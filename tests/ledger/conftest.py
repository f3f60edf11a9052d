"""Ledgers in SQLite and in PostgreSQL, with a clock that a test moves."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from dialogue.ledger import Ledger
from tests.nl2sql_dialects.engines import postgres_server


class Hands:
    """A clock whose hands a test moves."""

    def __init__(self) -> None:
        self.instant = datetime(2026, 11, 29, 10)

    def now(self) -> datetime:
        return self.instant

    def later(self, **span: float) -> None:
        self.instant += timedelta(**span)


@pytest.fixture(scope="session")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A PostgreSQL server of this run's own."""
    with postgres_server(tmp_path_factory.mktemp("pg")) as url:
        yield url


@pytest.fixture
def clock() -> Hands:
    return Hands()


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty database."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'ledger.sqlite'}"
    import psycopg

    server: str = request.getfixturevalue("postgres")
    name = f"ledger_{abs(hash(request.node.nodeid))}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    return server.replace("/postgres?", f"/{name}?", 1)


Open = Callable[..., Ledger]


@pytest.fixture
def opened(url: str, clock: Hands) -> Iterator[Open]:
    """Opens the ledger; several times, as several processes would."""
    made: list[Ledger] = []

    def open_ledger(seal_every: float = 300.0) -> Ledger:
        made.append(Ledger(url, clock, seal_every=seal_every))
        return made[-1]

    yield open_ledger
    for ledger in made:
        ledger.close()


def turn(ledger: Ledger, session: str, turn_id: str, said: str = "问", state: str = "{}") -> str:
    """Record a turn as a session would; gives its hash."""
    at = ledger.clock.now().isoformat()
    facts = {"seq": 1, "semantic_hash": "", "clock": at, "now": at}
    parts = {"request": said, "asker": "{}", "before": state}
    ledger.append(session, "intent", turn_id, at, facts, parts)
    after = f"{state} {turn_id}"
    made = ledger.append(
        session, "outcome", turn_id, at, {"outcome": "answer"}, {"steps": said, "after": after}
    )
    return made.hash
