"""The words of downloaded tables."""

from __future__ import annotations

from functools import lru_cache
from importlib import resources

import yaml


def text(lang: str, key: str) -> str:
    """A text of the catalogue."""
    return catalogue(lang)[key]


@lru_cache(maxsize=2)
def catalogue(lang: str) -> dict[str, str]:
    """The texts of a language."""
    found = resources.files("api.sheets.words").joinpath(f"{lang}.yaml").read_text("utf-8")
    return {str(key): str(value) for key, value in yaml.safe_load(found).items()}
