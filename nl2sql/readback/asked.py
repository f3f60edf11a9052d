"""What was asked: the slots, and under which layer, clock and policy they must be read back."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from nl2sql.slots import Filter, Slots
from nl2sql.times import Calendar
from semantic_layer.model import Layer


@dataclass(frozen=True, slots=True)
class Asked:
    """What was asked, under which layer, at which clock, with which policy filters."""

    slots: Slots
    layer: Layer
    clock: datetime
    policy: tuple[Filter, ...]

    @property
    def calendar(self) -> Calendar:
        """The layer's weeks and years."""
        return Calendar(self.layer.calendar.week_start, self.layer.calendar.fiscal_start)

    @property
    def needed(self) -> tuple[str, ...]:
        """Metrics asked for, compared with or ordered by."""
        by = self.slots.order.by if self.slots.order else None
        if by == "bucket" or by in self.slots.dimensions:
            by = None
        return tuple(
            dict.fromkeys(
                (
                    *self.slots.metrics,
                    *(item.metric for item in self.slots.having),
                    *([by] if by else []),
                )
            )
        )
