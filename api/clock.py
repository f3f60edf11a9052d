"""The one module that reads the clock."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from zoneinfo import ZoneInfo


@dataclass(frozen=True, slots=True)
class SystemClock:
    """The time it is, in a zone, without the zone's mark: all times of a layer are in its zone."""

    zone: str

    def now(self) -> datetime:
        """The present instant."""
        return datetime.now(ZoneInfo(self.zone)).replace(tzinfo=None, microsecond=0)


def epoch() -> float:
    """The present instant in seconds since 1970, as tokens and keys count time."""
    return datetime.now(UTC).timestamp()


@dataclass(frozen=True, slots=True)
class FrozenClock:
    """A fixed instant: for demos whose data end one day, for tests and replays."""

    instant: datetime

    @classmethod
    def at(cls, moment: date | datetime) -> FrozenClock:
        """A clock that stands at a day's midnight, or at an instant."""
        return cls(moment if isinstance(moment, datetime) else datetime.combine(moment, time()))

    def now(self) -> datetime:
        """The fixed instant."""
        return self.instant
