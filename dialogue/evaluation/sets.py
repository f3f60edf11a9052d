"""Question sets: dialogues with what each turn must end as (docs/evaluation.md gives the format)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, time
from pathlib import Path
from typing import Annotated, Any
from zoneinfo import ZoneInfo

import yaml
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

Outcomes = Annotated[
    tuple[str, ...], BeforeValidator(lambda value: (value,) if isinstance(value, str) else value)
]


class Expected(BaseModel):
    """What a turn (or a part of one) must end as."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    expect: Outcomes = ()
    sql: str | None = None
    ordered: bool = False
    reset: bool | None = None
    slots: dict[str, Any] | None = None
    about: str | None = None
    options: tuple[str, ...] = ()
    not_offered: tuple[str, ...] = ()
    mentions: tuple[str, ...] = ()
    offers: tuple[str, ...] = ()


class AskedTurn(Expected):
    """One turn: what is typed, clicked or undone, and what it must end as."""

    ask: str | None = None
    choose: str | list[str] | None = None
    number: str | None = None
    undo: bool = False
    clock: date | datetime | str | None = None
    parts: tuple[Expected, ...] = ()


class Dialogue(BaseModel):
    """A session, or (mode: variants) turns that are a session each."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str
    lang: str = "zh"
    tags: tuple[str, ...] = ()
    source: str = ""
    mode: str = ""
    clock: date | datetime | str | None = None
    user: dict[str, Any] | None = None
    turns: tuple[AskedTurn, ...]


@dataclass(frozen=True, slots=True)
class Today:
    """The clock of a set, and the zone that its clocks are read in."""

    clock: datetime
    zone: str

    def at(self, said: date | datetime | str | None) -> datetime:
        """The clock of a turn: its own, where it has one."""
        return instant(said, self.zone) or self.clock


class QuestionSet(BaseModel):
    """A file of dialogues."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    set: str
    semantic_layer: str = ""
    clock: date | datetime | str
    timezone: str = "Asia/Shanghai"
    dialogues: tuple[Dialogue, ...] = Field(min_length=1)

    @property
    def today(self) -> Today:
        """The clock of every turn that has no other."""
        found = instant(self.clock, self.timezone)
        assert found is not None
        return Today(found, self.timezone)

    @property
    def turns(self) -> int:
        """How many turns it has."""
        return sum(len(dialogue.turns) for dialogue in self.dialogues)


def read_set(path: Path) -> QuestionSet:
    """The question set in a file. Raises pydantic's `ValidationError` on a broken one."""
    return set_of(path.read_text(encoding="utf-8"))


def set_of(text: str) -> QuestionSet:
    """The question set in a text. Raises pydantic's `ValidationError` on a broken one."""
    return QuestionSet.model_validate(yaml.safe_load(text))


def instant(value: date | datetime | str | None, zone: str) -> datetime | None:
    """A clock of a set as a naive instant in the set's zone; a date is its midnight.

    >>> instant("2026-08-31T17:00+00:00", "Asia/Shanghai")
    datetime.datetime(2026, 9, 1, 1, 0)
    """
    if value is None:
        return None
    if isinstance(value, str):
        value = datetime.fromisoformat(value)
    if isinstance(value, datetime):
        here = value if value.tzinfo is None else value.astimezone(ZoneInfo(zone))
        return here.replace(tzinfo=None)
    return datetime.combine(value, time())
