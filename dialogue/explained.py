"""What a turn means right after an explanation: 实收呢 asks what 实收 means, 再解释一下 for the same again."""

from __future__ import annotations

from dataclasses import replace

from dialogue.state import State
from dialogue.words import LANGUAGES, say
from nl2sql.reading import Reading
from semantic_layer.text import fold

_MARKS = " ,，。.!！?？、；;：:"


def after_explanation(state: State, reading: Reading) -> Reading:
    """A reading as the explanation before it has it; by itself where there was none."""
    if state.intent not in ("explain_metric", "explain_result"):
        return reading
    text = fold(reading.text).strip(_MARKS)
    if text in _words("explain.again"):
        return replace(reading, intent=state.intent, mentioned=state.explained, unread=())
    if reading.intent == "explain_metric" and not (reading.mentioned or reading.unread):
        return replace(reading, mentioned=state.explained)
    if state.intent == "explain_metric" and _only_metrics(reading):
        if text.endswith(_words("explain.and")) or text.startswith(_words("explain.and")):
            return replace(reading, intent="explain_metric")
    return reading


def _only_metrics(reading: Reading) -> bool:
    more = reading.unread or reading.references or reading.ambiguities
    metrics = all(edit.slot == "metrics" and edit.op != "remove" for edit in reading.edits)
    return reading.intent == "query" and bool(reading.edits) and metrics and not more


def _words(key: str) -> tuple[str, ...]:
    return tuple(fold(word) for lang in LANGUAGES for word in say(lang, key).split("|"))
