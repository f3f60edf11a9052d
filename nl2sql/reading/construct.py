"""The engine of constructions: patterns over token kinds, and the best set of them for a text.

A construction is one idea: a pattern (token kinds, as a small regular language) and what it builds.
All of them are matched everywhere; the set that accounts for most tokens with the fewest pieces
wins, so their order changes nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from nl2sql.reading.tokens import Token

KINDS = [
    "metric",
    "metric_value",
    "dimension",
    "entity",
    "object",
    "object_value",
    "value",
    "attribute",
    "topic",
    "role",
    "measure",
    "time",
    "grain",
    "compare",
    "nocompare",
    "number",
    "bound",
    "rank",
    "ref_row",
    "quoted",
    "contains",
    "each",
    "by",
    "again_by",
    "add",
    "also",
    "remove",
    "also_remove",
    "exclude",
    "exclude_end",
    "only",
    "unlimit",
    "undivide",
    "total",
    "respectively",
    "how_many",
    "which",
    "list",
    "rows_end",
    "descending",
    "ascending",
    "sort",
    "trend",
    "instead",
    "correct",
    "undo",
    "switch",
    "ref_one",
    "ref_this",
    "ref_kind",
    "ref_set",
    "ref_these",
    "is_null",
    "not_null",
    "whether",
    "and",
    "or",
    "not_have",
    "have",
    "vague",
    "each_of",
    "above_average",
    "share",
    "no_share",
    "totals_row",
    "others_row",
    "running",
    "fill_gaps",
    "explain_metric",
    "explain_result",
    "catalogue",
    "why",
    "predict",
    "advise",
    "greet",
    "thanks",
    "bye",
    "help",
    "change",
    "leak",
    "now",
    "no_limit",
    "same",
    "name_only",
    "complement",
    "flip",
    "no_comparison",
    "unclear",
    "stranger",
    "did",
    "unknown",
    "whole",
    "as_one",
    "versus",
    "moved",
    "together",
]
_LETTER = {kind: chr(0x4E00 + index) for index, kind in enumerate(KINDS)}
_GROUPS = {
    "DIM": "(?:dimension|entity)",
    "VAL": "(?:value|metric_value|object_value)",
    "MET": "(?:metric|metric_value)",
    "OBJ": "(?:object|entity|object_value)",
}


@dataclass(frozen=True, slots=True)
class Piece:
    """What one match builds: typed parts for `interpret`, by name."""

    name: str
    tokens: tuple[Token, ...]
    start: int
    end: int


Build: TypeAlias = Callable[[Sequence[Token]], bool]


@dataclass(frozen=True, slots=True)
class Construction:
    """A pattern over kinds; `accepts` may refuse a match by what its tokens carry."""

    name: str
    pattern: re.Pattern[str]
    accepts: Build | None = None
    bonus: float = 0.0


def construction(
    name: str, pattern: str, accepts: Build | None = None, bonus: float = 0.0
) -> Construction:
    """A construction from a readable pattern, such as `each+ DIM (and? each? DIM)*`, of a token at least."""
    for group, meaning in _GROUPS.items():
        pattern = re.sub(rf"\b{group}\b", meaning, pattern)
    source = re.sub(r"[a-z_]+", lambda match: _LETTER[match.group()], pattern.replace("?:", "\0"))
    found = re.compile(source.replace("\0", "?:").replace(" ", ""))
    assert found.match("") is None, f"{name} matches nothing at all"
    return Construction(name, found, accepts, bonus)


def best_pieces(
    tokens: Sequence[Token], constructions: Sequence[Construction]
) -> tuple[tuple[Piece, ...], tuple[Token, ...]]:
    """The best set of matches side by side, and the tokens that none accounts for."""
    letters = "".join(_LETTER[token.kind] for token in tokens)
    ending: dict[int, list[tuple[int, float, Construction]]] = {}
    for item in constructions:
        match = item.pattern.search(letters)
        while match is not None:
            start = match.start()
            shorter: re.Match[str] | None = match
            while shorter is not None and shorter.end() > start:
                end = shorter.end()
                if item.accepts is None or item.accepts(tokens[start:end]):
                    gain = (end - start) * 10 - 4 + item.bonus
                    ending.setdefault(end, []).append((start, gain, item))
                shorter = item.pattern.fullmatch(letters, start, end - 1)
            match = item.pattern.search(letters, start + 1)
    score = [0.0] * (len(letters) + 1)
    back: list[tuple[int, Construction | None]] = [(0, None)] * (len(letters) + 1)
    for end in range(1, len(letters) + 1):
        score[end], back[end] = score[end - 1], (end - 1, None)
        for start, gain, item in sorted(
            ending.get(end, ()), key=lambda entry: (entry[0], entry[2].name)
        ):
            if score[start] + gain > score[end]:
                score[end], back[end] = score[start] + gain, (start, item)
    pieces: list[Piece] = []
    loose: list[Token] = []
    at = len(letters)
    while at > 0:
        start, found = back[at]
        if found is None:
            loose.append(tokens[start])
        else:
            pieces.append(Piece(found.name, tuple(tokens[start:at]), start, at))
        at = start
    return tuple(reversed(pieces)), tuple(reversed(loose))
