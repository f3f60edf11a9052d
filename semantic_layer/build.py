"""From the files of a layer to the resolved `Layer`: references, joins, expressions, word clashes.

Everything wrong is collected, each with its place, so that one run shows all of it. The parts are
built in `building/`, a file each.
"""

from __future__ import annotations

from types import MappingProxyType

from semantic_layer import model
from semantic_layer.building.dimensions import build_dimensions
from semantic_layer.building.found import Found
from semantic_layer.building.heads import build_rest, data_from, frozen_today, spoken
from semantic_layer.building.metrics import check_formulas
from semantic_layer.building.objects import build_object
from semantic_layer.building.parts import Parts, Source
from semantic_layer.building.passages import build_passages
from semantic_layer.building.tables import build_tables
from semantic_layer.building.windows import check_windows
from semantic_layer.building.word_clashes import check_words
from semantic_layer.format import LayerFile, ObjectSpec

__all__ = ["Parts", "build"]


def build(parts: Parts, digest: str, text: str) -> model.Layer | None:
    """Resolve a layer. Returns None when an error was reported in `parts.issues`."""
    layer = _layer(Found(parts), digest, text)
    return None if any(issue.severity == "error" for issue in parts.issues) else layer


def _layer(found: Found, digest: str, text: str) -> model.Layer:
    build_tables(found)
    build_dimensions(found)
    sources: list[tuple[str, ObjectSpec, Source]] = [
        (item.object, item, (document, ())) for document, item in found.parts.objects
    ]
    sources += [
        (name, spec, (document, ("objects", name)))
        for document, head in found.parts.heads
        for name, spec in head.objects.items()
    ]
    objects: dict[str, model.Object] = {}
    for name, spec, source in sources:
        if name in objects:
            found.parts.report(source, "duplicate-object", f"two objects are named `{name}`")
            continue
        built = build_object(found, name, spec, source)
        if built is not None:
            objects[name] = built
    check_formulas(found)
    check_windows(found, objects)
    head = next((item for _, item in found.parts.heads if item.layer), LayerFile.model_validate({}))
    hierarchies, policies, topics = build_rest(found)
    check_words(found.parts, sources)
    return model.Layer(
        head.layer or "",
        model.Text(head.title.zh, head.title.en),
        head.currency,
        model.LayerCalendar(
            0 if head.calendar.week_starts == "monday" else 6,
            head.calendar.fiscal_year_starts,
            head.calendar.timezone,
        ),
        data_from(found),
        frozen_today(found),
        MappingProxyType(found.tables),
        MappingProxyType(found.dimensions),
        MappingProxyType(hierarchies),
        policies,
        MappingProxyType(topics),
        MappingProxyType(objects),
        MappingProxyType(found.metrics),
        MappingProxyType(spoken(found)),
        build_passages(found, objects),
        digest,
        text,
    )
