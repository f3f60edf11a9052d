"""A document about metrics: a Markdown file with front matter, cut into passages at its headings.

It becomes parsed data like any other file of a layer, so that it is validated, hashed, kept and
restored with it.
"""

from __future__ import annotations

import re
from dataclasses import replace

from pydantic import BaseModel, ConfigDict

from semantic_layer import yamldoc
from semantic_layer.errors import Issue, Place
from semantic_layer.format import FrontMatter
from semantic_layer.yamldoc import Data, Document, Loc

FOLDER = "documents"
_FENCE = re.compile(r" {0,3}(```|~~~)")
_HEADING = re.compile(r" {0,3}#{1,6}[ \t]+(.*?)[ \t]*#*[ \t]*$")


class Section(BaseModel):
    """A heading and the text under it, up to the next heading; before the first there is none."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    heading: str
    text: str


class DocumentFile(BaseModel):
    """A document: its name in the layer, its front matter, and its sections that have a text."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    document: str
    front: FrontMatter
    sections: list[Section]


def parse(text: str, file: str, name: str) -> Document:
    """Parse a document; `name` is what it is called in the layer. Without front matter it gives no data
    and one `no-front-matter` issue.

    >>> parse("---\\ntitle: Rates\\n---\\n# Use\\nOf use.", "a.md", "documents/a.md").data
    {'document': 'documents/a.md', 'front': {'title': 'Rates'}, 'sections': [{'heading': 'Use', 'text': 'Of use.'}]}
    """
    lines = text.removeprefix("\ufeff").splitlines()
    marks = [at for at, line in enumerate(lines) if line.rstrip() == "---"][:2]
    if len(marks) < 2 or marks[0] != 0:
        return Document(file, None, {}, (_headless(file),))
    front = yamldoc.parse("\n".join(["", *lines[1 : marks[1]]]), file)
    if front.data is None and front.issues:
        return front
    places: dict[Loc, Place] = {(): Place(file, 1, 1)}
    places |= {("front", *loc): place for loc, place in front.places.items()}
    sections: list[Data] = []
    for line, heading, body in _sections(lines, marks[1] + 1):
        places["sections", len(sections)] = Place(file, line, 1)
        sections.append({"heading": heading, "text": body})
    data: Data = {
        "document": name,
        "front": {} if front.data is None else front.data,
        "sections": sections,
    }
    return replace(front, data=data, places=places)


def _headless(file: str) -> Issue:
    return Issue(
        "no-front-matter",
        "a document begins with what it is about",
        Place(file, 1, 1),
        "between two lines of `---`: `title: …` and `about: [metric]`",
    )


def _sections(lines: list[str], start: int) -> list[tuple[int, str, str]]:
    """The line, heading and text of each section that has a text."""
    found: list[tuple[int, str, list[str]]] = [(start + 1, "", [])]
    fenced = False
    for at in range(start, len(lines)):
        fenced ^= _FENCE.match(lines[at]) is not None
        heading = None if fenced else _HEADING.match(lines[at])
        if heading is None:
            found[-1][2].append(lines[at])
        else:
            found.append((at + 1, heading[1], []))
    told = [(line, heading, "\n".join(body).strip()) for line, heading, body in found]
    return [item for item in told if item[2]]
