"""A bundle of one turn or session that can be read and checked without the service.

`index.html` for people, `turns.json` and the rows for programs, `chain.json` for the proof, `verify.py` to check
it: standard library only.
"""

from __future__ import annotations

import base64
import io
import json
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from api.export.behind import behind
from api.export.page import Found, Shown, page
from dialogue.answer import canonical
from dialogue.ledger import Entry, Ledger, LedgerError
from dialogue.ledger.chain import sha256
from dialogue.ledger.proof import Proof, proof
from dialogue.ledger.stores import Source
from dialogue.recall import Again, asking, found_again
from dialogue.record import Record, record_of
from semantic_layer.load import restore
from semantic_layer.protocols import Rows, Warehouse

PARTS = ("request", "asker", "before", "steps", "after")


@dataclass(frozen=True, slots=True)
class Tables:
    """How rows become files and back, and how a statement is run again where that is possible."""

    write: Callable[[Rows], bytes]
    read: Callable[[bytes], Rows]
    warehouse: Warehouse | None = None

    @property
    def again(self) -> Again:
        """Runs a recorded statement; gives None where that is not possible."""
        return asking(self.warehouse) if self.warehouse is not None else lambda sql: None


def export(
    ledger: Ledger, entries: list[Entry], tables: Tables, archive: Source | None = None
) -> dict[str, bytes]:
    """The files of a bundle, by name, for turns of one session. Raises `LedgerError`."""
    session = entries[0].intent.session_id
    proven = proof(ledger, session, (entry.intent.turn_id for entry in entries), archive)
    files: dict[str, bytes] = {}
    turns, shown = [], []
    for entry in entries:
        record = record_of(entry)
        digest = record.origin.semantic_hash
        layer = _layer(digest, ledger.layer_text(digest, archive), files)
        found = _rows(record, tables, files)
        pinned = restore(files[layer].decode())
        told = behind(record, pinned, found, tables.warehouse)
        shown.append(Shown(record, pinned, found, told, _evidence(entry, proven)))
        turns.append(
            {
                "turn_id": record.turn_id,
                "seq": record.seq,
                "records": [
                    {"number": link.number, "kind": link.kind, "hash": link.hash}
                    for link in (entry.intent, entry.outcome)
                    if link is not None
                ],
                "origin": {k: v for k, v in entry.intent.body.items() if k != "seq"},
                "layer": layer,
                "rows": {str(index): item.file for index, item in found.items()},
                **{name: _part(entry, name) for name in PARTS},
            }
        )
    files["turns.json"] = _json(turns)
    files["chain.json"] = _json(_chain(session, proven))
    files["verify.py"] = resources.files("api.export").joinpath("verify.py").read_bytes()
    files["index.html"] = page(shown).encode()
    sums = "".join(f"{sha256(data)}  {name}\n" for name, data in sorted(files.items()))
    return {"index.html": files["index.html"], **files, "SHA256SUMS": sums.encode()}


def write(file: Path, files: Mapping[str, bytes]) -> None:
    """Write a bundle; the same files give the same bytes. Raises `LedgerError` where the file is there already."""
    if file.exists():
        raise LedgerError(f"there is a file at {file} already")
    file.write_bytes(zipped(files, file.stem))


def zipped(files: Mapping[str, bytes], folder: str) -> bytes:
    """A bundle as one file, in a folder of its own."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as out:
        for name, data in files.items():
            item = zipfile.ZipInfo(f"{folder}/{name}")
            item.external_attr = 0o644 << 16
            out.writestr(item, data, zipfile.ZIP_DEFLATED)
    return made.getvalue()


def _layer(digest: str, text: str | None, files: dict[str, bytes]) -> str:
    if text is None:
        raise LedgerError(f"the text of the layer {digest[:12]} is not in this ledger")
    name = f"layer-{digest[:12]}.json"
    files[name] = text.encode()
    return name


def _rows(record: Record, tables: Tables, files: dict[str, bytes]) -> dict[int, Found]:
    """The rows of each question, as they were kept, or found again with the same digest."""
    answers = [
        (index, step) for index, step in enumerate(record.steps or ()) if step.outcome == "answer"
    ]
    whole = len(answers) == len(record.tables)
    found: dict[int, Found] = {}
    for at, (index, step) in enumerate(answers):
        data = record.tables[at] if whole else None
        rows = found_again(step, tables.again) if data is None else tables.read(data)
        if rows is None:
            continue
        name = f"rows-{record.seq}-{index + 1}"
        files[f"{name}.parquet"] = tables.write(rows) if data is None else data
        files[f"{name}.json"] = _json(
            {
                "kept": None if data is None else at,
                "columns": rows.columns,
                "rows": [[canonical(cell) for cell in row] for row in rows.rows],
            }
        )
        found[index] = Found(f"{name}.json", rows, data is not None)
    return found


def _part(entry: Entry, name: str) -> object:
    text = entry.part(name)
    return None if text is None else json.loads(text)


def _evidence(entry: Entry, proven: Proof) -> tuple[tuple[str, int, str], ...]:
    links = [link for link in (entry.intent, entry.outcome) if link is not None]
    sealed = proven.checkpoints[:1]
    return (
        *((link.kind, link.number, link.hash) for link in links),
        *(("checkpoint", item.number, item.hash) for item in sealed),
    )


def _chain(session: str, proven: Proof) -> dict[str, object]:
    return {
        "session": session,
        "records": [{"record": link.text, "hash": link.hash} for link in proven.records],
        "contents": [
            {
                "digest": item.digest,
                "salt": item.salt.hex(),
                "data": base64.b64encode(item.data).decode(),
            }
            for item in proven.contents
        ],
        "checkpoints": [{"record": item.text, "hash": item.hash} for item in proven.checkpoints],
    }


def _json(value: object) -> bytes:
    return (json.dumps(value, ensure_ascii=False, indent=1) + "\n").encode()
