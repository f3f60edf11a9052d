"""A warehouse that keeps what it found: the same statement over the same data runs once.

For whoever asks the same many times and wants the rows, not the time they take: replay, evaluation.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable

from nl2sql.warehouses.wrapped import Wrapped
from semantic_layer.protocols import Halt, Rows, Warehouse

CELLS = 500_000  # some tens of megabytes


class Remembering(Wrapped):
    """A warehouse over another one. At most so many cells are kept, those asked for last."""

    def __init__(self, inner: Warehouse, cells: int = CELLS) -> None:
        super().__init__(inner)
        self._most, self._held = cells, 0
        self._kept: OrderedDict[tuple[str, str], Rows] = OrderedDict()

    def run(self, sql: str, *, limit: int | None = None, halt: Halt | None = None) -> Rows:
        """The rows, found now or before. Raises `WarehouseError`, which is not kept."""
        if limit is not None:
            return self._inner.run(sql, limit=limit, halt=halt)
        return self.found(sql, lambda text: self._inner.run(text, halt=halt))

    def found(self, sql: str, run: Callable[[str], Rows]) -> Rows:
        """The rows of a statement as they are kept, else as `run` finds them."""
        key = (self._inner.data_version, sql)
        rows = self._kept.pop(key, None)
        if rows is None:
            rows = run(sql)
            self._held += _cells(rows)
        self._kept[key] = rows
        while self._held > self._most and len(self._kept) > 1:
            self._held -= _cells(self._kept.popitem(last=False)[1])
        return rows


def _cells(rows: Rows) -> int:
    return len(rows.rows) * len(rows.columns) + 1
