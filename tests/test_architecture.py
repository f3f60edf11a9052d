"""What the house promises and no linter holds: one clock, one door to the database, texts in catalogues."""

from __future__ import annotations

import re
from pathlib import Path

PACKAGES = ("semantic_layer", "nl2sql", "dialogue", "api")


def sources() -> list[Path]:
    return [file for package in PACKAGES for file in Path(package).rglob("*.py")]


def test_only_one_module_reads_the_clock() -> None:
    reads = re.compile(r"datetime\.now\(|date\.today\(|time\.time\(|utcnow\(")
    assert [str(file) for file in sources() if reads.search(file.read_text("utf-8"))] == [
        "api/clock.py"
    ]


def test_only_one_module_opens_a_database_to_be_asked() -> None:
    assert [str(file) for file in sources() if "duckdb.connect" in file.read_text("utf-8")] == [
        "nl2sql/warehouse.py"
    ]


def test_files_are_one_idea() -> None:
    long = {
        str(file): lines
        for file in sources()
        if (lines := len(file.read_text("utf-8").splitlines())) > 750
    }
    assert long == {}


def test_every_module_says_what_it_is_for() -> None:
    silent = [
        str(file) for file in sources() if not file.read_text("utf-8").lstrip().startswith('"""')
    ]
    assert silent == []
