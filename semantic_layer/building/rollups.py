"""Rollups: values of one row that are gathered from its many rows."""

from __future__ import annotations

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
