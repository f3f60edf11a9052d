"""Real servers beside the service: Redis, PostgreSQL, a socket that never answers, a small disk."""

from __future__ import annotations

import shutil
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from socket import create_connection, socket

import pytest


def free_port() -> int:
    """A port that is free."""
    with socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


@dataclass
class RedisServer:
    """A Redis of its own, to be killed and started again."""

    folder: Path
    port: int = field(default_factory=free_port)
    process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """Where it is."""
        return f"redis://127.0.0.1:{self.port}/0"

    def start(self) -> None:
        """Start it, and wait until it listens."""
        self.process = subprocess.Popen(
            ["redis-server", "--port", str(self.port), "--save", "", "--appendonly", "no"],
            cwd=self.folder,
            stdout=subprocess.DEVNULL,
        )
        until = time.monotonic() + 20
        while True:
            try:
                create_connection(("127.0.0.1", self.port), 1).close()
                return
            except OSError:
                assert time.monotonic() < until, "redis-server does not start"
                time.sleep(0.05)

    def kill(self) -> None:
        """Kill it, as a crash would."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None


@contextmanager
def redis_server(folder: Path) -> Iterator[RedisServer]:
    """A Redis that runs; skips where the Debian package is not installed (CI installs it)."""
    if shutil.which("redis-server") is None:
        pytest.skip("redis-server is not installed (apt-get install redis-server)")
    server = RedisServer(folder)
    server.start()
    try:
        yield server
    finally:
        server.kill()


@contextmanager
def silent_server() -> Iterator[int]:
    """The port of a server that accepts and never answers."""
    with socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen(64)
        held: list[socket] = []

        def accept() -> None:
            while True:
                try:
                    held.append(listening.accept()[0])
                except OSError:
                    return

        thread = threading.Thread(target=accept, daemon=True)
        thread.start()
        try:
            yield int(listening.getsockname()[1])
        finally:
            for one in held:
                one.close()
