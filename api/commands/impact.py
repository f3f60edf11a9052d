"""`wenshu impact`: what a new layer would change of the recorded turns."""

from __future__ import annotations

import json
import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import typer
from rich.console import Console

from api.commands.books import account
from api.commands.replay import difference_json, print_difference
from api.progress import counted
from api.wiring import App
from dialogue.impact import Impact, Prospect
from dialogue.ledger import Selection
from dialogue.record import record_of
from semantic_layer.errors import LayerError
from semantic_layer.load import load
from semantic_layer.model import Layer


@dataclass
class Found:
    """The impacts, counted; those that change nothing are not kept."""

    turns: int = 0
    erased: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    metrics: Counter[str] = field(default_factory=Counter)
    changes: list[Impact] = field(default_factory=list)

    def add(self, found: Impact | None) -> None:
        """Count one."""
        if found is None:
            self.erased += 1
            return
        self.turns += 1
        if found.differences:
            self.changes.append(found)
            self.kinds.update(found.kinds)
            self.metrics.update(found.metrics)


def read(path: Path) -> Layer:
    """The new layer; its errors with their places, and exit code 2, where it cannot be used."""
    try:
        return load(path)
    except LayerError as error:
        print(error, file=sys.stderr)
        raise typer.Exit(2) from error


def run(app: App, layer: Layer, selection: Selection, as_json: bool) -> int:
    """Take the recorded turns under both layers. 0 when nothing changes, 1 when anything does."""
    assert app.ledger is not None
    prospect, found = Prospect(app.world, layer), Found()
    entries = app.ledger.read(selection, account(), "impact")
    with counted(app.ledger.count(selection), as_json) as step:
        for entry in entries:
            step()
            found.add(prospect.impact(record_of(entry)))
    if as_json:
        print(json.dumps(told(app.world.layer, layer, found), ensure_ascii=False))
    else:
        tell(Console(), found)
    return 1 if found.changes else 0


def tell(console: Console, found: Found) -> None:
    """The summary first, then turn by turn."""
    same = found.turns - len(found.changes)
    console.print(
        f"{found.turns} turns: {same} the same, {len(found.changes)} change", style="bold"
    )
    for what, count in found.kinds.most_common():
        console.print(f"  {what}: {count}", highlight=False)
    if found.metrics:
        listed = ", ".join(f"{name} {count}" for name, count in found.metrics.most_common(10))
        console.print(f"  metrics in them: {listed}", highlight=False)
    if found.erased:
        console.print(f"  left out, since erased: {found.erased}", highlight=False)
    for item in found.changes:
        console.print(f"\n[red]{', '.join(item.kinds)}[/red] {item.turn_id} {item.question}")
        for difference in item.differences:
            print_difference(console, difference)


def told(today: Layer, new: Layer, found: Found) -> dict[str, object]:
    """All of it."""
    return {
        "turns": found.turns,
        "changed": len(found.changes),
        "erased": found.erased,
        "kinds": dict(found.kinds),
        "metrics": dict(found.metrics),
        "layers": {"today": today.hash, "new": new.hash},
        "changes": [
            {
                "turn_id": item.turn_id,
                "session_id": item.session_id,
                "seq": item.seq,
                "question": item.question,
                "kinds": item.kinds,
                "differences": [difference_json(one) for one in item.differences],
            }
            for item in found.changes
        ],
    }
