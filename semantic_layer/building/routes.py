"""Routes: how the tables of an object reach each of its dimensions."""

from __future__ import annotations

from semantic_layer import model, paths
from semantic_layer.building.found import Found
from semantic_layer.building.moments import is_moment
from semantic_layer.building.parts import Source
from semantic_layer.format import ObjectSpec


def build_routes(
    found: Found, spec: ObjectSpec, tables: set[str], source: Source
) -> dict[tuple[str, str], model.Route]:
    """The way from each table of an object to each of its dimensions."""
    document, loc = source
    routes: dict[tuple[str, str], model.Route] = {}
    for key, item in spec.dimensions.items():
        at = (document, (*loc, "dimensions", key))
        dimension = found.dimensions.get(key)
        if dimension is None:
            found.parts.missing(
                at, "unknown-dimension", f"there is no dimension `{key}`", key, found.dimensions
            )
            continue
        if item.column is not None:
            own_column(found, item.column, spec.table, dimension, tables, routes, at)
            continue
        for table in sorted(tables):
            if item.via is not None and table == spec.table:
                route = declared_route(found, item.via, table, dimension, at)
                if route is not None:
                    routes[table, key] = route
                continue
            ways = paths.shortest(found.tables, table, dimension.table)
            if len(ways) > 1:
                found.parts.report(
                    at,
                    "ambiguous-join",
                    f"`{key}` is reached from `{table}` in {len(ways)} ways",
                    "name one: via: " + " or ".join(".".join(way) for way in ways),
                )
            elif ways:
                routes[table, key] = model.Route(ways[0])
            elif table == spec.table and not near_broken(found, table):
                found.parts.report(
                    at,
                    "unreachable-dimension",
                    f"no join leads from `{table}` to `{dimension.table}`",
                    "add the join, or name the way with `via`",
                )
    return routes


def own_column(
    found: Found,
    column: str,
    owner: str,
    dimension: model.Dimension,
    tables: set[str],
    routes: dict[tuple[str, str], model.Route],
    at: Source,
) -> None:
    """A dimension whose values stand in a column of the object's own table."""
    columns = found.tables[owner].columns
    if not found.column_known(columns, column, owner, (at[0], (*at[1], "column"))):
        return
    if is_moment(found, owner, column, (at[0], (*at[1], "column")), "the values of a dimension"):
        return
    if dimension.label is not None or columns[column] != dimension.type:
        reason = "a label" if dimension.label is not None else f"the type {dimension.type}"
        found.parts.report(
            (at[0], (*at[1], "column")),
            "bad-column",
            f"`{column}` cannot stand for `{dimension.id}`, which has {reason}",
            "add a join to its table",
        )
        return
    for table in tables:
        ways = paths.shortest(found.tables, table, owner)
        if len(ways) == 1:
            routes[table, dimension.id] = model.Route(ways[0], None, column)


def near_broken(found: Found, table: str) -> bool:
    """Whether a join that was refused starts at a table, or at one it leads to."""
    seen: set[str] = set()
    stack = [table]
    while stack:
        here = stack.pop()
        if here in seen:
            continue
        seen.add(here)
        if found.declared_joins[here] - set(found.tables[here].joins):
            return True
        stack += [join.to for join in found.tables[here].joins.values()]
    return False


def declared_route(
    found: Found, via: str, table: str, dimension: model.Dimension, at: Source
) -> model.Route | None:
    """The way that `via` names, through a has_many first if it begins with one."""
    steps = via.split(".")
    here, many = table, found.tables[table].has_many.get(steps[0])
    if many is not None:
        here, steps = many.to, steps[1:]
    for step in steps:
        join = found.tables[here].joins.get(step)
        if join is None:
            found.parts.missing(
                at,
                "unknown-join",
                f"`{here}` has no join `{step}`",
                step,
                [*found.tables[here].joins, *found.tables[here].has_many],
            )
            return None
        here = join.to
    if here != dimension.table:
        found.parts.report(
            at,
            "unreachable-dimension",
            f"`{via}` leads to `{here}`, not to `{dimension.table}`",
        )
        return None
    return model.Route(tuple(steps), many)
