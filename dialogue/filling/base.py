"""One turn's slots while they are filled: what the passes share."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Literal

from dialogue.sight import Sight
from dialogue.state import State
from dialogue.turn import Alternative, Assumption, Switch
from dialogue.world import World
from nl2sql.edits import Edit
from nl2sql.reading import Reading
from nl2sql.slots import Among, Filter, Having, Slots
from semantic_layer.model import Object


@dataclass(frozen=True, slots=True)
class Filled:
    """The slots of a turn, before they are compiled."""

    slots: Slots
    switch: Switch | None
    said: tuple[tuple[str, Edit], ...]
    assumptions: tuple[Assumption, ...]
    asked: tuple[Having, ...] = ()  # to be answered by yes or no beside the numbers


@dataclass
class Filling:
    """The slots of one turn, the edits that set them, and what was assumed."""

    world: World
    state: State
    reading: Reading
    clock: datetime
    sight: Sight
    chosen: tuple[Edit, ...] = ()
    answered: tuple[str, ...] = ()
    slots: Slots = field(default_factory=Slots)
    said: list[tuple[str, Edit]] = field(default_factory=list)
    assumptions: list[Assumption] = field(default_factory=list)
    switch: Switch | None = None
    crossed: bool = False
    asked: list[Having] = field(default_factory=list)

    @property
    def policy(self) -> tuple[Filter, ...]:
        """The filters that policies impose."""
        return self.sight.policy

    def put(self, key: str, edit: Edit, **values: object) -> None:
        """Set slots, and keep which edit did it."""
        self.slots = replace(self.slots, **values)  # type: ignore[arg-type]
        self.said.append((key, edit))
        if "object" in values and key != "object":
            self.said.append(("object", edit))

    @property
    def about(self) -> Object | None:
        """The object the turn is about, as far as it is known."""
        return self.world.layer.objects.get(self.slots.object or "")

    def objects(self) -> tuple[Object, ...]:
        """The objects of all metrics asked for."""
        names = dict.fromkeys(self.world.layer.metrics[name].object for name in self.slots.metrics)
        if not names and self.slots.object:
            names = {self.slots.object: None}
        return tuple(self.world.layer.objects[name] for name in names)

    def names(self, metrics: Iterable[str]) -> str:
        """Metrics in words."""
        return "、".join(self.world.field_label(name, self.reading.lang) for name in metrics)

    def value_label(self, item: Filter) -> str:
        """A filter's values in words."""
        if isinstance(item.test, Among):
            return "、".join(
                self.world.label(item.field, value, self.reading.lang) for value in item.test.values
            )
        return item.field

    def as_said(self, item: Filter) -> str:
        """A filter's values as the user named them: a name that policy hides is not completed."""
        for key, edit in reversed(self.said):
            if self.policy and key == f"filters.{item.field}" and edit.words:
                return edit.words
        return self.value_label(item)

    def assume(self, slot: str, value: str, *others: Alternative) -> None:
        """Keep that something was filled in that nobody said, and what it could be instead."""
        self.assumptions.append(Assumption(slot, value, others))


def others(
    f: Filling, slot: Literal["metrics", "dimensions"], taken: str, names: Iterable[str]
) -> tuple[Alternative, ...]:
    """What could stand in a slot instead of what was taken."""
    return tuple(
        Alternative(f.world.field_label(name, f.reading.lang), (Edit(slot, "set", (name,)),))
        for name in names
        if name != taken
    )
