"""The semantic layers that are compared: each installed where it belongs, and run as a process."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

VENV = Path("var/bench/peers-venv")
PEERS = {"sidemantic": "sidemantic==0.13.0", "metricflow": "metricflow==0.213.0"}


@dataclass
class Layer:
    """A semantic layer in its process, and what it has told so far."""

    name: str
    process: subprocess.Popen[str]
    version: str = ""
    load_ms: float = 0.0
    took: dict[str, list[float]] = field(default_factory=dict)
    sql: dict[str, str] = field(default_factory=dict)
    refusals: dict[str, str] = field(default_factory=dict)

    def compile(self, question: str, times: int) -> None:
        """Compile a question so many times more."""
        assert self.process.stdin is not None
        print(
            json.dumps({"question": question, "times": times}), file=self.process.stdin, flush=True
        )
        answer = self.answer()
        if "sql" in answer:
            self.sql[question] = str(answer["sql"])
            assert isinstance(answer["ms"], list)
            self.took.setdefault(question, []).extend(answer["ms"])
        else:
            self.refusals[question] = f"refused: {answer['error']}"

    def answer(self) -> dict[str, object]:
        """The next line that the process says."""
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        found: dict[str, object] = json.loads(line) if line else {"error": "its process ended"}
        return found

    def median(self, question: str) -> float:
        """The median of what compiling a question took."""
        return statistics.median(self.took[question])

    def close(self) -> None:
        """End the process."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait(timeout=30)


def start(name: str) -> Layer | None:
    """Start a layer's process; None, and a line that says why, where it cannot be had."""
    python = install(name) if name in PEERS else Path(sys.executable)
    if python is None:
        return None
    process = subprocess.Popen(
        [str(python), str(Path(__file__).parent / f"{name}_worker.py")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    layer = Layer(name, process)
    hello = layer.answer()
    if "version" not in hello:
        print(f"{name} is installed but does not start: left out")
        return None
    layer.version, layer.load_ms = str(hello["version"]), float(str(hello["load_ms"]))
    return layer


def install(name: str) -> Path | None:
    """The Python of the peers' environment with a peer in it; None, and a line, where that cannot be."""
    uv, python = Path(sys.executable).parent / "uv", VENV / "bin" / "python"
    make = [str(uv), "venv", "--quiet", "--python", sys.executable, str(VENV)]
    add = [str(uv), "pip", "install", "--quiet", "--python", str(python), PEERS[name]]
    for command in (add,) if python.exists() else (make, add):
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
        except (OSError, subprocess.TimeoutExpired) as error:
            print(f"{PEERS[name]} cannot be installed, left out: {error}")
            return None
        if done.returncode:
            reason = " ".join(done.stderr.split())[:200]
            print(f"{PEERS[name]} cannot be installed, left out: {reason}")
            return None
    return python
