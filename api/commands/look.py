"""`wenshu read`, `wenshu explain` and `wenshu check`: how a question or a layer is understood."""

from __future__ import annotations

import json
import sys
from datetime import datetime
from pathlib import Path

from api.wiring import App
from nl2sql.reading import Reading
from semantic_layer.errors import Issue
from semantic_layer.protocols import Warehouse

DEMO_CLOCK = datetime(2026, 9, 28)


def read(app: App, question: str, as_json: bool) -> int:
    """The reading of a question: what each stretch became, and what was not understood."""
    reading = app.world.reader.read(question)
    if as_json:
        print(json.dumps(reading_json(reading), ensure_ascii=False))
        return 0 if not reading.unread else 1
    from rich.console import Console

    console = Console()
    console.print(
        f"[bold]{reading.intent}[/bold] {' '.join(sorted(reading.cues))}", highlight=False
    )
    for edit in reading.edits:
        said = reading.text[edit.span[0] : edit.span[1]]
        console.print(f"  {said!r:24} {edit.op} {edit.slot} = {edit.value}", highlight=False)
    for reference in reading.references:
        console.print(
            f"  {reading.text[slice(*reference.span)]!r:24} refers to {reference.kind} {reference.dimension or ''}",
            highlight=False,
        )
    for ambiguity in reading.ambiguities:
        console.print(
            f"  {ambiguity.word!r:24} may be {ambiguity.about}: {', '.join(choice.id for choice in ambiguity.choices)}",
            highlight=False,
        )
    for taken in reading.taken:
        console.print(f"  {taken.text!r:24} taken as {taken.word!r} ({taken.why})", highlight=False)
    for unread in reading.unread:
        console.print(
            f"  [red]{unread.text!r:24} not understood[/red]; near: {', '.join(unread.near)}",
            highlight=False,
        )
    return 0 if not reading.unread else 1


def reading_json(reading: Reading) -> dict[str, object]:
    """A reading as JSON."""
    from dialogue import codec

    return {
        "text": reading.text,
        "lang": reading.lang,
        "intent": reading.intent,
        "cues": sorted(reading.cues),
        "edits": [codec.encode(edit) for edit in reading.edits],
        "references": [codec.encode(item) for item in reading.references],
        "ambiguities": [
            {
                "about": item.about,
                "span": item.span,
                "word": item.word,
                "options": [c.id for c in item.choices],
            }
            for item in reading.ambiguities
        ],
        "taken": [
            {"span": item.span, "text": item.text, "word": item.word, "why": item.why}
            for item in reading.taken
        ],
        "not_understood": [
            {"span": item.span, "text": item.text, "near": item.near} for item in reading.unread
        ],
        "tokens": [{"start": t.start, "end": t.end, "kind": t.kind} for t in reading.tokens],
        "second_best": [{"start": t.start, "end": t.end, "kind": t.kind} for t in reading.second],
    }


def check_times(path: Path, clock: datetime | None, as_json: bool) -> int:
    """A file of times against the grammar: the accuracy and each fault; 1 on any, 2 for a broken file."""
    from nl2sql.times.gold import faults, read_rows

    try:
        rows = read_rows(path)
        found = list(faults(rows, clock or DEMO_CLOCK))
    except (OSError, ValueError) as error:
        print(error, file=sys.stderr)
        return 2
    right = len(rows) - len(found)
    rate = right / len(rows) if rows else 1.0
    if as_json:
        told = [{"line": f.line, "text": f.text, "right": f.right, "found": f.found} for f in found]
        print(
            json.dumps(
                {"rows": len(rows), "right": right, "accuracy": rate, "faults": told},
                ensure_ascii=False,
            )
        )
    else:
        for fault in found:
            print(f"{path}:{fault.line}: {fault.text}: right is {fault.right}, found {fault.found}")
        print(f"{right} of {len(rows)} right ({rate:.1%})")
    return 1 if found else 0


def explain(app: App, question: str, as_json: bool) -> int:
    """The plan and the SQL of a question."""
    from dialogue.turn import Request
    from nl2sql.compiler import Question, build
    from semantic_layer.protocols import LOCAL

    session = app.sessions.open()
    moment = app.moment()
    turn = app.sessions.take(session, Request(question), LOCAL, moment)
    if turn.slots is None or turn.outcome != "answer":
        print(
            json.dumps({"outcome": turn.outcome, "text": turn.text}, ensure_ascii=False)
            if as_json
            else turn.text
        )
        return 1
    compiled = build(
        Question(turn.slots, app.world.layer, moment.clock), app.world.warehouse.dialect
    )
    plan = compiled.plan.explain() if compiled.plan is not None else "list rows"
    if as_json:
        print(json.dumps({"plan": plan, "sql": compiled.sql}, ensure_ascii=False))
    else:
        print(f"{turn.completed_question}\n\n{plan}\n\n{compiled.sql}")
    return 0


def check(path: Path, as_json: bool, warnings: bool, against: Path | None = None) -> int:
    """Check a layer, and whether a database holds what it says: 0 without errors, 1 with some."""
    from semantic_layer.lint import lint
    from semantic_layer.load import documents, examine

    layer, issues = examine(path)
    if layer is not None:
        warehouse = None if against is None else open_database(against)
        issues = (*issues, *lint(layer, documents(path), warehouse))
    errors = [issue for issue in issues if issue.severity == "error"]
    shown = issues if warnings else tuple(errors)
    if as_json:
        print(
            json.dumps(
                {
                    "ok": not errors,
                    "hash": layer.hash if layer else None,
                    "issues": [issue_json(issue) for issue in issues],
                },
                ensure_ascii=False,
            )
        )
    else:
        for issue in shown:
            print(issue)
        rest = len(issues) - len(errors)
        if layer is not None and not errors:
            held = f"{len(layer.objects)} objects, {len(layer.metrics)} metrics"
            held += f", {len(layer.dimensions)} dimensions"
            print(f"ok: {held}, hash {layer.hash[:12]}, {rest} warnings")
        else:
            print(f"{len(errors)} errors, {rest} warnings")
    return 1 if errors else 0


def open_database(path: Path) -> Warehouse:
    """The database that a layer is checked against. Raises `WarehouseError`."""
    from nl2sql.warehouse import DuckDBWarehouse

    return DuckDBWarehouse(path)


def issue_json(issue: Issue) -> dict[str, object]:
    """An issue as JSON."""
    return {
        "code": issue.code,
        "severity": issue.severity,
        "message": issue.message,
        "hint": issue.hint,
        "file": issue.place.file,
        "line": issue.place.line,
        "column": issue.place.column,
    }
