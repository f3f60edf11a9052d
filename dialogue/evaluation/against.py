"""Two reports of the same sets: which turns became right, which wrong."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

Report = Mapping[str, object]
_Key = tuple[str, str, int, int]


@dataclass(frozen=True, slots=True)
class Change:
    """A turn that ended otherwise than before: `reason` says why it is wrong, now or before."""

    set: str
    dialogue: str
    turn: int
    right: bool
    reason: str


@dataclass(frozen=True, slots=True)
class Changes:
    """What became right and wrong, and how many turns are in one report only."""

    right: tuple[Change, ...]
    wrong: tuple[Change, ...]
    unmatched: int


def changes(before: Iterable[Report], now: Iterable[Report]) -> Changes:
    """Compare reports turn by turn, by set, dialogue and number.

    Raises `ValueError` for what is no report of `wenshu eval --json`.
    """
    old, new = _turns(before), _turns(now)
    found = [
        Change(*key[:3], new[key][0], new[key][1] or old[key][1])
        for key in old.keys() & new.keys()
        if old[key][0] != new[key][0]
    ]
    found.sort(key=lambda item: (item.set, item.dialogue, item.turn))
    return Changes(
        tuple(item for item in found if item.right),
        tuple(item for item in found if not item.right),
        len(old.keys() ^ new.keys()),
    )


def _turns(reports: Iterable[Report]) -> dict[_Key, tuple[bool, str]]:
    """The turns of reports; the parts of one turn are counted."""
    found: dict[_Key, tuple[bool, str]] = {}
    try:
        for report in reports:
            turns = report["turns"]
            assert isinstance(turns, list)
            for item in turns:
                part = 0
                while (
                    key := (str(report["set"]), str(item["dialogue"]), int(item["turn"]), part)
                ) in found:
                    part += 1
                found[key] = (bool(item["ok"]), str(item["reason"]))
    except (AssertionError, KeyError, TypeError) as error:
        raise ValueError(f"no report of `wenshu eval --json`: {error!r}") from error
    return found
