"""Paraphrases: many ways of saying one question, each of which must end in the same slots."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, ConfigDict, Field

from dialogue.engine import Moment, take
from dialogue.evaluation.blame import slot_difference
from dialogue.evaluation.sets import instant
from dialogue.state import EMPTY
from dialogue.turn import Request
from dialogue.world import World
from nl2sql.slots import brief
from semantic_layer.protocols import LOCAL


class Item(BaseModel):
    """One question: the slots it must end in, and the ways of asking it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str
    slots: dict[str, Any]
    ways: tuple[str, ...] = Field(min_length=2)


class Paraphrases(BaseModel):
    """A file of items."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    set: str
    semantic_layer: str = ""
    clock: date | datetime | str
    timezone: str = "Asia/Shanghai"
    items: tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class Way:
    """One way of asking, and what is wrong with its slots; empty when they are right."""

    item: str
    text: str
    wrong: str


def read_paraphrases(path: Path) -> Paraphrases:
    """The items of a file. Raises pydantic's `ValidationError` on a broken one."""
    return Paraphrases.model_validate(yaml.safe_load(path.read_text(encoding="utf-8")))


def ask_ways(world: World, asked: Paraphrases) -> Iterator[Way]:
    """Ask every way of every item, each as the first turn of a session."""
    clock = instant(asked.clock, asked.timezone)
    assert clock is not None
    for item in asked.items:
        for text in item.ways:
            yield Way(item.id, text, first_turn(world, text, item.slots, clock))


def first_turn(world: World, text: str, slots: dict[str, Any], clock: datetime) -> str:
    """What is wrong with a first turn: another outcome, or the first named slot that differs."""
    turn = take(world, EMPTY, Request(text), LOCAL, Moment(clock, clock)).turn
    if turn.outcome != "answer" or turn.slots is None:
        return f"{turn.outcome} ({turn.reason or turn.text[:80]})"
    if len(turn.parts) > 1:
        return "read as several questions"
    return slot_difference(brief(turn.slots), slots) or ""
