"""The reader of the park."""

from __future__ import annotations

import pytest

from dialogue.world import World
from nl2sql.reading import RuleReader


@pytest.fixture(scope="session")
def reader(world: World) -> RuleReader:
    """The park's reader by rules."""
    assert isinstance(world.reader, RuleReader)
    return world.reader
