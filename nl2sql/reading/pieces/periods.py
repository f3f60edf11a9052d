"""Pieces about time, order and ranks."""

from __future__ import annotations

import re

from nl2sql.edits import TimeMention
from nl2sql.reading.construct import Piece
from nl2sql.reading.pieces.draft import Draft
from nl2sql.reading.tokens import Rank
from nl2sql.slots import (
    Comparison,
    Order,
)
from nl2sql.times import CompareMatch, GrainMatch, TimeMatch
from nl2sql.times.model import Several as Times


def on_rank_dims(d: Draft, piece: Piece) -> None:
    """最大的3栋楼: ranks, and what is ranked."""
    token = next(item for item in piece.tokens if item.kind == "rank")
    assert isinstance(token.payload, Rank)
    d.rank(token, frozenset(found for found, _ in d.dims_in(piece)))
    d.metrics += d.metric_ids(piece)
    for found, span in d.dims_in(piece):
        d.dims.append((found, span, "rank"))


def on_rank_by(d: Draft, piece: Piece) -> None:
    """收入最高的医院的医生数: ranked by one metric, asked for another."""
    token = next(item for item in piece.tokens if item.kind == "rank")
    assert isinstance(token.payload, Rank)
    by, *asked = d.metric_ids(piece)
    d.rank(token)
    d.metrics += asked
    down = token.payload.descending is not False
    if token.payload.judged and d.layer.metrics[by[0]].better == "lower":
        down = not down
    d.say("order", "set", Order(by[0], down), by[1], "ranked")
    for found, span in d.dims_in(piece):
        d.dims.append((found, span, "rank"))


def on_rank(d: Draft, piece: Piece) -> None:
    """前3, 最高的: ranks alone."""
    token = piece.tokens[0]
    assert isinstance(token.payload, Rank)
    d.rank(token)


def on_rank_that(d: Draft, piece: Piece) -> None:
    """最多的那栋的满意度: ranked by what was shown, asked for another metric."""
    on_rank(d, piece)
    d.metrics += d.metric_ids(piece)
    for found, span in d.dims_in(piece):
        d.dims.append((found, span, "rank"))
    d.cues.add("that")


def on_sorted(d: Draft, piece: Piece) -> None:
    """从高到低: an order alone."""
    down = not any(token.kind == "ascending" for token in piece.tokens)
    d.say("order", "set", Order(None, down), d.span_of(piece))


def on_time(d: Draft, piece: Piece) -> None:
    """8月: a period."""
    token = piece.tokens[-1]
    assert isinstance(token.payload, TimeMatch)
    words = d.text[token.start : token.end]
    expr = token.payload.expr
    if isinstance(expr, Times) and len(expr.items) == 2 and _WEIGHING.search(words):
        at = _WEIGHING.search(words)
        assert at is not None
        for item, part, note in (
            (expr.items[0], words[: at.start()], ""),
            (expr.items[1], words[at.end() :], "against"),
        ):
            d.say("time", "set", TimeMention(part.strip(), item), (token.start, token.end), note)
        return
    against = _BEFORE.search(d.text, 0, token.start) or _AFTER.match(d.text, token.end)
    d.say(
        "time",
        "set",
        TimeMention(words, expr),
        (token.start, token.end),
        "against" if against else "",
    )


_WEIGHING = re.compile(r"\bcompared (?:to|with)\b|\bagainst\b")
# 跟7月比, 对比7月, 较7月, vs July, than in July: a period to compare with
_BEFORE = re.compile(
    r"(?:对比|相比于?|相比较?于?|相较于?|较之?|比起|比|\bvs\.?|\bversus|\bthan(?: in)?"
    r"|\bcompar(?:ed?|ing) (?:it |that |this |them )?(?:to|with)|\bin comparison (?:to|with)"
    r"|\bagainst|\brelative to)\s*(?:the\s*)?$"
)
_AFTER = re.compile(r"\s*(?:份|的)?(?:相比较?|对比|比较|作?比|做?比|相差|差(?:多少|几|了))")


def on_role(d: Draft, piece: Piece) -> None:
    """起租的: which date is meant."""
    token = piece.tokens[0]
    options = token.meanings("role")
    d.say("role", "set", options[0].id, (token.start, token.end), options[0].owner)


def on_grain(d: Draft, piece: Piece) -> None:
    """按月: shown by a unit of time."""
    token = next(item for item in piece.tokens if item.kind == "grain")
    assert isinstance(token.payload, GrainMatch)
    d.say("grain", "set", token.payload.grain, (token.start, token.end))


def on_by_grain(d: Draft, piece: Piece) -> None:
    """按 + a unit of time."""
    on_grain(d, piece)


def on_compare(d: Draft, piece: Piece) -> None:
    """同比, 带环比: a comparison."""
    token = next(item for item in piece.tokens if item.kind == "compare")
    assert isinstance(token.payload, CompareMatch)
    d.say(
        "comparison",
        "set",
        Comparison(token.payload.kind, token.payload.full),
        (token.start, token.end),
        token.payload.unit or "",
    )


def on_nocompare(d: Draft, piece: Piece) -> None:
    """不用对比: no comparison."""
    d.say("comparison", "clear", None, d.span_of(piece))


def on_trend(d: Draft, piece: Piece) -> None:
    """走势: by month, twelve of them where no period is said."""
    if (
        any(edit.slot == "comparison" for edit in d.edits)
        and "变化" in d.text[slice(*d.span_of(piece))]
    ):
        return  # 环比变化 is the change of a comparison
    d.say("grain", "set", "month", d.span_of(piece), "trend")
    d.cues.add("trend")
