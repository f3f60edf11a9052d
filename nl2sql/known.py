"""What pure functions gave: the same arguments need not be worked out twice."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

from cachetools import LRUCache

K = TypeVar("K")
V = TypeVar("V")


class Known(Generic[K, V]):
    """Frozen values by what they were made from, those asked for last: at most so many, for many threads."""

    def __init__(self, most: int) -> None:
        self._kept: LRUCache[K, V] = LRUCache(most)
        self._lock = threading.Lock()

    def get(self, key: K, make: Callable[[], V]) -> V:
        """The value of a key, made where it is not known. What `make` raises is not kept."""
        with self._lock:
            found = self._kept.get(key)
        if found is None:
            found = make()
            with self._lock:
                self._kept[key] = found
        return found
