"""The one error family of this floor: what is wrong in a layer, where, and how to mend it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Place:
    """A position in a YAML file; line and column count from 1."""

    file: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


@dataclass(frozen=True, slots=True)
class Issue:
    """One thing found in a layer. A code never changes its meaning (docs/semantic_layer.md lists them)."""

    code: str
    message: str
    place: Place
    hint: str = ""
    severity: str = "error"

    def __str__(self) -> str:
        hint = f" ({self.hint})" if self.hint else ""
        return f"{self.place}: {self.severity} {self.code}: {self.message}{hint}"


class LayerError(Exception):
    """A layer that cannot be used; `issues` holds everything found, in the order of the files."""

    def __init__(self, issues: Iterable[Issue]) -> None:
        self.issues: tuple[Issue, ...] = tuple(issues)
        super().__init__("\n".join(str(issue) for issue in self.issues))


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """A hint that names the nearest known word, or "" when none is near.

    >>> did_you_mean("colunm", ["column", "label"])
    'did you mean `column`?'
    >>> did_you_mean("zzz", ["column"])
    ''
    """
    from rapidfuzz import process  # of many modules, and seldom needed

    best = process.extractOne(word, list(known), score_cutoff=60)
    return f"did you mean `{best[0]}`?" if best else ""
