"""What a layer leaves unsaid or unused; no database is needed to see it."""

from __future__ import annotations

from semantic_layer.lint.report import Report
from semantic_layer.model import Layer


def check_unsaid(layer: Layer, report: Report) -> None:
    """Metrics that people can ask for and nobody described; dimensions that no object has."""
    for metric in layer.metrics.values():
        if not metric.hidden and not (metric.description.zh or metric.description.en):
            report.report(
                ("objects", metric.object, "metrics", metric.id),
                "metric-without-description",
                f"`{metric.id}` says nowhere what it means",
                "people ask 怎么算: describe it in a sentence",
                "warning",
            )
    used = {name for found in layer.objects.values() for name in found.dimensions}
    parents = {name for dimension in used for name in layer.path(dimension)}
    for name in layer.dimensions:
        if name not in parents:
            report.report(
                ("dimensions", name),
                "unused-dimension",
                f"no object has the dimension `{name}`",
                "list it under an object's `dimensions`, or take it out",
                "warning",
            )
