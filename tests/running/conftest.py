"""A shop's layer and data, and a way to make the next version of them."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.running.shop import LAYER, sales

Make = Callable[[int], Path]


@pytest.fixture
def layer_folder(tmp_path: Path) -> Path:
    folder = tmp_path / "layer"
    folder.mkdir()
    (folder / "layer.yaml").write_text(LAYER, encoding="utf-8")
    return folder


@pytest.fixture
def database(tmp_path: Path) -> Path:
    """Version 1 of the data."""
    return sales(tmp_path / "shop.duckdb", 1)


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """Makes another version of the data, beside."""
    return lambda version: sales(tmp_path / f"next-{version}.duckdb", version)
