"""Dimensions: the column behind each, its label, and the dimension it lives within."""

from __future__ import annotations

from types import MappingProxyType

from semantic_layer import model
from semantic_layer.building.found import Found, words_of
from semantic_layer.building.moments import is_moment


def build_dimensions(found: Found) -> None:
    """Resolve every dimension; one that lives within itself is left out."""
    specs = [
        (name, spec, (document, ("dimensions", name)))
        for document, head in found.parts.heads
        for name, spec in head.dimensions.items()
    ]
    known = {name for name, _, _ in specs}
    for name, spec, (document, loc) in specs:
        at = (document, (*loc, "column"))
        if name in found.dimensions:
            found.parts.report(
                (document, loc), "duplicate-dimension", f"two dimensions are named `{name}`"
            )
            continue
        table, _, column = spec.column.rpartition(".")
        if table not in found.tables:
            found.parts.missing(
                at, "unknown-table", f"there is no table `{table}`", table, found.tables
            )
            continue
        if not found.column_known(found.tables[table].columns, column, table, at):
            continue
        if spec.label and not found.column_known(
            found.tables[table].columns, spec.label, table, (document, (*loc, "label"))
        ):
            continue
        if is_moment(found, table, column, at, "the values of a dimension"):
            continue
        if spec.label and is_moment(
            found, table, spec.label, (document, (*loc, "label")), "the labels of a dimension"
        ):
            continue
        if spec.within and spec.within not in known:
            found.parts.missing(
                (document, (*loc, "within")),
                "unknown-dimension",
                f"there is no dimension `{spec.within}`",
                spec.within,
                known,
            )
            continue
        found.dimensions[name] = model.Dimension(
            name,
            words_of(spec.words),
            model.Text(spec.description.zh, spec.description.en),
            table,
            column,
            found.tables[table].columns[column],
            spec.label,
            spec.within,
            None
            if spec.enum is None
            else MappingProxyType({k: tuple(v) for k, v in spec.enum.items()}),
            MappingProxyType({k: tuple(v) for k, v in spec.values.items()}),
            None
            if spec.pattern is None
            else model.Pattern(spec.pattern.stored, tuple(spec.pattern.spoken)),
            spec.indexed,
        )
    found.parts.broken |= known - set(found.dimensions)
    for name in [name for name, spec, _ in specs if in_itself(found, name)]:
        document, loc = next(source for other, _, source in specs if other == name)
        found.parts.report(
            (document, (*loc, "within")), "dimension-circle", f"`{name}` lives within itself"
        )
        del found.dimensions[name]
        found.parts.broken.add(name)


def in_itself(found: Found, name: str) -> bool:
    """Whether a dimension lives within itfound."""
    seen: set[str] = set()
    here: str | None = name
    while here in found.dimensions:
        if here in seen:
            return here == name
        seen.add(here)
        here = found.dimensions[here].within
    return False
