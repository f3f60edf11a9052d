"""Load a layer from a folder (or one file): read, validate, resolve, hash.

What the format refuses is reported and left out, and building goes on with the rest, so that one
pass shows everything.
"""

from __future__ import annotations

import gc
import hashlib
import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from copy import deepcopy
from functools import partial
from pathlib import Path
from typing import get_args

from pydantic import BaseModel, ValidationError

from semantic_layer import markdown
from semantic_layer.build import Parts, build
from semantic_layer.errors import Issue, LayerError, Place, did_you_mean
from semantic_layer.format import LayerFile, ObjectFile
from semantic_layer.markdown import DocumentFile
from semantic_layer.model import Layer
from semantic_layer.yamldoc import Data, Document, Loc, parse, read


def load(path: Path) -> Layer:
    """The layer in `path`, a folder of YAML files or one file.

    Raises `LayerError` with every error found, in one pass.
    """
    layer, issues = examine(path)
    if layer is None:
        raise LayerError(issues)
    return layer


def loads(text: str, file: str = "layer.yaml") -> Layer:
    """The layer in one YAML text; see `load`."""
    layer, issues = resolve([parse(text, file)])
    if layer is None:
        raise LayerError(issues)
    return layer


def restore(text: str) -> Layer:
    """The layer of a canonical text (`Layer.text`), as it was kept by its hash.

    Raises `LayerError` where today's format no longer takes it.
    """
    layer, issues = resolve([Document("layer", data, {}) for data in json.loads(text)])
    if layer is None:
        raise LayerError(issues)
    return layer


def examine(path: Path) -> tuple[Layer | None, tuple[Issue, ...]]:
    """Load a layer and give every issue, warnings too; the layer is None when there is an error."""
    with _uncollected():
        found = documents(path)
        if found:
            return resolve(found)
    place = Place(str(path), 1, 1)
    hint = "a layer is a folder with a layer.yaml"
    return None, (Issue("no-layer", "there is no YAML file here", place, hint),)


@contextmanager
def _uncollected() -> Iterator[None]:
    """No garbage collection meanwhile: a large layer is many small parts of which all are kept, and
    looking through them again and again takes as long as reading them."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


def documents(path: Path) -> list[Document]:
    """The parsed files of a layer, the head first; each knows the places of its parts."""
    if path.is_file():
        return [read(path)]
    files = sorted(path.glob("**/*.yaml"), key=lambda file: (file.name != "layer.yaml", str(file)))
    if not files:
        return []
    texts = sorted((path / markdown.FOLDER).glob("**/*.md"), key=str)
    return [read(file) for file in files] + [
        read(file, partial(markdown.parse, name=file.relative_to(path).as_posix()))
        for file in texts
    ]


def resolve(documents: list[Document]) -> tuple[Layer | None, tuple[Issue, ...]]:
    """Validate and resolve parsed files."""
    parts = Parts()
    unread = False
    ordered = sorted(documents, key=_order)
    for document in ordered:
        parts.issues.extend(document.issues)
        if document.data is None and document.issues:
            unread = True
            continue
        found = _validate(document, _kind(document.data), parts)
        if isinstance(found, ObjectFile):
            parts.objects.append((document, found))
        elif isinstance(found, LayerFile):
            parts.heads.append((document, found))
        elif isinstance(found, DocumentFile):
            parts.documents.append((document, found))
    if unread:  # what the broken file holds is not known, so nothing can be said to be missing
        return None, tuple(parts.issues)
    named = [(document, head) for document, head in parts.heads if head.layer]
    if (not named or named[0][1].wenshu is None) and not parts.broken.intersection(
        ("layer", "wenshu", "")
    ):
        document = parts.heads[0][0] if parts.heads else documents[0]
        parts.report(
            (document, ()),
            "no-head",
            "no file names the layer and the format's version",
            "begin layer.yaml with `wenshu: 1` and `layer: NAME`",
        )
        return None, tuple(parts.issues)
    text = canonical(document.data for document in ordered)
    layer = build(parts, hashlib.sha256(text.encode()).hexdigest(), text)
    order = {document.file: index for index, document in enumerate(documents)}
    parts.issues.sort(
        key=lambda issue: (order.get(issue.place.file, 0), issue.place.line, issue.place.column)
    )
    return layer, tuple(parts.issues)


def canonical(files: Iterable[Data]) -> str:
    """The text whose digest is the layer's hash: the data of its files, whatever their names, layout or comments.

    The order within a file is kept: it is the order in which choices are offered.
    """
    return json.dumps(list(files), ensure_ascii=False, separators=(",", ":"))


def _order(document: Document) -> tuple[bool, str, str]:
    """The head first, shared files, objects by name: not by the names of files."""
    data = document.data if isinstance(document.data, dict) else {}
    return "layer" not in data, str(data.get("object", "")), json.dumps(document.data)


def _kind(data: Data) -> type[ObjectFile] | type[LayerFile] | type[DocumentFile]:
    """What a file is meant to be: the kind that knows more of its keys."""
    keys = set(data) if isinstance(data, dict) else set()
    if {"document", "sections"} <= keys:
        return DocumentFile
    if "object" in keys or len(keys & set(_keys(ObjectFile))) > len(keys & set(_keys(LayerFile))):
        return ObjectFile
    return LayerFile


def _validate(document: Document, kind: type[BaseModel], parts: Parts) -> BaseModel | None:
    """The file as the format knows it, without what the format refuses; None when nothing is left."""
    data: Data = deepcopy(document.data) if document.data is not None else {}
    dropped: set[Loc] = set()
    while True:
        try:
            return kind.model_validate(data)
        except ValidationError as error:
            found = [(item["type"], tuple(item["loc"]), item["msg"]) for item in error.errors()]
        _report(document, kind, found, dropped, parts)
        targets = {
            _nearest(data, loc[:-1] if problem == "missing" else loc) for problem, loc, _ in found
        }
        if () in targets:
            parts.broken.update(_names(data), ("",))
            return None
        for target in sorted(targets, key=len):
            _drop(data, target, parts.broken)
            parts.cut.add((document.file, target[:-1]))
        dropped |= targets


def _report(
    document: Document,
    kind: type[BaseModel],
    found: list[tuple[str, Loc, str]],
    dropped: set[Loc],
    parts: Parts,
) -> None:
    """One message for each thing the format refuses; a key that is missing because it is misspelt,
    or because it was refused before, is not told again."""
    meant: set[Loc] = set(dropped)
    for problem, loc, message in found:
        name = str(loc[-1]) if loc else ""
        if problem == "extra_forbidden":
            known = _fields_at(kind, loc[:-1])
            hint = did_you_mean(name, known)
            meant.add((*loc[:-1], hint.split("`")[1] if hint else ""))
            parts.report(
                (document, loc),
                "unknown-key",
                f"there is no key `{name}` here",
                hint or (f"known: {', '.join(known)}" if known else ""),
            )
        elif problem != "missing":
            parts.report((document, loc), "bad-value", f"`{name}`: {message}" if name else message)
    for problem, loc, _ in found:
        if problem == "missing" and loc not in meant:
            parts.report((document, loc[:-1]), "missing-key", f"`{loc[-1]}` is missing here")


def _nearest(data: Data, loc: Loc) -> Loc:
    """The part of the data that an error speaks of: what stands at `loc`, or above it; a list as a whole."""
    here, way = data, 0
    for step in loc:
        if not (isinstance(here, dict) and isinstance(step, str) and step in here):
            break
        here, way = here[step], way + 1
    return loc[:way]


def _drop(data: Data, loc: Loc, broken: set[str]) -> None:
    """Take a part out of the data; the names that go with it are noted, so that nobody misses them."""
    here = data
    for step in loc[:-1]:
        here = here.get(str(step)) if isinstance(here, dict) else None
    if isinstance(here, dict) and loc[-1] in here:
        broken.update(_names(here.pop(str(loc[-1]))), (str(loc[-1]),))


def _names(data: Data) -> Iterable[str]:
    """Every key in a part of a file, and the name of an object."""
    if isinstance(data, dict):
        for key, value in data.items():
            yield key
            if key == "object" and isinstance(value, str):
                yield value
            yield from _names(value)
    elif isinstance(data, list):
        for value in data:
            yield from _names(value)


def _fields_at(kind: type[BaseModel], loc: Loc) -> list[str]:
    """The keys the format knows at a place, for a did-you-mean."""
    here: object = kind
    for step in loc:
        if isinstance(here, type) and issubclass(here, BaseModel):
            found = next((f for n, f in here.model_fields.items() if step in (n, f.alias)), None)
            here = found.annotation if found else None
        else:
            models = [
                arg
                for arg in _flatten(here)
                if isinstance(arg, type) and issubclass(arg, BaseModel)
            ]
            here = models[0] if models else None
    if not (isinstance(here, type) and issubclass(here, BaseModel)):
        models = [
            arg for arg in get_args(here) if isinstance(arg, type) and issubclass(arg, BaseModel)
        ]
        here = models[0] if models else None
    if isinstance(here, type) and issubclass(here, BaseModel):
        return _keys(here)
    return []


def _keys(kind: type[BaseModel]) -> list[str]:
    return [field.alias or name for name, field in kind.model_fields.items()]


def _flatten(annotation: object) -> list[object]:
    found: list[object] = [annotation]
    for arg in get_args(annotation):
        found.extend(_flatten(arg))
    return found
