"""Feedback as JSON, for every face alike: what a client sends, and what it is shown."""

from __future__ import annotations

from collections.abc import Mapping

from api.request_json import RequestError
from dialogue.feedback import Exported, Feedback, Mark, MarkError

KEYS = ("thumb", "code", "reason")


def mark_of(data: object) -> Mark:
    """A mark from JSON: `{"thumb": "up" | "down", "code": …, "reason": …}`, the last two as wanted.

    Raises `RequestError`.

    >>> mark_of({"thumb": "down", "code": "wrong-time"})
    Mark(thumb='down', code='wrong-time', reason='')
    """
    if not isinstance(data, Mapping) or "thumb" not in data:
        raise RequestError("feedback", "an object with thumb: up or down")
    for key, value in data.items():
        if key not in KEYS:
            raise RequestError(f"feedback.{key}", f"unknown; there are {', '.join(KEYS)}")
        if not isinstance(value, str):
            raise RequestError(f"feedback.{key}", "a text")
    try:
        return Mark(data["thumb"], data.get("code", ""), data.get("reason", ""))
    except MarkError as error:
        raise RequestError("feedback", str(error)) from error


def feedback_json(found: Feedback, question: str | None = None) -> Mapping[str, object]:
    """A feedback; with the question of its turn, where that is shown."""
    mark = found.mark
    told: dict[str, object] = {
        "turn_id": found.turn_id,
        "session_id": found.session_id,
        "at": found.at,
        "who": found.who,
        "thumb": mark.thumb,
        "code": mark.code,
        "reason": mark.reason,
    }
    return told if question is None else {**told, "question": question}


def exported_json(found: Exported) -> Mapping[str, object]:
    """What an export wrote, and which turns still need an answer."""
    return {
        "dialogues": found.dialogues,
        "turns": found.turns,
        "gaps": [
            {
                "dialogue": gap.dialogue,
                "turn": gap.turn,
                "turn_id": gap.turn_id,
                "question": gap.question,
            }
            for gap in found.gaps
        ],
        "left_out": [{"turn_id": turn, "why": why} for turn, why in found.left_out],
    }
