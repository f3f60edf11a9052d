"""Two reports of the same sets: which turns became right, which wrong, and which scores moved."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from dialogue.evaluation.report import Report
from dialogue.evaluation.scores import HIGHER_IS_BETTER, SCORES

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
class Moved:
    """A score of a set that is another one."""

    set: str
    score: str
    before: float
    now: float

    @property
    def better(self) -> bool:
        """Whether it moved the right way."""
        return (self.now > self.before) == (self.score in HIGHER_IS_BETTER)


@dataclass(frozen=True, slots=True)
class Changes:
    """What became right and wrong, the scores that moved, and how many turns are in one report only."""

    right: tuple[Change, ...]
    wrong: tuple[Change, ...]
    moved: tuple[Moved, ...]
    unmatched: int

    @property
    def regressed(self) -> bool:
        """Whether a turn became wrong, or of the same turns more are wrong in silence."""
        silent = any(item.score == "silent_wrong_rate" and not item.better for item in self.moved)
        return bool(self.wrong) or (silent and not self.unmatched)


def changes(before: Iterable[Report], now: Iterable[Report]) -> Changes:
    """Compare reports turn by turn, by set, dialogue and number, and score by score.

    Raises `ValueError` for what is no report of `wenshu eval --json`.
    """
    before, now = list(before), list(now)
    old, new = _turns(before), _turns(now)
    found = [
        Change(*key[:3], new[key][0], new[key][1] or old[key][1])
        for key in old.keys() & new.keys()
        if old[key][0] != new[key][0]
    ]
    found.sort(key=lambda item: (item.set, item.dialogue, item.turn))
    was, is_now = _scores(before), _scores(now)
    return Changes(
        tuple(item for item in found if item.right),
        tuple(item for item in found if not item.right),
        tuple(
            Moved(*key, was[key], is_now[key])
            for key in is_now
            if key in was and was[key] != is_now[key]
        ),
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


def _scores(reports: Iterable[Report]) -> dict[tuple[str, str], float]:
    """The scores that a report gives, by set."""
    found = {}
    for report in reports:
        scores = report.get("scores")
        for name in SCORES:
            value = scores.get(name) if isinstance(scores, Mapping) else None
            if isinstance(value, int | float):
                found[str(report["set"]), name] = float(value)
    return found
