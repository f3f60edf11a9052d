"""Pieces about what is shown beside the metrics: shares, totals, the others, running totals."""

from __future__ import annotations

from nl2sql.edits import Slot
from nl2sql.reading.construct import Piece
from nl2sql.reading.pieces.draft import Draft

_SLOTS: dict[str, Slot] = {
    "share": "share",
    "totals_row": "totals",
    "others_row": "others",
    "running": "running",
    "fill_gaps": "fill",
}


def on_beside(d: Draft, piece: Piece) -> None:
    """占比, 带合计, 其余合并, 累计, 补齐."""
    d.say(_SLOTS[piece.tokens[0].kind], "set", None, d.span_of(piece))


def on_no_share(d: Draft, piece: Piece) -> None:
    """不看占比."""
    d.say("share", "clear", None, d.span_of(piece))
