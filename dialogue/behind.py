"""What stands behind a number: the amounts that a rate is made of, and how many rows were counted."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime

from dialogue.answer import column, digest, prepare
from dialogue.turn import Column, Result
from dialogue.world import World
from nl2sql.counting import counting
from nl2sql.errors import GuardError, Halted, QuestionError, ReadBackError, WarehouseError
from nl2sql.slots import Filter, Slots
from semantic_layer.model import Layer
from semantic_layer.protocols import Cell, Rows

_GROUPS = frozenset({"value", "label", "bucket", "mark"})


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer that was given: the names of its columns, and the digest of its rows."""

    columns: tuple[str, ...]
    digest: str


def parts(layer: Layer, slots: Slots) -> tuple[str, ...]:
    """The metrics that the formulas of an answer are computed from, down to those that are read from rows."""
    return tuple(
        dict.fromkeys(
            part
            for name in slots.metrics
            for part in _leaves(layer, name)
            if part not in slots.metrics
        )
    )


def _leaves(layer: Layer, name: str) -> Iterator[str]:
    metric = layer.metrics[name]
    if metric.kind != "formula":
        yield name
        return
    for part in metric.parts:
        yield from _leaves(layer, part)


def made_of(
    world: World,
    slots: Slots,
    clock: datetime,
    policy: tuple[Filter, ...],
    answer: Answer,
    lang: str,
) -> Result | None:
    """The parts of an answer's rates, group by group, as columns beside its groups.

    None where it has none, where they cannot be asked now, or where what stands beside them is no longer that
    answer: parts of another number would prove nothing.
    """
    names = parts(world.layer, slots)
    if not names:
        return None
    whole = replace(slots, metrics=(*slots.metrics, *names))
    try:
        rows = world.warehouse.run(prepare(world, whole, clock, policy).sql)
    except Halted:
        raise
    except (QuestionError, ReadBackError, GuardError, WarehouseError):
        return None
    if not set(answer.columns) <= set(rows.columns):
        return None
    if digest(_only(rows, answer.columns)) != answer.digest:
        return None
    columns = [column(world, whole, name, lang) for name in rows.columns]
    kept = [item for item in columns if _behind(item, names)]
    chosen = _only(rows, tuple(item.id for item in kept))
    return Result(tuple(kept), chosen, len(chosen), False)


def _behind(item: Column, names: tuple[str, ...]) -> bool:
    return item.kind in _GROUPS or (
        item.kind in ("metric", "base") and item.id.partition("__")[0] in names
    )


def _only(rows: Rows, names: tuple[str, ...]) -> tuple[tuple[Cell, ...], ...]:
    at = [rows.columns.index(name) for name in names]
    return tuple(tuple(row[index] for index in at) for row in rows.rows)


def counted(
    world: World, slots: Slots, clock: datetime, policy: tuple[Filter, ...]
) -> tuple[int, int] | None:
    """How many of the object's rows there are, and how many the conditions leave; None where it has no rows
    to list."""
    found = world.layer.objects[slots.object or ""]
    left = Slots(object=found.id, filters=slots.limiting, time=slots.time, rows=True)
    counts: list[int] = []
    for one in (Slots(object=found.id, rows=True), left):
        try:
            listed = prepare(world, one, clock, policy)
            rows = world.warehouse.run(counting(listed.sql, world.warehouse.dialect))
        except Halted:
            raise
        except (QuestionError, ReadBackError, GuardError, WarehouseError):
            return None
        counts.append(int(str(rows.rows[0][0])))
    return counts[0], counts[1]
