"""What cannot all hold is told before anything is asked of a database.

Bounds of one turn on the same thing hold together; a filter that a metric's own definition excludes, bounds
that no number meets, groups of what is said to be missing, have no answer but an empty one.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from dialogue.errors import Refuse
from dialogue.filling.base import Filling
from dialogue.words import bounds, condition
from nl2sql.definition import own_condition
from nl2sql.edits import Edit
from nl2sql.slots import Among, Filter, Having, Interval, Missing


def held_together(edits: Iterable[Edit]) -> list[Edit]:
    """Edits in which the bounds of one turn on one metric or attribute are one condition:
    面积大于100，并且面积小于500."""
    kept: list[Edit] = []
    at: dict[tuple[str, str], int] = {}
    for edit in edits:
        key = bounded(edit)
        if key is None or key not in at:
            if key is not None:
                at[key] = len(kept)
            kept.append(edit)
        else:
            kept[at[key]] = both(kept[at[key]], edit)
    return kept


def bounded(edit: Edit) -> tuple[str, str] | None:
    """What an edit sets bounds on; a bound on nothing named yet stands for itself."""
    if edit.op != "set":
        return None
    if isinstance(edit.value, Having) and edit.value.metric:
        return "having", edit.value.metric
    if isinstance(edit.value, Filter) and isinstance(edit.value.test, Interval):
        return "filters", edit.value.field
    return None


def both(first: Edit, second: Edit) -> Edit:
    """Two bounds as one."""
    one, two = first.value, second.value
    assert isinstance(one, Having | Filter)
    assert isinstance(two, Having | Filter)
    assert isinstance(one.test, Interval)
    assert isinstance(two.test, Interval)
    return replace(first, value=replace(one, test=narrowed(one.test, two.test)))


def narrowed(one: Interval, two: Interval) -> Interval:
    """The numbers within both intervals.

    >>> from decimal import Decimal
    >>> narrowed(Interval(low=Decimal(1)), Interval(low=Decimal(1), low_inclusive=False, high=Decimal(5)))
    Interval(low=Decimal('1'), low_inclusive=False, high=Decimal('5'), high_inclusive=True, kind='interval')
    """
    lows = [(item.low, not item.low_inclusive) for item in (one, two) if item.low is not None]
    highs = [(item.high, item.high_inclusive) for item in (one, two) if item.high is not None]
    low, open_low = max(lows, default=(None, True))
    high, closed_high = min(highs, default=(None, True))
    return Interval(low, low is None or not open_low, high, closed_high)


def no_number(test: Interval) -> bool:
    """Whether no number lies within an interval."""
    if test.low is None or test.high is None:
        return False
    closed = test.low_inclusive and test.high_inclusive
    return test.low > test.high or (test.low == test.high and not closed)


def given_way(f: Filling, edits: list[Edit]) -> None:
    """已租, then 空置房源数: a filter from before gives way to what a metric named now is about."""
    named = [edit.value for edit in edits if edit.slot == "metrics" and edit.op == "set"]
    said = {edit.value.field for edit in edits if isinstance(edit.value, Filter)}
    for name in f.slots.metrics:
        if not any(isinstance(names, tuple) and name in names for names in named):
            continue
        for own in own_condition(f.world.layer, name):
            held = f.slots.filter(own.field)
            if held is not None and own.field not in said and excluded(own, held):
                f.slots = f.slots.without_filter(own.field)
                f.said.append((f"filters.{own.field}", Edit("filters", "clear", own.field)))


def contradictions(f: Filling, edits: list[Edit]) -> None:
    """Refuse what cannot all hold."""
    lang, world = f.reading.lang, f.world
    for having in f.slots.having:
        if no_number(having.test):
            percent = world.layer.metrics[having.metric].percent
            one = world.field_label(having.metric, lang) + bounds(having.test, percent)
            raise Refuse("contradiction-bounds", {"one": one})
    for item in f.slots.filters:
        said = condition(world, item, lang, f.slots.object)
        if isinstance(item.test, Interval) and no_number(item.test):
            raise Refuse("contradiction-bounds", {"one": said})
        if isinstance(item.test, Missing) and not item.test.negated:
            if item.field in f.slots.dimensions:
                by = world.field_label(item.field, lang)
                raise Refuse("contradiction-group", {"one": said, "by": by})
        for name in f.slots.metrics:
            for own in own_condition(f.world.layer, name):
                if own.field == item.field and excluded(own, item):
                    facts = {"metric": f.names((name,)), "one": said}
                    own_words = condition(world, own, lang, f.slots.object)
                    raise Refuse("contradiction-metric", facts | {"own": own_words})


def excluded(own: Filter, item: Filter) -> bool:
    """Whether a filter leaves nothing of what a metric counts."""
    one, two = own.test, item.test
    if not isinstance(one, Among) or not isinstance(two, Among):
        return isinstance(two, Missing) and not two.negated
    if one.negated:
        return not two.negated and set(two.values) <= set(one.values)
    values = set(one.values)
    return values <= set(two.values) if two.negated else not values & set(two.values)
