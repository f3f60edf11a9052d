"""`wenshu audit export`: a turn or a session as a bundle that stands by itself."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from api.commands.books import account
from api.export import Tables, export, write
from api.settings import PlaceError, Places
from dialogue.ledger import Ledger, LedgerError, Selection
from dialogue.ledger.stores import SQLiteReader
from nl2sql.errors import WarehouseError
from nl2sql.warehouse import DuckDBWarehouse, parquet, unparquet
from semantic_layer.protocols import Warehouse


def run(
    ledger: Ledger,
    selection: Selection,
    file: Path,
    warehouse: Path | None,
    archive: Path | None,
    as_json: bool,
) -> int:
    """Write the bundle. 2 where there are no such turns, or the file is there already."""
    try:
        source = None if archive is None else SQLiteReader(archive)
        entries = list(ledger.read(selection, account(), "export", source))
        if len({entry.intent.turn_id for entry in entries}) != 1 and not selection.session:
            raise LedgerError(f"there is no one turn {selection.turn} in this ledger")
        if not entries:
            raise LedgerError(f"there is no session {selection.session} in this ledger")
        files = export(ledger, entries, Tables(parquet, unparquet, opened(warehouse)), source)
        write(file, files)
    except (LedgerError, WarehouseError) as error:
        print(error, file=sys.stderr)
        return 2
    told = {"file": str(file), "turns": len(entries), "files": list(files)}
    print(json.dumps(told) if as_json else f"{len(entries)} turns, {len(files)} files in {file}")
    return 0


def opened(given: Path | None) -> Warehouse | None:
    """The database that is given, or the one of this installation, if there is one.

    Raises `WarehouseError` where a given one cannot be opened.
    """
    place = given
    if place is None:
        try:
            place = Places.find().warehouse
        except PlaceError:
            return None
        if not place.exists():
            return None
    return DuckDBWarehouse(place)
