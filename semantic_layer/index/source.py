"""Where the values of an index come from: the saved file, or the warehouse, in the background where they are many."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from concurrent.futures import Future
from functools import cache
from importlib import metadata
from pathlib import Path

from sqlglot import exp

from semantic_layer.index.base import Base, Place, Stored, build
from semantic_layer.index.hashes import Buffer
from semantic_layer.index.saved import load, save
from semantic_layer.model import Dimension, Layer
from semantic_layer.paths import shortest
from semantic_layer.protocols import Warehouse


class Source:
    """Where the values of an index come from: the saved file, or the warehouse."""

    def __init__(
        self, layer: Layer, warehouse: Warehouse, path: Path | None, like: Path | None, large: int
    ) -> None:
        self._layer, self._warehouse = layer, warehouse
        self._path, self._like, self._large = path, like, large
        self._key = ""
        self._lock = threading.Lock()

    def changed(self) -> Future[Base] | None:
        """The index of the data as they are now, ready or being made; None where it was given before."""
        with self._lock:
            key = version(self._layer, self._warehouse)
            if key == self._key:
                return None
            made = self._open(key)
            self._key = key
            return made

    def _open(self, key: str) -> Future[Base]:
        future: Future[Base] = Future()
        known = mapped(self._path, key)
        if known is not None:
            future.set_result(known)
            return future
        values, placed = collect(self._layer, self._warehouse)

        def make() -> None:
            try:
                future.set_result(self._make(key, build(values, placed)))
            except BaseException as error:  # whoever waits is told
                future.set_exception(error)

        if len(values) > self._large:  # a thread that does not keep the process alive
            threading.Thread(target=make, name="value-index", daemon=True).start()
        else:
            make()
        return future

    def _make(self, key: str, sections: dict[str, Buffer]) -> Base:
        if self._path is not None and save(self._path, key, sections, self._like):
            known = mapped(self._path, key)  # the file's pages can be let go of, memory cannot
            if known is not None:
                return known
        return Base(sections)


def mapped(path: Path | None, key: str) -> Base | None:
    """The saved arrays, None where there are none that can be trusted."""
    sections = load(path, key) if path is not None else None
    if sections is None:
        return None
    try:
        return Base(sections)
    except (KeyError, ValueError):  # written by other code under the same number
        return None


def version(layer: Layer, warehouse: Warehouse) -> str:
    """What an index is of: the data, the layer, and the libraries that fold and sound."""
    return f"{warehouse.data_version} {layer.hash} {_libraries()}"


@cache  # asked before every turn, and looked up in files
def _libraries() -> str:
    return " ".join(f"{name} {metadata.version(name)}" for name in ("opencc", "pypinyin"))


def collect(
    layer: Layer, warehouse: Warehouse
) -> tuple[list[Stored], dict[str, tuple[Place, ...]]]:
    """The stored values of every indexed dimension without an enum, and the hierarchies' places."""
    values: list[Stored] = []
    for dimension in layer.dimensions.values():
        if dimension.enum is not None or not dimension.indexed or dimension.pattern is not None:
            continue
        named: dict[str, str] = {}
        sql = query(layer, (dimension.id,), dimension, warehouse.dialect)
        for key, name in warehouse.run(sql).rows:
            if key is not None and name is not None:
                named.setdefault(_text(key), _text(name))
        values.extend(Stored(dimension.id, key, name) for key, name in named.items())
    placed: dict[str, tuple[Place, ...]] = {}
    for hierarchy, levels in layer.chains().items():
        found: set[Place] = set()
        for depth in range(1, len(levels) + 1):  # a branch may end early: a building without rooms
            lowest = layer.dimensions[levels[depth - 1]]
            rows = warehouse.run(query(layer, levels[:depth], lowest, warehouse.dialect)).rows
            rest = (None,) * (len(levels) - depth)
            found |= {(*map(_text, row[:-1]), *rest) for row in rows if None not in row[:-1]}
        placed[hierarchy] = tuple(sorted(found, key=lambda place: [level or "" for level in place]))
    return values, placed


def query(layer: Layer, levels: Sequence[str], lowest: Dimension, dialect: str) -> str:
    """The SELECT of the values that dimensions have together, from the lowest one's table, and its label."""
    select = exp.Select().distinct()
    joins: dict[tuple[str, ...], str] = {(): lowest.table}
    for name in levels:
        level = layer.dimensions[name]
        ways = shortest(layer.tables, lowest.table, level.table)
        steps = ways[0] if ways else ()
        for index in range(len(steps)):
            joins.setdefault(steps[: index + 1], f"v_{'_'.join(steps[: index + 1])}")
        select = select.select(exp.column(level.column, joins[steps]))
    select = select.select(
        exp.alias_(exp.column(lowest.label or lowest.column, lowest.table), "shown")
    )
    select = select.from_(
        exp.alias_(exp.to_table(layer.tables[lowest.table].source), lowest.table, table=True)
    )
    for steps, alias in joins.items():
        if steps:
            before = layer.follow(lowest.table, steps[:-1])
            join = layer.tables[before].joins[steps[-1]]
            on = exp.and_(
                *(
                    exp.column(there, alias).eq(exp.column(here, joins[steps[:-1]]))
                    for here, there in join.pairs
                )
            )
            select = select.join(
                exp.alias_(exp.to_table(layer.tables[join.to].source), alias, table=True),
                on=on,
                join_type="left",
            )
    return select.sql(dialect=dialect)


def _text(cell: object) -> str:
    return str(cell).lower() if isinstance(cell, bool) else str(cell)
