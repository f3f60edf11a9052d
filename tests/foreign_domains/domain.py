"""A domain that is not the park, asked through the command line, as someone with a layer of their own would."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Domain:
    """A fixture with a layer, questions and data; `clock` is its today."""

    name: str
    clock: str
    generate: Callable[[Path], None]

    @property
    def folder(self) -> Path:
        return ROOT / "fixtures" / self.name

    @property
    def layer(self) -> Path:
        return self.folder / "layer"

    def report(self, database: Path) -> dict[str, Any]:
        """The report of one evaluation of its questions."""
        out = database.with_name("report.json")
        wenshu(
            "eval", self.folder / "questions.yaml", "--layer", self.layer, "--warehouse", database,
            "--ledger", database.with_name("eval.sqlite"), "--json", out, "--quiet",
        )  # fmt: skip
        found: dict[str, Any] = json.loads(out.read_text(encoding="utf-8"))
        return found

    def turn(self, database: Path, question: str) -> dict[str, Any]:
        """One question in a session of its own."""
        printed = wenshu(
            "ask", "--layer", self.layer, "--warehouse", database, "--clock", self.clock,
            "--ledger", database.with_name("ask.sqlite"), "--json", question,
        )  # fmt: skip
        found: dict[str, Any] = json.loads(printed)
        return found

    def rows(self, database: Path, question: str) -> list[list[Any]]:
        """The rows that answer one question, identifiers left out where a label stands beside."""
        turn = self.turn(database, question)
        assert turn["outcome"] == "answer", turn["text"]
        columns = turn["result"]["columns"]
        ids = {column["id"] for column in columns}
        kept = [at for at, column in enumerate(columns) if f"{column['id']}__label" not in ids]
        return [[row[at] for at in kept] for row in turn["result"]["rows"]]

    def ends(self, database: Path, question: str, expected: list[list[object]]) -> None:
        """Assert that each row of the answer ends as the expected one."""
        found = self.rows(database, question)
        assert [row[-len(line) :] for row, line in zip(found, expected, strict=True)] == expected

    def same_again(self, database: Path, again: Path) -> None:
        """Assert that another run writes the same rows into every table."""
        self.generate(again)
        with duckdb.connect() as con:
            con.execute(f"attach '{database}' as one (read_only)")
            con.execute(f"attach '{again}' as two (read_only)")
            for (table,) in con.execute(
                "select table_name from duckdb_tables() where database_name = 'one'"
            ).fetchall():
                for left, right in (("one", "two"), ("two", "one")):
                    more = f"(from {left}.{table} except all from {right}.{table})"
                    assert con.execute(f"select count(*) from {more}").fetchone() == (0,), table


def wenshu(*arguments: str | Path) -> str:
    """What a command prints; `eval` may end with 1, as it found turns that are wrong."""
    code = "from api.main import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
    )
    assert done.returncode in (0, 1), done.stderr
    return done.stdout
