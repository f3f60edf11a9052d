"""Where things are: the home folder, the layer, the database, the ledger."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

DEMO = "park"
COLLECT = (20_000, 20, 20)  # how often a process looks for garbage: see `api.main.main`


class PlaceError(Exception):
    """Something that must be named is not: a database, a folder."""


@dataclass(frozen=True, slots=True)
class Places:
    """Paths of one installation. `home` is $WENSHU_HOME, else `var` in the current folder."""

    home: Path
    layer: Path
    warehouse: Path
    ledger: str
    demo: bool

    @property
    def index(self) -> Path:
        """The saved index of stored values, beside the database."""
        return self.warehouse.with_name(f"{self.warehouse.name}.wenshu-index")

    @classmethod
    def of(cls, home: Path, layer: str, warehouse: Path | None, ledger: str) -> Places:
        """The places that are named. Raises `PlaceError` for a layer of one's own without its database."""
        demo = layer == DEMO
        if not demo and warehouse is None:
            raise PlaceError(f"the layer {layer} needs its database: give --warehouse FILE")
        return cls(
            home,
            demo_layer() if demo else Path(layer),
            warehouse or home / "park.duckdb",
            ledger_url(ledger),
            demo,
        )

    @classmethod
    def find(
        cls, layer: str | None = None, warehouse: Path | None = None, ledger: str | None = None
    ) -> Places:
        """The places for a layer by name (the demo) or path; without a database, the demo's own."""
        home = home_folder()
        name = layer or os.environ.get("WENSHU_LAYER", DEMO)
        demo = name == DEMO
        if not demo and warehouse is None and "WENSHU_WAREHOUSE" not in os.environ:
            raise PlaceError(f"the layer {name} needs its database: give --warehouse FILE")
        return cls(
            home,
            demo_layer() if demo else Path(name),
            warehouse or Path(os.environ.get("WENSHU_WAREHOUSE", str(home / "park.duckdb"))),
            ledger_url(ledger),
            demo,
        )


def home_folder() -> Path:
    """$WENSHU_HOME, else `var` in the current folder."""
    return Path(os.environ.get("WENSHU_HOME", "var"))


def ledger_url(given: str | None = None) -> str:
    """Where turns are recorded, as a URL: what is given (a file or a URL), else $WENSHU_LEDGER, else at home.

    >>> ledger_url("turns.sqlite"), ledger_url("postgresql://host/ledger")
    ('sqlite:///turns.sqlite', 'postgresql://host/ledger')
    """
    found = given or os.environ.get("WENSHU_LEDGER") or str(home_folder() / "ledger.sqlite")
    return found if "://" in found else f"sqlite:///{found}"


def keys_file(given: Path | None = None) -> Path:
    """Where API keys are kept: the file that is given, else $WENSHU_KEYS, else `keys.json` at home."""
    return given or Path(os.environ.get("WENSHU_KEYS") or home_folder() / "keys.json")


def seal_every() -> float:
    """Seconds from one checkpoint of the ledger to the next."""
    found = os.environ.get("WENSHU_LEDGER_SEAL", "300")
    try:
        return float(found)
    except ValueError as error:
        raise PlaceError(f"WENSHU_LEDGER_SEAL is a number of seconds, not {found!r}") from error


def keeps_rows() -> bool:
    """Whether the ledger keeps the rows of answers too, as Parquet."""
    return os.environ.get("WENSHU_LEDGER_ROWS", "0") not in ("", "0")


def demo_layer() -> Path:
    """The folder of the demo's layer, inside the installed package."""
    import fixtures.park

    return Path(fixtures.park.__file__).parent / "layer"
