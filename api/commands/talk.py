"""`wenshu ask` and `wenshu chat`: a conversation on the terminal."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

from api import request_json
from api.request_json import RequestError
from api.turn_json import turn_json
from api.wiring import App
from dialogue.ledger import LedgerError
from dialogue.turn import Request, Turn
from semantic_layer.protocols import LOCAL

if TYPE_CHECKING:
    from rich.console import Console

COMMANDS = {"/undo": Request(undo=True), "/keep": Request(keep=True)}
HELP = "/undo  /keep  /sql  /replay  /new  /quit"


def ask(app: App, questions: list[str], as_json: bool, sql: bool) -> int:
    """Ask questions in one session; each answer is printed. 0 also when a question is declined.

    A question may be a request as JSON. 2 where one has not the shape of a request: nothing is asked then.
    """
    try:
        requests = [request_of(question) for question in questions]
    except RequestError as error:
        print(error, file=sys.stderr)
        return 2
    session = app.sessions.open()
    console = None if as_json else terminal()
    for question, request in zip(questions, requests, strict=True):
        try:
            turn = app.sessions.take(session, request, LOCAL, app.moment())
        except LedgerError as error:
            print(error, file=sys.stderr)
            return 1
        if console is None:
            print(json.dumps(turn_json(turn), ensure_ascii=False))
        else:
            if len(questions) > 1:
                console.print(f"\n[bold]> {question}[/bold]")
            show(console, app, turn, sql=sql)
    return 1 if turn.outcome == "error" else 0


def chat(app: App, session: str | None = None) -> int:
    """A conversation until the end of the input, or /quit."""
    console = terminal()
    session = session or app.sessions.open()
    last: Turn | None = None
    console.print(f"[dim]{HELP}[/dim]")
    while True:
        try:
            text = console.input("[bold]> [/bold]").strip()
        except (EOFError, KeyboardInterrupt):
            console.print()
            return 0
        if text in ("/quit", "/exit", "/q"):
            return 0
        if text == "/new":
            session, last = app.sessions.open(), None
        elif text == "/sql":
            if last is not None and last.sql:
                console.print(last.sql)
        elif text == "/replay":
            if last is not None:
                from api.commands.replay import replay_one

                replay_one(app, last.turn_id, console)
        elif text.startswith("/") and text not in COMMANDS:
            console.print(f"[dim]{HELP}[/dim]")
        elif text:
            try:
                request = request_of(text)
                last = app.sessions.take(session, request, LOCAL, app.moment())
            except (RequestError, LedgerError) as error:
                console.print(str(error), markup=False)
                continue
            show(console, app, last)


def request_of(text: str) -> Request:
    """What is sent: a question, /undo, /keep, or a request as JSON. Raises `RequestError`."""
    if text in COMMANDS:
        return COMMANDS[text]
    if not text.lstrip().startswith("{"):
        return Request(text)
    try:
        return request_json.request_of(json.loads(text))
    except json.JSONDecodeError as error:
        raise RequestError(f"line {error.lineno}, column {error.colno}", error.msg) from error


def terminal() -> Console:
    """The terminal; what draws on it is not even imported where JSON is wanted."""
    from rich.console import Console

    return Console()


def show(console: Console, app: App, turn: Turn, *, sql: bool = False) -> None:
    """Print a turn."""
    from api import render

    render.show(console, app.world, turn, sql=sql)
