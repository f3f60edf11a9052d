"""What a turn may look at: the layer, the reader, the stored values and the warehouse."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import date, datetime
from typing import TypeAlias

from nl2sql.errors import QuestionError
from nl2sql.extents import Extent, extent
from nl2sql.known import Known
from nl2sql.reading import RuleReader
from nl2sql.slots import Among, Filter
from nl2sql.times import Calendar, Range
from nl2sql.warehouses.wrapped import Bound
from semantic_layer.model import Layer, Object
from semantic_layer.protocols import Halt, User, Warehouse
from semantic_layer.values import ValueIndex

COMPILED = 1024  # statements that are remembered
# a table, a column of it, the day it is looked at, and the range it is looked at within
Dated: TypeAlias = tuple[str, str, date, Range | None]


# a layer's hash, a dialect, slots and policy as they are recorded, and the day they are asked on
Asked: TypeAlias = tuple[str, str, str, str, date]


def statements() -> Known[Asked, str]:
    """Statements that have passed the read-back check and the guard, to be remembered."""
    return Known(COMPILED)


@dataclass(frozen=True, slots=True)
class World:
    """One layer over one warehouse, ready to be asked. Read-only: turns share it."""

    layer: Layer
    reader: RuleReader
    values: ValueIndex
    warehouse: Warehouse
    _extents: dict[Dated, Extent] = field(default_factory=dict)
    _looked: dict[Dated, Extent] = field(default_factory=dict)
    known_sole: dict[tuple[str, str], bool] = field(default_factory=dict)
    readable: dict[str, bool] = field(
        default_factory=dict
    )  # what is suggested: read as it is meant?
    openers: dict[tuple[tuple[Filter, ...], date, str], tuple[str, ...]] = field(
        default_factory=dict
    )  # first questions, by policy, day and language
    compiled: Known[Asked, str] = field(default_factory=statements)  # see `answer.prepare`

    def watched(self) -> World:
        """The same world, which remembers of its own what was looked at (`looked`)."""
        return replace(self, _looked={})

    def bound(self, halt: Halt) -> World:
        """The same world for one turn, whose queries can be halted. What was looked at is shared."""
        return replace(self, warehouse=Bound(self.warehouse, halt))

    @property
    def looked(self) -> tuple[tuple[Dated, Extent], ...]:
        """The extents that were looked at."""
        return tuple(self._looked.items())

    @property
    def calendar(self) -> Calendar:
        """How the layer cuts weeks and years."""
        return Calendar(self.layer.calendar.week_start, self.layer.calendar.fiscal_start)

    def extent(
        self, found: Object, column: str, clock: datetime, within: Range | None = None
    ) -> Extent:
        """The extent of a date column (within a range), up to the clock where the object is a snapshot."""
        key = (found.measured, column, clock.date(), within)
        if key not in self._extents:
            self._extents[key] = extent(self.layer, self.warehouse, found, column, clock, within)
        self._looked[key] = self._extents[key]
        return self._extents[key]

    def policy(self, user: User) -> tuple[Filter, ...]:
        """The filters that the user's attributes impose; none of an attribute means no rows at all."""
        if user.everything:
            return ()
        found: list[Filter] = []
        for rule in self.layer.policies:
            allowed = user.attribute(rule.attribute)
            found.append(
                Filter(rule.dimension, Among(tuple(allowed) if allowed is not None else ()))
            )
        return tuple(found)

    def label(self, dimension: str, value: str | None, lang: str) -> str:
        """A stored value as people see it."""
        if value is None:
            return "未知" if lang == "zh" else "unknown"
        found = self.layer.dimensions.get(dimension)
        if found is not None and found.enum is not None:
            words = found.enum.get(value, ())
            chinese = [word for word in words if any("\u4e00" <= char <= "\u9fff" for char in word)]
            latin = [word for word in words if word.isascii()]
            return (
                (chinese or latin or [value])[0]
                if lang == "zh"
                else (latin or chinese or [value])[0]
            )
        if found is not None and found.pattern is not None and found.pattern.stored == "{n}":
            spoken = [word for word in found.pattern.spoken if word.isascii() == (lang != "zh")]
            return (spoken or found.pattern.spoken)[0].replace("{n}", value)
        named = self.values.label(dimension, value)
        if found is not None and lang == "en" and value in found.aliases:
            latin = [word for word in found.aliases[value] if word.isascii()]
            return latin[0] if latin else named or value
        return named or value

    def field_label(self, name: str, lang: str, of: str | None = None) -> str:
        """A dimension, attribute or metric as people see it."""
        tongue = "zh" if lang == "zh" else "en"
        if name in self.layer.dimensions:
            return self.layer.dimensions[name].words.label(tongue, name)  # type: ignore[arg-type]
        if name in self.layer.metrics:
            return self.layer.metrics[name].words.label(tongue, name)  # type: ignore[arg-type]
        if name in self.layer.objects:
            return self.layer.objects[name].words.label(tongue, name)  # type: ignore[arg-type]
        for found in self.layer.objects.values():
            if name in found.attributes and (of is None or found.id == of):
                return found.attributes[name].words.label(tongue, name)  # type: ignore[arg-type]
        return name

    def allowed(self, found: Object, policy: tuple[Filter, ...]) -> None:
        """Refuse an object whose rows a policy cannot tell apart."""
        for item in policy:
            if item.field not in found.dimensions:
                raise QuestionError("not-permitted", {"object": found.id})
