"""The scores of docs/evaluation.md: each a part of a whole, summed over dialogues, with an interval."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from dialogue.evaluation.judged import Judged
from dialogue.evaluation.sets import Dialogue

Count: TypeAlias = tuple[int, int]  # of so many, so many
_Test: TypeAlias = Callable[[Judged], object]

RESAMPLES, LEVEL = 1000, 0.95

# what the turns are that count, and which of them
_OF: dict[str, tuple[_Test, _Test]] = {
    "turn_accuracy": (lambda turn: True, lambda turn: turn.ok),
    "silent_wrong_rate": (lambda turn: turn.outcome == "answer", lambda turn: turn.silent),
    "over_ask_rate": (
        lambda turn: turn.expected == ("answer",),
        lambda turn: turn.outcome == "clarify",
    ),
    "over_decline_rate": (
        lambda turn: turn.expected == ("answer",),
        lambda turn: turn.outcome in ("decline", "error"),
    ),
    "clarify_precision": (
        lambda turn: turn.outcome == "clarify",
        lambda turn: "clarify" in turn.expected,
    ),
    "clarify_recall": (
        lambda turn: turn.expected == ("clarify",),
        lambda turn: turn.outcome == "clarify",
    ),
    "reset_precision": (
        lambda turn: turn.reset is not None and turn.switched,
        lambda turn: turn.reset,
    ),
    "reset_recall": (lambda turn: turn.reset, lambda turn: turn.switched),
    "over_carry": (lambda turn: turn.follow_up, lambda turn: turn.over_carried),
    "under_carry": (lambda turn: turn.follow_up, lambda turn: turn.under_carried),
}
HIGHER_IS_BETTER = frozenset(
    {
        "turn_accuracy",
        "dialogue_accuracy",
        "clarify_precision",
        "clarify_recall",
        "reset_precision",
        "reset_recall",
    }
)
SCORES = ("turn_accuracy", "dialogue_accuracy", *list(_OF)[1:])


@dataclass(frozen=True, slots=True)
class Played:
    """A dialogue with its judged turns."""

    dialogue: Dialogue
    turns: tuple[Judged, ...]


def counts(played: Played) -> dict[str, Count]:
    """What one dialogue adds to each score."""
    found = {"dialogue_accuracy": (int(all(turn.ok for turn in played.turns)), 1)}
    for name, (counted, hit) in _OF.items():
        of = [turn for turn in played.turns if counted(turn)]
        found[name] = (sum(bool(hit(turn)) for turn in of), len(of))
    return {name: found[name] for name in SCORES}


def total(found: Iterable[Mapping[str, Count]]) -> dict[str, Count]:
    """The counts of several dialogues together."""
    sums = {name: [0, 0] for name in SCORES}
    for item in found:
        for name, (part, whole) in item.items():
            sums[name][0] += part
            sums[name][1] += whole
    return {name: (part, whole) for name, (part, whole) in sums.items()}


def rates(found: Mapping[str, Count]) -> dict[str, float | int | None]:
    """The scores, with how many turns and dialogues they are of; None where there is nothing to divide by."""
    return {
        "turns": found["turn_accuracy"][1],
        "dialogues": found["dialogue_accuracy"][1],
        **{name: rate(*count) for name, count in found.items()},
        "silent_wrong": found["silent_wrong_rate"][0],
    }


def rate(part: int, whole: int) -> float | None:
    """A part of a whole, to four places."""
    return round(part / whole, 4) if whole else None


def intervals(
    found: Sequence[Mapping[str, Count]], resamples: int = RESAMPLES
) -> dict[str, tuple[float, float] | None]:
    """Where each score lies in 95 of 100 sets of as many such dialogues: a bootstrap by dialogue.

    Turns of one dialogue fail together, so dialogues are drawn, not turns. The draws are the same every time.
    """
    columns = {
        (name, at): column
        for name in SCORES
        for at in (0, 1)
        if any(column := [item[name][at] for item in found])
    }
    draw, everyone = random.Random(0), range(len(found))
    sampled: dict[str, list[float]] = {name: [] for name in SCORES}
    for _ in range(resamples):
        drawn = draw.choices(everyone, k=len(found))
        sums = {key: sum(map(column.__getitem__, drawn)) for key, column in columns.items()}
        for name, values in sampled.items():
            if whole := sums.get((name, 1), 0):
                values.append(sums.get((name, 0), 0) / whole)
    return {name: _middle(sorted(values)) for name, values in sampled.items()}


def _middle(values: list[float]) -> tuple[float, float] | None:
    """What is left of sorted values when as many are cut off at both ends."""
    if not values:
        return None
    cut = round(len(values) * (1 - LEVEL) / 2)
    return round(values[cut], 4), round(values[-1 - cut], 4)
