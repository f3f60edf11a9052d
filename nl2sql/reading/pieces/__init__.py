"""What each construction builds: a function a piece, by theme; then what they mean together."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from nl2sql.reading.construct import Piece, best_pieces
from nl2sql.reading.constructions import CONSTRUCTIONS
from nl2sql.reading.pieces import beside, bounds, finish, grouping, periods, subjects, values
from nl2sql.reading.pieces.draft import Draft
from nl2sql.reading.pieces.spoken import spoken
from nl2sql.reading.tokens import Token

__all__ = ["HANDLERS", "Draft", "take"]

HANDLERS: Mapping[str, Callable[[Draft, Piece], None]] = {
    "dims": grouping.on_dims,
    "dims_add": grouping.on_dims_add,
    "dims_clear": grouping.on_dims_clear,
    "grain_clear": grouping.on_grain_clear,
    "metrics": grouping.on_metrics,
    "metrics_add": grouping.on_metrics_add,
    "metrics_remove": grouping.on_metrics_remove,
    "metric_order": grouping.on_metric_order,
    "attribute_order": grouping.on_attribute_order,
    "values": values.on_values,
    "values_noun": values.on_values_noun,
    "values_entity": values.on_values_entity,
    "values_add": values.on_values_add,
    "values_exclude": values.on_values_exclude,
    "values_drop": values.on_values_drop,
    "unlimit": values.on_unlimit,
    "whole": values.on_whole,
    "missing": values.on_missing,
    "there": values.on_there,
    "contains": values.on_contains,
    "contains_not": values.on_contains_not,
    "having": bounds.on_having,
    "having_rows": bounds.on_having_rows,
    "having_some_rows": bounds.on_having_some_rows,
    "having_none_rows": bounds.on_having_none_rows,
    "having_dims": bounds.on_having_dims,
    "condition_object": bounds.on_condition_object,
    "counted_dims": bounds.on_counted_dims,
    "noun_bound_dims": bounds.on_noun_bound_dims,
    "condition": bounds.on_condition,
    "counted": bounds.on_counted,
    "noun_bound": bounds.on_noun_bound,
    "having_some": bounds.on_having_some,
    "having_none": bounds.on_having_none,
    "rank_dims": periods.on_rank_dims,
    "rank_by": periods.on_rank_by,
    "rank": periods.on_rank,
    "rank_that": periods.on_rank_that,
    "sorted": periods.on_sorted,
    "time": periods.on_time,
    "role": periods.on_role,
    "grain": periods.on_grain,
    "by_grain": periods.on_by_grain,
    "compare": periods.on_compare,
    "nocompare": periods.on_nocompare,
    "trend": periods.on_trend,
    "count": subjects.on_count,
    "object": subjects.on_object,
    "dim": subjects.on_dim,
    "list": subjects.on_list,
    "topic": subjects.on_topic,
    "topic_object": subjects.on_topic_object,
    "topic_value": subjects.on_topic_value,
    "ref_one": subjects.on_ref_one,
    "ref_kind": subjects.on_ref_kind,
    "ref_set": subjects.on_ref_set,
    "ref_others": subjects.on_ref_others,
    "ref_row": subjects.on_ref_row,
    "total": subjects.on_total,
    "instead": subjects.on_instead,
    "correct": subjects.on_correct,
    "switch": subjects.on_switch,
    "cue": subjects.on_cue,
    "moved": subjects.on_moved,
    "no_comparison": subjects.on_no_comparison,
    "no_limit": subjects.on_no_limit,
    "flip": subjects.on_flip,
    "beside": beside.on_beside,
    "no_share": beside.on_no_share,
}


def take(draft: Draft, tokens: Sequence[Token]) -> None:
    """Read a question's tokens into a draft: the best pieces, each built, then all of them together."""
    subjects.did(draft, tokens)
    tokens = subjects.whether(draft, tokens)
    said = spoken([token for token in tokens if token.kind not in ("filler", "did")], draft.text)
    settled = draft.settle(said)
    pieces, loose = best_pieces(settled, CONSTRUCTIONS)
    for token in loose:
        draft.loose(token)
    for piece in pieces:
        HANDLERS[piece.name](draft, piece)
    finish.finish(draft)
