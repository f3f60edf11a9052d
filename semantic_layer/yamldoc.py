"""YAML with the place of every key and value, so that an error can point at its line.

PyYAML's node marks are used; nothing is executed (safe tags only), and a key written twice is an issue.
"""

from __future__ import annotations

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
        """The place of `loc`, or of the nearest parent that has one."""
        while loc and loc not in self.places:
            loc = loc[:-1]
        return self.places.get(loc, Place(self.file, 1, 1))


class _Loader(yaml.SafeLoader):
    """Safe YAML in which dates stay text: a layer's own types decide what they are."""


_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:timestamp"]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def read(path: Path, shown_as: str | None = None) -> Document:
    """Read one YAML file. Broken YAML gives a document without data and one `yaml-syntax` issue."""
    return parse(path.read_text(encoding="utf-8"), shown_as or str(path))


def parse(text: str, file: str) -> Document:
    """Parse YAML text; see `read`.

    >>> parse("a: {b: 1}", "x.yaml").place(("a", "b"))
    Place(file='x.yaml', line=1, column=5)
    """
    try:
        root = yaml.compose(text, _Loader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        place = Place(file, mark.line + 1, mark.column + 1) if mark else Place(file, 1, 1)
        return Document(file, None, {}, (Issue("yaml-syntax", error.problem or "broken YAML", place),))
    places: dict[Loc, Place] = {}
    issues: list[Issue] = []
    constructor = _Loader("")
    try:
        data = _walk(root, (), file, places, issues, constructor)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        place = Place(file, mark.line + 1, mark.column + 1) if mark else Place(file, 1, 1)
        return Document(file, None, {}, (Issue("yaml-syntax", error.problem or "bad value", place),))
    return Document(file, data, places, tuple(issues))


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
    places.setdefault(loc, Place(file, node.start_mark.line + 1, node.start_mark.column + 1))
    if isinstance(node, yaml.MappingNode):
        mapping: dict[str, Data] = {}
        for key_node, value_node in node.value:
            key = str(key_node.value)
            here = Place(file, key_node.start_mark.line + 1, key_node.start_mark.column + 1)
            if key in mapping:
                first = places[(*loc, key)]
                issues.append(
                    Issue("duplicate-key", f"`{key}` is written twice here", here, f"first in line {first.line}")
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
