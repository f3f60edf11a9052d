"""A world over the park demo, and a way to hold a conversation in it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from dialogue.world import World
from semantic_layer.protocols import User
from tests.conversation import Talk


@pytest.fixture
def talk(world: World) -> Talk:
    """A new conversation."""
    return Talk(world)


@pytest.fixture
def talk_as(world: World) -> Callable[..., Talk]:
    """A new conversation of a user with these attributes."""
    return lambda **attributes: Talk(
        world, User("someone", tuple((k, tuple(v)) for k, v in attributes.items()))
    )
