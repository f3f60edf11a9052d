"""The file of a run: a line for each judged dialogue, as they come, so that a run can go on where it stopped.

The first line says what the run is of: sets, layer, data, versions. A line that was cut off is left out.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import BinaryIO, NamedTuple

from dialogue import codec
from dialogue.evaluation.judged import Judged


class At(NamedTuple):
    """Which dialogue of which set, and in which round, from 0."""

    round: int
    set: int
    dialogue: int


class RunFile:
    """Judged dialogues in a file, written one by one and read in any order: memory holds their places only."""

    def __init__(self, path: Path, run: Mapping[str, object]) -> None:
        """A new file for a run, `run` being all that makes its results what they are."""
        path.parent.mkdir(parents=True, exist_ok=True)
        self.path, self._places = path, dict[At, int]()
        self._file = path.open("x+b")
        _hold(self._file)
        self._write(_head(run))

    @classmethod
    def resume(cls, path: Path, run: Mapping[str, object]) -> RunFile | None:
        """The file of an earlier start of the same run; None where it is of another one, or where a process is
        still going through it."""
        with path.open("rb") as file:
            if file.readline() != _head(run):
                return None
        found = cls.__new__(cls)
        found.path, found._places = path, {}
        found._file = path.open("r+b")
        if not _hold(found._file):
            found._file.close()
            return None
        found._find()
        return found

    def _find(self) -> None:
        """The places of what is there; from a line on that was cut off, everything goes."""
        self._file.readline()
        while True:
            place = self._file.tell()
            at, _, turns = self._file.readline().partition(b"\t")
            if not turns.endswith(b"]\n"):
                self._file.truncate(place)
                return
            self._places[At(*json.loads(at))] = place

    def add(self, at: At, turns: tuple[Judged, ...]) -> None:
        """Keep a judged dialogue: it is in the file when this returns."""
        self._places[at] = self._file.seek(0, 2)
        self._write(f"{json.dumps(at)}\t{codec.dumps(turns)}\n".encode())

    def _write(self, line: bytes) -> None:
        self._file.write(line)
        self._file.flush()

    def __contains__(self, at: At) -> bool:
        return at in self._places

    def __len__(self) -> int:
        return len(self._places)

    def turns(self, at: At) -> tuple[Judged, ...]:
        """The turns of a judged dialogue."""
        self._file.seek(self._places[at])
        return codec.loads(self._file.readline().partition(b"\t")[2].decode(), tuple)

    def close(self) -> None:
        """Let go of the file, which stays."""
        self._file.close()

    def remove(self) -> None:
        """Let go of the file and delete it."""
        self.close()
        self.path.unlink(missing_ok=True)


def _hold(file: BinaryIO) -> bool:
    """Hold a file until it is closed; whether nobody else does. The system lets go of it where a process dies."""
    try:
        import fcntl
    except ImportError:  # Windows: two runs at once must be kept apart by whoever starts them
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _head(run: Mapping[str, object]) -> bytes:
    return json.dumps({"wenshu_eval": 1, **run}, sort_keys=True).encode() + b"\n"
