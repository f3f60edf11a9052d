"""The best cover of a text by candidates: a path through the lattice, and the characters none covers."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from nl2sql.reading.tokens import Token

UNREAD = -12.0


@dataclass(frozen=True, slots=True)
class Cover:
    """Tokens side by side, the spans that none covers, and the sum of the weights."""

    tokens: tuple[Token, ...]
    unread: tuple[tuple[int, int], ...]
    score: float


def content(char: str) -> bool:
    """Whether a character must be accounted for: letters, digits, characters; not blanks or marks."""
    return unicodedata.category(char)[0] in "LN" or char == "%"


def best(text: str, candidates: Sequence[Token], keep: int = 2) -> tuple[Cover, ...]:
    """The `keep` best covers of a normalised text, best first.

    Forward over the characters, keeping the best few ways to reach each; linear in the candidates.
    """
    starting: dict[int, list[Token]] = {}
    for token in candidates:
        starting.setdefault(token.start, []).append(token)
    ways: list[list[tuple[float, tuple[int, int, Token | None] | None]]] = [
        [] for _ in range(len(text) + 1)
    ]
    ways[0].append((0.0, None))
    for at in range(len(text)):
        if not ways[at]:
            continue
        ways[at] = sorted(ways[at], key=lambda way: -way[0])[:keep]
        steps: list[tuple[int, float, Token | None]] = [
            (at + 1, UNREAD if content(text[at]) else 0.0, None)
        ]
        steps += [(token.end, token.weight, token) for token in starting.get(at, ())]
        for index, (score, _) in enumerate(ways[at]):
            for end, gain, step in steps:
                ways[end].append((score + gain, (at, index, step)))
    ends = sorted(ways[len(text)], key=lambda way: -way[0])[:keep]
    return tuple(_trace(text, ways, end) for end in ends)


def _trace(
    text: str,
    ways: list[list[tuple[float, tuple[int, int, Token | None] | None]]],
    end: tuple[float, tuple[int, int, Token | None] | None],
) -> Cover:
    tokens: list[Token] = []
    unread: list[tuple[int, int]] = []
    score, back = end
    at = len(text)
    while back is not None:
        before, index, token = back
        if token is not None:
            tokens.append(token)
        elif content(text[before]):
            if unread and unread[-1][0] == at:
                unread[-1] = (before, unread[-1][1])
            else:
                unread.append((before, at))
        at = before
        back = ways[before][index][1]
    return Cover(tuple(reversed(tokens)), tuple(reversed(unread)), score)
