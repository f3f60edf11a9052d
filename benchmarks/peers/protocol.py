"""What a worker and the benchmark say to each other: a JSON line for each request and each answer.

A worker is a process of its own, since the libraries do not fit into one environment. It tells its
version and how long loading took; then, asked for a question, compiles it so many times and tells how
long each took, and the SQL. This file needs nothing but the standard library.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from importlib import metadata

Compile = Callable[[str], str]


def serve(start: Callable[[], Compile], package: str) -> None:
    """Answer requests until the input ends."""
    out, sys.stdout = sys.stdout, sys.stderr  # what a library prints is no answer
    begun = time.perf_counter()
    compile_ = start()
    took = (time.perf_counter() - begun) * 1000

    def tell(answer: dict[str, object]) -> None:
        print(json.dumps(answer), file=out, flush=True)

    tell({"version": metadata.version(package), "load_ms": took})
    for line in sys.stdin:
        asked = json.loads(line)
        try:
            took_each, sql = timed(compile_, asked["question"], asked["times"])
            tell({"ms": took_each, "sql": sql})
        except Exception as error:  # a library's own refusal is an answer too
            tell({"error": f"{type(error).__name__}: {error}".splitlines()[0][:200]})


def timed(compile_: Compile, question: str, times: int) -> tuple[list[float], str]:
    """The milliseconds of each compilation, and the SQL."""
    took, sql = [], ""
    for _ in range(times):
        begun = time.perf_counter()
        sql = compile_(question)
        took.append((time.perf_counter() - begun) * 1000)
    return took, sql
