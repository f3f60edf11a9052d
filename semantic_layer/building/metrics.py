"""Metrics: what each aggregates, and formulas that are made of other metrics."""

from __future__ import annotations

from collections.abc import Mapping

from semantic_layer import expression, model
from semantic_layer.building.found import Found, words_of
from semantic_layer.building.parts import Source
from semantic_layer.building.windows import WINDOWS, window_of
from semantic_layer.expression import Expression, ExpressionError
from semantic_layer.format import MetricSpec


def build_metric(
    found: Found,
    name: str,
    spec: MetricSpec,
    owner: str,
    measured: str,
    rollups: Mapping[str, model.Rollup],
    source: Source,
) -> model.Metric | None:
    """Resolve a metric; None when something it needs is wrong."""
    document, loc = source
    if name in found.metrics:
        first, first_loc = found.metric_sources[name]
        found.parts.report(
            source,
            "duplicate-metric",
            f"two metrics are named `{name}`",
            f"the other is at {first.place(first_loc)}",
        )
        return None
    found.metric_sources[name] = source
    kinds: dict[model.Aggregate, str | None] = {
        "count": spec.count,
        "count_distinct": spec.count_distinct,
        "sum": spec.sum,
        "average": spec.average,
        "min": spec.min,
        "max": spec.max,
        "median": spec.median,
        "percentile": spec.percentile,
        "formula": spec.formula,
    }
    given = [(kind, text) for kind, text in kinds.items() if text is not None]
    given += [("window", text) for key in WINDOWS if (text := getattr(spec, key)) is not None]
    if len(given) != 1:
        if found.parts.whole(source):
            found.parts.report(
                source,
                "bad-metric",
                f"metric `{name}` must say exactly one of {', '.join([*kinds, *WINDOWS])}",
            )
        return None
    kind, text = given[0]
    if not belongs(found, name, spec, source):
        return None
    table = spec.from_ or measured
    if table not in found.tables:
        found.parts.missing(
            (document, (*loc, "from")),
            "unknown-table",
            f"there is no table `{table}`",
            table,
            found.tables,
        )
        return None
    usable = rollups if table == measured else {}
    parsed: Expression | None = None
    parts: tuple[str, ...] = ()
    if kind == "formula":
        try:
            parsed = expression.parse(text)
        except ExpressionError as error:
            found.parts.report(
                (document, (*loc, "formula")), "bad-expression", f"`{text}`: {error}"
            )
            return None
        parts = tuple(ref.name for ref in parsed.refs)
    elif kind == "window":
        parts = (text,)
    elif kind != "count":
        parsed = found.expression(text, table, (document, (*loc, kind)), usable)
        if parsed is None:
            return None
    where = found.expression(spec.where, table, (document, (*loc, "where")), usable)
    weight = found.expression(spec.weight, table, (document, (*loc, "weight")), usable)
    if (spec.where is not None and where is None) or (spec.weight is not None and weight is None):
        return None
    if spec.once_per is not None:
        found.column_known(
            found.tables[table].columns, spec.once_per, table, (document, (*loc, "once_per"))
        )
    if spec.time is not None:
        found.column_known(
            found.tables[measured].columns,
            spec.time.column,
            measured,
            (document, (*loc, "time", "column")),
        )
    metric = model.Metric(
        name,
        owner,
        words_of(spec.words),
        model.Text(spec.description.zh, spec.description.en),
        kind,
        parsed,
        where,
        spec.once_per,
        table,
        parts,
        spec.time.column if spec.time else None,
        spec.time.unasked if spec.time else None,
        spec.unit,
        spec.percent,
        spec.default,
        spec.hidden,
        spec.at,
        weight,
        spec.take,
        window_of(spec),
        spec.additive,
        spec.better,
    )
    found.metrics[name] = metric
    return metric


_BESIDE: dict[str, tuple[str, ...]] = {
    "at": ("percentile",),
    "weight": ("average",),
    "over": ("rolling",),
    "period": ("to_date",),
    "where": ("count", "count_distinct", "sum", "average", "min", "max", "median", "percentile"),
    "once_per": ("sum",),
}
_NEEDS = {"percentile": "at", "rolling": "over", "to_date": "period"}


def belongs(found: Found, name: str, spec: MetricSpec, source: Source) -> bool:
    """Whether what a metric says fits how it is made; reported when it does not."""
    said = spec.model_dump(exclude_none=True)
    for key, kinds in _BESIDE.items():
        if key in said and not any(kind in said for kind in kinds):
            found.parts.report(
                source, "bad-metric", f"metric `{name}`: `{key}` belongs to {' or '.join(kinds)}"
            )
            return False
    for kind, key in _NEEDS.items():
        if kind in said and key not in said:
            found.parts.report(source, "bad-metric", f"metric `{name}`: {kind} needs `{key}`")
            return False
    return True


def check_formulas(found: Found) -> None:
    """Report formulas and windows of unknown metrics, and those made of themselves."""
    for name, metric in found.metrics.items():
        document, loc = found.metric_sources[name]
        for part in metric.parts:
            if part not in found.metrics:
                found.parts.missing(
                    (document, (*loc, "formula") if metric.kind == "formula" else loc),
                    "unknown-metric",
                    f"there is no metric `{part}`",
                    part,
                    found.metrics,
                )
        if in_circle(found, name, ()):
            found.parts.report(
                (document, (*loc, "formula") if metric.kind == "formula" else loc),
                "formula-circle",
                f"`{name}` is made of itself",
            )


def in_circle(found: Found, name: str, above: tuple[str, ...]) -> bool:
    """Whether a metric is made of itself."""
    if name in above:
        return name == above[0]
    metric = found.metrics.get(name)
    return metric is not None and any(
        in_circle(found, part, (*above, name)) for part in metric.parts
    )
