"""A turn asked anew by its edits, in a session of its own, is the same question: the same statement, or it is told."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from api.request_json import request_of
from api.turn_json import edits_json
from dialogue.answer import digest
from dialogue.engine import Moment, take
from dialogue.evaluation import read_set
from dialogue.evaluation.run import run_set
from dialogue.state import State
from dialogue.turn import Request, Turn
from dialogue.world import World
from semantic_layer.protocols import User
from tests.conversation import Talk


@pytest.mark.parametrize("name", ["park-core", "park-hard"])
def test_the_edits_of_a_turn_ask_the_same_anew(world: World, name: str) -> None:
    counted: Counter[str] = Counter()
    differ: list[tuple[str, str]] = []

    def observe(
        before: State,
        request: Request,
        user: User,
        moment: Moment,
        turn: Turn,
        after: State,
        session: str,
    ) -> Turn:
        for part in turn.parts or (turn,):
            if part.slots is None or part.outcome != "answer":
                continue
            edits = edits_json(part.slots)
            if edits is None:
                counted["no edits"] += 1
                continue
            sent = request_of(json.loads(json.dumps({"edit": edits})))
            now = take(world, State(), sent, user, moment).turn
            counted["turns"] += 1
            told = now.slots is None or edits_json(now.slots) != edits
            if told or digest(now.all_rows) != digest(part.all_rows):
                differ.append((part.question, now.text))
        return turn

    for _ in run_set(world, read_set(Path(f"fixtures/questions/{name}.yaml")), observe):
        pass
    assert differ == []
    assert counted["turns"] > 90
    assert counted["no edits"] == 0


@pytest.mark.parametrize(
    ("question", "edit"),
    [
        ("2024年之后签约的合同数", {"during": ["2025-01-01", None], "role": "sign_date"}),
        (
            "张江近12个月出租率按月走势",
            {"during": ["2025-09-29", "2026-09-29"], "rolling": [12, "month"]},
        ),
        ("2026年7月和8月的应收合计", [["2026-07-01", "2026-08-01"], ["2026-08-01", "2026-09-01"]]),
        ("8月欠费10万以上的租户有几家", "tenant_id"),
        ("8月各园区应收跟5月比", {"base": ["2026-05-01", "2026-06-01"]}),
        ("8月各园区应收前2名，其余合并", {"first": 1, "last": 2, "per": [], "others": True}),
        ("今年各月应收最高的园区", {"first": 1, "last": 1, "per": ["bucket"]}),
    ],
)
def test_what_only_edits_say(talk: Talk, question: str, edit: object) -> None:
    said = talk.say(question)
    assert said.slots is not None, said.text
    edits = edits_json(said.slots)
    assert edits is not None
    assert edit in [one["value"] for one in edits]
    again = Talk(talk.world)
    now = again.send(request_of(json.loads(json.dumps({"edit": edits}))))
    assert now.slots is not None, now.text
    assert edits_json(now.slots) == edits
    assert now.all_rows == said.all_rows


@pytest.mark.parametrize(
    ("slot", "value"),
    [
        ("time", {"during": ["2026-08-01", "2026-09-01"], "role": "birthday"}),
        ("comparison", {"base": ["2026-05-01", "2026-05-01"]}),
        ("comparison", {"base": ["2026-05-01", None]}),
        ("order", "birthday desc"),
        ("counted", "birthday"),
    ],
)
def test_what_cannot_be_is_declined(talk: Talk, slot: str, value: object) -> None:
    talk.say("8月各园区应收")
    turn = talk.send(request_of({"edit": [{"slot": slot, "value": value}]}))
    assert (turn.outcome, turn.reason) == ("decline", "bad-edit")
