"""YAML with the place of every key and value, so that an error can point at its line.

PyYAML's node marks are used; nothing is executed (safe tags only), and a key written twice is an issue.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import yaml

from semantic_layer.errors import Issue, Place

Data = None | bool | int | float | str | list["Data"] | dict[str, "Data"]
Loc = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Document:
    """A parsed file: its data and where each part of it stands."""

    file: str
    data: Data
    places: dict[Loc, Place]
    issues: tuple[Issue, ...] = field(default=())

    def place(self, loc: Loc) -> Place:
        """The place of `loc`, or of the nearest parent that has one; names may also stand in a list."""
        while loc and loc not in self.places:
            above, last = loc[:-1], loc[-1]
            listed = self._at(above)
            loc = (
                (*above, listed.index(last))
                if isinstance(listed, list) and last in listed
                else above
            )
        return self.places.get(loc, Place(self.file, 1, 1))

    def _at(self, loc: Loc) -> Data:
        here = self.data
        for step in loc:
            if isinstance(here, dict):
                here = here.get(str(step))
            elif isinstance(here, list) and isinstance(step, int) and step < len(here):
                here = here[step]
            else:
                return None
        return here


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """Safe YAML in which dates, and words like on and no, stay text: a layer's own types decide what they are."""


_TEXTS = ("tag:yaml.org,2002:timestamp", "tag:yaml.org,2002:bool")
_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag not in _TEXTS]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
_Loader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile("true|false"), ["t", "f"])


def read(path: Path, how: Callable[[str, str], Document] | None = None) -> Document:
    """Read one file, as YAML unless told how. What is broken gives a document without data and one issue."""
    file = str(path)
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return Document(
            file, None, {}, (Issue("yaml-syntax", "the file is not UTF-8", Place(file, 1, 1)),)
        )
    return (how or parse)(text, file)


def parse(text: str, file: str) -> Document:
    """Parse YAML text; see `read`.

    >>> parse("a: {b: 1}", "x.yaml").place(("a", "b"))
    Place(file='x.yaml', line=1, column=5)
    """
    try:
        root = yaml.compose(text, _Loader)
    except yaml.YAMLError as error:
        return Document(file, None, {}, (_syntax(error, file),))
    places: dict[Loc, Place] = {}
    issues: list[Issue] = []
    constructor = _Loader("")
    try:
        data = _walk(root, (), file, places, issues, constructor)
    except yaml.YAMLError as error:
        return Document(file, None, {}, (_syntax(error, file),))
    except RecursionError:
        problem = "an anchor holds itself"
        return Document(file, None, {}, (Issue("yaml-syntax", problem, Place(file, 1, 1)),))
    return Document(file, data, places, tuple(issues))


def _syntax(error: yaml.YAMLError, file: str) -> Issue:
    mark = getattr(error, "problem_mark", None)
    place = Place(file, mark.line + 1, mark.column + 1) if mark else Place(file, 1, 1)
    return Issue("yaml-syntax", getattr(error, "problem", None) or "broken YAML", place)


def _walk(
    node: yaml.Node | None,
    loc: Loc,
    file: str,
    places: dict[Loc, Place],
    issues: list[Issue],
    constructor: _Loader,
) -> Data:
    if node is None:
        return None
    if loc not in places:  # a value stands where its key does
        places[loc] = Place(file, node.start_mark.line + 1, node.start_mark.column + 1)
    if isinstance(node, yaml.MappingNode):
        mapping: dict[str, Data] = {}
        for key_node, value_node in node.value:
            key = str(key_node.value)
            here = Place(file, key_node.start_mark.line + 1, key_node.start_mark.column + 1)
            if key in mapping:
                first = places[(*loc, key)]
                issues.append(
                    Issue(
                        "duplicate-key",
                        f"`{key}` is written twice here",
                        here,
                        f"first in line {first.line}",
                    )
                )
                continue
            places[(*loc, key)] = here
            mapping[key] = _walk(value_node, (*loc, key), file, places, issues, constructor)
        return mapping
    if isinstance(node, yaml.SequenceNode):
        return [
            _walk(item, (*loc, index), file, places, issues, constructor)
            for index, item in enumerate(node.value)
        ]
    value: Data = constructor.construct_object(node, deep=True)
    return value
