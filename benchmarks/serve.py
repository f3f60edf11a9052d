"""`python -m benchmarks serve [MINUTES]`: many people ask the service at once, over HTTP, with a durable ledger.

50 sessions ask as fast as they are answered, or, for so many minutes, at half the pace that was reached
(`make soak`). What DuckDB itself takes of the processor is measured by running the recorded statements again
in a process that does nothing else.
"""

from __future__ import annotations

import asyncio
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from socket import socket

import duckdb
import httpx

from api.settings import Places
from dialogue.evaluation import read_set
from dialogue.ledger.stores import SQLiteReader
from dialogue.ledger.verifying import verify
from dialogue.record import record_of

SESSIONS = 50
TURNS = 24  # of a session, in the quick run
SETS = Path("fixtures/questions")
TICK = os.sysconf("SC_CLK_TCK")


@dataclass
class Found:
    """What the clients saw: seconds of each turn, outcomes, and what was no turn."""

    took: list[float] = field(default_factory=list)
    outcomes: Counter[str] = field(default_factory=Counter)
    errors: Counter[str] = field(default_factory=Counter)


def main() -> None:
    """Serve, ask, and print."""
    minutes = float(sys.argv[2]) if len(sys.argv) > 2 else 0.0
    workers = os.environ.get("WENSHU_WORKERS", "2")
    with tempfile.TemporaryDirectory(dir=Places.find().home) as folder:
        home = Path(folder)
        shutil.copy(Places.find().warehouse, home / "park.duckdb")
        for cache in (0, 64) if not minutes else (0,):
            name = f"ledger-{cache}.sqlite"
            with_server(home, name, workers, cache, minutes)


def with_server(home: Path, ledger: str, workers: str, cache: int, minutes: float) -> None:
    """One server, asked, and what came of it."""
    port = free()
    environment = {
        **os.environ,
        "WENSHU_HOME": str(home),
        "WENSHU_LEDGER": str(home / ledger),
        "WENSHU_PORT": str(port),
        "WENSHU_WORKERS": workers,
        "WENSHU_CACHE_MB": str(cache),
        "WENSHU_RATE": "",
        "WENSHU_LOG_LEVEL": "warning",
    }
    server = subprocess.Popen([sys.executable, "-m", "api.main", "serve"], env=environment)
    try:
        ready(port, server)
        before, start = cpu(server.pid), time.monotonic()
        found = asyncio.run(ask_all(port, minutes, server.pid))
        spent, took = cpu(server.pid) - before, time.monotonic() - start
    finally:
        server.send_signal(signal.SIGTERM)
        server.wait(60)
    turns = len(found.took)
    engine = alone(home / "park.duckdb", home / ledger) if not cache else 0.0
    report = verify(SQLiteReader(home / ledger))
    ordered = sorted(found.took)
    print(
        f"\n{SESSIONS} sessions, {workers} workers, results {'cached' if cache else 'not cached'}"
    )
    print(f"turns a second       {turns / took:8.1f}   >= {200 if cache else 40}")
    print(
        f"p50, p95 of a turn   {ordered[turns // 2] * 1000:8.0f} ms  "
        f"{ordered[int(turns * 0.95)] * 1000:.0f} ms   < 2000"
    )
    print(f"processor a turn     {spent / turns * 1000:8.2f} ms")
    if not cache:
        print(f"  without DuckDB     {(spent - engine) / turns * 1000:8.2f} ms   <= 5")
    print(f"outcomes             {dict(found.outcomes)}")
    print(f"errors               {dict(found.errors) or 'none'}")
    print(
        f"ledger               {'holds' if report.holds else 'BROKEN'}, {report.turns} turns recorded of {turns}"
    )


async def ask_all(port: int, minutes: float, pid: int) -> Found:
    """Every session at once; with minutes, at a pace, and memory is told as it goes."""
    found, until = Found(), time.monotonic() + minutes * 60 if minutes else None
    said = [
        [turn.ask for turn in dialogue.turns if turn.ask]
        for name in ("park-core", "fresh")
        for dialogue in read_set(SETS / f"{name}.yaml").dialogues
        if dialogue.user is None and dialogue.mode != "variants"
    ]
    limits = httpx.Limits(max_connections=SESSIONS * 2)
    async with httpx.AsyncClient(
        base_url=f"http://127.0.0.1:{port}", timeout=120, limits=limits
    ) as client:
        talks = [talk(client, said, number, until, found) for number in range(SESSIONS)]
        if until is None:
            await asyncio.gather(*talks)
        else:
            await asyncio.gather(*talks, watch(pid, until, found))
    return found


async def talk(
    client: httpx.AsyncClient, said: list[list[str]], number: int, until: float | None, found: Found
) -> None:
    """One user, one conversation after the other."""
    taken, at = 0, number
    while (time.monotonic() < until) if until else (taken < TURNS):
        begun = await client.post("/v1/sessions")
        if begun.status_code != 201:
            found.errors[f"session {begun.status_code}"] += 1
            return
        place = f"/v1/sessions/{begun.json()['session_id']}/turns"
        for question in said[at % len(said)]:
            start = time.monotonic()
            answer = await client.post(place, json={"question": question})
            found.took.append(time.monotonic() - start)
            if answer.status_code != 200:
                found.errors[str(answer.status_code)] += 1
            else:
                turn = answer.json()
                found.outcomes[turn["outcome"]] += 1
                for part in turn["degraded"]:
                    found.errors[part] += 1
            taken += 1
            if until:
                await asyncio.sleep(2.5)  # 50 sessions: 20 turns a second, half of the bar
        at += SESSIONS


async def watch(pid: int, until: float, found: Found) -> None:
    """Tell the memory of the server now and then."""
    while time.monotonic() < until:
        print(f"{len(found.took):7d} turns  {memory(pid) / 2**20:8.1f} MB", flush=True)
        await asyncio.sleep(60)


def alone(database: Path, ledger: Path) -> float:
    """Seconds of the processor that DuckDB takes for every recorded statement, and nothing else."""
    from dialogue.ledger import Selection
    from dialogue.ledger.book import sessions, turns

    statements: list[str] = []
    with SQLiteReader(ledger).snapshot() as run:
        for session in sessions(run, Selection()):
            for entry in turns(run, session, Selection()):
                if entry.outcome is not None:
                    statements += [step.sql for step in record_of(entry).steps or () if step.sql]
    with duckdb.connect(str(database), read_only=True) as connection:
        connection.execute("SET threads = 2")
        before = resource.getrusage(resource.RUSAGE_SELF)
        for sql in statements:
            connection.execute(sql).fetchall()
        after = resource.getrusage(resource.RUSAGE_SELF)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def family(pid: int) -> list[int]:
    """A process and its children."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [pid, *(one for child in children for one in family(int(child)))]


def cpu(pid: int) -> float:
    """Seconds of the processor that a server has taken, its workers too."""
    total = 0
    for one in family(pid):
        parts = Path(f"/proc/{one}/stat").read_text().rpartition(")")[2].split()
        total += int(parts[11]) + int(parts[12])
    return total / TICK


def memory(pid: int) -> int:
    """Bytes that a server holds, its workers too."""
    page = os.sysconf("SC_PAGE_SIZE")
    return sum(int(Path(f"/proc/{one}/statm").read_text().split()[1]) * page for one in family(pid))


def ready(port: int, server: subprocess.Popen[bytes]) -> None:
    """Wait until it answers."""
    until = time.monotonic() + 120
    while time.monotonic() < until:
        assert server.poll() is None, "the server has ended"
        try:
            if httpx.get(f"http://127.0.0.1:{port}/readyz").status_code == 200:
                return
        except httpx.TransportError:
            time.sleep(0.2)
    raise AssertionError("the server does not answer")


def free() -> int:
    """A port that is free."""
    with socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])
