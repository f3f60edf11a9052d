"""The files of a layer as they are handed over for building, and the issues found in them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from semantic_layer.errors import Issue, did_you_mean
from semantic_layer.format import LayerFile, ObjectFile
from semantic_layer.markdown import DocumentFile
from semantic_layer.yamldoc import Document, Loc

Source = tuple[Document, Loc]


@dataclass
class Parts:
    """The files of a layer, each with its document, and the issues found so far."""

    heads: list[tuple[Document, LayerFile]] = field(default_factory=list)
    objects: list[tuple[Document, ObjectFile]] = field(default_factory=list)
    documents: list[tuple[Document, DocumentFile]] = field(default_factory=list)
    issues: list[Issue] = field(default_factory=list)
    broken: set[str] = field(default_factory=set)
    cut: set[tuple[str, Loc]] = field(default_factory=set)

    def whole(self, source: Source) -> bool:
        """Whether nothing was left out of a part."""
        return (source[0].file, source[1]) not in self.cut

    def missing(
        self, source: Source, code: str, message: str, name: str, known: Iterable[str]
    ) -> None:
        """Report a name that is not there, unless something of that name was refused before."""
        if name not in self.broken:
            self.report(source, code, message, did_you_mean(name, known))

    def report(
        self, source: Source, code: str, message: str, hint: str = "", severity: str = "error"
    ) -> None:
        document, loc = source
        self.issues.append(Issue(code, message, document.place(loc), hint, severity))
