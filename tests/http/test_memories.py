"""Sessions in a real Redis: turns taken under another row policy are not held for whoever comes later."""

from __future__ import annotations

import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from api.memories.redis import RedisMemory
from dialogue import codec
from dialogue.memory import Held, Memory, MemoryLost, ProcessMemory
from dialogue.state import EMPTY


@pytest.fixture(params=["process", "redis"])
def memory(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Memory]:
    if request.param == "process":
        yield ProcessMemory()
        return
    program = shutil.which("redis-server")
    if program is None:
        pytest.skip("no redis-server on this machine")
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port = found.getsockname()[1]
    run = [program, "--port", str(port), "--save", "", "--dir", str(tmp_path)]
    server = subprocess.Popen(run, stdout=subprocess.DEVNULL)
    try:
        until = time.monotonic() + 10
        while True:
            made = RedisMemory(f"redis://127.0.0.1:{port}/0", seconds=60, patience=2)
            try:
                made.load("nothing")
                break
            except MemoryLost:
                assert time.monotonic() < until
                time.sleep(0.05)
        yield made
    finally:
        server.terminate()
        server.wait(10)


def held(seq: int, sight: str) -> Held:
    state = replace(EMPTY, seq=seq)
    return Held(state, codec.dumps(state), None, "acme/ann", "应收", sight)


def test_turns_of_one_policy_are_held_together(memory: Memory) -> None:
    for seq in (1, 2, 3):
        memory.keep("s", held(seq, "a"), f"turn {seq}")
    assert memory.recent("s") == ("turn 1", "turn 2", "turn 3")
    memory.keep("s", held(2, "b"), "an older one")  # a later state stays
    assert memory.recent("s") == ("turn 1", "turn 2", "turn 3")
    memory.keep("s", held(4, "b"), "turn 4")
    assert memory.recent("s") == ("turn 4",)
    found = memory.load("s")
    assert found is not None
    assert (found.sight, found.state.seq) == ("b", 4)
    memory.forget("s")
    assert (memory.load("s"), memory.recent("s")) == (None, ())
