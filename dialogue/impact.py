"""Impact: what another layer would change of the recorded turns, before it ships.

Every turn is taken twice on today's data, from the state it was recorded with: under the layer of today and
under the new one. What differs is the new layer's doing alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from dialogue import differences
from dialogue.differences import Difference
from dialogue.record import Record, Step
from dialogue.replay import over, taken, whole
from dialogue.world import World
from nl2sql.remembering import Remembering
from semantic_layer.model import Layer


@dataclass(frozen=True, slots=True)
class Impact:
    """What changes of one turn; nothing where `differences` is empty."""

    turn_id: str
    session_id: str
    seq: int
    question: str
    metrics: tuple[str, ...]
    differences: tuple[Difference, ...]

    @property
    def kinds(self) -> tuple[str, ...]:
        """What kinds of things change, each once."""
        return tuple(dict.fromkeys(item.what for item in self.differences))


@dataclass
class Prospect:
    """The world of today, beside the same under a new layer."""

    today: World
    layer: Layer
    new: World = field(init=False)

    def __post_init__(self) -> None:
        warehouse = Remembering(self.today.warehouse)
        self.today = replace(self.today, warehouse=warehouse, _extents={})
        self.new = over(self.layer, warehouse)

    def impact(self, record: Record) -> Impact | None:
        """What the new layer changes of a recorded turn; None where what it needs was erased."""
        was = whole(record)
        if was is None:
            return None
        now, then = taken(self.today, was), taken(self.new, was)
        metrics = tuple(dict.fromkeys(name for step in (*now, *then) for name in _metrics(step)))
        return Impact(
            record.turn_id,
            record.session_id,
            record.seq,
            was.request.question,
            metrics,
            (*differences.told(now, then), *self._numbers(now, then)),
        )

    def _numbers(self, now: Sequence[Step], then: Sequence[Step]) -> list[Difference]:
        run = self.today.warehouse.run
        return [
            replace(differences.rows(was, run(was.sql), run(is_now.sql)), what="numbers")
            for was, is_now in zip(now, then, strict=False)
            if was.outcome == is_now.outcome == "answer" and was.digest != is_now.digest
        ]


def _metrics(step: Step) -> tuple[str, ...]:
    return tuple(column.id for column in step.columns if column.kind == "metric")
