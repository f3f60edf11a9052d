"""What documents say of metrics: each section with the metrics that it is the passage of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import date

from semantic_layer import model
from semantic_layer.building.found import Found
from semantic_layer.building.parts import Source
from semantic_layer.text import fold


def build_passages(found: Found, objects: dict[str, model.Object]) -> tuple[model.Passage, ...]:
    """Every section of every document that belongs to a metric.

    A section belongs to the metrics that its heading names, among those the document is about (itself or
    by their object). A metric that a document is about by name, and no heading of it names, has its first.
    """
    passages: list[model.Passage] = []
    for document, spec in found.parts.documents:
        day = _effective(found, (document, ("front", "effective")), spec.front.effective)
        named: list[str] = []
        among: list[str] = []
        for index, name in enumerate(spec.front.about):
            if name in found.metrics:
                named.append(name)
                among.append(name)
            if name in objects:
                among += objects[name].metrics
            if name not in found.metrics and name not in objects:
                found.parts.missing(
                    (document, ("front", "about", index)),
                    "unknown-subject",
                    f"there is no metric or object `{name}`",
                    name,
                    (*found.metrics, *objects),
                )
        if not spec.sections:
            found.parts.report(
                (document, ()), "empty-document", "a document without any text", "write it below"
            )
        headed = [
            [name for name in _named(section.heading, found.metrics) if name in among]
            for section in spec.sections
        ]
        unheaded = [name for name in named if not any(name in names for names in headed)]
        for index, section in enumerate(spec.sections):
            metrics = (*headed[index], *(unheaded if index == 0 else ()))
            if metrics:
                passages.append(
                    model.Passage(
                        spec.front.title,
                        spec.document,
                        section.heading,
                        section.text,
                        metrics,
                        spec.front.lang,
                        day,
                    )
                )
    return tuple(sorted(passages, key=lambda item: item.file))


def _effective(found: Found, at: Source, text: str | None) -> date | None:
    try:
        return None if text is None else date.fromisoformat(text)
    except ValueError:
        found.parts.report(
            at, "bad-value", f"`effective`: `{text}` is no date", "such as 2024-01-31"
        )
        return None


def _named(heading: str, metrics: dict[str, model.Metric]) -> Iterable[str]:
    """The metrics that a heading names; a word within a longer one is not meant."""
    text = fold(heading)
    spans = [
        (*span, metric.id)
        for metric in metrics.values()
        for word in metric.words.all()
        for span in _found_at(fold(word), text)
    ]
    return dict.fromkeys(
        name
        for start, end, name in sorted(spans)
        if not any(
            left <= start and end <= right and right - left > end - start
            for left, right, _ in spans
        )
    )


def _found_at(word: str, text: str) -> Iterator[tuple[int, int]]:
    """Where a word stands in a text; a Latin word stands alone."""
    start = text.find(word) if word else -1
    while start >= 0:
        end = start + len(word)
        if not (
            _latin(text[start - 1 : start] + word[:1]) or _latin(word[-1:] + text[end : end + 1])
        ):
            yield start, end
        start = text.find(word, start + 1)


def _latin(pair: str) -> bool:
    return len(pair) == 2 and pair.isascii() and pair.isalnum()
