"""The constructions: ways of saying something about slots, one idea each.

Patterns are over token kinds (`construct.py` names them); particles have been left out before.
DIM, VAL, MET and OBJ stand for every kind that can be one. A new way of speaking is a new line here.
"""

from __future__ import annotations

from collections.abc import Sequence

from nl2sql.numbers import Bound
from nl2sql.reading.construct import Construction, construction
from nl2sql.reading.tokens import Token


def _owner(token: Token) -> set[str]:
    return token.owners() | {item.id for item in token.meanings("dimension")}


def _apposition(tokens: Sequence[Token]) -> bool:
    """A value and the name of its own dimension: 浦东新区 区, 办公 用途."""
    return bool(_owner(tokens[0]) & _owner(tokens[-1]))


def _with_gap(tokens: Sequence[Token]) -> bool:
    """A bound with its noun inside: 3份合同以上."""
    return any(
        isinstance(token.payload, Bound) and token.payload.gap is not None for token in tokens
    )


# what is asked of the rows that were named: which they are, or how many
_ASKED = "(?: rows_end | which | have? how_many measure? | measure how_many )?"

CONSTRUCTIONS: tuple[Construction, ...] = (
    # -- grouping
    construction("dims", "each+ DIM (?: (?: and | each )* DIM)*"),
    construction("dims", "by each* DIM (?: (?: and | by | each )* DIM)*"),
    construction("dims", "each_of which* measure? DIM"),
    construction("dims", "which measure? DIM"),
    construction("dims", "DIM (?: rows_end | which )", bonus=-1),
    construction("dims_add", "again_by each* DIM (?: (?: and | by )* DIM)*"),
    construction("dims_add", "add by each* DIM (?: and DIM)*"),
    construction("dims_add", "add each+ DIM (?: and DIM)*"),
    construction("dims_clear", "undivide DIM"),
    construction("grain_clear", "(?: undivide | remove | exclude ) grain"),
    construction("by_grain", "by grain", bonus=-1),
    # -- metrics
    construction("metrics", "MET (?: and? MET)*"),
    construction("metrics", "MET (?: and? MET)+ together", bonus=1),
    construction("metrics", "MET versus MET"),
    construction("metrics_add", "add MET (?: (?: and | add )* MET)* also?", bonus=1),
    construction("metrics_add", "MET (?: and MET)* also", bonus=1),
    construction("metrics_add", "also MET (?: and MET)*", bonus=1),
    construction("metrics_add", "and MET together", bonus=1),
    construction("metrics_add", "MET (?: and MET)* add", bonus=-2),
    construction(
        "metrics_remove", "(?: remove | exclude ) MET (?: and MET)* exclude_end?", bonus=1
    ),
    construction("metrics_remove", "MET (?: and MET)* (?: remove | also_remove )", bonus=1),
    construction("metric_order", "MET (?: sort | descending | ascending )+", bonus=2),
    construction("metric_order", "by MET (?: sort | descending | ascending | rank )*", bonus=2),
    construction("metric_order", "sort by? MET (?: descending | ascending )*", bonus=2),
    construction("metric_order", "sort DIM by MET (?: descending | ascending )*", bonus=3),
    construction("attribute_order", "by? attribute (?: sort | descending | ascending )+", bonus=2),
    construction("attribute_order", "attribute rank", bonus=2),
    # -- values
    construction("values", "only? VAL (?: (?: and | or | versus ) VAL)*"),
    construction("values", "VAL (?: and? VAL)+ together", bonus=1),
    construction("whole", "whole DIM", bonus=3),
    construction("whole", "DIM as_one"),
    construction("values_noun", "only? VAL DIM", _apposition, bonus=2),
    construction("values_entity", "only? VAL (?: (?: and | or ) VAL)* entity", bonus=2),
    construction(
        "values_noun",
        "only? DIM VAL (?: (?: and | or ) VAL)*",
        lambda t: bool(_owner(t[-1]) & _owner(t[1 if t[0].kind == "only" else 0])),
        bonus=2,
    ),
    construction("values_add", "add VAL (?: (?: and | add | or ) VAL)* also?", bonus=1),
    construction("values_add", "VAL (?: and VAL)* also", bonus=1),
    construction("values_add", "also VAL", bonus=1),
    construction("values_add", "and VAL together", bonus=1),
    construction("values_add", "VAL (?: and VAL)* add", bonus=-2),
    construction(
        "values_exclude",
        "exclude VAL (?: (?: and | or | exclude ) VAL)* exclude_end? complement? DIM?",
        bonus=2,
    ),
    construction(
        "values_exclude",
        "DIM exclude VAL (?: (?: and | or ) VAL)*",
        lambda t: bool(_owner(t[0]) & _owner(t[-1])),
        bonus=3,
    ),
    construction("values_drop", "(?: also | add ) exclude VAL (?: (?: and | or ) VAL)*", bonus=4),
    construction("values_exclude", "not_have VAL", bonus=0),
    construction("values_exclude", "VAL (?: and VAL)* exclude_end", bonus=2),
    construction("values_drop", "VAL (?: and VAL)* (?: also_remove | remove )", bonus=2),
    construction("values_drop", "remove VAL (?: (?: and | remove ) VAL)* exclude_end?", bonus=2),
    construction("unlimit", "unlimit (?: DIM | object ) (?: (?: and | unlimit ) DIM)*", bonus=1),
    construction("unlimit", "DIM also? unlimit", bonus=1),
    construction("unlimit", "unlimit VAL", bonus=1),
    construction("missing", "DIM (?: is_null | unknown )", bonus=2),
    construction("there", "DIM not_null", bonus=2),
    construction("there", "not_null", bonus=-2),
    construction("missing", "not_have DIM", bonus=-2),
    construction("missing", "unknown DIM", bonus=2),
    construction("contains", "only? DIM? contains", bonus=1),
    construction("contains_not", "exclude DIM? contains", bonus=2),
    # -- numbers
    construction("having", "have? MET instead? bound", bonus=2),
    construction("having", "have? bound MET", bonus=2),
    construction("having_rows", f"have? MET bound object {_ASKED}", bonus=3),
    construction("having_rows", "how_many measure? have? MET bound object", bonus=3),
    construction("having_rows", "how_many object have? MET bound", bonus=3),
    construction("having_some_rows", f"have MET object {_ASKED}", bonus=4),
    construction("having_none_rows", f"not_have MET object {_ASKED}", bonus=4),
    construction("noun_bound", "ref_these bound", bonus=2),
    construction("condition", "have? attribute instead? bound", bonus=2),
    construction("condition", "bound attribute", bonus=2),
    construction("having_dims", "have? MET bound DIM (?: rows_end | which )?", bonus=3),
    construction("having_dims", "have? bound MET DIM (?: rows_end | which )?", bonus=3),
    construction("having_dims", "which? DIM have? MET bound", bonus=3),
    construction("condition_object", "have? attribute bound OBJ", bonus=3),
    construction("condition_object", "OBJ have? attribute bound", bonus=3),
    construction("counted", "have? bound OBJ", bonus=0),
    construction("counted", "OBJ bound", bonus=0),
    construction("counted_dims", "have? bound OBJ DIM (?: rows_end | which )?", bonus=3),
    construction("counted_dims", "which? DIM have? bound OBJ", bonus=3),
    construction("noun_bound_dims", "have? bound DIM (?: rows_end | which )?", _with_gap, bonus=3),
    construction("noun_bound", "have bound", bonus=1),
    construction("noun_bound", "bound", bonus=-1),
    construction("having_some", "have MET DIM", bonus=4),
    construction("having_some", "DIM have MET", bonus=1),
    construction("having_none", "not_have MET DIM", bonus=4),
    # -- order and ranks
    construction("rank_dims", "rank measure? unlimit? DIM (?: which | rows_end )?", bonus=4),
    construction("rank_dims", "DIM rank", bonus=1),
    construction("rank_dims", "rank measure? MET DIM", bonus=2),
    construction("rank_dims", "which measure? DIM MET? rank", bonus=0),
    construction("rank_by", "MET rank measure? DIM respectively? MET (?: and? MET)*", bonus=3),
    construction("rank", "rank"),
    construction("rank", "rank ref_this measure?", bonus=5),
    construction("rank_that", "rank ref_this measure? DIM? MET", bonus=6),
    construction("rank_dims", "rank ref_this measure? DIM", bonus=5),
    construction("sorted", "by? (?: descending | ascending ) sort?"),
    construction("sorted", "sort"),
    # -- time
    construction("time", "versus? time"),
    construction("role", "role"),
    construction("grain", "grain"),
    construction("compare", "compare"),
    construction("compare", "(?: add | have ) compare"),
    construction("compare", "compare also"),
    construction("nocompare", "nocompare"),
    construction("trend", "trend"),
    # -- counting and listing
    construction("count", "how_many measure? OBJ", bonus=1),
    construction(
        "count", "OBJ respectively? (?: have? how_many measure? | measure how_many )", bonus=1
    ),
    construction("count", "how_many measure", bonus=1),
    construction("object", "OBJ", bonus=-3),
    construction("dim", "dimension", bonus=-3),
    construction("list", "list"),
    # -- references
    construction("ref_one", "(?: ref_one | ref_this ) measure?", bonus=1),
    construction("ref_one", "ref_this measure? (?: DIM | object )", bonus=4),
    construction("ref_kind", "ref_kind", bonus=1),
    construction("ref_kind", "ref_kind (?: DIM | OBJ )", bonus=4),
    construction(
        "ref_set",
        "(?: unlimit | each )? (?: ref_set | ref_these ) (?: number | measure )*",
        bonus=1,
    ),
    construction(
        "ref_set",
        "(?: unlimit | each )? ref_these (?: number | measure )* (?: DIM | object )",
        bonus=4,
    ),
    construction("ref_others", "complement", bonus=1),
    construction("ref_others", "complement (?: DIM | object )", bonus=4),
    construction("ref_row", "ref_row", bonus=1),
    construction("ref_row", "ref_row (?: DIM | object )", bonus=4),
    # -- subjects
    construction("topic", "topic vague?"),
    construction("topic_object", "OBJ vague", bonus=2),
    construction("topic_value", "VAL vague", bonus=-2),
    # -- cues
    construction("total", "total"),
    construction("total", "as_one"),
    construction("total", "number measure? total"),
    construction("moved", "moved how_many?", bonus=-2),
    construction("no_comparison", "no_comparison"),
    construction("no_limit", "no_limit"),
    construction("flip", "flip"),
    # -- beside the metrics
    construction("beside", "(?: share | totals_row | others_row | running | fill_gaps )"),
    construction("no_share", "no_share"),
    construction("instead", "instead"),
    construction("correct", "correct+"),
    construction("switch", "switch+"),
    construction(
        "cue",
        "(?: only | now | respectively | how_many | which | rows_end | vague | also | and | have "
        "| measure | each | by | same | add | unlimit | whole | together )",
        bonus=-5,
    ),
)
