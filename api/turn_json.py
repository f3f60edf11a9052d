"""A turn as JSON: the contract of DESIGN.md, for every face alike."""

from __future__ import annotations

from collections.abc import Mapping

from api.request_json import edit_json
from dialogue.reply import together
from dialogue.state import Option
from dialogue.turn import Choice, Result, Turn, plain
from nl2sql.anew import anew
from nl2sql.slots import Slots, brief

Json = object


def turn_json(turn: Turn) -> Mapping[str, Json]:
    """The one answer object. Decimals are strings; dates are ISO."""
    return {
        "turn_id": turn.turn_id,
        "session_id": turn.session_id,
        "seq": turn.seq,
        "question": turn.question,
        "outcome": turn.outcome,
        "reason": turn.reason,
        "text": turn.text,
        "lang": turn.lang,
        "parts": [turn_json(part) for part in turn.parts],
        "sources": [
            {"title": item.title, "file": item.file, "heading": item.heading, "text": item.text}
            for item in turn.sources
        ],
        "completed_question": turn.completed_question,
        "slots": None if turn.slots is None else brief(turn.slots),
        "edits": None if turn.slots is None else edits_json(turn.slots),
        "provenance": {
            item.key: {"source": item.source, "turn": item.turn, "span": item.span}
            for item in turn.provenance
        },
        "chips": [
            {
                "key": item.key,
                "words": item.words,
                "source": item.source,
                "turn": item.turn,
                "origin": item.origin,
                "parts": [{"value": part.value, "label": part.label} for part in item.parts],
                "negated": item.negated,
            }
            for item in turn.chips
        ],
        "changes": {
            "kept": turn.changes.kept,
            "set": turn.changes.set,
            "dropped": turn.changes.dropped,
        },
        "assumptions": [
            {
                "slot": item.slot,
                "value": item.value,
                "alternatives": [
                    {"label": other.label, "edit": [edit_json(edit) for edit in other.edits]}
                    for other in item.alternatives
                ],
            }
            for item in turn.assumptions
        ],
        "switch": None
        if turn.switch is None
        else {"rule": turn.switch.rule, "dropped": turn.switch.dropped},
        "clarification": clarification_json(turn),
        "result": None if turn.result is None else result_json(turn.result),
        "sql": turn.sql,
        "suggestions": [{"id": item.id, "label": item.label} for item in turn.suggestions],
        "not_understood": turn.not_understood,
        "degraded": turn.degraded,
        "timings_ms": {
            "reading": round(turn.timings_ms.reading, 3),
            "compiling": round(turn.timings_ms.compiling, 3),
            "running": round(turn.timings_ms.running, 3),
        },
        "as_of": plain(turn.as_of),
        "now": plain(turn.now),
        "fresh_to": turn.fresh_to,
        "semantic_hash": turn.semantic_hash,
        "data_version": turn.data_version,
        "versions": dict(turn.versions),
        "record_hash": turn.record_hash,
    }


def clarification_json(turn: Turn) -> Mapping[str, Json] | None:
    """The question back, if the turn asked one."""
    asked, pending = turn.clarification, turn.changes.pending
    if asked is None:
        return None
    return {
        "about": asked.about,
        "question": asked.question,
        "options": [choice_json(item) for item in asked.options],
        "more": asked.more,
        "several": pending is not None and together(pending.options[: pending.listed]),
    }


def choice_json(item: Choice | Option) -> Mapping[str, str]:
    """A candidate to click."""
    return {"id": item.id, "label": item.label, "hint": item.hint}


def edits_json(slots: Slots) -> list[Mapping[str, Json]] | None:
    """The edits that ask the same in a new session; None where no edits say it."""
    edits = anew(slots)
    return None if edits is None else [edit_json(edit) for edit in edits]


def result_json(result: Result) -> Mapping[str, Json]:
    """The rows of an answer."""
    return {
        "columns": [
            {
                "id": item.id,
                "label": item.label,
                "kind": item.kind,
                "unit": item.unit,
                "format": item.format,
            }
            for item in result.columns
        ],
        "rows": [[plain(cell) for cell in row] for row in result.rows],
        "row_count": result.row_count,
        "truncated": result.truncated,
        "chart": None
        if result.chart is None
        else {
            "kind": result.chart.kind,
            "x": result.chart.x,
            "series": result.chart.series,
            "values": result.chart.values,
            "kinds": result.chart.kinds,
            "partial": result.chart.partial,
        },
        "labels": _labels(result),
    }


def _labels(result: Result) -> Mapping[str, Mapping[str, str]]:
    """The labels of codes, by column."""
    found: dict[str, dict[str, str]] = {}
    for item in result.labels:
        found.setdefault(item.column, {})[item.value] = item.label
    return found
