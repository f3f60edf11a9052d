"""`python -m benchmarks cold`: what a process that has just begun takes, from outside.

The modules' bytecode is kept in a folder of this run, whatever the environment says of it: that is what
an installed program finds. The last row is of a process that finds none, as the very first one does.
"""

from __future__ import annotations

import os
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
WRITES_NONE = "PYTHONDONTWRITEBYTECODE"
WENSHU = (sys.executable, "-c", "from api.main import main; main()")
ASKED = "张江科技园2026年8月空置数"


def main() -> None:
    """Measure and print; the database file is in the machine's memory, and so is the bytecode."""
    places = Places.find()
    if not places.warehouse.exists():
        make_demo(places, print)
    print(f"median of {RUNS} processes; milliseconds\n")
    with tempfile.TemporaryDirectory() as folder:
        ledger = ("--ledger", str(Path(folder) / "ledger.sqlite"))
        kept = {name: value for name, value in os.environ.items() if name != WRITES_NONE}
        kept["PYTHONPYCACHEPREFIX"] = str(Path(folder) / "bytecode")
        none = {**kept, "PYTHONPYCACHEPREFIX": str(Path(folder) / "none"), WRITES_NONE: "1"}
        as_json = ("ask", "--json", ASKED, *ledger)
        row("wenshu --help", ("--help",), kept, "< 300")
        row("the first answer, recorded, as JSON", as_json, kept, "< 1500")
        row("the first answer, recorded, for people", ("ask", ASKED, *ledger), kept, "< 1500")
        row("how a question is read", ("read", "--json", ASKED), kept, "")
        row("the first answer as JSON, no bytecode", as_json, none, "")


def row(name: str, arguments: tuple[str, ...], environment: dict[str, str], bar: str) -> None:
    """One line of the table."""
    process(arguments, environment)  # not counted: it may write the modules' bytecode
    took = [process(arguments, environment) for _ in range(RUNS)]
    whole, computing = (sorted(part) for part in zip(*took, strict=True))
    print(
        f"{name:42} {statistics.median(whole):6.0f} ({whole[0]:.0f} to {whole[-1]:.0f})"
        f"   of the processor {statistics.median(computing):6.0f}   {bar}",
        flush=True,
    )


def process(arguments: tuple[str, ...], environment: dict[str, str]) -> tuple[float, float]:
    """Milliseconds of a whole process, and those in which it computed: less, where it had to wait."""
    before, begun = getrusage(RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run([*WENSHU, *arguments], check=True, capture_output=True, env=environment)
    took, after = time.perf_counter() - begun, getrusage(RUSAGE_CHILDREN)
    computing = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return took * 1000, computing * 1000
