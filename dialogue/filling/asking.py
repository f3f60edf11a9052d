"""What is still open: ambiguous words, a missing metric, values that several parents have."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from dialogue import answer, hierarchy
from dialogue.errors import Ask, Refuse
from dialogue.filling.base import Filling
from dialogue.filling.filters import one_filter, seen
from dialogue.state import Option
from dialogue.world import World
from nl2sql.edits import Edit
from nl2sql.slots import (
    Among,
    Filter,
    Members,
    Slots,
)
from semantic_layer.model import Lang, Object


def ambiguous(f: Filling, edits: list[Edit]) -> None:
    """One question a turn, on the most decisive slot first: metric, then value."""
    for about in ("metric", "value"):
        for item in f.reading.ambiguities:
            if item.about != about or settled(f, item.word, item.span):
                continue
            if (
                about == "metric"
                and f.slots.metrics
                and f.switch is None
                and any(key == "metrics" for key, _ in f.said)
            ):
                continue
            if about == "metric":
                raise which_metric(f, tuple(choice.id for choice in item.choices), item.word)
            options = tuple(
                Option(
                    choice.id,
                    f.value_label(choice.edits[0].value)
                    if isinstance(choice.edits[0].value, Filter)
                    else choice.id,
                    choice.edits,
                )
                for choice in item.choices
            )
            options = told_apart(visible(f, options, item.word))
            if len(options) == 1:
                for edit in options[0].edits:
                    if isinstance(edit.value, Filter):
                        one_filter(f, edit, edit.value)
                continue
            raise Ask(
                "value",
                f"value:{item.word}",
                options,
                {"word": item.word},
                item.more,
            )
    if not f.slots.metrics and not f.slots.rows:
        counted = only_count(f)
        if counted is None:
            raise which_metric(f, plausible(f), "")
        f.put("metrics", Edit("metrics", "set", (counted,)), metrics=(counted,))
    if not f.slots.object:
        first = f.world.layer.metrics[f.slots.metrics[0]].object
        f.slots = replace(f.slots, object=first)


def settled(f: Filling, word: str, span: tuple[int, int]) -> bool:
    """Whether a chosen edit already answers an ambiguity."""
    told = f"value:value:{word}:{word}"
    return told in f.answered or any(edit.span == span for edit in f.chosen)


def only_count(f: Filling) -> str | None:
    """有多少, where one object alone can be meant: its count."""
    if not f.reading.cues & {"how_many", "count"}:
        return None
    owners = {f.world.layer.metrics[name].object for name in plausible(f)}
    found = f.world.layer.objects[owners.pop()] if len(owners) == 1 else None
    metric = found.default_metric if found is not None and not amounts(f, found) else None
    return metric if metric is not None and f.world.layer.metrics[metric].default else None


def amounts(f: Filling, found: Object) -> bool:
    """Whether an object is mostly about amounts, so that its bare name does not mean a count."""
    units = [f.world.layer.metrics[name].unit for name in found.metrics]
    return sum(unit == f.world.layer.currency or unit == "CNY" for unit in units) * 2 > len(units)


def visible(f: Filling, options: tuple[Option, ...], word: str) -> tuple[Option, ...]:
    """The candidates that occur in rows the user may see: what policy hides is not offered."""
    filters = [
        edit.value for option in options for edit in option.edits if isinstance(edit.value, Filter)
    ]
    if not f.policy or len(filters) != len(options):
        return options
    pairs = [pair for pair in zip(options, filters, strict=True) if seen(f, pair[1])]
    if not pairs:
        raise Refuse("not-permitted", {"value": word})
    options = tuple(option for option, _ in pairs)
    fields = {item.field for _, item in pairs}
    if not f.slots.metrics or len(fields) != 1:
        return options
    field = fields.pop()
    keys = tuple(
        value for _, item in pairs if isinstance(item.test, Among) for value in item.test.values
    )
    asked = Slots(
        object=f.slots.object,
        metrics=f.slots.metrics[:1],
        dimensions=(field,),
        filters=(Filter(field, Among(keys)),),
    )
    prepared = answer.prepare(f.world, asked, f.clock, f.policy)
    there = {
        value for row in answer.run(f.world, prepared, f.reading.lang).shown.rows for value in row
    }
    kept = tuple(option for option in options if option.id in there)
    if not kept:
        raise Refuse("not-permitted", {"value": word})
    return kept


def told_apart(options: tuple[Option, ...]) -> tuple[Option, ...]:
    """Options of one name are told apart by their keys."""
    labels = Counter(option.label for option in options)
    return tuple(
        replace(option, label=f"{option.label}（{option.id}）")
        if labels[option.label] > 1
        else option
        for option in options
    )


def which_metric(f: Filling, names: tuple[str, ...], subject: str) -> Ask:
    """The question which metric is meant."""
    return metrics_offered(f.world, names, subject, f.reading.lang)


def metrics_offered(world: World, names: tuple[str, ...], subject: str, lang: Lang) -> Ask:
    """The question which of some metrics is meant."""
    options = tuple(
        Option(
            name,
            world.field_label(name, lang),
            (Edit("metrics", "set", (name,)),),
            world.layer.metrics[name].description.in_(lang),
        )
        for name in names
    )
    return Ask("metric", subject, options)


def plausible(f: Filling) -> tuple[str, ...]:
    """Metrics that the named values and dimensions could be asked of."""
    fields = {item.field for item in f.slots.filters} | set(f.slots.dimensions)
    found: list[str] = []
    for item in f.world.layer.objects.values():
        if f.slots.object and item.id != f.slots.object:
            continue
        if fields <= {*item.dimensions, *item.attributes}:
            shown = [name for name in item.metrics if not f.world.layer.metrics[name].hidden]
            found += shown if f.slots.object or len(fields) > 1 else shown[:2]
    if not found:
        raise Refuse("nothing-fits", {})
    return tuple(found)


def places(f: Filling, edits: list[Edit]) -> None:
    """A value that several parents have is asked about; one parent is taken (RULES.md §6)."""
    for item in f.slots.filters:
        if (
            not isinstance(item.test, Among)
            or item.test.negated
            or item.field not in f.world.layer.dimensions
        ):
            continue
        for parent in f.world.layer.path(item.field)[:-1]:
            one_parent(f, item, parent)
        found = hierarchy.levels_of(f.world, item.field)
        if found is not None and not hierarchy.candidates(
            f.world, f.slots, item.field, item.field, f.policy
        ):
            if f.world.values.places(found[0]):
                raise Refuse(
                    "unknown-value",
                    {
                        "value": f.as_said(item),
                        "field": f.world.field_label(item.field, f.reading.lang),
                    },
                )


def of_all(f: Filling, parent: str) -> bool:
    """3层, of 所有楼栋 or of 整个园区: the turn says that it is asked of all that the value lies in."""
    return any(
        edit.slot == "filters"
        and edit.op == "clear"
        and (
            edit.value == parent
            or (
                edit.note.startswith("below")
                and parent in hierarchy.below(f.world, str(edit.value))
            )
        )
        for edit in f.reading.edits
    )


def of_all_before(f: Filling, item: Filter, parent: str) -> bool:
    """5层呢, after 3层 was asked of all buildings."""
    before = f.state.slots
    return (
        f.switch is None
        and before is not None
        and hierarchy.positive(before, item.field) is not None
        and hierarchy.positive(before, parent) is None
    )


def one_parent(f: Filling, item: Filter, parent: str) -> None:
    """The parent of a value: taken where there is one, asked for where there are several."""
    if hierarchy.positive(f.slots, parent) is not None or parent in f.slots.dimensions:
        return
    if hierarchy.sole(f.world, item.field, parent):
        return
    if of_all(f, parent) or of_all_before(f, item, parent):
        return
    if any(
        isinstance(other.test, Members) and parent in other.test.fields for other in f.slots.filters
    ):
        return
    found = hierarchy.candidates(f.world, f.slots, item.field, parent, f.policy)
    if len(found) == 1:
        f.slots = f.slots.with_filter(Filter(parent, Among(found)))
        f.said.append(
            (
                f"filters.{parent}",
                Edit("filters", "set", Filter(parent, Among(found)), (0, 0), 1.0, "only"),
            )
        )
    elif len(found) > 1:
        options = tuple(
            Option(
                value,
                f.world.label(parent, value, f.reading.lang),
                (Edit("filters", "set", Filter(parent, Among((value,)))),),
            )
            for value in found
        )
        raise Ask(
            "value",
            f"parent:{item.field}",
            options,
            {
                "word": f.value_label(item),
                "parent": f.world.field_label(parent, f.reading.lang),
            },
        )
