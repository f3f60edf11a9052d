"""Single rows that are told apart by what a metric is of each: 欠费超过1万的账单, 欠费最多的10张账单."""

from __future__ import annotations

from dataclasses import replace

from nl2sql.definition import attribute_of, on_rows
from nl2sql.edits import OF_ROWS, Edit
from nl2sql.reading.pieces.draft import Draft
from nl2sql.slots import Having, Limit, Order, Span
from semantic_layer.text import fold

_ASKED = frozenset({"list", "rows_end", "which", "count", "how_many"})


def single_rows(d: Draft) -> None:
    """Conditions and ranks on a metric, where the rows of its object are what is asked about.

    A condition said right before its object is on the rows (账单 of which …) whatever else is said. One
    that none of the rows can meet keeps its note: there is no such list.
    """
    named = things(d)
    for edit in [item for item in d.edits if isinstance(item.value, Having) and item.op == "set"]:
        assert isinstance(edit.value, Having)
        owner = edit.note.removeprefix(OF_ROWS) if edit.note.startswith(OF_ROWS) else ""
        metric = d.layer.metrics.get(edit.value.metric)
        if metric is None:
            continue
        if not owner and (metric.object not in named or grouped(d)):
            continue
        found = on_rows(d.layer, owner or metric.object, edit.value)
        if found:
            at = d.edits.index(edit)
            d.edits[at : at + 1] = [
                Edit("filters", "set", item, edit.span, 1.0, "attribute") for item in found
            ]
            d.metrics = [item for item in d.metrics if not inside(item[1], edit.span)]
        elif not owner and d.cues & _ASKED:
            d.edits[d.edits.index(edit)] = replace(edit, note=OF_ROWS + metric.object)
    if len(named) == 1:
        ranked(d, *named)


def things(d: Draft) -> tuple[str, ...]:
    """The objects that are named as what is asked about, and are no dimension of another."""
    dims = {span for _, span, _ in d.weak}
    return tuple(
        dict.fromkeys(
            name
            for name, (start, end) in d.objects
            if (start, end) not in dims
            and d.text[start:end].strip() in map(fold, d.layer.objects[name].words.all())
        )
    )


def grouped(d: Draft) -> bool:
    """Whether what is said is of groups, or of one number that yes or no answers."""
    parts = any(edit.slot in ("dimensions", "grain") for edit in d.edits)
    return bool(d.dims or parts or d.limit or d.cues & {"whether", "who"})


def inside(span: Span, other: Span) -> bool:
    """Whether a stretch lies within another."""
    return other[0] <= span[0] and span[1] <= other[1]


def ranked(d: Draft, owner: str) -> None:
    """欠费最多的10张账单: so many rows, in the order of what the metric is of each. A metric with a
    condition of its own is ranked among those that meet it."""
    names = {name for name, _ in d.metrics}
    if d.limit is None or not d.limit[0].counted or len(names) != 1 or d.cues & _ASKED - {"list"}:
        return
    if d.dims or d.weak or any(edit.slot in ("dimensions", "grain", "order") for edit in d.edits):
        return
    (metric,) = names
    attribute = attribute_of(d.layer, owner, metric)
    if attribute is None or d.layer.metrics[metric].where is not None:
        return
    rank, span = d.limit
    down = rank.descending is not False
    if rank.judged and d.layer.metrics[metric].better == "lower":
        down = not down
    d.say("order", "set", Order(attribute, down), span)
    d.say("limit", "set", Limit(rank.last, rank.first), span, "named")
    d.limit, d.metrics = None, []
    d.cues.add("rows")
