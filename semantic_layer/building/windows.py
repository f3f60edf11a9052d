"""Metrics over a window: cumulative, rolling and to date, and what they may be made of."""

from __future__ import annotations

from semantic_layer import model
from semantic_layer.building.found import Found
from semantic_layer.format import MetricSpec

WINDOWS = ("cumulative", "rolling", "to_date")


def window_of(spec: MetricSpec) -> model.Window | None:
    """The window of a metric, if it has one."""
    if spec.cumulative is not None:
        return model.Window("cumulative")
    if spec.rolling is not None and spec.over is not None:
        count, _, unit = spec.over.removesuffix("s").partition(" ")
        return model.Window("rolling", int(count), unit)  # type: ignore[arg-type]
    if spec.to_date is not None and spec.period is not None:
        return model.Window("to_date", 1, spec.period)
    return None


def check_windows(found: Found, objects: dict[str, model.Object]) -> None:
    """Report windows over windows, and over what never adds up over time; and `take` without snapshots."""
    for name, metric in found.metrics.items():
        owner = objects.get(metric.object)
        if metric.take == "first" and owner is not None and not owner.time.snapshot:
            found.parts.report(
                found.metric_sources[name], "bad-metric", f"metric `{name}`: only snapshots `take`"
            )
        if metric.kind != "window" or metric.parts[0] not in found.metrics:
            continue
        reason = _reason(found, objects, metric.parts[0], set())
        if reason:
            found.parts.report(
                found.metric_sources[name], "bad-window", f"metric `{name}`: {reason}"
            )


def _reason(
    found: Found, objects: dict[str, model.Object], name: str, seen: set[str]
) -> str | None:
    metric = found.metrics.get(name)
    if metric is None or name in seen:
        return None  # reported as unknown, or as a circle
    if metric.kind == "window":
        return f"`{name}` is over a window itself"
    if metric.kind == "formula":
        parts = (_reason(found, objects, part, seen | {name}) for part in metric.parts)
        return next((part for part in parts if part), None)
    time = objects[metric.object].time if metric.object in objects else None
    if time is None:
        return None
    if time.snapshot:
        return f"`{name}` is of snapshots, which never add up over time"
    return None if metric.time or time.default else f"`{name}` has no date"
