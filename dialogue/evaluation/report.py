"""The JSON report of a set: a contract (docs/evaluation.md)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

from dialogue.evaluation.judged import Judged, Spent
from dialogue.evaluation.scores import Count, Played, counts, intervals, rates, total

Report: TypeAlias = Mapping[str, object]


def report(name: str, played: Sequence[Played]) -> dict[str, object]:
    """The scores of a set, overall and by tag and language, and how each turn ended."""
    found = [counts(item) for item in played]
    whole = total(found)
    tags: dict[str, list[Mapping[str, Count]]] = {}
    for item, own in zip(played, found, strict=True):
        for tag in dict.fromkeys((*item.dialogue.tags, f"lang:{item.dialogue.lang}")):
            tags.setdefault(tag, []).append(own)
    return {
        "set": name,
        "scores": rates(whole),
        "counts": whole,
        "intervals": intervals(found),
        "latency_ms": latency(turn.spent for item in played for turn in item.turns),
        "by_tag": {tag: _tag(tags[tag]) for tag in sorted(tags)},
        "turns": [turn_json(item.dialogue.id, turn) for item in played for turn in item.turns],
    }


def _tag(found: Iterable[Mapping[str, Count]]) -> dict[str, object]:
    whole = total(found)
    return {**rates(whole), "counts": whole}


def turn_json(dialogue: str, turn: Judged) -> dict[str, object]:
    """How a turn ended."""
    return {
        "dialogue": dialogue,
        "turn": turn.turn,
        "ok": turn.ok,
        "expected": "/".join(turn.expected),
        "outcome": turn.outcome,
        "reason": turn.reason,
    }


def latency(spent: Iterable[Spent | None]) -> dict[str, object]:
    """Milliseconds a turn, in the middle and for the slowest twentieth; the same for each part of it."""
    known = [item for item in spent if item is not None]
    return {
        **_percentiles([item.whole for item in known]),
        "reading": _percentiles([item.reading for item in known]),
        "compiling": _percentiles([item.compiling for item in known]),
        "running": _percentiles([item.running for item in known]),
    }


def _percentiles(values: list[float]) -> dict[str, float]:
    ordered = sorted(values) or [0.0]
    return {
        "p50": round(ordered[len(ordered) // 2], 3),
        "p95": round(ordered[int(len(ordered) * 0.95)], 3),
    }
