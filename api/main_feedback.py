"""`wenshu feedback …`: thumbs on turns. No layer and no warehouse are needed."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer
from typer.core import TyperGroup

from api.main_audit import AsJson, Place, Who, open_audited


class OrTurn(TyperGroup):
    """A group whose first word may be a turn's id too: `feedback TURN` is `feedback give TURN`."""

    def parse_args(self, ctx: typer.Context, args: list[str]) -> list[str]:  # type: ignore[override]
        """`give` before a first word that is no command."""
        named = not args or args[0] in self.commands or args[0].startswith("-")
        return super().parse_args(ctx, args if named else ["give", *args])


app = typer.Typer(
    cls=OrTurn,
    help="Mark turns as right or wrong, and collect the wrong ones.",
    no_args_is_help=True,
)


@app.command()
def give(
    turn: Annotated[str, typer.Argument(help="A turn's id, or its beginning.")],
    down: Annotated[bool, typer.Option("--down", help="It was wrong.")] = False,
    up: Annotated[bool, typer.Option("--up", help="It was right.")] = False,
    reason: Annotated[str, typer.Option("--reason", help="Why, in your own words.")] = "",
    code: Annotated[str, typer.Option("--code", help="What was wrong, as a code.")] = "",
    ledger: Place = None,
    who: Who = None,
    as_json: AsJson = False,
) -> None:
    """Record a thumb on a turn; `feedback TURN` is enough. The last one of a user counts."""
    from api.commands import feedback as command
    from dialogue.feedback import Mark, MarkError

    if down == up:
        print("say either --down or --up", file=sys.stderr)
        raise typer.Exit(2)
    try:
        mark = Mark("down" if down else "up", code, reason)
    except MarkError as error:
        print(error, file=sys.stderr)
        raise typer.Exit(2) from error
    raise typer.Exit(command.give(open_audited(ledger), turn, mark, who, as_json))


@app.command("list")
def listed(ledger: Place = None, who: Who = None, as_json: AsJson = False) -> None:
    """The feedback that counts, a line each."""
    from api.commands import feedback as command

    raise typer.Exit(command.listed(open_audited(ledger), who, as_json))


@app.command()
def export(
    out: Annotated[Path, typer.Option("--out", help="A new file.")],
    ledger: Place = None,
    who: Who = None,
    as_json: AsJson = False,
) -> None:
    """Write the turns with a thumb down as a question set, for a person to fill in the right answers."""
    from api.commands import feedback as command

    raise typer.Exit(command.export(open_audited(ledger), out, who, as_json))
