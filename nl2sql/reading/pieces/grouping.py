"""Pieces about dimensions and metrics."""

from __future__ import annotations

import re

from nl2sql.reading.construct import Piece
from nl2sql.reading.pieces.draft import Draft
from nl2sql.reading.tokens import Rank
from nl2sql.slots import (
    Limit,
    Order,
)

_INSTEAD = re.compile("[改换]|switch to|go ")


def on_dims(d: Draft, piece: Piece) -> None:
    """按行业, 各园区, 哪个园区: dimensions."""
    how = "each" if any(token.kind == "each" for token in piece.tokens) else "by"
    if any(token.kind in ("which", "rows_end") for token in piece.tokens):
        how = "which"
        d.cues.add("which")
    if _INSTEAD.match(d.text, piece.tokens[0].start):  # 改成按
        d.cues.add("instead")
    for found, span in d.dims_in(piece):
        d.dims.append((found, span, how))
        for token in piece.tokens:
            if how == "which" and token.kind == "entity" and (token.start, token.end) == span:
                d.objects.append((token.meanings("object")[0].id, span))


def on_dims_add(d: Draft, piece: Piece) -> None:
    """再按行业分: one dimension more."""
    for found, span in d.dims_in(piece):
        d.say("dimensions", "add", (found,), span)


def on_dims_clear(d: Draft, piece: Piece) -> None:
    """不分园区: one dimension less."""
    for found, span in d.dims_in(piece):
        d.say("dimensions", "remove", (found,), span)


def on_grain_clear(d: Draft, piece: Piece) -> None:
    """不分月: no longer cut by a unit of time."""
    d.say("grain", "clear", None, d.span_of(piece))


def on_metrics(d: Draft, piece: Piece) -> None:
    """应收和实收: metrics."""
    d.metrics += d.metric_ids(piece)


def on_metrics_add(d: Draft, piece: Piece) -> None:
    """再加上收缴率: metrics more."""
    for found, span in d.metric_ids(piece):
        d.say("metrics", "add", (found,), span)
    d.cues.add("add")


def on_metrics_remove(d: Draft, piece: Piece) -> None:
    """去掉应收: metrics less."""
    for found, span in d.metric_ids(piece):
        d.say("metrics", "remove", (found,), span)


def on_metric_order(d: Draft, piece: Piece) -> None:
    """按收缴率从低到高: an order by a metric."""
    ids = d.metric_ids(piece)
    d.metrics += ids
    d.dims += [(found, span, "by") for found, span in d.dims_in(piece)]
    if any(token.kind in ("sort", "descending", "ascending") for token in piece.tokens):
        d.ordering |= {name for name, _ in ids}
    down = not any(token.kind == "ascending" for token in piece.tokens)
    rank = next((token for token in piece.tokens if token.kind == "rank"), None)
    if rank is not None and isinstance(rank.payload, Rank):
        d.rank(rank)
    elif any(token.kind in ("sort", "descending", "ascending") for token in piece.tokens):
        d.say("order", "set", Order(ids[0][0] if ids else None, down), d.span_of(piece))
    elif piece.tokens[0].kind == "by":
        d.cues.add("by_metric")


def on_attribute_order(d: Draft, piece: Piece) -> None:
    """按面积从大到小: an order of rows by an attribute."""
    token = next(item for item in piece.tokens if item.kind == "attribute")
    down = not any(item.kind == "ascending" for item in piece.tokens)
    meaning = token.meanings("attribute")[0]
    rank = next((item.payload for item in piece.tokens if isinstance(item.payload, Rank)), None)
    if rank is not None:
        down = rank.descending is not False
        d.say("limit", "set", Limit(rank.last, rank.first), d.span_of(piece))
    d.say("order", "set", Order(meaning.id, down), d.span_of(piece))
    d.objects.append((meaning.owner, d.span_of(piece)))
    d.cues.add("rows")
