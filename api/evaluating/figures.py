"""The figures of reports as people read them: percentages, with their counts and intervals beside."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from api.evaluating.wording import word
from dialogue.evaluation.scores import SCORES

Reports = Sequence[Mapping[str, object]]


def part(report: Mapping[str, object], name: str) -> Mapping[str, object]:
    """A part of a report that has parts."""
    found = report[name]
    assert isinstance(found, Mapping)
    return found


def summed(reports: Reports) -> dict[str, str]:
    """How many turns and dialogues there were, and how many turns are wrong."""
    wrong = sum(not turn["ok"] for report in reports for turn in _turns(report))
    sums = {
        key: sum(int(str(part(report, "scores")[name])) for report in reports)
        for key, name in (
            ("turns", "turns"),
            ("dialogues", "dialogues"),
            ("silent", "silent_wrong"),
        )
    }
    return {"wrong": figure(wrong), **{key: figure(value) for key, value in sums.items()}}


def _turns(report: Mapping[str, object]) -> Sequence[Mapping[str, object]]:
    found = report["turns"]
    assert isinstance(found, list)
    return found


def score_rows(reports: Reports, lang: str) -> list[list[str]]:
    """A row for each score: its name, then the figure of each set."""
    return [
        [word(lang, f"score.{name}"), *(score(report, name, lang) for report in reports)]
        for name in SCORES
    ]


def score(report: Mapping[str, object], name: str, lang: str) -> str:
    """A score with its count, and its interval where it has one: 97.9 % (234 of 239) [95.8 %, 99.6 %]."""
    return " ".join(text for text in figures(report, name, lang) if text)


def figures(report: Mapping[str, object], name: str, lang: str) -> tuple[str, str, str]:
    """A score, its count and its interval, each by itself; empty where there is none."""
    value = part(report, "scores")[name]
    if value is None:
        return "–", "", ""
    found, between = part(report, "counts")[name], part(report, "intervals")[name]
    assert isinstance(found, tuple)
    hit, whole = found
    low, high = between if isinstance(between, tuple) else (value, value)
    count = f"({word(lang, 'of', part=figure(hit), whole=figure(whole))})"
    return percent(value), count, "" if low == high else f"[{percent(low)}, {percent(high)}]"


def percent(value: object) -> str:
    """A rate as a percentage.

    >>> percent(0.9791), percent(1.0)
    ('97.9 %', '100 %')
    """
    text = f"{float(str(value)) * 100:.1f}".removesuffix(".0")
    return f"{text} %"


def figure(value: int) -> str:
    """A number of things.

    >>> figure(10146)
    '10,146'
    """
    return f"{value:,}"
