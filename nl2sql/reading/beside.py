"""What is named beside a value and is none that the user sees (RULES.md §10): 张江和月球, asked by someone for whom
月球 may be a park that is hidden.

It is taken as a value of the same dimension, which filling then finds nowhere and leaves out, and says so: whether
there is such a value makes no difference.
"""

from __future__ import annotations

from collections.abc import Iterator

from nl2sql.reading.cover import Cover, content
from nl2sql.reading.tokens import Token
from nl2sql.slots import Span
from semantic_layer.index import Stored
from semantic_layer.model import Layer

UNSEEN = "unseen"
LONGEST = 30  # characters of a name
_JOINS = frozenset({"and", "or"})


def unseen(text: str, cover: Cover, layer: Layer) -> Iterator[Token]:
    """What stands in a list with a value and was not read, as values of its dimension."""
    items = sorted([*cover.tokens, *_stretches(text, cover)], key=lambda item: item.start)
    owners = [_owner(item, layer) for item in items]
    for step in (1, -1):  # from each value to its right, then to its left: a list may have several
        order = range(len(items)) if step == 1 else range(len(items) - 1, -1, -1)
        for at in order:
            beside, joined = at - 2 * step, at - step
            if (
                items[at].kind == UNSEEN
                and not owners[at]
                and 0 <= beside < len(items)
                and items[joined].kind in _JOINS
            ):
                owners[at] = owners[beside]
    for item, owner in zip(items, owners, strict=True):
        if item.kind == UNSEEN and owner and item.end - item.start <= LONGEST:
            name = text[item.start : item.end]
            weight = (item.end - item.start) * 10.0
            yield Token(item.start, item.end, "value", (Stored(owner, name, name),), weight, UNSEEN)


def _stretches(text: str, cover: Cover) -> Iterator[Token]:
    """The stretches that were not read; those with nothing but blanks between are one: optics valley."""
    found: list[Span] = []
    for start, end in cover.unread:
        if found and not text[found[-1][1] : start].strip():
            found[-1] = (found[-1][0], end)
        else:
            found.append((start, end))
    for start, end in found:
        if any(map(content, text[start:end])):
            yield Token(start, end, UNSEEN, None, 0.0)


def _owner(item: Token, layer: Layer) -> str:
    """The one dimension of a value whose values may be hidden: those of a list or a pattern are the layer's own."""
    owners = item.owners() if item.kind == "value" else set()
    if len(owners) != 1:
        return ""
    (name,) = owners
    found = layer.dimensions.get(name)
    return name if found is not None and not found.spoken_for else ""
