"""Pieces about numbers: conditions on metrics, attributes and counts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal

from nl2sql.edits import OF_ROWS
from nl2sql.numbers import Bound
from nl2sql.reading.construct import Piece
from nl2sql.reading.pieces.draft import Draft, interval
from nl2sql.slots import (
    Filter,
    Having,
    Interval,
    Span,
)
from semantic_layer.model import Layer, Metric


def bound_in(d: Draft, piece: Piece) -> tuple[Bound, Span]:
    """The bound of a piece, and its span."""
    token = next(item for item in piece.tokens if item.kind == "bound")
    assert isinstance(token.payload, Bound)
    return token.payload, (token.start, token.end)


# the units of attributes that a unit said can measure
_MEASURES = {
    "sqm": ("sqm",),
    "cny": ("CNY",),
    "minute": ("min", "h"),
    "hour": ("min", "h"),
    "day": ("min", "h"),
    "kwh": ("kWh",),
    "ton": ("t",),
    "m3": ("m3",),
}


def measured(layer: Layer, object_id: str, said: str | None, unit: str | None = None) -> str | None:
    """The one attribute of an object that is measured in the unit said, where the metric's own unit is
    another: 500平以上的空置房源 is about their area, not their number."""
    units = _MEASURES.get(said or "", ())
    if unit is not None and unit.partition("/")[0] in units:
        return None
    attributes = layer.objects[object_id].attributes.values()
    found = [item.id for item in attributes if item.unit in units]
    return found[0] if len(found) == 1 else None


def suits(bound: Bound, metric: Metric) -> bool:
    """Whether a number can be one of a metric: not 3个月 of 欠费, nor 10% of it."""
    if bound.percent:
        return metric.percent
    if bound.unit in ("month", "year"):
        return False
    return (
        bound.unit not in _MEASURES
        or (metric.unit or "").partition("/")[0] in _MEASURES[bound.unit]
    )


def on_measured(d: Draft, object_id: str, name: str, bound: Bound, span: Span) -> None:
    """A condition on single rows, by the unit that was said."""
    unit = d.layer.objects[object_id].attributes[name].unit
    d.say("filters", "set", Filter(name, interval(bound, False, unit)), span, "attribute")


def on_having(d: Draft, piece: Piece) -> None:
    """收缴率低于90%: a condition on a metric."""
    bound, at = bound_in(d, piece)
    found, span = d.metric_ids(piece)[0]
    metric = d.layer.metrics[found]
    attribute = measured(d.layer, metric.object, bound.unit, metric.unit)
    if attribute is not None:
        on_measured(d, metric.object, attribute, bound, d.span_of(piece))
        d.metrics.append((found, span))
        return
    if not suits(bound, metric):
        d.unread.append(at)
        return
    d.say(
        "having",
        "set",
        Having(found, interval(bound, metric.percent, metric.unit)),
        d.span_of(piece),
    )
    d.metrics.append((found, span))


def on_having_rows(d: Draft, piece: Piece) -> None:
    """应收超过5万的账单有哪些: of single rows (see `rows.single_rows`)."""
    of_rows(d, piece, on_having)


def on_having_some_rows(d: Draft, piece: Piece) -> None:
    """有欠费的账单: single rows of which it is more than nothing."""
    of_rows(d, piece, on_having_some)


def on_having_none_rows(d: Draft, piece: Piece) -> None:
    """没有欠费的账单: single rows of which it is nothing, or less."""
    of_rows(d, piece, on_having_none)


def of_rows(d: Draft, piece: Piece, condition: Callable[[Draft, Piece], None]) -> None:
    """A condition on a metric that is said of single rows, which may be counted."""
    token = next(item for item in piece.tokens if item.kind == "object")
    owner, span = token.meanings("object")[0].id, (token.start, token.end)
    d.cues |= {item.kind for item in piece.tokens if item.kind in ("rows_end", "which")}
    d.objects.append((owner, span))
    before = len(d.edits)
    condition(d, piece)
    d.edits[before:] = [
        replace(edit, note=OF_ROWS + owner) if edit.slot == "having" else edit
        for edit in d.edits[before:]
    ]
    if any(item.kind == "how_many" for item in piece.tokens):
        d.cues.add("count")
        d.counted.append((owner, span))


def on_having_dims(d: Draft, piece: Piece) -> None:
    """欠费超过5万的租户: a condition on a metric, and whose it is."""
    on_having(d, piece)
    which(d, piece)


def which(d: Draft, piece: Piece) -> None:
    """The dimension of a relative clause is what is asked for: 欠费超过5万的租户."""
    d.cues.add("clause")
    if any(token.kind in ("which", "rows_end") for token in piece.tokens):
        d.cues.add("which")
    for found, span in d.dims_in(piece)[-1:]:
        d.dims.append((found, span, "which"))


def on_condition_object(d: Draft, piece: Piece) -> None:
    """面积大于500的房间: a condition on single rows."""
    on_condition(d, piece)
    token = next(item for item in piece.tokens if item.kind in ("object", "entity"))
    d.objects.append((token.meanings("object")[0].id, (token.start, token.end)))


def on_counted_dims(d: Draft, piece: Piece) -> None:
    """有3份合同的租户: so many of an object each."""
    bound, _ = bound_in(d, piece)
    at = next(index for index, item in enumerate(piece.tokens) if item.kind == "bound")
    token = next(item for item in piece.tokens[at:] if item.kind in ("object", "entity"))
    count_having(d, token.meanings("object")[0].id, bound, d.span_of(piece))
    named = [(found, span) for found, span in d.dims_in(piece) if span != (token.start, token.end)]
    d.cues.add("clause")
    for found, span in named[-1:]:
        d.dims.append((found, span, "which"))


def on_noun_bound_dims(d: Draft, piece: Piece) -> None:
    """有3份合同以上的租户: the object stands inside the bound."""
    on_noun_bound(
        d,
        Piece("noun_bound", tuple(token for token in piece.tokens if token.kind == "bound"), 0, 1),
    )
    which(d, piece)


def on_condition(d: Draft, piece: Piece) -> None:
    """面积500平以上: a condition on an attribute."""
    bound, _ = bound_in(d, piece)
    token = next(item for item in piece.tokens if item.kind == "attribute")
    options = tuple(
        Filter(
            item.id, interval(bound, False, d.layer.objects[item.owner].attributes[item.id].unit)
        )
        for item in token.meanings("attribute")
    )
    d.say("filters", "set", options[0], d.span_of(piece), "attribute", options[1:])
    d.objects += [
        (item.owner, (token.start, token.end)) for item in token.meanings("attribute")[:1]
    ]


def on_counted(d: Draft, piece: Piece) -> None:
    """A number of an object: so many contracts, or bills over an amount."""
    bound, _ = bound_in(d, piece)
    token = next(item for item in piece.tokens if item.kind in ("object", "entity"))
    found = d.layer.objects[token.meanings("object")[0].id]
    span = d.span_of(piece)
    main = next((item for item in found.attributes.values() if item.main), None)
    at = next(item for item in piece.tokens if item.kind == "bound")
    amount = (
        main is not None
        and bound.unit in (None, "cny")
        and (token.start < at.start or "的" in d.text[at.end : token.start])
    )  # 账单超过5万, 超过5万的账单; not 超过5个账单
    attribute = measured(d.layer, found.id, bound.unit)
    if attribute is not None:
        on_measured(d, found.id, attribute, bound, span)
        d.objects.append((found.id, (token.start, token.end)))
    elif amount and main is not None:
        d.say("filters", "set", Filter(main.id, interval(bound, False)), span, "attribute")
        d.objects.append((found.id, span))
    else:
        count_having(d, found.id, bound, span)


def count_having(d: Draft, object_id: str, bound: Bound, span: Span) -> None:
    """So many of an object."""
    metric = d.layer.objects[object_id].default_metric
    if metric is None or not suits(bound, d.layer.metrics[metric]):
        d.unread.append(span)  # 空置超过90天的房源: no number of units
        return
    d.say("having", "set", Having(metric, interval(bound, False)), span)
    d.metrics.append((metric, span))


def on_noun_bound(d: Draft, piece: Piece) -> None:
    """A bound whose object stands inside, or by itself."""
    bound, span = bound_in(d, piece)
    if bound.gap is not None:
        word = d.text[bound.gap[0] : bound.gap[1]].strip()
        for meaning in d.lexicon.table.get(word, ()):
            if meaning.kind == "object":
                count_having(d, meaning.id, bound, span)
                return
    d.bounds.append((bound, span))


def on_having_some(d: Draft, piece: Piece) -> None:
    """有欠费的租户: more than nothing."""
    found, span = d.metric_ids(piece)[0]
    d.say("having", "set", Having(found, Interval(Decimal(0), False)), d.span_of(piece))
    d.metrics.append((found, span))
    for dim, where in d.dims_in(piece):
        d.dims.append((dim, where, "which"))


def on_having_none(d: Draft, piece: Piece) -> None:
    """没有欠费的租户: nothing, or less."""
    found, span = d.metric_ids(piece)[0]
    d.say(
        "having",
        "set",
        Having(found, Interval(None, True, Decimal(0), True)),
        d.span_of(piece),
    )
    d.metrics.append((found, span))
    for dim, where in d.dims_in(piece):
        d.dims.append((dim, where, "which"))
