"""What is shown of a turn in words, for every face that draws text: a table of cells."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime

from dialogue.turn import Column, Result, Turn
from dialogue.wording import marks
from dialogue.words import bucket, number, say
from dialogue.world import World
from semantic_layer.protocols import Cell

SHOWN = 20  # rows of a table
NUMBERS = frozenset({"metric", "base", "diff", "change", "share"})


@dataclass(frozen=True, slots=True)
class Head:
    """The head of a column: its words with the unit, and whether numbers stand below it."""

    words: str
    numeric: bool


@dataclass(frozen=True, slots=True)
class Grid:
    """The first rows of a result, in words."""

    heads: tuple[Head, ...]
    rows: tuple[tuple[str, ...], ...]


def tabular(turn: Turn) -> bool:
    """Whether a table says more than the text of a turn."""
    result = turn.result
    return result is not None and (result.row_count > 1 or keyed(result))


def keyed(result: Result) -> bool:
    """Whether a result has rows to tell apart."""
    return any(column.kind in ("value", "bucket", "attribute") for column in result.columns)


def visible(columns: Sequence[Column]) -> list[tuple[int, Column]]:
    """The columns that people read, with their places: labels instead of codes, and no marks of rows."""
    labelled = {item.id.removesuffix("__label") for item in columns if item.kind == "label"}
    return [
        (index, item)
        for index, item in enumerate(columns)
        if item.kind != "mark" and not (item.kind == "value" and item.id in labelled)
    ]


def titled(column: Column) -> str:
    """The head of a column, with its unit."""
    return column.label + (f" ({column.unit})" if column.unit else "")


def grid(world: World, result: Result, lang: str, most: int = SHOWN) -> Grid:
    """The first rows of a result: labels instead of codes, numbers for people."""
    shown = [
        (index, column)
        for index, column in visible(result.columns)
        if not (column.kind == "diff" and column.format != "percent")
    ]
    heads = tuple(Head(titled(column), column.kind in NUMBERS) for _, column in shown)
    rows = []
    for row in result.rows[:most]:
        cells = [cell(world, column, row[index], lang) for index, column in shown]
        for mark in marks(result.columns, row):  # a row that is no group: its name, not 未知
            named = [at for at, (_, column) in enumerate(shown) if column.kind not in NUMBERS]
            empty = [at for at in named if row[shown[at][0]] is None]
            for at in empty:
                cells[at] = mark if at == empty[0] else ""
        rows.append(tuple(cells))
    return Grid(heads, tuple(rows))


def cell(world: World, column: Column, value: Cell, lang: str) -> str:
    """One cell in words."""
    if column.kind in NUMBERS:
        return number(value, column.format == "percent", lang)
    if column.kind == "bucket" and isinstance(value, date):
        return bucket(value, column.format)
    if column.kind in ("value", "label"):
        text = (
            None if value is None else str(value).lower() if isinstance(value, bool) else str(value)
        )
        return (
            world.label(column.id, text, lang)
            if column.kind == "value"
            else (text or say(lang, "unknown"))
        )
    if isinstance(value, datetime):
        return value.isoformat(" ")
    return (
        "—"
        if value is None
        else number(value, False, lang)
        if not isinstance(value, str | date)
        else str(value)
    )
