"""`python -m benchmarks serve [MINUTES]`: many people ask the service at once, over HTTP, with a durable ledger.

50 sessions ask as fast as they are answered, or, for so many minutes, at half the pace of the bar (`make soak`).
Once nothing is kept; then results are, and all is asked three times: the last is what repeated questions take.
One worker, as the service starts by default (`WENSHU_WORKERS` for more), and one thread a query, so that what
DuckDB takes of the processor is what the threads that ask it take, which the service counts. What the recorded
statements take again in a process that does nothing else is told beside it. The clients share the server's
processors, so they are as small as can be.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from socket import socket
from typing import TypedDict

import duckdb
import httpx

from api.settings import Places
from dialogue.evaluation import read_set
from dialogue.ledger.stores import SQLiteReader
from dialogue.ledger.verifying import verify
from dialogue.record import record_of

SESSIONS = 50
TURNS = 24  # of a session, in the quick run
AGAIN = 3  # times that all is asked where results are kept
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
    workers = os.environ.get("WENSHU_WORKERS", "1")
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
        "WENSHU_QUERY_THREADS": "1",
        "WENSHU_RATE": "",
        "WENSHU_LOG_LEVEL": "warning",
    }
    server = subprocess.Popen([sys.executable, "-m", "api.main", "serve"], env=environment)
    asked = 0
    try:
        ready(port, server)
        for _ in range(AGAIN if cache else 1):
            queried = queries(port)
            before, start, own = cpu(server.pid), time.monotonic(), time.process_time()
            found = asyncio.run(ask_all(port, minutes, server.pid))
            spent, took = cpu(server.pid) - before, time.monotonic() - start
            own = time.process_time() - own
            within = queries(port) - queried
            asked += len(found.took)
    finally:
        server.send_signal(signal.SIGTERM)
        server.wait(60)
    turns = len(found.took)
    engine = alone(home / "park.duckdb", home / ledger) if not cache else 0.0
    if workers != "1":  # each counts its own
        within = engine
    report = verify(SQLiteReader(home / ledger))
    ordered = sorted(found.took)
    print(
        f"\n{SESSIONS} sessions, {workers} workers, "
        + ("results cached, asked before" if cache else "results not cached")
    )
    print(f"turns a second       {turns / took:8.1f}   >= {200 if cache else 40}")
    p50, p95 = ordered[turns // 2] * 1000, ordered[int(turns * 0.95)] * 1000
    print(f"p50, p95 of a turn   {p50:8.0f} ms  {p95:.0f} ms   < 2000")
    print(
        f"processor a turn     {spent / turns * 1000:8.2f} ms   (the clients {own / turns * 1000:.2f})"
    )
    if not cache:
        print(f"  without DuckDB     {(spent - within) / turns * 1000:8.2f} ms   <= 5")
        print(
            f"  DuckDB, and alone  {within / turns * 1000:8.2f} ms  {engine / turns * 1000:.2f} ms"
        )
    print(f"outcomes             {dict(found.outcomes)}")
    print(f"errors               {dict(found.errors) or 'none'}")
    print(
        f"ledger               {'holds' if report.holds else 'BROKEN'}, {report.turns} turns recorded of {asked}"
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
    talks = [talk(port, said, number, until, found) for number in range(SESSIONS)]
    if until is None:
        await asyncio.gather(*talks)
    else:
        await asyncio.gather(*talks, watch(pid, until, found))
    return found


class Answer(TypedDict):
    """What the benchmark looks at of an answer."""

    session_id: str
    outcome: str
    degraded: list[str]


class Client:
    """One connection to the service, kept open."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self.writer = reader, writer

    async def post(self, path: str, body: Mapping[str, object]) -> tuple[int, Answer]:
        """The status, and what is told."""
        data = json.dumps(body).encode()
        head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
        self.writer.write(f"{head}Content-Length: {len(data)}\r\n\r\n".encode() + data)
        told = (await self._reader.readuntil(b"\r\n\r\n")).lower()
        length = int(told.partition(b"content-length:")[2].partition(b"\r\n")[0])
        return int(told.split(b" ", 2)[1]), json.loads(await self._reader.readexactly(length))


async def talk(
    port: int, said: list[list[str]], number: int, until: float | None, found: Found
) -> None:
    """One user, one conversation after the other."""
    client = Client(*await asyncio.open_connection("127.0.0.1", port))
    taken, at = 0, number
    while (time.monotonic() < until) if until else (taken < TURNS):
        status, begun = await client.post("/v1/sessions", {})
        if status != 201:
            found.errors[f"session {status}"] += 1
            return
        for question in said[at % len(said)]:
            start = time.monotonic()
            place = f"/v1/sessions/{begun['session_id']}/turns"
            status, turn = await client.post(place, {"question": question})
            found.took.append(time.monotonic() - start)
            if status != 200:
                found.errors[str(status)] += 1
            else:
                found.outcomes[turn["outcome"]] += 1
                for part in turn["degraded"]:
                    found.errors[part] += 1
            taken += 1
            if until:
                await asyncio.sleep(2.5)  # 50 sessions: 20 turns a second, half of the bar
        at += SESSIONS
    client.writer.close()


async def watch(pid: int, until: float, found: Found) -> None:
    """Tell the memory of the server now and then."""
    while time.monotonic() < until:
        print(f"{len(found.took):7d} turns  {memory(pid) / 2**20:8.1f} MB", flush=True)
        await asyncio.sleep(60)


def queries(port: int) -> float:
    """Seconds of the processor that the threads of one worker have spent in DuckDB, as it counts them."""
    text = httpx.get(f"http://127.0.0.1:{port}/metrics").text
    found = re.search(r"^wenshu_queries_processor_seconds_total (\S+)$", text, re.MULTILINE)
    assert found is not None
    return float(found[1])


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
        connection.execute("SET threads = 1")
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
    """Wait until it answers, and its workers have nothing left to prepare."""
    until = time.monotonic() + 120
    while time.monotonic() < until:
        assert server.poll() is None, "the server has ended"
        before = cpu(server.pid)
        time.sleep(1)
        try:
            answer = httpx.get(f"http://127.0.0.1:{port}/readyz")
        except httpx.TransportError:
            continue
        if answer.status_code == 200 and cpu(server.pid) - before < 0.1:
            return
    raise AssertionError("the server does not answer")


def free() -> int:
    """A port that is free."""
    with socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])
