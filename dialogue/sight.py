"""What a user may see of the values that a word could mean: those in rows that the policies leave.

The index of values is one for everybody; the few candidates of a word are looked at here. What cannot be
checked is not seen.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from dialogue import answer
from dialogue.hierarchy import levels_of, matching
from dialogue.world import World
from nl2sql.errors import GuardError, QuestionError, ReadBackError, Stopped, WarehouseError
from nl2sql.slots import Among, Filter, Slots
from semantic_layer.index import Stored
from semantic_layer.lexicon import Meaning
from semantic_layer.model import Object

_AT_ONCE = 500


class Sight:
    """The values that the filters of a policy leave, looked up as words ask for them, once a turn."""

    def __init__(self, world: World, policy: tuple[Filter, ...], clock: datetime) -> None:
        self.world, self.policy, self._clock = world, policy, clock
        self._known: dict[tuple[str, str], bool] = {}

    def of(self, meant: tuple[Meaning | Stored, ...]) -> tuple[Meaning | Stored, ...]:
        """Of what a word can mean, what may be seen."""
        if not self.policy:
            return meant
        asked: dict[str, list[str]] = {}
        for item in meant:
            dimension, key = _value(item)
            if dimension:
                asked.setdefault(dimension, []).append(key)
        seen = {dimension: self.keys(dimension, keys) for dimension, keys in asked.items()}
        return tuple(
            item
            for item in meant
            for dimension, key in [_value(item)]
            if not dimension or key in seen[dimension]
        )

    def limits(self, dimension: str) -> bool:
        """Whether values of a dimension may be hidden: never words of the layer itself."""
        found = self.world.layer.dimensions.get(dimension)
        return bool(self.policy) and found is not None and not found.spoken_for

    def keys(self, dimension: str, keys: Iterable[str]) -> frozenset[str]:
        """Of some values of a dimension, those that may be seen."""
        wanted = tuple(dict.fromkeys(keys))
        if not self.limits(dimension):
            return frozenset(wanted)
        unknown = tuple(key for key in wanted if (dimension, key) not in self._known)
        if unknown:
            seen = self._look(dimension, unknown)
            self._known.update({(dimension, key): key in seen for key in unknown})
        return frozenset(key for key in wanted if self._known[dimension, key])

    def _look(self, dimension: str, keys: tuple[str, ...]) -> set[str]:
        own = [item for item in self.policy if item.field == dimension]
        if own:
            return {
                key
                for key in keys
                if all(isinstance(item.test, Among) and key in item.test.values for item in own)
            }
        levels = levels_of(self.world, dimension)
        limits = {
            item.field: item.test.values for item in self.policy if isinstance(item.test, Among)
        }
        if levels is not None and set(limits) <= set(levels[1]):
            at = levels[1].index(dimension)
            rows = matching(self.world, levels[0], levels[1], limits)
            return {row[at] or "" for row in rows} & set(keys)
        seen: set[str] = set()
        for found in self.world.layer.objects.values():
            if {dimension, *limits} <= set(found.dimensions) and not set(keys) <= seen:
                left = tuple(key for key in keys if key not in seen)
                for start in range(0, len(left), _AT_ONCE):
                    seen |= self._rows(found, dimension, left[start : start + _AT_ONCE])
        return seen

    def _rows(self, found: Object, dimension: str, keys: tuple[str, ...]) -> set[str]:
        """The values that occur in an object's rows."""
        metrics = self.world.layer.metrics
        usual = found.default_metric or next(
            (name for name in found.metrics if not metrics[name].hidden), None
        )
        if usual is None:
            return set()
        slots = Slots(
            object=found.id,
            metrics=(usual,),
            dimensions=(dimension,),
            filters=(Filter(dimension, Among(keys)),),
        )
        try:
            prepared = answer.prepare(self.world, slots, self._clock, self.policy)
            rows = answer.run(self.world, prepared, "zh")
        except Stopped:  # no time to look is no sign that there is nothing
            raise
        except (QuestionError, ReadBackError, GuardError, WarehouseError):
            return set()
        at = next(index for index, one in enumerate(rows.result.columns) if one.id == dimension)
        return {str(row[at]) for row in rows.rows}


def _value(item: Meaning | Stored) -> tuple[str, str]:
    """The dimension and key of a value; empty for anything else."""
    if isinstance(item, Stored):
        return item.dimension, item.key
    return (item.owner, item.id) if item.kind == "value" else ("", "")
