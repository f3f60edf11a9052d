"""What must hold of numbers, whatever the data and the question (RULES.md §9).

300 examples each; WENSHU_EXAMPLES=5000 for a long run.
"""

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal
from unittest.mock import patch

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from sqlglot import exp

from nl2sql.compiler import Question, anchor, build
from nl2sql.readback import from_slots
from nl2sql.slots import (
    Among,
    Comparison,
    Contains,
    Filter,
    Limit,
    Members,
    Missing,
    Order,
    Slots,
    TimeSlot,
    from_json,
    to_json,
)
from nl2sql.times import Range
from semantic_layer.model import Metric
from semantic_layer.protocols import Cell
from tests.properties.small_park import (
    CLOCK,
    LAYER,
    OTHER_PERIODS,
    PERIODS,
    Case,
    Row,
    SmallPark,
    cases,
    conditions,
    data,
    filters,
    one,
)

MANY = settings(
    max_examples=int(os.environ.get("WENSHU_EXAMPLES", "300")),
    suppress_health_check=list(HealthCheck),
)
ADDITIVE = [name for name, metric in LAYER.metrics.items() if metric.additive]
COUNTS = [
    name for name, metric in LAYER.metrics.items() if metric.kind in ("count", "count_distinct")
]
FORMULAS = [name for name, metric in LAYER.metrics.items() if metric.kind == "formula"]
DATED = [name for name, metric in LAYER.metrics.items() if LAYER.object_of(name).time.default]
FIXED = tuple(time for time in PERIODS + OTHER_PERIODS if time.rolling is None)


@pytest.fixture(scope="module")
def park() -> Iterator[SmallPark]:
    opened = SmallPark()
    yield opened
    opened.connection.close()


def key(row: Row, slots: Slots) -> tuple[Cell, ...]:
    """The group of a row."""
    names = ["bucket"] if slots.grain else []
    names += [part for name in slots.dimensions for part in LAYER.path(name)]
    return tuple(row.get(name) for name in sorted(set(names)))


def grouped(rows: Sequence[Row], slots: Slots) -> dict[tuple[Cell, ...], Row]:
    """Rows by their group; every group is there once."""
    found = {key(row, slots): row for row in rows}
    assert len(found) == len(rows), "a group comes twice"
    return found


def close(one_value: Cell, other: Cell) -> bool:
    """Equal; figures without an exact form to nine digits."""
    if isinstance(one_value, float) or isinstance(other, float):
        if one_value is None or other is None:
            return one_value is other
        return float(str(one_value)) == pytest.approx(float(str(other)), rel=1e-9, abs=1e-9)
    return one_value == other


def same(one_row: Row, other: Row, names: Iterable[str]) -> bool:
    return all(close(one_row[name], other[name]) for name in names)


def bag(rows: Sequence[Row]) -> Counter[tuple[tuple[str, Cell], ...]]:
    """Rows as a multiset, whatever the order of columns."""
    return Counter(tuple(sorted(row.items())) for row in rows)


def total(rows: Sequence[Row], name: str) -> Decimal:
    """The sum of a column."""
    return sum((Decimal(str(row[name])) for row in rows if row[name] is not None), Decimal(0))


# ---- the properties --------------------------------------------------------------------------


@MANY
@given(case=cases(metrics=ADDITIVE, apart=True, periods=FIXED))
def test_groups_add_up_to_the_total(park: SmallPark, case: Case) -> None:
    """未知 among them: no row is lost by a key that is NULL or leads nowhere."""
    snapshot = LAYER.objects[case.objects[0]].time.snapshot
    assume(not (snapshot and case.slots.grain))  # snapshots do not add up over time
    park.fill(case.data)
    (whole,) = park.ask(case.but(dimensions=(), grain=None))
    rows = park.ask(case.slots)
    for name in case.slots.metrics:
        assert total(rows, name) == Decimal(str(whole[name] or 0)), name


@MANY
@given(
    case=cases(dimensions=(2, 3), most=3),
    shuffle=st.randoms(use_true_random=False),
    limit=st.booleans(),
)
def test_the_order_of_dimensions_never_matters(
    park: SmallPark, case: Case, shuffle: st.DataObject, limit: bool
) -> None:
    park.fill(case.data)
    slots = case.but(limit=Limit(2)) if limit else case.slots
    order = list(slots.dimensions)
    shuffle.shuffle(order)  # type: ignore[attr-defined]
    names = slots.metrics
    one_way = grouped(park.ask(slots), slots)
    other = grouped(park.ask(replace(slots, dimensions=tuple(order))), slots)
    assert one_way.keys() == other.keys()
    assert all(same(one_way[group], other[group], names) for group in one_way)


@MANY
@given(case=cases(), more=st.data())
def test_adding_a_metric_changes_no_other(park: SmallPark, case: Case, more: st.DataObject) -> None:
    """Neither one of the same object nor one of another: joined facts repeat nothing."""
    usable = [
        name
        for name, metric in LAYER.metrics.items()
        if name not in case.slots.metrics
        and set(case.slots.dimensions) <= set(LAYER.objects[metric.object].dimensions)
        and (case.slots.grain is None or LAYER.objects[metric.object].time.default)
        and all(
            item.field in LAYER.objects[metric.object].dimensions for item in case.slots.filters
        )
    ]
    assume(usable)
    added = more.draw(one(usable))
    other = LAYER.metrics[added].object
    rows = more.draw(data((*case.objects, other)))
    park.fill({**rows, **case.data})
    alone = grouped(park.ask(case.slots), case.slots)
    together = grouped(park.ask(case.but(metrics=(*case.slots.metrics, added))), case.slots)
    assert alone.keys() <= together.keys()
    for group, row in together.items():
        if group in alone:
            assert same(row, alone[group], case.slots.metrics)
        else:
            assert all(row[name] in (None, 0) for name in case.slots.metrics)


@MANY
@given(case=cases(metrics=FORMULAS, most=1))
def test_a_formula_equals_its_shown_parts(park: SmallPark, case: Case) -> None:
    park.fill(case.data)
    (name,) = case.slots.metrics
    metric = LAYER.metrics[name]
    for row in park.ask(case.but(metrics=(name, *metric.parts))):
        assert close(row[name], computed(metric, row)), row


def computed(metric: Metric, row: Row) -> float | Decimal | None:
    """A formula worked out over its parts; a zero denominator gives NULL."""

    def value(node: exp.Expr) -> Decimal | None:
        if isinstance(node, exp.Column):
            cell = row[node.name]
            return None if cell is None else Decimal(str(cell))
        if isinstance(node, exp.Literal):
            return Decimal(node.name)
        left, right = value(node.this), value(node.expression)
        if left is None or right is None or (isinstance(node, exp.Div) and right == 0):
            return None
        return left / right if isinstance(node, exp.Div) else left - right

    assert metric.expr is not None
    found = value(metric.expr.tree)
    return float(found) if found is not None and isinstance(metric.expr.tree, exp.Div) else found


@MANY
@given(
    case=cases(metrics=DATED, periods=PERIODS, timed=True, grain=False),
    kind=st.sampled_from(["yoy", "pop"]),
    full=st.booleans(),
)
def test_the_current_side_of_a_comparison_is_the_plain_answer(
    park: SmallPark, case: Case, kind: str, full: bool
) -> None:
    """Over the same period: one that is still open is cut after today, unless it is asked whole."""
    park.fill(case.data)
    slots = case.but(comparison=Comparison(kind, full))  # type: ignore[arg-type]
    time = slots.time
    assert time is not None
    whole = full or LAYER.objects[case.objects[0]].time.snapshot
    ranges = time.ranges if whole else tuple(so_far(item) for item in time.ranges)
    plain = grouped(park.ask(case.but(time=replace(time, ranges=ranges))), slots)
    compared = grouped(park.ask(slots), slots)
    assert plain.keys() <= compared.keys()
    for group, row in compared.items():
        if group in plain:
            assert same(row, plain[group], slots.metrics), group
        else:
            assert all(row[name] in (None, 0) for name in slots.metrics)


@MANY
@given(
    case=cases(metrics=DATED, most=3, periods=PERIODS, timed=True, grain=False),
    kind=st.sampled_from(["yoy", "pop"]),
    full=st.booleans(),
    more=st.sampled_from([{}, {}, {"totals": True}, {"limit": Limit(1), "order": Order()}]),
)
def test_one_pass_over_both_periods_gives_what_two_give(
    park: SmallPark, case: Case, kind: str, full: bool, more: dict[str, object]
) -> None:
    assume(case.slots.dimensions or not more)
    park.fill(case.data)
    slots = case.but(comparison=Comparison(kind, full), **more)  # type: ignore[arg-type]
    found = park.ask(slots)
    with patch.object(anchor, "at_once", no), patch.object(from_slots, "at_once", no):
        assert Counter(map(exact, found)) == Counter(map(exact, park.ask(slots)))


def no(*_: object) -> bool:
    return False


def so_far(span: Range) -> Range:
    """A period up to today."""
    tomorrow = date(2026, 9, 29)
    assert isinstance(span.end, date)
    return replace(span, end=min(span.end, tomorrow))


@MANY
@given(case=cases(metrics=COUNTS, dimensions=(0, 1)), choice=st.data())
def test_a_wider_filter_never_lowers_a_count(
    park: SmallPark, case: Case, choice: st.DataObject
) -> None:
    assume(case.slots.filters)
    park.fill(case.data)
    item = choice.draw(one(case.slots.filters))
    others = tuple(other for other in case.slots.filters if other is not item)
    wide = case.but(filters=others)
    if isinstance(item.test, Among) and choice.draw(st.booleans()):
        values = item.test.values
        test = (
            Among(values[:1], True)
            if item.test.negated
            else Among((*values, "1号楼" if item.field == "building_no" else values[0]))
        )
        wide = case.but(
            filters=tuple(
                Filter(item.field, test) if other is item else other for other in case.slots.filters
            )
        )
    narrow = grouped(park.ask(case.slots), case.slots)
    wider = grouped(park.ask(wide), case.slots)
    for group, row in narrow.items():
        fixed = [
            found
            for found in wider
            if all(a is None or a == b for a, b in zip(group, found, strict=True))
        ]
        for name in case.slots.metrics:
            assert int(str(row[name])) <= sum(int(str(wider[found][name])) for found in fixed)


POLICIES = st.lists(one(["P001", "P002", "P003"]), min_size=1, max_size=2, unique=True).map(
    lambda values: (Filter("park_id", Among(tuple(values))),)
)
LISTED = [name for name, found in LAYER.objects.items() if found.listed]
HAVE_PARKS = [name for name in LISTED if "park_id" in LAYER.objects[name].dimensions]


def _unknown(item: Filter) -> bool:
    """Whether a filter asks for what has no value."""
    test = item.test
    if isinstance(test, Members):
        return any(None in row for row in test.rows)
    return isinstance(test, Missing) and not test.negated


@MANY
@given(choice=st.data(), policy=POLICIES)
def test_a_policy_only_ever_takes_rows_away(
    park: SmallPark, choice: st.DataObject, policy: tuple[Filter, ...]
) -> None:
    name = choice.draw(one(HAVE_PARKS))
    rows, values = choice.draw(data((name,))), policy[0].test.values  # type: ignore[union-attr]
    park.fill(rows)
    slots = Slots(
        name, rows=True, filters=choice.draw(filters((name,))), time=choice.draw(period(name))
    )
    everything, permitted = bag(park.ask(slots)), bag(park.ask(slots, policy))
    assert permitted <= everything
    stored = {row[0] for row in rows["dim_park"]}
    if any(_unknown(item) for item in slots.filters):
        return  # a related row without a park is in none that the user may see: it is not found by it
    if "park_id" in LAYER.objects[name].listed and stored >= set(values):
        assert permitted == Counter(
            {row: count for row, count in everything.items() if dict(row)["park_id"] in values}
        )


@MANY
@given(case=cases(metrics=COUNTS), policy=POLICIES)
def test_a_policy_never_raises_a_count(
    park: SmallPark, case: Case, policy: tuple[Filter, ...]
) -> None:
    assume("park_id" in LAYER.objects[case.objects[0]].dimensions)
    park.fill(case.data)
    everything = grouped(park.ask(case.slots), case.slots)
    permitted = grouped(park.ask(case.slots, policy), case.slots)
    assert permitted.keys() <= everything.keys()
    for group, row in permitted.items():
        assert all(int(str(row[m])) <= int(str(everything[group][m])) for m in case.slots.metrics)


def period(name: str) -> st.SearchStrategy[TimeSlot | None]:
    """A period for an object's rows, or none."""
    found = LAYER.objects[name]
    if found.time.default is None or found.table != found.measured:
        return st.none()
    return st.one_of(st.none(), one(PERIODS + OTHER_PERIODS))


@MANY
@given(choice=st.data())
def test_a_condition_and_its_negation_part_the_rows(park: SmallPark, choice: st.DataObject) -> None:
    """不是 keeps rows without a value: together with 是 they are all rows, each once."""
    name = choice.draw(one(LISTED))
    park.fill(choice.draw(data((name,))))
    rest = choice.draw(filters((name,), most=1))
    field = choice.draw(
        one(
            [
                item
                for item in LAYER.objects[name].dimensions
                if not any(o.field == item for o in rest)
            ]
        )
    )
    test = choice.draw(conditions(field))
    assume(isinstance(test, Among | Missing | Contains))
    slots = Slots(name, rows=True, filters=rest, time=choice.draw(period(name)))
    everything = bag(park.ask(slots))
    parts = [
        park.ask(replace(slots, filters=(*rest, Filter(field, replace(test, negated=negated)))))  # type: ignore[call-arg]
        for negated in (False, True)
    ]
    assert bag([*parts[0], *parts[1]]) == everything
    counted = [metric for metric in LAYER.objects[name].metrics if LAYER.metrics[metric].additive]
    if not counted:
        return
    asked = replace(slots, rows=False, metrics=tuple(counted))
    (whole,) = park.ask(asked)
    halves = [
        park.ask(replace(asked, filters=(*rest, Filter(field, replace(test, negated=negated)))))  # type: ignore[call-arg]
        for negated in (False, True)
    ]
    for metric in counted:
        assert total([*halves[0], *halves[1]], metric) == Decimal(str(whole[metric] or 0)), metric


@MANY
@given(case=cases(most=3, dimensions=(0, 3)))
def test_the_same_slots_give_the_same_text(case: Case) -> None:
    """Also after the way into the ledger and back."""
    first = build(Question(case.slots, LAYER, CLOCK)).sql
    assert build(Question(case.slots, LAYER, CLOCK)).sql == first
    again = from_json(to_json(case.slots))
    assert again == case.slots
    assert build(Question(again, LAYER, CLOCK)).sql == first


@MANY
@given(
    case=cases(dimensions=(1, 3), grain=False, most=2),
    last=st.integers(1, 3),
    first=st.sampled_from([1, 1, 2]),
    down=st.booleans(),
    within=st.booleans(),
)
def test_a_limit_keeps_the_ranks_and_their_ties(
    park: SmallPark, case: Case, last: int, first: int, down: bool, within: bool
) -> None:
    """前3 may show four rows; NULLs come last; 未知 takes no place."""
    assume(first <= last)
    park.fill(case.data)
    per = case.slots.dimensions[:1] if within and len(case.slots.dimensions) > 1 else ()
    slots = case.but(order=Order(None, down), limit=Limit(last, first, per))
    ranked = [name for name in case.slots.dimensions if name not in per]
    rows = [
        row
        for row in park.ask(case.slots)
        if all(row[name] is not None for name in ranked if slots.keeps_missing(name))
    ]
    inside = [part for name in per for part in LAYER.path(name)]
    found = park.ask(slots)
    wanted = [
        row for row in rows if first <= rank(row, rows, slots.metrics[0], down, inside) <= last
    ]
    assert Counter(map(exact, found)) == Counter(map(exact, wanted))


def exact(row: Row) -> tuple[tuple[str, str], ...]:
    """A row for comparison; figures without an exact form by nine digits."""
    return tuple(
        (name, f"{cell:.9g}" if isinstance(cell, float) else str(cell))
        for name, cell in sorted(row.items())
    )


def rank(row: Row, rows: Sequence[Row], by: str, down: bool, inside: Sequence[str]) -> int:
    """The rank of a row among those of its part: one more than the rows before it."""

    def before(other: Row) -> bool:
        here, there = row[by], other[by]
        if there is None or here is None:
            return here is None and there is not None
        return there > here if down else there < here  # type: ignore[operator]

    peers = [other for other in rows if all(other.get(n) == row.get(n) for n in inside)]
    return 1 + sum(before(other) for other in peers)


SUMS = [name for name in LAYER.metrics if LAYER.additive(name)]


@MANY
@given(case=cases(metrics=SUMS, apart=True, dimensions=(1, 2), grain=False, periods=FIXED))
def test_shares_add_up_to_one(park: SmallPark, case: Case) -> None:
    """Of each metric that has a total at all; 未知 has its share."""
    park.fill(case.data)
    plain = grouped(park.ask(case.slots), case.slots)
    rows = grouped(park.ask(case.but(share=True)), case.slots)
    assert plain.keys() == rows.keys()
    for name in case.slots.metrics:
        whole = total(list(plain.values()), name)
        assert all(close(plain[key][name], rows[key][name]) for key in plain)
        shares = [row[f"{name}__share"] for row in rows.values() if row[name] is not None]
        if whole:
            assert float(sum(float(str(item)) for item in shares)) == pytest.approx(1)
        else:
            assert all(item is None for item in shares)


@MANY
@given(
    case=cases(metrics=SUMS, apart=True, dimensions=(1, 1), grain=False, periods=FIXED),
    last=st.integers(1, 3),
)
def test_the_others_are_the_rest(park: SmallPark, case: Case, last: int) -> None:
    """The groups with a place and the rest, 未知 among it, add up to the total."""
    park.fill(case.data)
    (whole,) = park.ask(case.but(dimensions=()))
    rows = park.ask(case.but(limit=Limit(last, others=True), order=Order()))
    placed = [row for row in rows if row["others_"] == 0]
    ranked = park.ask(case.but(limit=Limit(last), order=Order()))
    assert len(rows) - len(placed) <= 1
    assert len(placed) == len(ranked)
    for name in case.slots.metrics:
        assert total(rows, name) == Decimal(str(whole[name] or 0)), name


@MANY
@given(case=cases(dimensions=(1, 2), periods=FIXED))
def test_a_row_of_totals_is_the_ungrouped_answer(park: SmallPark, case: Case) -> None:
    """Whatever the metric: a rate, a distinct count, a snapshot."""
    park.fill(case.data)
    (whole,) = park.ask(case.but(dimensions=(), grain=None))
    rows = park.ask(case.but(totals=True))
    plain = park.ask(case.slots)
    (last,) = [row for row in rows if row["total_"] == 1]
    assert len(rows) == len(plain) + 1
    for name in case.slots.metrics:
        assert close(last[name], whole[name]) or {last[name], whole[name]} == {None, 0}, name


@MANY
@given(case=cases(metrics=SUMS, dimensions=(0, 1), apart=True, periods=FIXED, timed=True))
def test_running_totals_end_with_the_total(park: SmallPark, case: Case) -> None:
    """The last bucket of running totals holds everything up to today."""
    assume(case.slots.grain is not None)
    assert case.slots.time is not None
    assume(
        all(item.start and item.end for item in case.slots.time.ranges)
    )  # declined: no beginning
    assume(not LAYER.objects[case.objects[0]].time.snapshot)
    park.fill(case.data)
    rows = park.ask(case.but(running=True))
    plain = park.ask(case.slots)
    today = CLOCK.date()
    past = [row for row in plain if row["bucket"] is not None and str(row["bucket"]) <= str(today)]
    assume(all(str(row["bucket"]) <= str(today) for row in plain))
    end = max((str(row["bucket"]) for row in rows), default="")
    for name in case.slots.metrics:
        at_end = [row for row in rows if str(row["bucket"]) == end]
        if past and CLOCK.date() >= last_day(case):
            assert total(at_end, name) == total(past, name), name


def last_day(case: Case) -> date:
    """The last day of a case's period."""
    assert case.slots.time is not None
    end = case.slots.time.ranges[-1].end
    assert isinstance(end, date)
    return end - timedelta(days=1)
