"""Checks an exported bundle without the service: python3 verify.py [--head NUMBER:HASH]

Python's standard library only. Checked are: the digest of every file; the chain of records, each with the hash
of the one before; the contents by their salted digests; the checkpoints, and that one of them seals the chain;
that turns.json says what the contents say, and index.html shows it; the layer by its hash; the rows by theirs.
Exit code 0 when all holds, 1 when anything does not.
"""

import base64
import hashlib
import html
import json
import sys
from pathlib import Path
from typing import Any

Json = dict[str, Any]  # of a JSON file that is looked at here for the first time
HERE = Path(__file__).resolve().parent


class Broken(Exception):
    """What does not hold, and where."""


def sha256(data: bytes) -> str:
    """The digest in hexadecimal."""
    return hashlib.sha256(data).hexdigest()


def check(holds: bool, what: str) -> None:
    """Raise `Broken` unless something holds."""
    if not holds:
        raise Broken(what)


def files(folder: Path) -> str:
    """Every file has the digest that SHA256SUMS says, and none is beside them."""
    lines = (folder / "SHA256SUMS").read_text("utf-8").splitlines()
    listed = {name: digest for digest, name in (line.split("  ", 1) for line in lines)}
    there = {path.name for path in folder.iterdir() if path.is_file()}
    check(there == {*listed, "SHA256SUMS"}, f"other files than listed: {sorted(there ^ {*listed})}")
    for name, digest in listed.items():
        check(sha256((folder / name).read_bytes()) == digest, f"{name} was changed")
    return f"{len(listed)} files"


def records(chain: Json) -> str:
    """Each record's hash is that of its text, which holds the hash of the one before."""
    before = ""
    for number, item in enumerate(chain["records"], 1):
        said = json.loads(item["record"])
        check(sha256(item["record"].encode()) == item["hash"], f"record {number} was changed")
        check(said["number"] == number, f"record {number} is out of its place")
        check(said["previous"] == before, f"record {number} does not follow the one before")
        check(said["session"] == chain["session"], f"record {number} is of another session")
        before = item["hash"]
    return f"{len(chain['records'])} records in one chain"


def contents(chain: Json) -> dict[str, bytes]:
    """The contents by digest, each as it was recorded."""
    found = {}
    for item in chain["contents"]:
        data = base64.b64decode(item["data"])
        check(
            sha256(bytes.fromhex(item["salt"]) + data) == item["digest"],
            f"content {item['digest'][:12]} was changed",
        )
        found[item["digest"]] = data
    return found


def checkpoints(chain: Json, turns: list[Json], head: str) -> str:
    """The checkpoints follow one another, and the first seals the chain at or after the last turn here."""
    sealed, before = chain["checkpoints"], None
    check(bool(sealed), "no checkpoint seals these records")
    for item in sealed:
        said = json.loads(item["record"])
        check(
            sha256(item["record"].encode()) == item["hash"],
            f"checkpoint {said['number']} was changed",
        )
        check(before in (None, said["previous"]), f"checkpoint {said['number']} does not follow")
        before = item["hash"]
    ends = {
        number: digest
        for session, number, digest in json.loads(sealed[0]["record"])["heads"]
        if session == chain["session"]
    }
    last = max(turn["records"][-1]["number"] for turn in turns)
    number = max(ends, default=0)
    check(number >= last, "the checkpoint does not seal these turns")
    check(
        ends[number] == chain["records"][number - 1]["hash"], "the checkpoint seals another chain"
    )
    if head:
        known = {f"{json.loads(item['record'])['number']}:{item['hash']}" for item in sealed}
        check(head in known, f"the checkpoint {head} is not among those here")
    return f"{len(sealed)} checkpoints" + (", the one kept elsewhere among them" if head else "")


def told(turn: Json, chain: Json, held: dict[str, bytes], page: str) -> int:
    """A turn says what its contents say, and the page shows it. Gives how many results were compared."""
    parts: Json = {}
    body: Json = {}
    for item in turn["records"]:
        record = json.loads(chain["records"][item["number"] - 1]["record"])
        check(record["turn"] == turn["turn_id"], f"turn {turn['seq']}: a record of another turn")
        parts |= record["parts"]
        body |= record["body"]
    for name in ("request", "asker", "before", "steps", "after"):
        data = held.get(parts.get(name, ""))
        said = None if data is None else json.loads(data)
        check(turn[name] == said, f"turn {turn['seq']}: {name} is not what was recorded")
    origin = {name: value for name, value in body.items() if name in turn["origin"]}
    check(
        origin == turn["origin"], f"turn {turn['seq']}: what it stood on is not what was recorded"
    )
    text = (HERE / turn["layer"]).read_bytes()
    check(sha256(text) == body["semantic_hash"], f"turn {turn['seq']}: the layer was changed")
    for step in turn["steps"] or ():
        for shown in (step["question"], step["text"], step["sql"]):
            check(
                html.escape(shown) in page, f"turn {turn['seq']}: the page does not show {shown!r}"
            )
    for index, name in turn["rows"].items():
        step = turn["steps"][int(index)]
        rows = json.loads((HERE / name).read_text("utf-8"))
        lines = sorted(json.dumps(row, ensure_ascii=False) for row in rows["rows"])
        check(sha256("\n".join(lines).encode()) == step["digest"], f"{name} was changed")
        check(len(lines) == step["rows"], f"{name} has another number of rows")
        kept = parts.get(f"rows.{rows['kept']}") if rows["kept"] is not None else None
        if kept in held:
            same = held[kept] == (HERE / name.replace(".json", ".parquet")).read_bytes()
            check(same, f"{name} is not the file that was recorded")
    return len(turn["rows"])


def main() -> int:
    """Check everything; tell what holds, or the first that does not."""
    head = sys.argv[2] if len(sys.argv) == 3 and sys.argv[1] == "--head" else ""
    if len(sys.argv) > 1 and not head:
        print(__doc__)
        return 2
    try:
        print("holds:", files(HERE))
        chain = json.loads((HERE / "chain.json").read_text("utf-8"))
        turns = json.loads((HERE / "turns.json").read_text("utf-8"))
        page = (HERE / "index.html").read_text("utf-8")
        print("holds:", records(chain))
        held = contents(chain)
        print(f"holds: {len(held)} contents by their digests")
        print("holds:", checkpoints(chain, turns, head))
        results = sum(told(turn, chain, held, page) for turn in turns)
        print(
            f"holds: {len(turns)} turns as they were recorded, {results} results by their digests"
        )
    except Broken as error:
        print("broken:", error)
        return 1
    except (KeyError, ValueError, OSError, TypeError) as error:
        print(f"broken: the bundle cannot be read: {type(error).__name__}: {error}")
        return 1
    last = json.loads(chain["checkpoints"][-1]["record"])
    print(f"everything holds, up to checkpoint {last['number']}:{chain['checkpoints'][-1]['hash']}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
