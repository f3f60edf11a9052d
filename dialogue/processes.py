"""Which process takes a turn, so that one that was interrupted is not waited for.

On Linux a process is known by the machine's boot, its namespace, its number and when it began; elsewhere by
nothing, and whoever looks must wait.
"""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

_BEGAN = (
    19  # the field of /proc/PID/stat after the name: ticks from boot to the process's beginning
)


@cache
def here() -> str:
    """The name of the processes that can see each other here; empty where that cannot be known."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        return f"{boot}/{os.readlink('/proc/self/ns/pid')}"
    except OSError:
        return ""


def name() -> str:
    """This process, as a record names it; empty where it has no name that lasts."""
    place, began = here(), _began(os.getpid())
    return f"{place}/{os.getpid()}/{began}" if place and began else ""


def gone(process: str) -> bool:
    """Whether a process that a record names has certainly ended.

    >>> gone(name()), gone("")
    (False, False)
    """
    place, _, rest = process.rpartition("/")
    place, _, number = place.rpartition("/")
    if not process or place != here() or not number.isdigit():
        return False
    return _began(int(number)) != rest


def _began(number: int) -> str:
    """When a process began; empty where there is none."""
    try:
        return Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[_BEGAN]
    except (OSError, IndexError):
        return ""
