"""Filters: the meaning that fits, replaced, added, excluded, within what policy allows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

from dialogue import hierarchy
from dialogue.errors import Ask, Refuse
from dialogue.filling.base import Filling
from dialogue.state import Option
from dialogue.words import joined, say
from nl2sql.definition import own_condition
from nl2sql.edits import EVERY, Edit
from nl2sql.slots import (
    Among,
    Filter,
    Members,
    Missing,
    Slots,
)
from semantic_layer.model import Metric, Object


def filters(f: Filling, edits: list[Edit]) -> None:
    """Apply the edits on filters."""
    for edit in edits:
        if edit.slot != "filters":
            continue
        if edit.op == "clear":
            name = str(edit.value)
            below = hierarchy.below(f.world, name)
            if edit.note == "below" or (edit.note == "below_or_all" and in_part(f, below)):
                whole(f, edit, name, below)
                continue
            below = (name,) if edit.note == EVERY else (name, *below)
            if f.slots.rows and not any(f.slots.filter(item) for item in below):
                continue
            f.slots = f.slots.without_filter(*below)
            f.said.append((f"filters.{name}", edit))
            if edit.note == "kind":
                widened(f, edit, name)
        elif isinstance(edit.value, Filter):
            edit = there(f, edit, edit.value)
            item = fitting(f, edit)
            if not sibling(f, edit, item):
                one_filter(f, edit, item)


def in_part(f: Filling, below: tuple[str, ...]) -> bool:
    """Whether what was asked about is some of these levels, or split by them."""
    return any(f.slots.filter(name) or name in f.slots.dimensions for name in below)


def whole(f: Filling, edit: Edit, name: str, below: tuple[str, ...]) -> None:
    """整个园区, after a building of it or after its buildings: the park that these are in, as one."""
    limited = [level for level in below if hierarchy.positive(f.slots, level) is not None]
    if limited and f.slots.filter(name) is None:
        around = hierarchy.candidates(f.world, f.slots, limited[0], name, f.policy)
        if around:
            f.slots = f.slots.with_filter(Filter(name, Among(around)))
            f.said.append((f"filters.{name}", edit))
    for level in below:
        if f.slots.filter(level) is not None:
            f.slots = f.slots.without_filter(level)
            f.said.append((f"filters.{level}", edit))
    said = any(item.slot == "dimensions" and item.op != "clear" for item in f.reading.edits)
    kept = tuple(level for level in f.slots.dimensions if level not in below)
    if not said and kept != f.slots.dimensions:
        f.put("dimensions", edit, dimensions=kept, order=None, limit=None, having=())


def there(f: Filling, edit: Edit, item: Filter) -> Edit:
    """不为空的呢, after 楼栋为空: the field that was asked to be empty is now asked to be not."""
    if item.field:
        return edit
    held = [other.field for other in f.slots.filters if isinstance(other.test, Missing)]
    if len(held) != 1:
        raise Ask("condition", "there", (), {"word": f.reading.text[slice(*edit.span)]})
    return replace(edit, value=replace(item, field=held[0]))


def sibling(f: Filling, edit: Edit, item: Filter) -> bool:
    """用电量, then 水呢: the value that a metric is defined by asks for its sibling metric, not for no rows;
    空置房源数, then 已租呢: where it has none, for the plain metric of rows with that value."""
    if edit.op != "set" or not isinstance(item.test, Among) or item.test.negated:
        return False
    if any(key == "metrics" for key, _ in f.said):
        return False  # 已租的空置房源数: both are said now
    changed: dict[str, str] = {}
    for name in f.slots.metrics:
        own = {one.field: one.test for one in own_condition(f.world.layer, name)}
        if item.field not in own or own[item.field] == item.test:
            continue
        metric = f.world.layer.metrics[name]
        for other in f.world.layer.metrics.values():
            same = (other.object, other.kind, other.table) == (
                metric.object,
                metric.kind,
                metric.table,
            )
            if same and not other.hidden and own_condition(f.world.layer, other.id) == (item,):
                changed[name] = other.id
        if name not in changed and item.test.values:
            twins = plain_twins(f, name)
            if len(twins) == 1:
                changed[name] = twins[0]
                f.slots = f.slots.with_filter(item)
                f.said.append((f"filters.{item.field}", edit))
    exchange(f, edit, changed)
    return bool(changed)


def exchange(f: Filling, edit: Edit, changed: Mapping[str, str]) -> None:
    """Put other metrics in the place of some."""
    if changed:
        found = dict.fromkeys(changed.get(name, name) for name in f.slots.metrics)
        f.put("metrics", edit, metrics=tuple(found))


def plain_twins(f: Filling, name: str) -> list[str]:
    """The metrics that are a metric without its condition: 房源数 of 空置房源数."""
    metric = f.world.layer.metrics[name]

    def measure(one: Metric) -> tuple[object, ...]:
        return one.object, one.kind, one.table, one.expr and one.expr.text, one.time

    return [
        one.id
        for one in f.world.layer.metrics.values()
        if one.where is None and not one.hidden and measure(one) == measure(metric)
    ]


def widened(f: Filling, edit: Edit, name: str) -> None:
    """空置房源数, then 全部房源呢: the metric without the condition that is lifted."""
    if any(item.slot == "metrics" for item in f.reading.edits):
        return
    changed: dict[str, str] = {}
    for asked in f.slots.metrics:
        if name in {item.field for item in own_condition(f.world.layer, asked)}:
            for twin in plain_twins(f, asked):
                changed[asked] = twin
    exchange(f, edit, changed)


def fitting(f: Filling, edit: Edit) -> Filter:
    """The meaning of a value that fits what is asked about; several that fit are asked about."""
    options = [item for item in (edit.value, *edit.others) if isinstance(item, Filter)]
    objects = f.objects()
    if objects:
        fit = [
            item
            for item in options
            if all(
                item.field in found.dimensions or item.field in found.attributes
                for found in objects
            )
        ]
        if not fit:
            unreachable(f, options[0].field, objects[0])
        options = fit
    if len(options) > 1 and f.policy:
        options = [item for item in options if seen(f, item)] or options[:1]
    if len(options) > 1:
        held = [item for item in options if f.slots.filter(item.field) is not None]
        inner = [item for item in options if parents_said(f, item)]
        placed = [item for item in options if hierarchy.levels_of(f.world, item.field)]
        there = [item for item in placed if hierarchy.occurs(f.world, f.slots, item, f.policy)]
        apart = len(placed) != len(options)  # one of them is of another kind than a place
        for few in (inner, held if apart else there):
            if len(few) == 1:
                return few[0]
        fields = Counter(item.field for item in options)
        choices = tuple(
            Option(
                item.field if fields[item.field] == 1 else f"{item.field}:{key_of(item)}",
                f"{f.world.field_label(item.field, f.reading.lang)}：{f.value_label(item)}",
                (replace(edit, value=item, others=()),),
            )
            for item in options
        )
        raise Ask(
            "value",
            f"value:{edit.span}",
            choices,
            {"word": edit.words},
        )
    return options[0]


def key_of(item: Filter) -> str:
    """What tells a filter from others on its field."""
    return "+".join(item.test.values) if isinstance(item.test, Among) else item.test.kind


def seen(f: Filling, item: Filter) -> bool:
    """Whether the user may see any value of a filter."""
    return not isinstance(item.test, Among) or bool(f.sight.keys(item.field, item.test.values))


def parents_said(f: Filling, item: Filter) -> bool:
    """Whether this turn itself names the value's parent: 1号楼2楼 is a floor."""
    parents = f.world.layer.path(item.field)[:-1]
    own = {
        edit.value.field
        for edit in f.reading.edits
        if isinstance(edit.value, Filter) and not edit.others
    }
    return len(parents) > 1 and parents[-1] in own and f.slots.pinned(parents[-1]) is not None


def unreachable(f: Filling, name: str, found: Object) -> None:
    """Refuse a field that an object does not have, and name those it has."""
    offers = tuple((item, f.world.field_label(item, f.reading.lang)) for item in found.dimensions)
    raise Refuse(
        "unreachable",
        {
            "field": f.world.field_label(name, f.reading.lang),
            "object": found.words.label(f.reading.lang, found.id),
        },
        offers,
    )


def one_filter(f: Filling, edit: Edit, item: Filter) -> None:
    """Set, add, or take away one filter."""
    key = f"filters.{item.field}"
    before = f.slots.filter(item.field)
    test = item.test
    if isinstance(test, Among):
        test = permitted(f, item.field, test, edit.words)
        item = Filter(item.field, test)
    if (
        edit.op == "add"
        and isinstance(test, Among)
        and before is not None
        and isinstance(before.test, Among)
    ):
        if before.test.negated:
            left = tuple(value for value in before.test.values if value not in test.values)
            f.slots = (
                f.slots.with_filter(Filter(item.field, Among(left, True)))
                if left
                else f.slots.without_filter(item.field)
            )
        else:
            merged = Among(tuple(dict.fromkeys((*before.test.values, *test.values))))
            f.slots = f.slots.with_filter(Filter(item.field, merged))
    elif edit.op == "remove" and isinstance(test, Among):
        f.slots = removed(f, item.field, test, before)
    elif (
        isinstance(test, Among)
        and test.negated
        and before is not None
        and isinstance(before.test, Among)
        and not before.test.negated
        and set(test.values) < set(before.test.values)
    ):
        left = tuple(value for value in before.test.values if value not in test.values)
        f.slots = f.slots.with_filter(Filter(item.field, Among(left)))
    else:
        before_it = f.slots
        f.slots, dropped = hierarchy.place(f.world, f.slots, item)
        for name in dropped:
            one = before_it.filter(name)
            if one is not None and isinstance(one.test, Members) and f.reading.references:
                f.slots = f.slots.with_filter(one)  # 其中光谷的: both hold
                continue
            outside(f, item, one)
            f.said.append((f"filters.{name}", edit))
    leave_one(f, edit, item)
    if isinstance(test, Missing) and not test.negated and item.field in f.slots.dimensions:
        left_dims = tuple(name for name in f.slots.dimensions if name != item.field)
        f.slots = replace(f.slots, dimensions=left_dims)
    f.said.append((key, edit))


def leave_one(f: Filling, edit: Edit, item: Filter) -> None:
    """阿莫西林, then 中成药: what all of a kind have in common is no longer about the one."""
    dimensions = f.world.layer.dimensions
    found = dimensions.get(item.field)
    said = {other.value.field for other in f.reading.edits if isinstance(other.value, Filter)}
    if found is None or f.reading.references or edit.op != "set":
        return
    for other in f.slots.filters:
        one = dimensions.get(other.field)
        if (
            one is not None
            and other.field not in {item.field, *said}
            and (one.table, one.column) == (found.table, f.world.layer.tables[found.table].key[0])
            and f.slots.fixed(other.field)
        ):
            f.slots = f.slots.without_filter(other.field)
            f.said.append((f"filters.{other.field}", edit))


def outside(f: Filling, item: Filter, parent: Filter | None) -> None:
    """光谷18号楼, where there is none: what this turn says itself is not dropped for another part of it."""
    if parent is None or all(key != f"filters.{parent.field}" for key, _ in f.said):
        return
    if item.field in hierarchy.below(f.world, parent.field):
        label, field = f.value_label(item), f.world.field_label(item.field, f.reading.lang)
        if not hierarchy.occurs(f.world, Slots(), item, f.policy):
            raise Refuse("unknown-value", {"value": f.as_said(item), "field": field})
        raise Refuse("contradiction-place", {"value": label, "parent": f.value_label(parent)})


def removed(f: Filling, name: str, test: Among, before: Filter | None) -> Slots:
    """A filter without these values."""
    if before is not None and isinstance(before.test, Among):
        if before.test.negated:
            more = Among(tuple(dict.fromkeys((*before.test.values, *test.values))), True)
            return f.slots.with_filter(Filter(name, more))
        left = tuple(value for value in before.test.values if value not in test.values)
        return (
            f.slots.with_filter(Filter(name, Among(left))) if left else f.slots.without_filter(name)
        )
    return f.slots.with_filter(Filter(name, Among(test.values, True)))


def permitted(f: Filling, name: str, test: Among, said: str) -> Among:
    """Of values, those that the user sees. What policy hides is as unknown as what does not exist, and called as it
    was said: alone it is declined, beside others it is left out, which is told."""
    if not f.policy:
        return test
    seen = f.sight.keys(name, test.values)
    kept = tuple(value for value in test.values if value in seen)
    if test.values and not kept:
        raise Refuse("not-permitted", {"value": said or joined(test.values, f.reading.lang)})
    if len(kept) < len(test.values):
        gone = joined((value for value in test.values if value not in seen), f.reading.lang)
        f.assume("word", say(f.reading.lang, "unseen", text=gone))
    return Among(kept, test.negated)
