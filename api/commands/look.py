"""`wenshu explain` and `wenshu check`: the plan of a question, and what is wrong with a layer."""

from __future__ import annotations

import json
from pathlib import Path

from api.wiring import App
from semantic_layer.errors import Issue
from semantic_layer.protocols import Warehouse


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
    from nl2sql.reading.wordlist import clashes
    from semantic_layer.lint import lint
    from semantic_layer.load import documents, examine

    layer, issues = examine(path)
    if layer is not None:
        warehouse = None if against is None else open_database(against)
        files = documents(path)
        issues = (*issues, *clashes(files), *lint(layer, files, warehouse))
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
