"""What a result can be drawn as, told by the shape of its slots; nothing where a drawing would mislead."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import date, datetime
from decimal import Decimal
from typing import TypeAlias

from dialogue.answer import MARKS
from dialogue.turn import Chart, ChartKind, Column, Labelled, Result, Turn
from dialogue.world import World
from nl2sql.compiler import OTHERS, TOTAL
from nl2sql.slots import BUCKET, Slots
from nl2sql.tally import COUNTED
from nl2sql.times import Range
from nl2sql.times.arith import add, day_of
from nl2sql.times.compare import united
from semantic_layer.model import Layer
from semantic_layer.protocols import Cell

MOST_SERIES, MOST_GROUPS, MOST_BUCKETS, MOST_BARS = 12, 60, 400, 180
Row: TypeAlias = tuple[Cell, ...]
Path: TypeAlias = tuple[str, ...]  # the columns that tell a group apart: park_id, building_no


def drawn(world: World, slots: Slots | None, result: Result, clock: datetime, lang: str) -> Result:
    """A result with what it is shown with: a chart, and the labels of its codes."""
    found = None if slots is None else chart(world.layer, slots, result, clock)
    return replace(result, chart=found, labels=labels(world, result, lang))


def redrawn(world: World, turn: Turn) -> Turn:
    """A recorded turn with the same, where it can be said: under the layer that it was asked under."""
    if turn.semantic_hash != world.layer.hash or turn.as_of is None:
        return turn
    whole = {"semantic_hash": turn.semantic_hash, "as_of": turn.as_of}
    parts = (redrawn(world, replace(part, **whole)) for part in turn.parts)  # type: ignore[arg-type]
    told = turn.result and drawn(world, turn.slots, turn.result, turn.as_of, turn.lang)
    return replace(turn, result=told, parts=tuple(parts))


def labels(world: World, result: Result, lang: str) -> tuple[Labelled, ...]:
    """The labels of stored values that are shown, where no column of the result holds them."""
    named = {item.id for item in result.columns if item.kind == "label"}
    found: list[Labelled] = []
    for index, column in enumerate(result.columns):
        if column.kind != "value" or f"{column.id}__label" in named:
            continue
        for value in dict.fromkeys(map(_text, (row[index] for row in result.rows))):
            if value is not None and (label := world.label(column.id, value, lang)) != value:
                found.append(Labelled(column.id, value, label))
    return tuple(found)


def chart(layer: Layer, slots: Slots, result: Result, clock: datetime) -> Chart | None:
    """What rows are drawn as: a line for a unit of time, bars for a dimension, grouped or stacked for two.

    An axis on which there is but one member tells nothing, and is none. `clock` tells which buckets still run.
    """
    table = _Table.of(result)
    if slots.rows or result.truncated or len(table.rows) < 2:
        return None
    values = _values(slots, result.columns)
    axes = tuple(path for path in _paths(layer, slots, table.at) if len(table.members(path)) > 1)
    if not values or not table.numbers(values) or not table.told_apart(axes):
        return None
    running = _partial(layer, slots, table, clock) if (BUCKET,) in axes else ()
    match axes:
        case ((name,),) if name == BUCKET:
            return _trend(slots, table, values, running)
        case ((name,), series) if name == BUCKET:
            return _lines(layer, slots, table, series, values[:1], running)
        case (path,):
            kind: ChartKind = "bars" if len(values) == 1 else "grouped"
            few = len(table.members(path)) <= MOST_GROUPS
            return Chart(kind, path, (), values, (kind,)) if few else None
        case (path, series):
            return _grouped(layer, slots, table, path, series, values[:1])
    return None


def _trend(slots: Slots, table: _Table, values: Path, running: Path) -> Chart | None:
    """Over time; picked buckets do not follow one another, so that no line joins them."""
    count = len(table.members((BUCKET,)))
    bars: ChartKind = "bars" if len(values) == 1 else "grouped"
    kinds: tuple[ChartKind, ...] = (bars,) if _picked(slots) else ("line", bars)
    if count > MOST_GROUPS:
        kinds = tuple(kind for kind in kinds if kind == "line")
    if not kinds or count > MOST_BUCKETS:
        return None
    return Chart(kinds[0], (BUCKET,), (), values, kinds, running)


def _lines(
    layer: Layer, slots: Slots, table: _Table, series: Path, values: Path, running: Path
) -> Chart | None:
    """Over time, a line a group."""
    if _picked(slots):
        found = _grouped(layer, slots, table, (BUCKET,), series, values)
        return None if found is None else replace(found, partial=running)
    count = len(table.members((BUCKET,)))
    if len(table.members(series)) > MOST_SERIES or count > MOST_BUCKETS:
        return None
    stacks = count <= MOST_GROUPS and _stacks(layer, slots, table, series, values[0])
    kinds: tuple[ChartKind, ...] = ("line", "stacked") if stacks else ("line",)
    return Chart("line", (BUCKET,), series, values, kinds, running)


def _grouped(
    layer: Layer, slots: Slots, table: _Table, path: Path, series: Path, values: Path
) -> Chart | None:
    """Bars side by side, and on top of one another where they add up."""
    if len(table.members(series)) > MOST_SERIES and path != (BUCKET,):
        path, series = series, path
    groups, many = len(table.members(path)), len(table.members(series))
    if many > MOST_SERIES or groups > MOST_GROUPS:
        return None
    kinds: tuple[ChartKind, ...] = ("grouped",) if groups * many <= MOST_BARS else ()
    if _stacks(layer, slots, table, series, values[0]):
        kinds = (*kinds, "stacked")
    return Chart(kinds[0], path, series, values, kinds) if kinds else None


def _picked(slots: Slots) -> bool:
    """Whether only some of the groups are shown."""
    return slots.limit is not None or bool(slots.having)


def _stacks(layer: Layer, slots: Slots, table: _Table, series: Path, value: str) -> bool:
    """Whether groups on top of one another show their total: all are there, and each fact is in one."""
    if value == COUNTED or _picked(slots) or not layer.additive(value):
        return False
    for leaf in layer.leaves(value):
        route = layer.objects[leaf.object].route(leaf.table, series[-1])
        if route is None or route.many is not None:
            return False
    return all(number >= 0 for number in table.numbers((value,)))


def _paths(layer: Layer, slots: Slots, at: dict[str, int]) -> tuple[Path, ...]:
    """The axes: time, and each dimension with the parents that are shown; a parent that is asked for beside its
    child is no axis of its own."""
    asked = [name for name in slots.dimensions if name != slots.counted]
    paths = [tuple(name for name in layer.path(one) if name in at) for one in asked]
    alone = [
        path
        for path in dict.fromkeys(paths)
        if path and not any(path != other and set(path) <= set(other) for other in paths)
    ]
    return (*(((BUCKET,),) if slots.grain else ()), *alone)


def _values(slots: Slots, columns: tuple[Column, ...]) -> Path:
    """The metrics that share a scale with the first; with a comparison the first and its base."""
    known = {column.id: column for column in columns}
    names = (COUNTED,) if slots.counted else slots.metrics
    if not names or any(name not in known for name in names):
        return ()
    first = known[names[0]]
    if slots.comparison is not None and f"{first.id}__base" in known:
        return (first.id, f"{first.id}__base")
    return tuple(
        name for name in names
        if (known[name].unit, known[name].format) == (first.unit, first.format)
    )  # fmt: skip


def _partial(layer: Layer, slots: Slots, table: _Table, clock: datetime) -> Path:
    """The buckets that hold less than a whole one: they still run, or the period cuts them."""
    assert slots.grain is not None
    spans = united(*slots.time.ranges) if slots.time is not None else ()
    found = []
    for start in (row[table.at[BUCKET]] for row in table.rows):
        if not isinstance(start, date):
            continue
        end = add(day_of(start), 1, slots.grain)
        if end > clock.date() or (spans and not any(_holds(span, start, end) for span in spans)):
            found.append(start.isoformat())
    return tuple(dict.fromkeys(found))


def _holds(span: Range, start: date, end: date) -> bool:
    first, last = span.start, span.end
    return (first is None or day_of(first) <= day_of(start)) and (
        last is None or day_of(last) >= end
    )


@dataclass(frozen=True, slots=True)
class _Table:
    """The rows that may be drawn: never the total, whose bar would dwarf its parts."""

    at: dict[str, int]
    rows: tuple[Row, ...]

    @staticmethod
    def of(result: Result) -> _Table:
        at = {column.id: index for index, column in enumerate(result.columns)}
        total = at.get(TOTAL)
        return _Table(at, tuple(row for row in result.rows if total is None or not row[total]))

    def member(self, path: Path, row: Row) -> Row:
        """Whose row it is on an axis; that of the others is nobody's."""
        key = tuple([row[self.at[name]] for name in path])
        others = self.at.get(OTHERS)
        if others is None or not row[others]:
            return key
        return (MARKS[OTHERS],) if all(cell is None for cell in key) else key

    def members(self, path: Path) -> frozenset[Row]:
        """The members of an axis."""
        return frozenset(self.member(path, row) for row in self.rows)

    def told_apart(self, axes: tuple[Path, ...]) -> bool:
        """Whether each row stands for one point: none lacks its date, and no two are at one place."""
        if (BUCKET,) in axes and any(row[self.at[BUCKET]] is None for row in self.rows):
            return False
        points = {tuple(self.member(path, row) for path in axes) for row in self.rows}
        return len(points) == len(self.rows)

    def numbers(self, values: Iterable[str]) -> list[Decimal | int | float]:
        """The figures of columns, those that are there."""
        cells = (row[self.at[name]] for row in self.rows for name in values)
        return [cell for cell in cells if isinstance(cell, Decimal | int | float)]


def _text(cell: Cell) -> str | None:
    """A stored value as it stands in slots."""
    return None if cell is None else str(cell).lower() if isinstance(cell, bool) else str(cell)
