"""Rollups: values of one row that are gathered from its many rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from sqlglot import exp

from semantic_layer import model
from semantic_layer.building.found import Found
from semantic_layer.building.parts import Source
from semantic_layer.format import ObjectSpec


def build_rollups(
    found: Found, spec: ObjectSpec, measured: str, source: Source
) -> dict[str, model.Rollup]:
    """Resolve the rollups of an object."""
    document, loc = source
    rollups: dict[str, model.Rollup] = {}
    for key, item in spec.rollups.items():
        at = (document, (*loc, "rollups", key))
        many = found.tables[measured].has_many.get(item.of)
        if many is None:
            found.parts.missing(
                at,
                "unknown-join",
                f"`{measured}` has no has_many `{item.of}`",
                item.of,
                found.tables[measured].has_many,
            )
            continue
        given = [
            (kind, text)
            for kind, text in (
                ("sum", item.sum),
                ("count", item.count),
                ("min", item.min),
                ("max", item.max),
            )
            if text is not None
        ]
        if len(given) != 1:
            if found.parts.whole(at):
                found.parts.report(
                    at, "bad-rollup", "a rollup is exactly one of sum, count, min, max"
                )
            continue
        kind, text = given[0]
        parsed = (
            None
            if kind == "count"
            else found.expression(text, many.to, (document, (*at[1], kind)), {})
        )
        if kind == "count" or parsed is not None:
            rollups[key] = model.Rollup(key, many, kind, parsed)  # type: ignore[arg-type]
    found.parts.broken |= set(spec.rollups) - set(rollups)
    return rollups


def summed_below(
    found: Found,
    spec: ObjectSpec,
    metrics: Iterable[model.Metric],
    rollups: Mapping[str, model.Rollup],
    routes: dict[tuple[str, str], model.Route],
    back: dict[str, tuple[str, ...]],
) -> list[model.Metric]:
    """The metrics, those that only sum a rollup marked to be summed over its many rows instead.

    Only where these rows reach every dimension through the row they belong to. Their ways are added to
    `routes` and `back`. (A question that limits a gathered attribute sums row by row: `Layer.leaves`.)
    """
    metrics = list(metrics)
    own = found.tables[spec.table].columns
    ways = {key: routes.get((spec.table, key)) for key in spec.dimensions}
    straight = all(way is not None and way.many is None for way in ways.values())
    if not straight:
        return metrics
    taken = {metric.table for metric in metrics}
    result: list[model.Metric] = []
    for metric in metrics:
        rollup = _only(metric, rollups)
        usable = rollup is not None and metric.expr is not None and metric.expr.tree.name not in own
        if rollup is None or not usable or rollup.of.to in taken:
            result.append(metric)
            continue
        many, steps = rollup.of, (rollup.of.back.name,)
        if back.setdefault(many.to, steps) != steps:
            result.append(metric)  # other rows of this table belong to the object in another way
            continue
        for key, way in ways.items():
            assert way is not None
            routes[many.to, key] = replace(way, steps=(*steps, *way.steps))
        result.append(replace(metric, gathered=rollup))
        found.metrics[metric.id] = result[-1]
    return result


def _only(metric: model.Metric, rollups: Mapping[str, model.Rollup]) -> model.Rollup | None:
    """The rollup of which a metric is the sum and nothing else."""
    beside = (metric.where, metric.once_per, metric.time, metric.weight)
    if metric.kind != "sum" or metric.expr is None or any(item is not None for item in beside):
        return None
    tree = metric.expr.tree
    rollup = rollups.get(tree.name) if isinstance(tree, exp.Column) and not tree.table else None
    return rollup if rollup is not None and rollup.kind == "sum" else None
