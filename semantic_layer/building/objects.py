"""Objects: their dates, attributes and metrics, and the columns of their detail list."""

from __future__ import annotations

from types import MappingProxyType

from semantic_layer import model, paths
from semantic_layer.building.found import Found, words_of
from semantic_layer.building.metrics import build_metric
from semantic_layer.building.parts import Source
from semantic_layer.building.rollups import build_rollups, summed_below
from semantic_layer.building.routes import build_routes
from semantic_layer.format import ObjectSpec


def build_object(found: Found, name: str, spec: ObjectSpec, source: Source) -> model.Object | None:
    """Resolve an object with its metrics; None when its table is not there."""
    document, loc = source
    if spec.table not in found.tables:
        found.parts.missing(
            (document, (*loc, "table")),
            "unknown-table",
            f"there is no table `{spec.table}`",
            spec.table,
            found.tables,
        )
        found.parts.broken.update(spec.metrics)
        return None
    measured, scope = spec.table, None
    if spec.measured_on is not None:
        many = found.tables[spec.table].has_many.get(spec.measured_on)
        if many is None:
            found.parts.missing(
                (document, (*loc, "measured_on")),
                "unknown-join",
                f"`{spec.table}` has no has_many `{spec.measured_on}`",
                spec.measured_on,
                found.tables[spec.table].has_many,
            )
            found.parts.broken.update(spec.metrics)
            return None
        measured, scope = many.to, many.where
    rollups = build_rollups(found, spec, measured, source)
    time = build_time(found, spec, measured, source)
    attributes = {
        key: model.Attribute(
            key,
            name,
            words_of(item.words),
            parsed,
            item.unit,
            found.type_of(parsed, spec.table),
            item.main,
        )
        for key, item in spec.attributes.items()
        if (
            parsed := found.expression(
                item.expr, spec.table, (document, (*loc, "attributes", key, "expr")), rollups
            )
        )
    }
    found.parts.broken |= set(spec.attributes) - set(attributes)
    metrics = [
        metric
        for key, item in spec.metrics.items()
        if (
            metric := build_metric(
                found, key, item, name, measured, rollups, (document, (*loc, "metrics", key))
            )
        )
    ]
    found.parts.broken |= set(spec.metrics) - {metric.id for metric in metrics}
    tables = {spec.table, measured} | {
        metric.table for metric in metrics if metric.kind not in ("formula", "window")
    }
    back: dict[str, tuple[str, ...]] = {measured: ()}
    for table in tables - {measured}:
        ways = paths.shortest(found.tables, table, measured)
        if ways:
            back[table] = ways[0]
    routes = build_routes(found, spec, tables, source)
    if scope is None and measured == spec.table and not spec.time.snapshot:
        metrics = summed_below(found, spec, metrics, rollups, routes, back)
    for index, item_name in enumerate(spec.listed):
        if item_name not in spec.dimensions and item_name not in spec.attributes:
            found.parts.missing(
                (document, (*loc, "list", index)),
                "unknown-field",
                f"`{item_name}` is neither a dimension nor an attribute of `{name}`",
                item_name,
                [*spec.dimensions, *spec.attributes],
            )
    ordered = sorted(metrics, key=lambda metric: not metric.default)
    return model.Object(
        name,
        words_of(spec.words),
        words_of(spec.measure_words),
        model.Text(spec.description.zh, spec.description.en),
        spec.table,
        measured,
        scope,
        time,
        tuple(key for key in spec.dimensions if key in found.dimensions),
        MappingProxyType(routes),
        MappingProxyType(back),
        MappingProxyType(attributes),
        MappingProxyType(rollups),
        tuple(spec.listed),
        tuple(metric.id for metric in ordered),
    )


def build_time(found: Found, spec: ObjectSpec, measured: str, source: Source) -> model.TimeAxis:
    """The dates of an object, and the one that is meant when none is named."""
    document, loc = source
    time = spec.time
    roles: dict[str, model.Role] = {}
    specified = dict(time.roles)
    if time.column is not None and time.column not in specified:
        found.column_known(
            found.tables[measured].columns,
            time.column,
            measured,
            (document, (*loc, "time", "column")),
        )
        roles[time.column] = model.Role(time.column, model.Words(), time.column, time.looks)
    for key, role in specified.items():
        column = role.column or key
        if found.column_known(
            found.tables[measured].columns,
            column,
            measured,
            (document, (*loc, "time", "roles", key)),
        ):
            roles[key] = model.Role(key, words_of(role.words), column, role.looks)
    for column in time.per:
        at = (document, (*loc, "time", "per"))
        found.column_known(found.tables[measured].columns, column, measured, at)
    if time.per and not time.snapshot:
        found.parts.report(
            (document, (*loc, "time", "per")), "bad-value", "only snapshots have a `per`"
        )
    return model.TimeAxis(
        time.column, MappingProxyType(roles), time.snapshot, time.unasked, tuple(time.per)
    )
