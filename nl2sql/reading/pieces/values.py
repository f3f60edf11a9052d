"""Pieces about values: set, added, excluded, dropped, unlimited, missing, parts of names."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from nl2sql.edits import Edit, Op
from nl2sql.reading.construct import Piece
from nl2sql.reading.pieces.draft import Draft
from nl2sql.reading.tokens import Quoted, Token
from nl2sql.reading.types import Ambiguity, Sense
from nl2sql.slots import (
    Among,
    Contains,
    Filter,
    Missing,
    Span,
)
from semantic_layer.model import Layer


def on_values(d: Draft, piece: Piece) -> None:
    """张江和临港: values."""
    values(d, piece, "set")


def on_values_noun(d: Draft, piece: Piece) -> None:
    """浦东新区区: a value with the name of its own dimension."""
    wanted = {found for found, _ in d.dims_in(piece)}
    for token in piece.tokens:
        if token.kind == "entity":
            d.objects.append((token.meanings("object")[0].id, (token.start, token.end)))
    values(d, piece, "set", wanted)


def on_values_entity(d: Draft, piece: Piece) -> None:
    """新能源企业: the value; what it is a value of is named too, and asked about only where nothing else is."""
    token = piece.tokens[-1]
    span = (token.start, token.end)
    d.hinted.append((token.meanings("object")[0].id, span))
    found = d.dimension(token)
    if found is not None:
        d.weak.append((found, span, "entity"))
    values(d, piece, "set")


def on_values_add(d: Draft, piece: Piece) -> None:
    """加上人工智能: one value more."""
    values(d, piece, "add")
    d.cues.add("add")


def on_values_exclude(d: Draft, piece: Piece) -> None:
    """不含水费, 除滨江外."""
    named = {found for found, _ in d.dims_in(piece)}
    for options, span in d.value_sets(piece):
        options = tuple(item for item in options if item.field in named) or options
        negated = tuple(
            replace(item, test=replace(item.test, negated=True))
            for item in options
            if isinstance(item.test, Among)
        )
        d.say("filters", "set", negated[0], span, "exclude", negated[1:])


def on_values_drop(d: Draft, piece: Piece) -> None:
    """3号楼也去掉: one value less."""
    for options, span in d.value_sets(piece):
        d.say("filters", "remove", options[0], span, "", options[1:])


def values(d: Draft, piece: Piece, op: Op, wanted: set[str] | None = None) -> None:
    """Filters of the values in a piece; those that could be several things are kept so."""
    sets = d.value_sets(piece)
    for token in piece.tokens:
        hint(d, token)
    if any(token.kind == "or" for token in piece.tokens) and len(sets) > 1:
        d.unread.append(d.span_of(piece))
        d.cues.add("or")
        return
    either = any(token.kind == "or" for token in piece.tokens)
    if len(sets) > 1 and any(token.kind == "and" for token in piece.tokens) and mixed(d, sets):
        d.unread.append(d.span_of(piece))
        return
    for options, span in sets:
        kept = tuple(item for item in options if wanted and item.field in wanted) or options
        several = isinstance(kept[0].test, Among) and len(kept[0].test.values) > 1
        word = d.text[span[0] : span[1]]
        same = {item.field for item in kept}
        if len(kept) > 1 and len(same) == 1:
            d.ambiguities.append(
                Ambiguity(
                    "value",
                    span,
                    word,
                    tuple(Sense(_only(item), (Edit("filters", op, item, span),)) for item in kept),
                    d.more.get(span, 0),
                )
            )
            continue
        d.say("filters", op, kept[0], span, "several" if several and not either else "", kept[1:])
        if any(token.kind == "only" for token in piece.tokens):
            d.cues.add("only")


def mixed(d: Draft, sets: list[tuple[tuple[Filter, ...], Span]]) -> bool:
    """张江和上海: values of two levels side by side are neither both nor one within the other."""
    fields = [{item.field for item in options} for options, _ in sets]
    return any(
        len(one & set(levels)) == 1 and len(other & set(levels)) == 1 and one != other
        for levels in d.layer.hierarchies.values()
        for one, other in pairwise(fields)
    )


def hint(d: Draft, token: Token) -> None:
    """大型企业 names its object too."""
    word = d.text[token.start : token.end]
    for found in d.layer.objects.values():
        if token.kind == "value" and any(
            word.endswith(item.lower()) and word != item for item in found.words.all()
        ):
            d.hinted.append((found.id, (token.start, token.end)))


def on_unlimit(d: Draft, piece: Piece) -> None:
    """不限用途, 全部园区: the filter goes."""
    d.cues.add("all")
    for token in piece.tokens:
        span = (token.start, token.end)
        if token.kind in ("dimension", "entity"):
            found = d.dimension(token)
            assert found is not None
            d.say("filters", "clear", found, span, whole_of(d, token, found))
            if (
                token.kind == "entity"
            ):  # 所有租户: whom a limit no longer holds, or what is asked about
                d.hinted.append((token.meanings("object")[0].id, span))
        elif token.kind == "object":
            found = token.meanings("object")[0].id
            d.objects.append((found, span))
            for name in kinds_of(d.layer, found):
                d.say("filters", "clear", name, span, "kind")
        elif token.kind == "value":
            values(d, Piece("values", (token,), 0, 1), "set")


def whole_of(d: Draft, token: Token, dimension: str) -> str:
    """全园, 全楼 are the whole of one; 全园区 is that too where a part was asked about, else all of them."""
    if not d.text.endswith("全", 0, token.start) or dimension not in d.lexicon.holders:
        return ""
    return "below" if token.end - token.start == 1 else "below_or_all"


def kinds_of(layer: Layer, object_id: str) -> list[str]:
    """The lists that tell kinds of an object's own rows apart: 全部费用 is of every fee type."""
    found = layer.objects[object_id]
    words = found.words.all()
    return [
        name
        for name in found.dimensions
        if (dimension := layer.dimensions[name]).enum is not None
        and (
            dimension.table == found.table
            or any(label.startswith(word) for label in dimension.words.all() for word in words)
        )
    ]


def on_whole(d: Draft, piece: Piece) -> None:
    """整个园区, 园区整体: what limits it to a part of it goes."""
    for found, span in d.dims_in(piece):
        d.say("filters", "clear", found, span, "below")
    if any(token.kind == "as_one" for token in piece.tokens):
        d.cues.add("total")


def on_missing(d: Draft, piece: Piece) -> None:
    """楼栋为空: rows without a value."""
    for found, span in d.dims_in(piece):
        d.say("filters", "set", Filter(found, Missing()), span)


def on_there(d: Draft, piece: Piece) -> None:
    """楼栋不为空: rows with a value. 不为空 alone is about what was asked to be empty before."""
    found = d.dims_in(piece)
    for name, span in found:
        d.say("filters", "set", Filter(name, Missing(True)), span)
    if not found:
        d.say("filters", "set", Filter("", Missing(True)), d.span_of(piece), "there")


def on_contains(d: Draft, piece: Piece, negated: bool = False) -> None:
    """名字里有“科技”: a part of a name, literally."""
    token = piece.tokens[-1]
    assert isinstance(token.payload, Quoted)
    dims = d.dims_in(piece)
    d.say(
        "filters",
        "set",
        Filter(dims[0][0] if dims else "", Contains(token.payload.text, negated)),
        (token.start, token.end),
        "contains",
    )
    if dims:
        d.weak.append((dims[0][0], dims[0][1], "entity"))


def on_contains_not(d: Draft, piece: Piece) -> None:
    """名字里不含."""
    on_contains(d, piece, True)


def _only(item: Filter) -> str:
    return item.test.values[0] if isinstance(item.test, Among) else item.field
