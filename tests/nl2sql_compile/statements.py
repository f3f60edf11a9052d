"""`python -m tests.nl2sql_compile.statements`: write down the statement of every question, and its rows.

Pairs of slots, SQL and rows to be read by people: what changes in them changes in a commit.
"""

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypedDict

import yaml

from dialogue.answer import digest
from fixtures.park.generate import generate
from nl2sql.compiler import Question, build
from nl2sql.slots import to_json
from nl2sql.warehouse import DuckDBWarehouse
from semantic_layer.load import load
from semantic_layer.model import Layer
from tests.nl2sql_compile.questions import CLOCK, GUARDED, POLICY, QUESTIONS

ROOT = Path(__file__).parents[2]
FILE = ROOT / "tests" / "fixtures" / "statements.yaml"


class Pair(TypedDict):
    """A question as slots, its SQL, and its rows: how many, and a digest of them in any order."""

    slots: dict[str, object]
    sql: str
    rows: int
    digest: str


def pair(name: str, layer: Layer, warehouse: DuckDBWarehouse) -> Pair:
    """What a question compiles to, and what that gives on the demo data."""
    slots = QUESTIONS[name]
    sql = build(Question(slots, layer, CLOCK, POLICY if name in GUARDED else ())).sql
    rows = warehouse.run(sql).rows
    said = {key: value for key, value in json.loads(to_json(slots)).items() if value}
    return {"slots": said, "sql": sql + "\n", "rows": len(rows), "digest": digest(rows)}


def main() -> None:
    """Write all pairs."""
    yaml.SafeDumper.add_representer(
        str,
        lambda dumper, text: dumper.represent_scalar(
            "tag:yaml.org,2002:str", text, style="|" if "\n" in text else None
        ),
    )
    layer = load(ROOT / "fixtures" / "park" / "layer")
    with TemporaryDirectory() as folder:
        generate(Path(folder) / "park.duckdb")
        warehouse = DuckDBWarehouse(Path(folder) / "park.duckdb")
        pairs = {name: pair(name, layer, warehouse) for name in QUESTIONS}
        warehouse.close()
    text = yaml.safe_dump(pairs, sort_keys=False, allow_unicode=True, width=110)
    FILE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
