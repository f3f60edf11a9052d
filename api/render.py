"""A turn on a terminal: the answer, how it was understood, what was kept and dropped, numbered options."""

from __future__ import annotations

from rich.console import Console, Group, JustifyMethod, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from api.shown import SHOWN, grid, tabular
from dialogue.turn import Result, Turn
from dialogue.words import joined, say
from dialogue.world import World

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
    if turn.result is not None and tabular(turn):
        parts.append(table(world, turn.result, turn.lang))
    if turn.slots is not None:
        parts.append(understood(turn))
    if turn.sql and (sql or turn.outcome == "explain"):
        from rich.syntax import Syntax  # brings a library of languages

        parts.append(Syntax(turn.sql, "sql", word_wrap=True, background_color="default"))
    border = {"answer": "green", "clarify": "yellow", "decline": "red", "error": "red"}.get(
        turn.outcome, "blue"
    )
    title = f"{turn.seq} · {turn.outcome}" + (f" · {turn.turn_id}" if turn.turn_id else "")
    return Panel(Group(*parts), title=title, title_align="left", border_style=border)


def table(world: World, result: Result, lang: str) -> Table:
    """The first rows of a result."""
    found = grid(world, result, lang)
    drawn = Table(header_style="bold", row_styles=["", "dim"])
    for head in found.heads:
        side: JustifyMethod = "right" if head.numeric else "left"
        drawn.add_column(head.words, justify=side, overflow="fold")  # never cut
    for row in found.rows:
        drawn.add_row(*row)
    if result.row_count > SHOWN:
        drawn.caption = f"{SHOWN} / {result.row_count}"
    return drawn


def understood(turn: Turn) -> Text:
    """How a turn was understood: each slot value with where it came from; what was dropped, struck out."""
    lang = turn.lang
    text = Text(f"{say(lang, 'understood')} ", style="dim")
    for chip in turn.chips:
        text.append(f"[{chip.words}]", style=_STYLES.get(chip.source, ""))
        if chip.origin:
            text.append(f"({chip.origin})", style="dim")
        text.append(" ")
    if turn.switch is not None and turn.switch.dropped:
        text.append(f"\n{say(lang, 'dropped')} ", style="dim")
        text.append(joined(turn.switch.dropped, lang), style="strike")
    if turn.outcome == "answer" and turn.suggestions:
        text.append(f"\n{say(lang, 'suggested')} ", style="dim")
        text.append(" · ".join(item.label for item in turn.suggestions), style="italic")
    return text
