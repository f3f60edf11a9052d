"""What a detail list must say, computed from the slots and the layer alone, never from the plan."""

from __future__ import annotations

from nl2sql.readback.asked import Asked
from nl2sql.readback.from_slots import Metrics
from nl2sql.readback.from_sql import Passed, Said
from nl2sql.readback.rows import From, filtered
from nl2sql.slots import Slots
from semantic_layer.model import Object


def listing(asked: Asked) -> Said:
    """Everything the statement of a list must say."""
    slots, layer = asked.slots, asked.layer
    assert slots.object is not None
    found = layer.objects[slots.object]
    rows = From(
        layer,
        found.table,
        found if found.table == found.measured else None,
        asked.clock.date().isoformat(),
        asked.policy,
    )
    metrics = Metrics(asked)
    column = date_of(found, slots)
    dated = column is not None and (slots.time is not None or found.time.snapshot)
    if dated:
        rows = metrics.limited(rows, found, column, "")
    columns: list[tuple[str, str]] = []
    by = (*(item.field for item in slots.filters), slots.order.by if slots.order else None)
    told = [name for name in by if name in found.attributes and name not in layer.dimensions]
    for name in dict.fromkeys((*found.listed, *slots.shown, *filter(None, told))):
        if name in layer.dimensions and name in found.dimensions:
            route = found.route(found.table, name)
            assert route is not None
            dimension = route.of(layer.dimensions[name])
            columns.append((name, rows.joined(route.steps, dimension.column)))
            if dimension.label:
                columns.append((f"{name}__label", rows.joined(route.steps, dimension.label)))
        else:
            columns.append((name, rows.expression(found.attributes[name].expr)))
    where: list[str] = []
    terms: list[str] = []
    if column is not None:
        terms.append(f"{rows.column((), column)} asc")
        if dated:
            where += metrics.timed(rows, (), column, found, metrics.ranges(found, ""), None, "last")
    for item in (*slots.filters, *asked.policy):
        where += filtered(
            rows, found, item, slots.filters if item in slots.filters else asked.policy
        )
    said = _said_order(rows, found, slots)
    terms = [*said, *terms]
    terms += [
        term
        for key in layer.tables[found.table].key
        if (term := f"{rows.column((), key)} asc") not in terms
    ]
    ranks: set[str] = set()
    limit, order = "", tuple(terms)
    if slots.limit is not None and (said or slots.limit.first > 1 or slots.limit.per):
        within = []
        for name in (part for per in slots.limit.per for part in layer.path(per)):
            way = found.route(found.table, name)
            assert way is not None
            within.append(rows.joined(way.steps, way.of(layer.dimensions[name]).column))
        ranks = {
            f"(rank_ <= {slots.limit.last})",
            f"rank_: RANK() within {sorted(within)} by {said or terms}",
            f"place_: ROW_NUMBER() within [] by {terms}",
            f"shows {tuple(name for name, _ in columns)}",
        }
        if slots.limit.first > 1:
            ranks.add(f"(rank_ >= {slots.limit.first})")
        order = ("place_ asc",)
    elif slots.limit is not None:
        limit = str(slots.limit.last)
    return Said(
        frozenset(
            {Passed(rows.source(found.table), frozenset(where), frozenset(), frozenset(columns))}
        ),
        (),
        frozenset(),
        tuple((name, "") for name, _ in columns),
        frozenset(),
        frozenset(ranks),
        order,
        limit,
    )


def date_of(found: Object, slots: Slots) -> str | None:
    """The column of the date that a list goes by, when its rows have one."""
    if found.table != found.measured:
        return None
    role = slots.time.role if slots.time else None
    if role and role in found.time.roles:
        return found.time.roles[role].column
    own = found.time.roles.get(found.time.default or "")
    return own.column if own is not None else found.time.default


def _said_order(rows: From, found: Object, slots: Slots) -> list[str]:
    if slots.order is None or not slots.order.by:
        return []
    by = slots.order.by
    if by in found.attributes:
        text = rows.expression(found.attributes[by].expr)
    elif by in found.time.roles:
        text = rows.column((), found.time.roles[by].column)
    else:
        way = found.route(found.table, by)
        assert way is not None
        text = rows.joined(way.steps, way.of(rows.layer.dimensions[by]).column)
    return [f"{text} {'desc' if slots.order.descending else 'asc'}"]
