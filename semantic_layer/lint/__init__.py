"""Lint: what a layer that loads leaves unsaid, and whether a database holds what the layer says."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from semantic_layer.errors import Issue
from semantic_layer.lint.dates import check_dates
from semantic_layer.lint.joins import check_joins, check_keys
from semantic_layer.lint.moments import check_epochs
from semantic_layer.lint.parents import check_parents
from semantic_layer.lint.report import Report
from semantic_layer.lint.stored import Stored, find_stored
from semantic_layer.lint.unsaid import check_unsaid
from semantic_layer.lint.values import check_aliases, check_enums, check_labels
from semantic_layer.model import Layer
from semantic_layer.protocols import Warehouse
from semantic_layer.yamldoc import Document

__all__ = ["CHECKS", "lint"]

CHECKS: tuple[Callable[[Stored, Report], None], ...] = (
    check_keys,
    check_joins,
    check_enums,
    check_aliases,
    check_labels,
    check_parents,
    check_dates,
    check_epochs,
)


def lint(
    layer: Layer, documents: Sequence[Document], warehouse: Warehouse | None = None
) -> tuple[Issue, ...]:
    """Everything found in a layer, in the order of its files (`load.documents`).

    Without a warehouse only what the layer itself leaves unsaid. Tables and columns that are not
    there as declared are told once, and left out of all further checks.
    """
    report = Report(tuple(documents))
    check_unsaid(layer, report)
    if warehouse is not None:
        stored = find_stored(layer, warehouse, report)
        for check in CHECKS:
            check(stored, report)
    return report.in_order()
