"""A warehouse over another one: what it does not change is the inner one's."""

from __future__ import annotations

from semantic_layer.protocols import Halt, Rows, Warehouse


class Wrapped:
    """A warehouse over another one, as it is."""

    def __init__(self, inner: Warehouse) -> None:
        self._inner = inner

    @property
    def dialect(self) -> str:
        """As the inner one's."""
        return self._inner.dialect

    @property
    def engine(self) -> str:
        """As the inner one's."""
        return self._inner.engine

    @property
    def data_version(self) -> str:
        """As the inner one's."""
        return self._inner.data_version

    def run(self, sql: str, *, limit: int | None = None, halt: Halt | None = None) -> Rows:
        """Run a statement on the inner one. Raises `WarehouseError`."""
        return self._inner.run(sql, limit=limit, halt=halt)


class Bound(Wrapped):
    """A warehouse as one turn asks it: every query can be halted, and waits in its user's place."""

    def __init__(self, inner: Warehouse, halt: Halt) -> None:
        super().__init__(inner)
        self._halt = halt

    def run(self, sql: str, *, limit: int | None = None, halt: Halt | None = None) -> Rows:
        """Run a statement until it is halted. Raises `WarehouseError`."""
        return self._inner.run(sql, limit=limit, halt=halt or self._halt)
