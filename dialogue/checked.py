"""Every number in a text is one of the rows: held on the words themselves, whoever wrote them."""

from __future__ import annotations

import re
from collections.abc import Iterable

from dialogue.amounts import SCALES, spoken
from dialogue.words import LANGUAGES, number
from semantic_layer.protocols import Cell

_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")


def unbacked(text: str, frame: Iterable[str], cells: Iterable[Cell]) -> tuple[str, ...]:
    """The numbers of a text that are in no cell, and in none of the words around them (periods, names).

    >>> unbacked("2026年8月 收缴率：91.89%，另有 7 家", ["2026年8月"], [0.9189])
    ('7',)
    """
    for words in sorted(filter(None, frame), key=len, reverse=True):
        text = text.replace(words, " ")
    known = {form for cell in cells for form in forms(cell)}
    return tuple(found for found in _NUMBER.findall(text) if found.rstrip(",") not in known)


def forms(cell: Cell) -> set[str]:
    """The ways a cell may be written: in full, as a rate, in a larger unit."""
    texts = [number(cell, False, "zh"), number(cell, True, "zh")]
    texts += [spoken(cell, lang) for lang in LANGUAGES]
    texts += [spoken(cell, "zh", name) for lang in LANGUAGES for name, _ in SCALES[lang]]
    return {found for text in texts for found in _NUMBER.findall(text)}
