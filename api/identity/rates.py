"""How much one user may ask, in a window that moves with time.

A limit protects the service from its users' haste. When its store is down nobody is limited: better unlimited
for a while than closed.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from math import floor

from limits import RateLimitItem, parse_many
from limits.errors import ConfigurationError
from limits.storage import Storage, storage_from_string
from limits.strategies import MovingWindowRateLimiter

from api.clock import epoch
from api.identity.errors import IdentityError

MEMORY = "memory://"
PATIENCE = 0.5  # seconds for an answer of the store
PAUSE = 10.0  # seconds without a limit after the store failed, before it is asked again
log = logging.getLogger("wenshu.identity")


class Rates:
    """Limits per user: `60/minute`, or several, `10/second; 600/hour`.

    The store is this process's memory, or a Redis that several share (`redis://…`). Raises `IdentityError` for
    a limit or a store that is none.
    """

    def __init__(self, limit: str, store: str = MEMORY, clock: Callable[[], float] = epoch) -> None:
        self._items = _parsed(limit)
        self._limiter = MovingWindowRateLimiter(_store(store))
        self._clock = clock
        self._down_until = 0.0
        self._said = False

    def take(self, who: str) -> int:
        """Count one request of a user: 0, or the seconds to wait (`Retry-After`) before one is taken again.

        Never raises. With a store elsewhere it may take half a second once in ten seconds.
        """
        now = self._clock()
        if now < self._down_until:
            return 0
        try:
            wait = self._take(who, now)
        except Exception as error:  # whatever the store's client raises
            self._down_until = now + PAUSE
            if not self._said:
                log.warning("the store of rate limits is down, nobody is limited: %s", error)
            self._said = True
            return 0
        if self._said:
            log.warning("the store of rate limits is back")
        self._said = False
        return wait

    def _take(self, who: str, now: float) -> int:
        full = [item for item in self._items if not self._limiter.test(item, who)]
        if not full:  # one that fills up between the two looks counts as full too
            full = [item for item in self._items if not self._limiter.hit(item, who)]
        return max((self._wait(item, who, now) for item in full), default=0)

    def _wait(self, item: RateLimitItem, who: str, now: float) -> int:
        """Whole seconds until the oldest request has left the window."""
        free = self._limiter.get_window_stats(item, who).reset_time
        return max(1, min(floor(free - now) + 1, item.get_expiry() + 1))


def _parsed(limit: str) -> list[RateLimitItem]:
    try:
        found = parse_many(limit)
    except ValueError:
        found = []
    if not found or any(item.amount < 1 for item in found):
        raise IdentityError(
            f"a rate limit is written 60/minute, or 10/second; 600/hour; not {limit!r}"
        )
    return found


def _store(url: str) -> Storage:
    options = {} if url == MEMORY else _REDIS
    try:
        found = storage_from_string(url, **options)
    except (ConfigurationError, ValueError, TypeError) as error:
        raise IdentityError(
            "rate limits are kept in memory:// or in a Redis, redis://HOST:PORT/DB (with the extra "
            f"`redis`): {type(error).__name__}"
        ) from error
    if not isinstance(found, Storage) or not url.startswith((MEMORY, "redis://", "rediss://")):
        raise IdentityError("rate limits are kept in memory:// or in a Redis, redis://HOST:PORT/DB")
    return found


_REDIS = {"socket_timeout": PATIENCE, "socket_connect_timeout": PATIENCE}
