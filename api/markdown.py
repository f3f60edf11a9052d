"""A turn as Markdown, for clients that show text: the answer, a table, how it was understood, the turn's id.

Whatever comes from data or from what somebody typed is escaped: it shows as it is, and never makes a link, an
image, a tag or another column.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from api.shown import Grid, grid, tabular
from dialogue.turn import Turn
from dialogue.words import joined, say
from dialogue.world import World

_MARKS = re.compile(r"([\\`*_\[\]<>|~$&#])")
_LINKS = re.compile(r"(?i)(?::(?=//)|(?<=www)\.|@|(?<=mailto):|(?<=javascript):)")
_STARTS = re.compile(r"^[ \t]+|^([-+=])", re.MULTILINE)  # of a list, a heading, a block of code
_BREAKS = re.compile(r"\r\n?|[\x0b\x0c\x85\u2028\u2029]")
_UNSEEN = re.compile(r"[\x00-\x08\x0e-\x1f\x7f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]")


def markdown(world: World, turn: Turn) -> str:
    """The whole of a turn; of a message with two questions, one part after the other."""
    parts = "\n\n".join(_one(world, part) for part in turn.parts or (turn,))
    return f"{parts}\n\n`{say(turn.lang, 'face.turn')} {turn.turn_id}`"


def _one(world: World, turn: Turn) -> str:
    blocks = [prose(turn.text)]
    if turn.result is not None and tabular(turn):
        found = grid(world, turn.result, turn.lang)
        blocks.append(table(found))
        if turn.result.row_count > len(found.rows):
            told = {"shown": len(found.rows), "count": turn.result.row_count}
            blocks.append(say(turn.lang, "face.rows", **told))
    if turn.sql and turn.outcome == "explain":
        blocks.append(code(turn.sql))
    blocks.extend(_understood(turn))
    return "\n\n".join(blocks)


def _understood(turn: Turn) -> Iterable[str]:
    """What was said, kept, assumed and dropped, a line each."""
    lang = turn.lang
    found = [
        inline(chip.words) + (f" ({inline(chip.origin)})" if chip.origin else "")
        for chip in turn.chips
    ]
    if found:
        yield f"{say(lang, 'understood')} {' · '.join(found)}"
    if turn.switch is not None and turn.switch.dropped:
        yield f"{say(lang, 'dropped')} {inline(joined(turn.switch.dropped, lang))}"
    for item in turn.assumptions:
        if item.alternatives:
            others = joined((other.label for other in item.alternatives), lang)
            slot = say(lang, f"slot.{item.slot.partition('.')[0]}")
            yield f"{slot} {say(lang, 'face.instead')} {inline(others)}"


def table(found: Grid) -> str:
    """A table as GitHub's Markdown has it.

    >>> from api.shown import Head
    >>> print(table(Grid((Head("name", False), Head("area", True)), (("A|B", "1"),))))
    | name | area |
    | --- | ---: |
    | A\\|B | 1 |
    """
    lines = [
        [inline(head.words) for head in found.heads],
        ["---:" if head.numeric else "---" for head in found.heads],
        *([inline(cell) for cell in row] for row in found.rows),
    ]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def prose(text: str) -> str:
    """Text of several lines as it is, its line breaks kept."""
    lines = [inline(line) for line in _BREAKS.sub("\n", text).strip("\n").split("\n")]
    return "  \n".join(
        _STARTS.sub(lambda at: f"\\{at[1]}" if at[1] else "", line) for line in lines
    )


def inline(text: str) -> str:
    r"""Text within a line, as it is.

    >>> inline("<b>[x](https://e.com)\n|*")
    '\\<b\\>\\[x\\](https\\://e.com) \\|\\*'
    """
    plain = _UNSEEN.sub("", " ".join(_BREAKS.sub("\n", text).split("\n")))
    return _LINKS.sub(lambda at: f"\\{at[0]}", _MARKS.sub(r"\\\1", plain))


def code(text: str, kind: str = "sql") -> str:
    """A block of code, in a fence longer than any in it."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{kind}\n{text}\n{fence}"
