"""Natural order, as terms of a statement: 2号楼 before 10号楼, what has no value last."""

from __future__ import annotations

from sqlglot import exp

from nl2sql.slots import BUCKET
from semantic_layer.model import Layer

__all__ = ["BUCKET", "in_order", "natural"]


def natural(layer: Layer, name: str, down: bool = False) -> list[exp.Ordered]:
    """The terms to order a column by; numbered values by length first."""
    dimension = None if name == BUCKET else layer.dimensions.get(name)
    terms: list[exp.Expr] = [exp.column(name)]
    if dimension is not None and dimension.pattern is not None and dimension.type == "text":
        terms.insert(0, exp.Length(this=exp.column(name)))
    return [in_order(term, down) for term in terms]


def in_order(value: exp.Expr, down: bool = False) -> exp.Ordered:
    """One term, with what has no value last."""
    return exp.Ordered(this=value, desc=down, nulls_first=False)
