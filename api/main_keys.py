"""`wenshu keys …`: the API keys of the service. No layer, no warehouse and no ledger are needed."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Optional

import typer

app = typer.Typer(help="Make, list and revoke the service's API keys.", no_args_is_help=True)

File = Annotated[
    Optional[Path], typer.Option("--keys", help="The key file; without it, keys.json at home.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@app.command()
def add(
    name: Annotated[str, typer.Argument(help="What the key is for, as the list shows it.")],
    scope: Annotated[
        Optional[list[str]],
        typer.Option("--scope", help="user (without any), analyst, auditor, admin or embed."),
    ] = None,
    attribute: Annotated[
        Optional[list[str]],
        typer.Option("--attribute", help="For the row policies: park_id=P001,P002."),
    ] = None,
    user: Annotated[str, typer.Option("--user", help="Whose it is; without it, NAME.")] = "",
    tenant: Annotated[str, typer.Option("--tenant", help="The tenant of the user.")] = "default",
    expires: Annotated[
        Optional[str],
        typer.Option("--expires", help="2027-01-01 (its first moment, UTC), or an instant."),
    ] = None,
    origin: Annotated[
        Optional[list[str]],
        typer.Option("--origin", help="A site that may use it in its pages: https://…"),
    ] = None,
    all_data: Annotated[
        bool, typer.Option("--all-data", help="No row policy applies: it sees everything.")
    ] = False,
    file: File = None,
    as_json: AsJson = False,
) -> None:
    """Make a key and print it: this once, it is kept nowhere."""
    from api.commands import keys

    asked = keys.Asked(
        name,
        tuple(scope or ("user",)),
        tuple(attribute or ()),
        user,
        tenant,
        expires,
        tuple(origin or ()),
        all_data,
    )
    raise typer.Exit(keys.add(file, asked, as_json))


@app.command("list")
def list_keys(file: File = None, as_json: AsJson = False) -> None:
    """All keys, a line each: active, expired, revoked."""
    from api.commands import keys

    raise typer.Exit(keys.show(file, as_json))


@app.command()
def revoke(
    key_id: Annotated[str, typer.Argument(metavar="ID", help="The key's id.")],
    file: File = None,
    as_json: AsJson = False,
) -> None:
    """Revoke a key for good; a running service sees it at its next request."""
    from api.commands import keys

    raise typer.Exit(keys.revoke(file, key_id, as_json))
