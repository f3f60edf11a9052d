"""A bar for long work, on a terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol


class Step(Protocol):
    """Goes on by one, or by so many."""

    def __call__(self, by: int = 1) -> None: ...


@contextmanager
def counted(whole: int, quiet: bool, what: str = "turns") -> Iterator[Step]:
    """A bar that goes on with every call; none where nobody watches, or for a single turn."""
    if quiet or whole < 2 or not sys.stderr.isatty():
        yield lambda by=1: None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    columns = (TextColumn(what), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=whole)
        yield lambda by=1: bar.advance(task, by)
