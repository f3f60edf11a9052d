"""What lint has found so far, each thing at its place in the YAML."""

from __future__ import annotations

from dataclasses import dataclass, field

from semantic_layer.errors import Issue, Place
from semantic_layer.yamldoc import Document, Loc


@dataclass(frozen=True, slots=True)
class Report:
    """The issues found; a part of the layer is named by its way in the files: `("tables", "bill", "key")`.

    An object's own file counts as `("objects", NAME)`.
    """

    documents: tuple[Document, ...]
    issues: list[Issue] = field(default_factory=list)

    def report(
        self, loc: Loc, code: str, message: str, hint: str = "", severity: str = "error"
    ) -> None:
        """Note one thing, at the place of `loc` or of the nearest part above it."""
        self.issues.append(Issue(code, message, self.place(loc), hint, severity))

    def place(self, loc: Loc) -> Place:
        """Where a part of the layer stands."""
        for document in self.documents:
            own = document.data.get("object") if isinstance(document.data, dict) else None
            if own is not None and loc[:2] == ("objects", own):
                return document.place(loc[2:])
            if own is None and loc[:2] in document.places:
                return document.place(loc)
        return Place(self.documents[0].file if self.documents else "", 1, 1)

    def in_order(self) -> tuple[Issue, ...]:
        """The issues in the order of the files."""
        order = {document.file: index for index, document in enumerate(self.documents)}
        return tuple(
            sorted(
                self.issues,
                key=lambda item: (
                    order.get(item.place.file, 0),
                    item.place.line,
                    item.place.column,
                ),
            )
        )
