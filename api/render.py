"""A turn on a terminal: the answer, how it was understood, what was kept and dropped, numbered options."""

from __future__ import annotations

from datetime import date, datetime

from rich.console import Console, Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from dialogue.chips import chip
from dialogue.turn import Column, Result, Turn
from dialogue.wording import marks
from dialogue.words import MONTHLY, joined, number, say
from dialogue.world import World
from semantic_layer.protocols import Cell

SHOWN = 20
NUMBERS = frozenset({"metric", "base", "diff", "change", "share"})
_STYLES = {
    "said": "bold cyan",
    "carried": "blue",
    "default": "dim",
    "clarified": "green",
    "edited": "green",
    "reference": "magenta",
    "policy": "red",
}


def show(console: Console, world: World, turn: Turn, *, sql: bool = False) -> None:
    """Print a turn."""
    for part in turn.parts or (turn,):
        console.print(one(world, part, sql=sql))


def one(world: World, turn: Turn, *, sql: bool = False) -> RenderableType:
    """One turn, ready to print."""
    parts: list[RenderableType] = [Text(turn.text)]
    if turn.result is not None and (turn.result.row_count > 1 or keyed(turn.result)):
        parts.append(table(world, turn.result, turn.lang))
    if turn.slots is not None:
        parts.append(chips(world, turn))
    if turn.sql and (sql or turn.outcome == "explain"):
        from rich.syntax import Syntax  # brings a library of languages

        parts.append(Syntax(turn.sql, "sql", word_wrap=True, background_color="default"))
    border = {"answer": "green", "clarify": "yellow", "decline": "red", "error": "red"}.get(
        turn.outcome, "blue"
    )
    title = f"{turn.seq} · {turn.outcome}" + (f" · {turn.turn_id}" if turn.turn_id else "")
    return Panel(Group(*parts), title=title, title_align="left", border_style=border)


def keyed(result: Result) -> bool:
    """Whether a result has rows to tell apart."""
    return any(column.kind in ("value", "bucket", "attribute") for column in result.columns)


def table(world: World, result: Result, lang: str) -> Table:
    """The first rows of a result: labels instead of codes, numbers for people."""
    labelled = {
        column.id.removesuffix("__label") for column in result.columns if column.kind == "label"
    }
    shown = [
        (index, column)
        for index, column in enumerate(result.columns)
        if not (column.kind == "value" and column.id in labelled)
        and column.kind != "mark"
        and not (column.kind == "diff" and column.format != "percent")
    ]
    drawn = Table(header_style="bold", row_styles=["", "dim"])
    for _, column in shown:
        numeric = column.kind in NUMBERS
        unit = f" ({column.unit})" if column.unit else ""
        drawn.add_column(column.label + unit, justify="right" if numeric else "left")
    for row in result.rows[:SHOWN]:
        cells = [cell(world, column, row[index], lang) for index, column in shown]
        for mark in marks(result.columns, row):  # a row that is no group: its name, not 未知
            named = [at for at, (_, column) in enumerate(shown) if column.kind not in NUMBERS]
            empty = [at for at in named if row[shown[at][0]] is None]
            for at in empty:
                cells[at] = mark if at == empty[0] else ""
        drawn.add_row(*cells)
    if result.row_count > SHOWN:
        drawn.caption = f"{SHOWN} / {result.row_count}"
    return drawn


def cell(world: World, column: Column, value: Cell, lang: str) -> str:
    """One cell in words."""
    if column.kind in NUMBERS:
        return number(value, column.format == "percent", lang)
    if column.kind == "bucket" and isinstance(value, date):
        return value.isoformat()[:7] if column.format in MONTHLY else value.isoformat()
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


def chips(world: World, turn: Turn) -> Text:
    """How a turn was understood: each slot value with where it came from; what was dropped, struck out."""
    lang = turn.lang
    text = Text(f"{say(lang, 'understood')} ", style="dim")
    for item in turn.provenance:
        words = chip(world, turn.slots, item.key, lang) if turn.slots is not None else ""
        if not words:
            continue
        source = say(lang, f"source.{item.source}", turn=item.turn)
        text.append(f"[{words}]", style=_STYLES.get(item.source, ""))
        if item.source != "said":
            text.append(f"({source})", style="dim")
        text.append(" ")
    if turn.switch is not None and turn.switch.dropped:
        text.append(f"\n{say(lang, 'dropped')} ", style="dim")
        text.append(joined(turn.switch.dropped, lang), style="strike")
    return text
