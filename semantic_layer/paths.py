"""Ways between tables: the shortest many-to-one path, and whether it is the only one."""

from __future__ import annotations

from collections.abc import Mapping

from semantic_layer.model import Table


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
