"""`python -m benchmarks cold`: what a process that has just begun takes, from outside."""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage

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
    took = [process(arguments) for _ in range(RUNS)]
    whole, computing = (sorted(part) for part in zip(*took, strict=True))
    print(
        f"{name:42} {statistics.median(whole):6.0f} ({whole[0]:.0f} to {whole[-1]:.0f})"
        f"   of the processor {statistics.median(computing):6.0f}   {bar}",
        flush=True,
    )


def process(arguments: tuple[str, ...]) -> tuple[float, float]:
    """Milliseconds of a whole process, and those in which it computed: less, where it had to wait."""
    before, begun = getrusage(RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run([*WENSHU, *arguments], check=True, capture_output=True)
    took, after = time.perf_counter() - begun, getrusage(RUSAGE_CHILDREN)
    computing = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return took * 1000, computing * 1000
