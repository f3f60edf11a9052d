"""Times in a question: scanned, resolved against a clock, compared, cut into buckets."""

from nl2sql.times.arith import add, bucket
from nl2sql.times.compare import (
    buckets,
    comparison_base,
    same_part,
    shift_range,
    united,
    whole_buckets,
)
from nl2sql.times.model import (
    Calendar,
    CompareMatch,
    Grain,
    GrainMatch,
    Kind,
    Look,
    Match,
    NoCompareMatch,
    Range,
    Resolved,
    TimeExpr,
    TimeMatch,
)
from nl2sql.times.resolve import UnknownTimeError, resolve
from nl2sql.times.scanner import scan

__all__ = [
    "Calendar",
    "CompareMatch",
    "Grain",
    "GrainMatch",
    "Kind",
    "Look",
    "Match",
    "NoCompareMatch",
    "Range",
    "Resolved",
    "TimeExpr",
    "TimeMatch",
    "UnknownTimeError",
    "add",
    "bucket",
    "buckets",
    "comparison_base",
    "resolve",
    "same_part",
    "scan",
    "shift_range",
    "united",
    "whole_buckets",
]
