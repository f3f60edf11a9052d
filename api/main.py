"""The command line. Heavy modules are imported when a command runs, so that --help is instant."""

from __future__ import annotations

import gc
import sys
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Optional

import typer

from api.main_audit import app as audit_app
from api.main_feedback import app as feedback_app
from api.main_keys import app as keys_app
from api.settings import COLLECT

if TYPE_CHECKING:
    from api.wiring import App
    from dialogue.ledger import Selection
    from nl2sql.times import Calendar

app = typer.Typer(
    name="wenshu",
    help="问数: ask your data in plain Chinese or English, turn after turn.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

Layer = Annotated[
    Optional[str], typer.Option("--layer", help="A layer: `park` (the demo), or a folder of YAML.")
]
Warehouse = Annotated[
    Optional[Path],
    typer.Option("--warehouse", help="A DuckDB file; without it, the demo's own data."),
]
LedgerPlace = Annotated[
    Optional[str],
    typer.Option("--ledger", help="Where turns are recorded: a file, or postgresql://…"),
]
Clock = Annotated[Optional[datetime], typer.Option("--clock", help="What `today` is.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Since = Annotated[Optional[datetime], typer.Option("--since", help="Turns from then on.")]
Until = Annotated[Optional[datetime], typer.Option("--until", help="Turns before then.")]


def _open(
    layer: str | None,
    warehouse: Path | None,
    ledger: str | None,
    clock: datetime | None,
    record: bool = True,
) -> App:
    from api.settings import PlaceError, Places
    from api.wiring import open_app
    from dialogue.ledger import LedgerError
    from nl2sql.errors import WarehouseError
    from semantic_layer.errors import LayerError

    try:
        return open_app(Places.find(layer, warehouse, ledger), clock=clock, record=record)
    except (LayerError, LedgerError, PlaceError, WarehouseError) as error:
        print(error, file=sys.stderr)
        raise typer.Exit(2) from error


def _selected(
    turn: str | None, session: str | None, since: datetime | None, until: datetime | None
) -> Selection:
    from dialogue.ledger import Selection

    first, last = (moment.isoformat() if moment else "" for moment in (since, until))
    return Selection(turn or "", session or "", first, last)


@app.command()
def ask(
    question: Annotated[list[str], typer.Argument(help="One question, or several in one session.")],
    layer: Layer = None,
    warehouse: Warehouse = None,
    ledger: LedgerPlace = None,
    clock: Clock = None,
    as_json: AsJson = False,
    sql: Annotated[bool, typer.Option("--sql", help="Show the SQL too.")] = False,
) -> None:
    """Ask a question; several make one conversation."""
    from api.commands import talk

    raise typer.Exit(talk.ask(_open(layer, warehouse, ledger, clock), question, as_json, sql))


@app.command()
def chat(
    layer: Layer = None,
    warehouse: Warehouse = None,
    ledger: LedgerPlace = None,
    clock: Clock = None,
    session: Annotated[
        Optional[str], typer.Option("--session", help="Go on with a recorded session.")
    ] = None,
) -> None:
    """Hold a conversation on the terminal."""
    from api.commands import talk

    raise typer.Exit(talk.chat(_open(layer, warehouse, ledger, clock), session))


@app.command()
def demo(
    once: Annotated[bool, typer.Option("--once", help="End after the conversation.")] = False,
    ledger: LedgerPlace = None,
) -> None:
    """Prepare the demo, play a conversation, then serve the chat page until stopped."""
    from api.commands import demo as command

    raise typer.Exit(command.run(_open(None, None, ledger, None), ledger, once))


@app.command()
def read(
    question: Annotated[Optional[str], typer.Argument(help="A question, read by itself.")] = None,
    times: Annotated[
        Optional[Path], typer.Option("--times", help="Check a CSV file of times instead.")
    ] = None,
    layer: Layer = None,
    warehouse: Warehouse = None,
    clock: Clock = None,
    as_json: AsJson = False,
) -> None:
    """Show how a question is read, the second-best reading, and what is not understood (exit code 1)."""
    from api.commands import reading

    if times is not None:
        raise typer.Exit(reading.check_times(times, clock, _calendar(layer), as_json))
    if question is None:
        print("give a question, or --times FILE", file=sys.stderr)
        raise typer.Exit(2)
    raise typer.Exit(
        reading.read(_open(layer, warehouse, None, clock, record=False), question, as_json)
    )


def _calendar(layer: str | None) -> Calendar:
    """The calendar of a layer; weeks from Monday and years from January without one."""
    from api.settings import DEMO, demo_layer
    from nl2sql.times import Calendar
    from semantic_layer.errors import LayerError
    from semantic_layer.load import load

    if layer is None:
        return Calendar()
    try:
        cut = load(demo_layer() if layer == DEMO else Path(layer)).calendar
    except LayerError as error:
        print(error, file=sys.stderr)
        raise typer.Exit(2) from error
    return Calendar(cut.week_start, cut.fiscal_start)


@app.command()
def explain(
    question: Annotated[str, typer.Argument(help="A first question.")],
    layer: Layer = None,
    warehouse: Warehouse = None,
    clock: Clock = None,
    as_json: AsJson = False,
) -> None:
    """Show the plan and the SQL of a question."""
    from api.commands import look

    raise typer.Exit(
        look.explain(_open(layer, warehouse, None, clock, record=False), question, as_json)
    )


@app.command()
def check(
    path: Annotated[
        Optional[Path], typer.Argument(help="A layer's folder or file; without it, the demo's.")
    ] = None,
    against: Annotated[
        Optional[Path],
        typer.Option("--against", help="A DuckDB file that must hold what the layer says."),
    ] = None,
    as_json: AsJson = False,
    warnings: Annotated[bool, typer.Option("--warnings", help="Show warnings too.")] = False,
    schema: Annotated[
        bool, typer.Option("--schema", help="Print the JSON Schema of the format.")
    ] = False,
) -> None:
    """Check a layer, and a database against it: every error with file, line and column (exit code 1)."""
    if schema:
        import json

        from semantic_layer.format import json_schema

        print(json.dumps(json_schema(), ensure_ascii=False, indent=1))
        return
    from api.commands import look
    from api.settings import demo_layer
    from nl2sql.errors import WarehouseError

    if path is not None and not path.exists():
        print(f"there is nothing at {path}", file=sys.stderr)
        raise typer.Exit(2)
    try:
        found = look.check(path or demo_layer(), as_json, warnings, against)
    except WarehouseError as error:
        print(error, file=sys.stderr)
        raise typer.Exit(2) from error
    raise typer.Exit(found)


@app.command("eval")
def evaluate(
    files: Annotated[Optional[list[Path]], typer.Argument(help="Question sets.")] = None,
    out: Annotated[
        Optional[Path], typer.Option("--json", help="Write the report to a file (- prints it).")
    ] = None,
    html: Annotated[
        Optional[Path], typer.Option("--html", help="Write a page: scores, failures side by side.")
    ] = None,
    markdown: Annotated[
        Optional[Path], typer.Option("--markdown", help="Write the report as Markdown.")
    ] = None,
    junit: Annotated[
        Optional[Path], typer.Option("--junit", help="Write the report as JUnit XML.")
    ] = None,
    lang: Annotated[
        Optional[str],
        typer.Option("--lang", help="zh or en: the language of page and Markdown."),
    ] = None,
    layer: Layer = None,
    warehouse: Warehouse = None,
    ledger: LedgerPlace = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="Scores only.")] = False,
    against: Annotated[
        Optional[Path],
        typer.Option("--against", help="An earlier report: list what became right or wrong."),
    ] = None,
    compare: Annotated[
        Optional[tuple[Path, Path]],
        typer.Option("--compare", help="Two reports, before and now; nothing is run."),
    ] = None,
    repeat: Annotated[
        int, typer.Option("--repeat", min=1, help="So many times: is it the same every time?")
    ] = 1,
    workers: Annotated[
        int, typer.Option("--workers", min=0, help="Processes; 0: as many as there are cores.")
    ] = 0,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with the same run, where it was interrupted.")
    ] = False,
) -> None:
    """Run question sets and score them; exit code 1 when something became wrong."""
    from api.commands import evaluate as command

    printed = out is not None and str(out) == "-"
    if compare is not None and not files:
        raise typer.Exit(command.compare(*compare, None if printed else out, printed))
    if not files or compare is not None:
        print("give question sets, or --compare BEFORE NOW by itself", file=sys.stderr)
        raise typer.Exit(2)
    if lang not in (None, "zh", "en"):
        print(f"--lang is zh or en, not {lang!r}", file=sys.stderr)
        raise typer.Exit(2)
    wanted = command.Wanted(
        None if printed else out,
        html,
        markdown,
        junit,
        lang or "",
        printed,
        quiet,
        against,
        repeat,
        workers,
        resume,
    )
    raise typer.Exit(command.run(_open(layer, warehouse, ledger, None), files, wanted))


@app.command()
def replay(
    turn: Annotated[
        Optional[str],
        typer.Argument(help="A turn's id, or its beginning; the last turn without it."),
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Every recorded turn.")] = False,
    session: Annotated[
        Optional[str], typer.Option("--session", help="Every turn of a session.")
    ] = None,
    since: Since = None,
    until: Until = None,
    layer: Layer = None,
    warehouse: Warehouse = None,
    ledger: LedgerPlace = None,
    archive: Annotated[
        Optional[Path], typer.Option("--archive", help="An archive of the ledger, to read instead.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Take recorded turns again: the same, or what changed and how it shows (exit code 1)."""
    from api.commands import replay as command

    selection = _selected(turn, session, since, until)
    raise typer.Exit(
        command.run(_open(layer, warehouse, ledger, None), selection, everything, archive, as_json)
    )


@app.command()
def impact(
    new_layer: Annotated[
        Path, typer.Argument(help="The layer as it would be: a folder or a file.")
    ],
    session: Annotated[
        Optional[str], typer.Option("--session", help="The turns of a session only.")
    ] = None,
    since: Since = None,
    until: Until = None,
    layer: Layer = None,
    warehouse: Warehouse = None,
    ledger: LedgerPlace = None,
    as_json: AsJson = False,
) -> None:
    """What a new layer would change of the recorded turns, before it ships (exit code 1 if anything)."""
    from api.commands import impact as command

    new = command.read(new_layer)
    selection = _selected(None, session, since, until)
    raise typer.Exit(command.run(_open(layer, warehouse, ledger, None), new, selection, as_json))


@app.command()
def serve(
    host: Annotated[Optional[str], typer.Option("--host", help="The address to listen on.")] = None,
    port: Annotated[Optional[int], typer.Option("--port", help="The port to listen on.")] = None,
    workers: Annotated[
        Optional[int], typer.Option("--workers", help="How many processes serve.")
    ] = None,
    layer: Layer = None,
    warehouse: Warehouse = None,
    ledger: LedgerPlace = None,
    clock: Clock = None,
) -> None:
    """Serve HTTP until stopped; every other setting is in the environment or a file (docs/http.md)."""
    from api.commands import serve as command

    given = {
        "host": host,
        "port": port,
        "workers": workers,
        "layer": layer,
        "warehouse": warehouse,
        "ledger": ledger,
    }
    raise typer.Exit(command.run(clock, **given))


@app.command()
def mcp(
    layer: Layer = None,
    warehouse: Warehouse = None,
    ledger: LedgerPlace = None,
    clock: Clock = None,
) -> None:
    """Serve one MCP client on standard input and output (docs/faces.md)."""
    try:
        from api.commands import mcp as command
    except ImportError as error:
        print(f"{error}: install `wenshu[mcp]`", file=sys.stderr)
        raise typer.Exit(2) from error
    given = {"layer": layer, "warehouse": warehouse, "ledger": ledger}
    raise typer.Exit(command.run(clock, **given))


app.add_typer(audit_app, name="audit")
app.add_typer(keys_app, name="keys")
app.add_typer(feedback_app, name="feedback")


def main() -> None:
    """The entry point of the `wenshu` command.

    A command begins by making much that stays: looking for garbage among it every 700 objects, as
    Python does by itself, takes a tenth of the time of a first answer.
    """
    gc.set_threshold(*COLLECT)
    app()


if __name__ == "__main__":
    main()
