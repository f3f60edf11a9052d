"""The JUnit report: a suite for each set, a case for each turn, for pipelines that show such."""

from __future__ import annotations

import re
from collections.abc import Iterable
from xml.etree import ElementTree

from dialogue.evaluation import Evaluated
from dialogue.evaluation.judged import Judged

_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # in XML 1.0


def junit(found: Iterable[Evaluated]) -> str:
    """The report. Times are seconds; a failure's type is the reason code."""
    suites = ElementTree.Element("testsuites")
    for item in found:
        name = item.questions.set
        turns = [turn for played in item.played for turn in played.turns]
        suite = ElementTree.SubElement(
            suites,
            "testsuite",
            name=_text(name),
            tests=str(len(turns)),
            failures=str(sum(not turn.ok for turn in turns)),
            errors="0",
            time=f"{sum(map(_seconds, turns)):.3f}",
        )
        for played in item.played:
            for turn in played.turns:
                _case(suite, f"{name}.{played.dialogue.id}", turn)
    ElementTree.indent(suites)
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(suites, "unicode") + "\n"
    )


def _case(suite: ElementTree.Element, name: str, turn: Judged) -> None:
    case = ElementTree.SubElement(
        suite,
        "testcase",
        classname=_text(name),
        name=_text(f"{turn.turn} {turn.asked}"),
        time=f"{_seconds(turn):.3f}",
    )
    if turn.ok:
        return
    failed = ElementTree.SubElement(case, "failure", message=_text(turn.reason), type=turn.code)
    if turn.failure is not None:
        failed.text = _text(
            "\n".join(
                text for text in (turn.failure.text, turn.failure.slots, turn.failure.sql) if text
            )
        )


def _seconds(turn: Judged) -> float:
    return 0.0 if turn.spent is None else turn.spent.whole / 1000


def _text(text: str) -> str:
    """A text without what XML cannot hold."""
    return _FORBIDDEN.sub("\ufffd", text)
