"""What heads and shared files say beside tables and dimensions: dates, hierarchies, policies, topics."""

from __future__ import annotations

from datetime import date

from semantic_layer import model
from semantic_layer.building.found import Found, words_of
from semantic_layer.building.moments import zone_known


def build_rest(
    found: Found,
) -> tuple[dict[str, tuple[str, ...]], tuple[model.Policy, ...], dict[str, model.Topic]]:
    """Hierarchies, policies and topics."""
    hierarchies: dict[str, tuple[str, ...]] = {}
    policies: list[model.Policy] = []
    topics: dict[str, model.Topic] = {}
    for document, head in found.parts.heads:
        for name, levels in head.hierarchies.items():
            for index, level in enumerate(levels):
                found.known(
                    (document, ("hierarchies", name, index)),
                    "dimension",
                    level,
                    found.dimensions,
                )
            hierarchies[name] = tuple(levels)
        for index, policy in enumerate(head.policies):
            found.known(
                (document, ("policies", index, "dimension")),
                "dimension",
                policy.dimension,
                found.dimensions,
            )
            policies.append(model.Policy(policy.attribute, policy.dimension))
        for name, topic in head.topics.items():
            for index, metric in enumerate(topic.metrics):
                found.known(
                    (document, ("topics", name, "metrics", index)),
                    "metric",
                    metric,
                    found.metrics,
                )
            topics[name] = model.Topic(name, words_of(topic.words), tuple(topic.metrics))
    return hierarchies, tuple(policies), topics


def spoken(found: Found) -> dict[str, tuple[str, ...]]:
    """The construction words of every head and shared file, by what they do."""
    words: dict[str, tuple[str, ...]] = {}
    for _, head in found.parts.heads:
        for category, more in head.words.by_category().items():
            words[category] = (*words.get(category, ()), *more)
    return words


def frozen_today(found: Found) -> date | None:
    """The today of frozen data, if a head says it."""
    for document, head in found.parts.heads:
        if head.layer and head.clock:
            try:
                return date.fromisoformat(head.clock)
            except ValueError:
                found.parts.report(
                    (document, ("clock",)),
                    "bad-value",
                    f"`clock`: `{head.clock}` is no date",
                    "such as 2024-01-31",
                )
    return None


def data_from(found: Found) -> date | None:
    """The first day there are data for, if a head says it."""
    for document, head in found.parts.heads:
        if not zone_known(head.calendar.timezone):
            found.parts.report(
                (document, ("calendar", "timezone")),
                "bad-value",
                f"`timezone`: there is no time zone `{head.calendar.timezone}`",
                "such as Asia/Shanghai",
            )
        if head.layer and head.data_from:
            try:
                return date.fromisoformat(head.data_from)
            except ValueError:
                found.parts.report(
                    (document, ("data_from",)),
                    "bad-value",
                    f"`data_from`: `{head.data_from}` is no date",
                    "such as 2024-01-31",
                )
    return None
