"""From filled slots to rows: compile, read back, guard, run, and give the columns their labels."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import date, datetime
from datetime import time as time_of_day
from decimal import Decimal

from dialogue import codec
from dialogue.state import Shown
from dialogue.turn import Column, Result, Timings
from dialogue.words import say, unit_label
from dialogue.world import World
from nl2sql import guard, readback
from nl2sql.compiler import OTHERS, TOTAL, Question, build
from nl2sql.slots import Filter, Slots
from nl2sql.tally import COUNTED
from semantic_layer.protocols import Cell, Rows

CAP = 1000
# columns that mark a row which is no group: the total, and the others of a ranking
MARKS = {TOTAL: "total-row", OTHERS: "others-row"}


@dataclass(frozen=True, slots=True)
class Prepared:
    """A statement that has passed the read-back check and the guard."""

    sql: str
    slots: Slots
    milliseconds: float


@dataclass(frozen=True, slots=True)
class Answered:
    """The rows of a statement, for showing and for what follows."""

    sql: str
    result: Result
    rows: tuple[tuple[Cell, ...], ...]
    shown: Shown
    timings: Timings


def prepare(world: World, slots: Slots, clock: datetime, policy: tuple[Filter, ...]) -> Prepared:
    """Compile slots and hold the SQL to them.

    A statement is made of the slots, the layer, the day and the policy alone, so it is remembered by them: as
    they are recorded, since slots that are equal may be written in other ways (1.5 and 1.50). Raises
    `QuestionError` where a slot cannot be met, `ReadBackError` or `GuardError` where the SQL may not run.
    """
    start = time.perf_counter()
    day = datetime.combine(clock, time_of_day(), clock.tzinfo)
    layer, dialect = world.layer, world.warehouse.dialect
    sql = world.compiled.get(
        (layer.hash, dialect, codec.dumps(slots), codec.dumps(policy), day.date()),
        lambda: compiled(world, slots, day, policy),
    )
    return Prepared(sql, slots, (time.perf_counter() - start) * 1000)


def compiled(world: World, slots: Slots, day: datetime, policy: tuple[Filter, ...]) -> str:
    """The statement of slots, held to them and to the guard; raises as `prepare`."""
    for name in {
        *(world.layer.metrics[item].object for item in slots.metrics),
        *([slots.object] if slots.object else []),
    }:
        world.allowed(world.layer.objects[name], policy)
    made = build(Question(slots, world.layer, day, policy), world.warehouse.dialect)
    tree = guard.check(made.sql, world.layer, world.warehouse.dialect)
    readback.check_tree(tree, slots, world.layer, day, policy)
    return made.sql


def run(world: World, prepared: Prepared, lang: str) -> Answered:
    """Run a prepared statement. Raises `WarehouseError`."""
    start = time.perf_counter()
    rows = world.warehouse.run(prepared.sql)
    took = (time.perf_counter() - start) * 1000
    columns = tuple(column(world, prepared.slots, name, lang) for name in rows.columns)
    result = Result(columns, rows.rows[:CAP], len(rows.rows), len(rows.rows) > CAP)
    return Answered(
        prepared.sql,
        result,
        rows.rows,
        shown(world, prepared.slots, rows),
        Timings(0.0, prepared.milliseconds, took),
    )


def column(world: World, slots: Slots, name: str, lang: str) -> Column:
    """The label, kind and unit of a result column."""
    stem, _, part = name.partition("__")
    if name in MARKS:
        return Column(name, say(lang, MARKS[name]), "mark")
    if name == COUNTED:
        label = world.field_label(slots.counted or "", lang)
        return Column(name, say(lang, "counted", dimension=label), "metric", None, "number")
    if name == "bucket":
        return Column(name, say(lang, "bucket"), "bucket", None, slots.grain)
    if part == "label":
        return Column(name, world.field_label(stem, lang), "label")
    if stem in world.layer.metrics:
        metric = world.layer.metrics[stem]
        label = world.field_label(stem, lang)
        kind = part or "metric"
        rate = kind in ("change", "share")
        shape = "percent" if metric.percent or rate else "number"
        text = label if kind == "metric" else say(lang, kind, metric=label)
        unit = None if rate else unit_label(metric.unit, lang) or None
        return Column(name, text, kind, unit, shape)  # type: ignore[arg-type]
    if name in world.layer.dimensions:
        return Column(name, world.field_label(name, lang), "value")
    found = world.layer.objects[slots.object or ""].attributes.get(name)
    return Column(
        name,
        world.field_label(name, lang, slots.object),
        "attribute",
        unit_label(found.unit, lang) or None if found else None,
    )


def shown(world: World, slots: Slots, rows: Rows) -> Shown:
    """The members of a result: its dimensions' values, with the parents that a filter pins."""
    names: list[str] = []
    if slots.counted:
        slots = replace(
            slots, dimensions=tuple(item for item in slots.dimensions if item != slots.counted)
        )
    for dimension in slots.dimensions if not slots.rows else _row_key(world, slots):
        names += [name for name in world.layer.path(dimension) if name not in names]
    if not names:
        return Shown((), ((),) * len(rows.rows))
    # where a member stands in a row, and what a filter pins it to where it stands in none
    at = [
        (rows.columns.index(name), None) if name in rows.columns else (None, slots.pinned(name))
        for name in names
    ]
    members: list[tuple[str | None, ...]] = []
    marks = [rows.columns.index(name) for name in MARKS if name in rows.columns]
    for row in rows.rows[:CAP]:
        if any(row[index] for index in marks):
            continue  # the total and the others are no members
        members.append(
            tuple([_key(row[index]) if index is not None else pinned for index, pinned in at])
        )
    return Shown(tuple(names), tuple(dict.fromkeys(members)), len(rows.rows) <= CAP)


def _row_key(world: World, slots: Slots) -> tuple[str, ...]:
    found = world.layer.objects[slots.object or ""]
    key = world.layer.tables[found.table].key
    return tuple(
        name
        for name in found.listed[:1]
        if name in world.layer.dimensions and world.layer.dimensions[name].column in key
    )


def _key(cell: Cell) -> str | None:
    if cell is None:
        return None
    return str(cell).lower() if isinstance(cell, bool) else str(cell)


def digest(rows: Iterable[tuple[Cell, ...]]) -> str:
    """A digest of rows, whatever their order; numbers in canonical form.

    >>> digest([(1, "a"), (2, "b")]) == digest([(2, "b"), (1, "a")])
    True
    """
    lines = sorted(_LINE([canonical(cell) for cell in row]) for row in rows)
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


_LINE = json.JSONEncoder(ensure_ascii=False).encode


def canonical(cell: Cell) -> object:
    """A cell in canonical form: decimals without trailing zeros, floats to twelve digits."""
    if isinstance(cell, bool) or cell is None or isinstance(cell, int | str):
        return cell
    if isinstance(cell, Decimal):
        return f"d{format(cell.normalize(), 'f')}"
    if isinstance(cell, float):
        return f"f{cell:.12g}"
    if isinstance(cell, date):
        return cell.isoformat()
    return str(cell)
