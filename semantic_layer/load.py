"""Load a layer from a folder (or one file): read, validate, resolve, hash."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from pydantic import BaseModel, ValidationError

from semantic_layer.build import Parts, build
from semantic_layer.errors import Issue, LayerError, Place, did_you_mean
from semantic_layer.format import LayerFile, ObjectFile
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


def examine(path: Path) -> tuple[Layer | None, tuple[Issue, ...]]:
    """Load a layer and give every issue, warnings too; the layer is None when there is an error."""
    if path.is_file():
        return resolve([read(path)])
    files = sorted(path.glob("**/*.yaml"), key=lambda file: (file.name != "layer.yaml", str(file)))
    if not files:
        place = Place(str(path), 1, 1)
        return None, (Issue("no-layer", "there is no YAML file here", place, "a layer is a folder with a layer.yaml"),)
    return resolve([read(file) for file in files])


def resolve(documents: list[Document]) -> tuple[Layer | None, tuple[Issue, ...]]:
    """Validate and resolve parsed files."""
    parts = Parts()
    for document in documents:
        parts.issues.extend(document.issues)
        if document.data is None and document.issues:
            continue
        kind: type[ObjectFile] | type[LayerFile] = (
            ObjectFile if isinstance(document.data, dict) and "object" in document.data else LayerFile
        )
        found = _validate(document, kind, parts)
        if isinstance(found, ObjectFile):
            parts.objects.append((document, found))
        elif isinstance(found, LayerFile):
            parts.heads.append((document, found))
    if any(issue.severity == "error" for issue in parts.issues):
        return None, tuple(parts.issues)
    named = [(document, head) for document, head in parts.heads if head.layer]
    if not named or named[0][1].wenshu is None:
        document = parts.heads[0][0] if parts.heads else documents[0]
        parts.report(
            (document, ()), "no-head", "no file names the layer and the format's version",
            "begin layer.yaml with `wenshu: 1` and `layer: NAME`",
        )
        return None, tuple(parts.issues)
    text = canonical({document.file.rpartition("/")[2]: document.data for document in documents})
    layer = build(parts, hashlib.sha256(text.encode()).hexdigest(), text)
    return layer, tuple(parts.issues)


def canonical(data: dict[str, Data]) -> str:
    """The text whose digest is the layer's hash: the data of its files, whatever their layout or comments."""
    return json.dumps(data, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def _validate(document: Document, kind: type[BaseModel], parts: Parts) -> BaseModel | None:
    try:
        return kind.model_validate(document.data if document.data is not None else {})
    except ValidationError as error:
        for item in error.errors():
            loc: Loc = tuple(item["loc"])
            name = str(loc[-1]) if loc else ""
            if item["type"] == "extra_forbidden":
                known = _fields_at(kind, loc[:-1])
                parts.report(
                    (document, loc), "unknown-key", f"there is no key `{name}` here",
                    did_you_mean(name, known) or (f"known: {', '.join(known)}" if known else ""),
                )
            elif item["type"] == "missing":
                parts.report((document, loc[:-1]), "missing-key", f"`{name}` is missing here")
            else:
                parts.report((document, loc), "bad-value", f"`{name}`: {item['msg']}")
        return None


def _fields_at(kind: type[BaseModel], loc: Loc) -> list[str]:
    """The keys the format knows at a place, for a did-you-mean."""
    from typing import get_args

    here: object = kind
    for step in loc:
        if isinstance(here, type) and issubclass(here, BaseModel):
            found = next((f for n, f in here.model_fields.items() if step in (n, f.alias)), None)
            here = found.annotation if found else None
        else:
            models = [arg for arg in _flatten(here) if isinstance(arg, type) and issubclass(arg, BaseModel)]
            here = models[0] if models else None
    if not (isinstance(here, type) and issubclass(here, BaseModel)):
        models = [arg for arg in get_args(here) if isinstance(arg, type) and issubclass(arg, BaseModel)]
        here = models[0] if models else None
    if isinstance(here, type) and issubclass(here, BaseModel):
        return [field.alias or name for name, field in here.model_fields.items()]
    return []


def _flatten(annotation: object) -> list[object]:
    from typing import get_args

    found: list[object] = [annotation]
    for arg in get_args(annotation):
        found.extend(_flatten(arg))
    return found
