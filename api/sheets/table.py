"""The rows of an answer as a table to compute with: the columns people read, each cell as what it is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Literal, TypeAlias

from api.sheets.words import text
from api.shown import NUMBERS, titled, visible
from dialogue.turn import Column, Turn
from dialogue.wording import key_label, marks
from dialogue.words import say
from dialogue.world import World
from semantic_layer.protocols import Cell

Shape: TypeAlias = Literal["text", "number", "percent", "month", "attribute"]
Value: TypeAlias = None | str | int | float | Decimal | date | datetime
_DATED = ("day", "week", "month")  # buckets that a day stands for; others are told by their names


@dataclass(frozen=True, slots=True)
class Head:
    """The head of a column: its words with the unit, and what stands below it."""

    words: str
    shape: Shape


@dataclass(frozen=True, slots=True)
class Table:
    """Heads, and rows that are made as they are asked for."""

    heads: tuple[Head, ...]
    rows: Iterator[tuple[Value, ...]]
    count: int


def table(world: World, turn: Turn) -> Table:
    """All rows of an answer. Its `result` must be there."""
    assert turn.result is not None
    columns, lang = turn.result.columns, turn.lang
    kept = visible(columns)
    heads = tuple(Head(titled(item), _shape(item)) for _, item in kept)
    named = [place for place, (_, item) in enumerate(kept) if item.kind not in NUMBERS]
    said: dict[tuple[str, Cell], Value] = {}  # the same few words stand in many rows

    def value(column: Column, cell: Cell) -> Value:
        if column.kind in NUMBERS or column.kind == "attribute":
            return text(lang, "yes" if cell else "no") if isinstance(cell, bool) else cell
        if (column.id, cell) not in said:
            said[column.id, cell] = _words(world, column, cell, lang)
        return said[column.id, cell]

    def rows() -> Iterator[tuple[Value, ...]]:
        for row in turn.all_rows:
            cells = [value(item, row[index]) for index, item in kept]
            for mark in marks(columns, row):  # a row that is no group: its name, not 未知
                empty = [place for place in named if row[kept[place][0]] is None]
                for place in empty:
                    cells[place] = mark if place == empty[0] else ""
            yield tuple(cells)

    return Table(heads, rows(), len(turn.all_rows))


def facts(turn: Turn, whole: Turn) -> tuple[tuple[str, str], ...]:
    """How an answer came to be, as names and values; `whole` is the message that it is a part of."""
    lang = turn.lang
    chips = [f"{chip.words} ({chip.origin})" if chip.origin else chip.words for chip in turn.chips]
    told = [
        ("question", turn.question),
        ("whole-question", turn.completed_question),
        ("answer", turn.text),
        *(("chip", words) for words in chips),
        ("fresh", turn.fresh_to or ""),
        ("as-of", whole.as_of.isoformat(" ", "seconds") if whole.as_of else ""),
        ("taken", whole.now.isoformat(" ", "seconds") if whole.now else ""),
        ("rows", str(len(turn.all_rows))),
        ("sql", turn.sql or ""),
        ("turn", whole.turn_id),
        ("record", whole.record_hash),
        ("layer", whole.semantic_hash),
        ("data-version", whole.data_version),
    ]
    return tuple((text(lang, key), value) for key, value in told if value)


def _shape(column: Column) -> Shape:
    if column.kind in NUMBERS:
        return "percent" if column.format == "percent" else "number"
    if column.kind == "bucket" and column.format in _DATED:
        return "month" if column.format == "month" else "attribute"
    return "attribute" if column.kind == "attribute" else "text"


def _words(world: World, column: Column, cell: Cell, lang: str) -> Value:
    if column.kind == "bucket":
        return cell if column.format in _DATED else key_label(world, column, cell, lang)
    if column.kind == "label":
        return say(lang, "unknown") if cell is None else str(cell)
    return key_label(world, column, cell, lang)
