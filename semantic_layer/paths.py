"""Ways between tables: the shortest many-to-one path, and whether it is the only one."""

from __future__ import annotations

from collections.abc import Mapping

from semantic_layer.model import HasMany, Table


def shortest(tables: Mapping[str, Table], start: str, goal: str) -> tuple[tuple[str, ...], ...]:
    """All shortest many-to-one paths (as join names) from `start` to `goal`; none when unreachable."""
    level: list[tuple[str, tuple[str, ...]]] = [(start, ())]
    seen = {start}
    while level:
        found = tuple(path for table, path in level if table == goal)
        if found:
            return found
        following: list[tuple[str, tuple[str, ...]]] = []
        for table, path in level:
            for join in tables[table].joins.values():
                if join.to not in seen:
                    following.append((join.to, (*path, join.name)))
        seen |= {table for table, _ in following}
        level = following
    return ()


def aside(tables: Mapping[str, Table], many: HasMany, goal: str) -> tuple[str, ...] | None:
    """The way from the rows of a many side to a table without going back to the row they belong to.

    None when there is none. A contract's rooms reach their park through their building, whatever the
    park of the contract.
    """
    found: list[tuple[str, ...]] = []
    for join in tables[many.to].joins.values():
        if join.name != many.back.name:
            found += [(join.name, *way) for way in shortest(tables, join.to, goal)]
    if many.to == goal:
        return ()
    return min(found, key=len, default=None)
