"""Pieces about objects, subjects, references and cues."""

from __future__ import annotations

import re
from collections.abc import Sequence

from nl2sql.edits import Edit, Reference, RefersTo
from nl2sql.reading.construct import Piece
from nl2sql.reading.pieces.draft import Draft
from nl2sql.reading.pieces.values import values
from nl2sql.reading.pointers import ONES
from nl2sql.reading.ranks import number
from nl2sql.reading.tokens import RowNumber, Token
from nl2sql.reading.types import Ambiguity, Sense
from nl2sql.slots import (
    Span,
)

_LEFT_OUT = re.compile("的(?:一共|总共|合计|共|又|还|都|各|分别)*(?:[有是占呢几]|多少|$)")


def left_out(d: Draft, span: Span) -> bool:
    """大型企业的有多少: of what was asked about before, those of large companies; not how many of these."""
    return _LEFT_OUT.match(d.text, span[1]) is not None


def on_count(d: Draft, piece: Piece) -> None:
    """有多少套房源, 几份合同: an object is counted."""
    first = piece.tokens[0]
    if first.kind == "entity" and piece.start and left_out(d, (first.start, first.end)):
        d.hinted.append((first.meanings("object")[0].id, (first.start, first.end)))
        d.cues.add("how_many")
        return
    d.cues.add("count")
    for token in piece.tokens:
        if token.kind in ("object", "entity", "object_value"):
            d.objects.append((token.meanings("object")[0].id, (token.start, token.end)))
            if token.kind == "object":
                d.counted.append((token.meanings("object")[0].id, (token.start, token.end)))
            if token.kind == "entity":
                found = d.dimension(token)
                if found is not None:
                    d.weak.append((found, (token.start, token.end), "counted"))
        elif token.kind == "measure":
            for meaning in token.meanings("measure")[:1]:
                d.cues.add(f"measure:{meaning.id}")
        elif token.kind == "how_many":
            unit_of(d, token)


def on_object(d: Draft, piece: Piece) -> None:
    """An object is named."""
    token = piece.tokens[0]
    span = (token.start, token.end)
    d.objects.append((token.meanings("object")[0].id, span))
    found = d.dimension(token)
    if found is not None and not _WITHIN.match(d.text, token.end):
        d.weak.append((found, span, "entity"))
    if token.meanings("topic"):
        d.cues.add("topic_word")


def on_dim(d: Draft, piece: Piece) -> None:
    """A dimension is named by itself."""
    token = piece.tokens[0]
    found = d.dimension(token)
    if found is not None and not _WITHIN.match(d.text, token.end):
        d.weak.append((found, (token.start, token.end), "dimension"))


# 园区里有多少套空房 is about all of them, not about each
_WITHIN = re.compile("里面|里头|里边|[里内中]")


def on_list(d: Draft, piece: Piece) -> None:
    """列出, 明细: rows are asked for."""
    d.cues.add("list")


def on_topic(d: Draft, piece: Piece) -> None:
    """收费情况: a subject without a metric."""
    token = piece.tokens[0]
    topic = d.layer.topics[token.meanings("topic")[0].id]
    subject(d, topic.metrics, (token.start, token.end), topic.id)


def on_topic_object(d: Draft, piece: Piece) -> None:
    """工单情况怎么样: an object as a subject."""
    token = piece.tokens[0]
    found = d.layer.objects[token.meanings("object")[0].id]
    subject(
        d,
        tuple(name for name in found.metrics if not d.layer.metrics[name].hidden)[:7],
        (token.start, token.end),
        found.id,
    )


def on_topic_value(d: Draft, piece: Piece) -> None:
    """水的情况: a value as a subject."""
    values(d, Piece("values", (piece.tokens[0],), 0, 1), "set")
    d.cues.add("vague")


def subject(d: Draft, metrics: Sequence[str], span: Span, topic: str) -> None:
    """A subject that any of these metrics could answer."""
    word = d.text[span[0] : span[1]]
    choices = tuple(Sense(name, (Edit("metrics", "set", (name,), span),)) for name in metrics)
    d.ambiguities.append(Ambiguity("metric", span, topic or word, choices))


def on_ref_one(d: Draft, piece: Piece) -> None:
    """它, 该租户: one thing."""
    reference(d, "one", piece, 0)


def on_ref_kind(d: Draft, piece: Piece) -> None:
    """这类, 这类工单: one of the kinds there are; of what it is a kind says no more."""
    *before, noun = piece.tokens
    if before and noun.kind != "dimension" and not _OF.search(d.text[before[-1].end : noun.start]):
        piece = Piece(piece.name, tuple(before), piece.start, piece.end - 1)
    named = piece.tokens[-1].kind == "dimension"
    reference(d, "one" if named else "kind", piece, 0)


def on_ref_set(d: Draft, piece: Piece) -> None:
    """它们, 这些租户: the rows of the last result."""
    start, end = d.span_of(piece)
    told = _THESE.match(d.text, start)  # what follows may belong to 一共: 这五个一共
    reference(d, "set", piece, how_many(d.text[start : end if told is None else told.end()]))
    if any(token.kind == "each" for token in piece.tokens):
        d.cues.add("each_member")
    elif _WITHIN_THEM.match(d.text, piece.tokens[0].start):
        d.cues.add("within")


_THESE = re.compile(rf"[这那][\d一二两三四五六七八九十]{{1,4}}{ONES}")
_HOW_MANY = re.compile(
    r"\d{1,3}|[一二三四五六七八九十]{1,3}|[两俩仨]|\b(?:both|two|three|four|five)\b"
)
_PAIRS = {"俩": 2, "仨": 3, "both": 2}


def how_many(text: str) -> int:
    """How many a pointer says it points at; 0 where it does not say.

    >>> how_many("这两家"), how_many("它俩"), how_many("those five"), how_many("它们")
    (2, 2, 5, 0)
    """
    match = _HOW_MANY.search(text)
    return 0 if match is None else _PAIRS.get(match.group()) or number(match.group())


_WITHIN_THEM = re.compile("其中|among |of ")


def on_ref_others(d: Draft, piece: Piece) -> None:
    """其他的, 其余园区: all but those."""
    reference(d, "others", piece, 0)


def on_ref_row(d: Draft, piece: Piece) -> None:
    """第二个: a row of the last result."""
    token = piece.tokens[0]
    assert isinstance(token.payload, RowNumber)
    reference(d, "row", piece, token.payload.index)


def reference(d: Draft, kind: RefersTo, piece: Piece, index: int) -> None:
    """Keep a reference, with what narrows it: 第二个合同, but not 第二个的合同, which asks for contracts."""
    *before, noun = piece.tokens
    if before and noun.kind in ("object", "entity", "dimension"):
        if _OF.search(d.text[before[-1].end : noun.start]):
            piece = Piece(piece.name, tuple(before), piece.start, piece.end - 1)
            own = Piece("object", (noun,), piece.end, piece.end + 1)
            (on_dim if noun.kind == "dimension" else on_object)(d, own)
    dims = d.dims_in(piece)
    objects = [token.meanings("object")[0].id for token in piece.tokens if token.kind == "object"]
    d.references.append(
        Reference(
            kind,
            d.span_of(piece),
            index,
            dims[0][0] if dims else None,
            objects[0] if objects else None,
        )
    )


_OF = re.compile("的|'s")


def on_total(d: Draft, piece: Piece) -> None:
    """合计, 一共; 两个一共 is of those two."""
    d.cues.add("total")
    total = piece.tokens[-1]
    told = _SO_MANY.search(d.text, 0, total.start)
    if told is not None:
        d.together = (how_many(told.group()), told.span())
    elif len(piece.tokens) > 1 and not _ONES_OF.fullmatch(
        d.text, piece.tokens[0].start, total.start
    ):
        d.unread.append((piece.tokens[0].start, total.start))  # 两个月一共: of which?


_ONES_OF = re.compile(rf"[\d一二两三四五六七八九十]{{1,3}}\s*{ONES}?[\s的]*")
_SO_MANY = re.compile(
    rf"(?<![这那它他她们前后第])(?:[\d一二两三四五六七八九十]{{1,3}}{ONES}|[俩仨])(?:加|\s)*$"
)


def on_instead(d: Draft, piece: Piece) -> None:
    """换成, 改成."""
    d.cues.add("instead")


def on_correct(d: Draft, piece: Piece) -> None:
    """不对，我要的是."""
    d.cues.add("correct")


def on_switch(d: Draft, piece: Piece) -> None:
    """算了, 另外, never mind."""
    d.cues.add("switch")
    for token in piece.tokens:
        if d.text[token.start : token.end].strip() in ("另外", "by the way", "btw"):
            d.cues.add("besides")
        else:
            d.cues.add("hard_switch")


_KINDS = ("类型", "品类", "类目", "type", "types", "kind", "kinds", "sort")


def on_cue(d: Draft, piece: Piece) -> None:
    """A word that says something about the turn as a whole."""
    token = piece.tokens[0]
    d.cues.add(token.kind)
    if token.kind == "unlimit" and d.text.startswith("不限", token.start):
        d.unread.append((token.start, token.end))  # what of?
    if token.kind == "how_many":
        unit_of(d, token)
    if token.kind == "which":
        word = d.text[token.start : token.end].strip()
        d.which = "类" if word.endswith(_KINDS) else word[-1:]
    if token.kind == "which" and d.text[token.start : token.end].strip() in ("谁", "who", "whose"):
        d.cues.add("who")


_EACH_ONE = re.compile(r"\s*(?:个|家|栋|间|套|份|笔|座|位|名|种|类|层)")
_NUMBER_OF = frozenset({"几", "几多", "how many", "number of", "count of", "what number of"})


def unit_of(d: Draft, token: Token) -> None:
    """多少平, 多少钱: the unit that the answer must have; 几个, 多少家: a number of things."""
    word = d.text[token.start : token.end].strip()
    if word in _NUMBER_OF or _EACH_ONE.match(d.text, token.end):
        d.cues.add("number_of")
    unit = next((unit for end, unit in _UNITS.items() if word.endswith(end)), None)
    if unit is not None:
        d.cues.add(f"unit:{unit}")


_UNITS = {
    "平": "sqm",
    "面积": "sqm",
    "平方": "sqm",
    "area": "sqm",
    "sqm": "sqm",
    "square meters": "sqm",
    "square metres": "sqm",
    "平米": "sqm",
    "平方米": "sqm",
    "钱": "CNY",
    "元": "CNY",
    "度": "kWh",
    "吨": "t",
}


def on_moved(d: Draft, piece: Piece) -> None:
    """同比增长多少: the change is shown beside; without a comparison it is not understood."""
    span = d.span_of(piece)
    told = any(token.kind == "how_many" for token in piece.tokens)
    if not told and (d.text.startswith("的", span[1]) or d.cues & {"which", "rows_end"}):
        d.unread.append(span)  # 同比下降的园区: a condition, not just a comparison
        return
    d.moved.append(span)


def did(d: Draft, tokens: Sequence[Token]) -> None:
    """欠了, 花了: what was done, which needs a metric that it was done to."""
    d.cues |= {f"did:{d.text[token.start]}" for token in tokens if token.kind == "did"}


_ASKS = re.compile(r"(?:is|are|was|were|did|does|do|has|have|had)\b")


def whether(d: Draft, tokens: Sequence[Token]) -> list[Token]:
    """到90%了吗, 超过90%没有, did it reach 90%: a question that yes or no answers, besides the number."""
    kept = [
        token
        for index, token in enumerate(tokens)
        if token.kind != "whether"
        and [item.kind for item in tokens[index : index + 2]] != ["each_of", "bound"]
    ]  # 都在30%以内吗
    last = [token.kind for token in kept if token.kind != "filler"][-2:]
    if last == ["bound", "not_have"]:
        kept = [token for token in kept if token.kind != "not_have"]
        d.cues.add("whether")
    if any(token.kind == "whether" for token in tokens) or _ASKS.match(d.text):
        d.cues.add("whether")
    return kept


def on_no_comparison(d: Draft, piece: Piece) -> None:
    """去掉对比."""
    d.say("comparison", "clear", None, d.span_of(piece))


def on_no_limit(d: Draft, piece: Piece) -> None:
    """全部显示: no ranks any more."""
    d.say("limit", "clear", None, d.span_of(piece))


def on_flip(d: Draft, piece: Piece) -> None:
    """倒过来 says little by itself: it must come with an order, else it is not understood."""
    d.flips.append(d.span_of(piece))
