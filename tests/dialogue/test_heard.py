"""A turn read again with only the values it was bound to comes out the same: slots and SQL byte for byte."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from dialogue.engine import Moment, take
from dialogue.evaluation import read_set
from dialogue.evaluation.run import run_set
from dialogue.heard import pinned, soles
from dialogue.record import steps
from dialogue.state import State
from dialogue.turn import Request, Turn
from dialogue.world import World
from semantic_layer.protocols import User


@pytest.mark.parametrize("name", ["park-hard"])
def test_the_values_it_was_bound_to_are_enough(world: World, name: str) -> None:
    differ: list[tuple[str, str, str]] = []
    counted: Counter[str] = Counter()

    def observe(
        before: State,
        request: Request,
        user: User,
        moment: Moment,
        turn: Turn,
        after: State,
        session: str,
    ) -> Turn:
        then = steps(turn)
        bound = [step.heard for step in then if step.heard is not None]
        values, known = pinned(bound), soles(world.layer, bound)
        small = replace(world, reader=world.reader.over(values), values=values, known_sole=known)
        now = steps(take(small, before, request, user, moment).turn)
        counted["turns"] += 1
        for was, is_now in zip(then, now, strict=False):
            if (was.slots, was.sql) != (is_now.slots, is_now.sql):
                differ.append((session, was.question, f"{was.text} | {is_now.text}"))
        if len(then) != len(now):
            differ.append((session, request.question, f"{len(then)} questions, {len(now)}"))
        return turn

    for _ in run_set(world, read_set(Path(f"fixtures/questions/{name}.yaml")), observe):
        pass
    assert differ == []
    assert counted["turns"] > 100
