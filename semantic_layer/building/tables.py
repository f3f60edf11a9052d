"""Tables: their keys, the joins to one row of another table, and the way back to many."""

from __future__ import annotations

from types import MappingProxyType

from semantic_layer import model
from semantic_layer.building.found import Found
from semantic_layer.building.moments import check_joins, moments_of


def build_tables(found: Found) -> None:
    """Resolve every table, first what joins lead to, then what leads back."""
    specs = [
        (name, spec, (document, ("tables", name)))
        for document, head in found.parts.heads
        for name, spec in head.tables.items()
    ]
    known = {name: spec for name, spec, _ in specs}
    for name, spec, source in specs:
        for index, column in enumerate(spec.key):
            found.column_known(
                known[name].columns, column, name, (source[0], (*source[1], "key", index))
            )
        joins: dict[str, model.Join] = {}
        for join_name, join in spec.joins.items():
            at = (source[0], (*source[1], "joins", join_name))
            if not found.parts.whole(at):
                found.parts.broken.add(join_name)
                continue
            if join.table not in known:
                found.parts.missing(
                    at, "unknown-table", f"there is no table `{join.table}`", join.table, known
                )
                found.parts.broken.add(join_name)
                continue
            target = known[join.table]
            if join.on is None and not target.key:
                found.parts.report(
                    at,
                    "join-without-key",
                    f"join `{join_name}`: `{join.table}` has no key and the join no `on`",
                    f"give `{join.table}` a key, or write `on: {{column here: column there}}`",
                )
                found.parts.broken.add(join_name)
                continue
            pairs = tuple((join.on or {column: column for column in target.key}).items())
            ok = all(
                found.column_known(spec.columns, here, name, at)
                and found.column_known(target.columns, there, join.table, at)
                for here, there in pairs
            )
            if ok:
                joins[join_name] = model.Join(join_name, name, join.table, pairs)
            else:
                found.parts.broken.add(join_name)
        if name in found.tables:
            found.parts.report(source, "duplicate-table", f"two tables are named `{name}`")
            continue
        found.declared_joins[name] = set(spec.joins)
        found.tables[name] = model.Table(
            name,
            spec.source or name,
            tuple(spec.key),
            MappingProxyType({column: item.type for column, item in spec.columns.items()}),
            MappingProxyType(joins),
            {},
            MappingProxyType(
                {
                    column: item.scale
                    for column, item in spec.columns.items()
                    if item.scale is not None
                }
            ),
            moments_of(found, spec, source),
        )
    for name, spec, source in specs:
        many: dict[str, model.HasMany] = {}
        for many_name, item in spec.has_many.items():
            at = (source[0], (*source[1], "has_many", many_name))
            if item.table not in found.tables:
                found.parts.missing(
                    at, "unknown-table", f"there is no table `{item.table}`", item.table, known
                )
                found.parts.broken.add(many_name)
                continue
            back = found.tables[item.table].joins.get(item.join)
            if back is None or back.to != name:
                found.parts.missing(
                    at,
                    "unknown-join",
                    f"`{item.table}` has no join `{item.join}` that leads to `{name}`",
                    item.join,
                    found.tables[item.table].joins,
                )
                found.parts.broken.add(many_name)
                continue
            where = found.expression(item.where, item.table, (at[0], (*at[1], "where")), {})
            many[many_name] = model.HasMany(many_name, name, item.table, back, where)
        table = found.tables[name]
        check_joins(found, table, source)
        found.tables[name] = model.Table(
            table.name,
            table.source,
            table.key,
            table.columns,
            table.joins,
            MappingProxyType(many),
            table.scales,
            table.moments,
        )
