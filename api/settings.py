"""Where things are: the home folder, the layer, the database, the ledger."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

DEMO = "park"


class PlaceError(Exception):
    """Something that must be named is not: a database, a folder."""


@dataclass(frozen=True, slots=True)
class Places:
    """Paths of one installation. `home` is $WENSHU_HOME, else `var` in the current folder."""

    home: Path
    layer: Path
    warehouse: Path
    ledger: Path
    demo: bool

    @property
    def index(self) -> Path:
        """The saved index of stored values, beside the database."""
        return self.warehouse.with_name(f"{self.warehouse.name}.wenshu-index")

    @classmethod
    def find(
        cls, layer: str | None = None, warehouse: Path | None = None, ledger: Path | None = None
    ) -> Places:
        """The places for a layer by name (the demo) or path; without a database, the demo's own."""
        home = Path(os.environ.get("WENSHU_HOME", "var"))
        name = layer or os.environ.get("WENSHU_LAYER", DEMO)
        demo = name == DEMO
        if not demo and warehouse is None and "WENSHU_WAREHOUSE" not in os.environ:
            raise PlaceError(f"the layer {name} needs its database: give --warehouse FILE")
        return cls(
            home,
            demo_layer() if demo else Path(name),
            warehouse or Path(os.environ.get("WENSHU_WAREHOUSE", str(home / "park.duckdb"))),
            ledger or home / "ledger.sqlite",
            demo,
        )


def demo_layer() -> Path:
    """The folder of the demo's layer, inside the installed package."""
    import fixtures.park

    return Path(fixtures.park.__file__).parent / "layer"
