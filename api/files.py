"""A world opened from files, a layer's folder and a database, beside one that may be open already."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from dialogue.world import World
from nl2sql.errors import WarehouseError
from nl2sql.reading import RuleReader
from nl2sql.warehouse import DuckDBWarehouse, wal
from nl2sql.warehouses.cached import Cached
from nl2sql.warehouses.limited import Limited, Limits
from semantic_layer.lint.report import Report
from semantic_layer.lint.stored import find_stored
from semantic_layer.load import load
from semantic_layer.model import Layer
from semantic_layer.protocols import Warehouse
from semantic_layer.values import build_index

Marks: TypeAlias = tuple[tuple[str, int, int, int], ...]  # name, size, modified (ns), inode


def marks(*paths: Path) -> Marks:
    """What tells that files were replaced or written to: of a folder its YAML, of what is not there nothing."""
    found: list[tuple[str, int, int, int]] = []
    for path in paths:
        for file in sorted(path.glob("**/*.yaml")) if path.is_dir() else [path]:
            with suppress(FileNotFoundError):
                known = file.stat()
                found.append((str(file), known.st_size, known.st_mtime_ns, known.st_ino))
    return tuple(found)


def written(before: Marks, after: Marks) -> bool:
    """Whether a file was written to where it is, rather than replaced by another one.

    >>> written((("a", 10, 1, 7),), (("a", 20, 2, 7),)), written((("a", 10, 1, 7),), (("a", 20, 2, 8),))
    (True, False)
    """
    known = {(name, inode): (size, at) for name, size, at, inode in before}
    return any(
        known.get((name, inode), (size, at)) != (size, at) for name, size, at, inode in after
    )


class Database:
    """An open database that several worlds may share; it is closed when the last lets go of it."""

    def __init__(self, warehouse: Warehouse, close: Callable[[], None], marks: Marks) -> None:
        self.warehouse, self.marks = warehouse, marks
        self._close, self._holders, self._lock = close, 1, threading.Lock()

    def hold(self) -> Database:
        """The same, held by one more."""
        with self._lock:
            self._holders += 1
        return self

    def let_go(self) -> None:
        """Close it, where nobody else holds it."""
        with self._lock:
            self._holders -= 1
            last = self._holders == 0
        if last:
            self._close()


@dataclass(frozen=True, slots=True)
class Opened:
    """A world, the database that it holds, and in what they do not fit."""

    world: World
    database: Database
    misfits: frozenset[str] = frozenset()

    def close(self) -> None:
        """Let go of the database; called once."""
        self.database.let_go()


class Files:
    """Where a world is, and under which limits it is asked; worlds that follow one another share the queue, `gate`.

    `cache` is how many bytes of results are kept, 0 for none; `threads` are the database engine's.
    """

    def __init__(
        self,
        layer: Path,
        database: Path,
        *,
        index: Path | None = None,
        limits: Limits | None = None,
        cache: int = 0,
        threads: int = 2,
    ) -> None:
        self.layer, self.database = layer, database
        self._index, self._cache, self._threads = index, cache, threads
        self.limits = limits or Limits()
        self.gate = self.limits.gate()

    def marks(self) -> Marks:
        """What tells that they changed."""
        return marks(self.layer, self.database, wal(self.database))

    def open(self, old: Opened | None = None) -> Opened | None:
        """The world of the files as they are now; None where it is the old one.

        What has not changed is taken over: the database and what was kept of its results, the layer, its reader.
        Raises `LayerError`, and `WarehouseError` also where layer and database do not fit as the old ones did.
        """
        layer = load(self.layer)
        if old is not None and old.world.layer.hash == layer.hash:
            layer = old.world.layer
        database = self._database(old)
        try:
            return self._opened(layer, database, old)
        except BaseException:
            database.let_go()
            raise

    def _database(self, old: Opened | None) -> Database:
        now = marks(self.database, wal(self.database))
        if old is not None and old.database.marks == now:
            return old.database.hold()
        limits = self.limits
        bare = DuckDBWarehouse(
            self.database, memory=limits.memory, threads=self._threads, timeout=limits.seconds
        )
        warehouse: Warehouse = Limited(bare, limits, self.gate)
        if self._cache:
            warehouse = Cached(warehouse, most_bytes=self._cache)
        return Database(warehouse, bare.close, now)

    def _opened(self, layer: Layer, database: Database, old: Opened | None) -> Opened | None:
        warehouse = database.warehouse
        if old is not None and layer is old.world.layer:
            if warehouse.data_version == old.world.warehouse.data_version:
                database.let_go()
                return None
        wrong = misfits(layer, warehouse)
        if old is not None and (worse := sorted(wrong - old.misfits)):
            raise WarehouseError(
                f"{self.database} does not fit the layer {self.layer}: {'; '.join(worse)}"
            )
        values = build_index(layer, warehouse, self._index, self.database)
        assert values.base is not None  # waits until it is there
        if old is not None and layer is old.world.layer:
            reader = old.world.reader.over(values)
        else:
            reader = RuleReader(layer, values)
        return Opened(World(layer, reader, values, warehouse), database, wrong)


def misfits(layer: Layer, warehouse: Warehouse) -> frozenset[str]:
    """The tables and columns of a layer that a database does not have as declared, in words."""
    report = Report(())
    find_stored(layer, warehouse, report)
    return frozenset(f"{issue.code}: {issue.message}" for issue in report.issues)
