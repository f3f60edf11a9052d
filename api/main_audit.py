"""`wenshu audit …`: what an auditor does with a ledger. No layer and no warehouse are needed."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Optional

import typer

if TYPE_CHECKING:
    from dialogue.ledger import Ledger

app = typer.Typer(help="Verify, erase, archive and back up what is recorded.", no_args_is_help=True)

Place = Annotated[
    Optional[str],
    typer.Option(
        "--ledger", help="A ledger: a file, or postgresql://…; without it, the one at home."
    ),
]
Who = Annotated[
    Optional[str], typer.Option("--who", help="Who does this; without it, the name of the account.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]

Archive = Annotated[
    Optional[Path], typer.Option("--archive", help="An archive of the ledger, to read instead.")
]


def open_audited(ledger: str | None) -> Ledger:
    """The ledger alone; says what is wrong, and exits with 2, where there is none."""
    from api.settings import PlaceError, ledger_url
    from api.wiring import open_ledger
    from dialogue.ledger import LedgerError

    try:
        return open_ledger(ledger_url(ledger))
    except (LedgerError, PlaceError) as error:
        print(error, file=sys.stderr)
        raise typer.Exit(2) from error


@app.command()
def head(ledger: Place = None, as_json: AsJson = False) -> None:
    """Seal what was recorded, and print the checkpoint to keep elsewhere."""
    from api.commands import books

    raise typer.Exit(books.head(open_audited(ledger), as_json))


@app.command()
def verify(
    ledger: Place = None,
    archive: Annotated[
        Optional[list[Path]], typer.Option("--archive", help="An archive that sessions moved to.")
    ] = None,
    kept: Annotated[
        Optional[str], typer.Option("--head", help="A checkpoint that was kept elsewhere.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Walk everything and name the first broken link (exit code 1). Nothing is written."""
    from api.commands import books
    from api.settings import ledger_url

    raise typer.Exit(books.check(ledger_url(ledger), archive or [], kept, as_json))


@app.command()
def erase(
    why: Annotated[str, typer.Option("--why", help="The reason; it is recorded, and stays.")],
    turn: Annotated[
        str, typer.Option("--turn", help="A turn, by its id or the beginning of it.")
    ] = "",
    session: Annotated[str, typer.Option("--session", help="A session.")] = "",
    user: Annotated[str, typer.Option("--user", help="All that a user asked.")] = "",
    containing: Annotated[
        str, typer.Option("--containing", help="Every content that holds a text.")
    ] = "",
    ledger: Place = None,
    archive: Annotated[
        Optional[Path], typer.Option("--archive", help="Erase in an archive of the ledger instead.")
    ] = None,
    who: Who = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    as_json: AsJson = False,
) -> None:
    """List what would go, ask, and erase it. The chain stays whole; the erasure is recorded."""
    from api.commands import books
    from dialogue.ledger.erasing import Which

    which = Which(turn, session, user, containing)
    raise typer.Exit(books.erase(open_audited(ledger), which, why, archive, who, yes, as_json))


@app.command()
def archive(
    file: Annotated[Path, typer.Argument(help="A new file.")],
    before: Annotated[
        str, typer.Option("--before", help="Move the sessions that ended before this day.")
    ],
    ledger: Place = None,
    who: Who = None,
    as_json: AsJson = False,
) -> None:
    """Move old sessions into a sealed file that is verified like the ledger."""
    from api.commands import books

    raise typer.Exit(books.archive(open_audited(ledger), before, file, who, as_json))


@app.command()
def backup(
    file: Annotated[Path, typer.Argument(help="A new file.")],
    ledger: Place = None,
    who: Who = None,
    as_json: AsJson = False,
) -> None:
    """Copy the ledger as it is at one moment, while turns are taken."""
    from api.commands import books

    raise typer.Exit(books.backup(open_audited(ledger), file, who, as_json))


@app.command()
def export(
    what: Annotated[
        list[str],
        typer.Argument(
            help="A turn's id, or its beginning, and a new file; with --session, the file."
        ),
    ],
    session: Annotated[str, typer.Option("--session", help="All turns of a session.")] = "",
    warehouse: Annotated[
        Optional[Path],
        typer.Option("--warehouse", help="Where rows that were not kept are looked for again."),
    ] = None,
    archive: Archive = None,
    ledger: Place = None,
    as_json: AsJson = False,
) -> None:
    """Write a bundle of a turn or a session: a page for people, the data, and a script that checks it."""
    from api.commands import export as command
    from dialogue.ledger import Selection

    if len(what) != (1 if session else 2):
        print("give TURN FILE.zip, or --session ID FILE.zip", file=sys.stderr)
        raise typer.Exit(2)
    selection = Selection("" if session else what[0], session)
    file = Path(what[-1])
    raise typer.Exit(
        command.run(open_audited(ledger), selection, file, warehouse, archive, as_json)
    )


@app.command()
def faults(
    code: Annotated[
        str, typer.Argument(help="The fault code that a user was told; all without it.")
    ] = "",
    since: Annotated[str, typer.Option("--since", help="From this day on.")] = "",
    until: Annotated[str, typer.Option("--until", help="Before this day.")] = "",
    archive: Archive = None,
    ledger: Place = None,
    as_json: AsJson = False,
) -> None:
    """What was raised in the turns that ended in a fault, with its traceback."""
    from api.commands import faults as command
    from dialogue.ledger import Selection

    selection = Selection(since=since, until=until)
    raise typer.Exit(command.run(open_audited(ledger), code, selection, archive, as_json))


@app.command()
def log(ledger: Place = None, as_json: AsJson = False) -> None:
    """Who read, erased or archived what, whose access was denied, and when."""
    from api.commands import books

    raise typer.Exit(books.log(open_audited(ledger), as_json))
