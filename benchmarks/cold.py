"""`python -m benchmarks cold`: what a process that has just begun takes, from outside."""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from api.settings import Places
from api.wiring import make_demo

RUNS = 9
WENSHU = (sys.executable, "-c", "from api.main import main; main()")
ASKED = "张江科技园2026年8月空置数"


def main() -> None:
    """Measure and print; the modules' bytecode and the database file are in the machine's memory."""
    places = Places.find()
    if not places.warehouse.exists():
        make_demo(places, print)
    print(f"median of {RUNS} processes; milliseconds\n")
    with tempfile.TemporaryDirectory() as folder:
        ledger = ("--ledger", str(Path(folder) / "ledger.sqlite"))
        row("wenshu --help", ("--help",), "< 300")
        row("the first answer, recorded, as JSON", ("ask", "--json", ASKED, *ledger), "< 1500")
        row("the first answer, recorded, for people", ("ask", ASKED, *ledger), "< 1500")
        row("how a question is read", ("read", "--json", ASKED), "")


def row(name: str, arguments: tuple[str, ...], bar: str) -> None:
    """One line of the table."""
    process(arguments)  # not counted: it may write the modules' bytecode
    took = sorted(process(arguments) for _ in range(RUNS))
    print(
        f"{name:42} {statistics.median(took):6.0f}   from {took[0]:.0f} to {took[-1]:.0f}   {bar}",
        flush=True,
    )


def process(arguments: tuple[str, ...]) -> float:
    """Milliseconds of a whole process."""
    begun = time.perf_counter()
    subprocess.run([*WENSHU, *arguments], check=True, capture_output=True)
    return (time.perf_counter() - begun) * 1000
