"""The arrays in one file: a header that says what they are of, a digest of everything, then the arrays.

A file that is missing, of other data, damaged or unreadable is not used: `load` gives None, and the
values are read anew. Plain numbers and text only: nothing in it can run.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import mmap
import os
import shutil
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from semantic_layer.index.hashes import Buffer

FORMAT = 3  # of the arrays, and of how names are folded
_MAGIC = b"wenshu-index\n"
_ALIGN = 16
_CHUNK = 1 << 20


def save(path: Path, key: str, sections: Mapping[str, Buffer], like: Path | None = None) -> bool:
    """Write the arrays, all or nothing, as readable as the file `like`. False where that cannot be done."""
    spans: dict[str, tuple[int, int]] = {}
    at = 0
    digest = _digest()
    for name, data in sections.items():
        size = len(memoryview(data).cast("B"))
        spans[name] = at, size
        digest.update(data)
        digest.update(_padding(size))
        at += size + len(_padding(size))
    header = json.dumps(
        {
            "format": FORMAT,
            "order": sys.byteorder,
            "key": key,
            "spans": spans,
            "size": at,
            "digest": digest.hexdigest(),
        }
    ).encode()
    front = _MAGIC + len(header).to_bytes(8, "big") + _digest(header).digest() + header
    part: str | None = None
    try:
        handle, part = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        with os.fdopen(handle, "wb") as file:
            file.write(front + _padding(len(front)))
            for data in sections.values():
                file.write(data)
                file.write(_padding(len(memoryview(data).cast("B"))))
            file.flush()
            os.fsync(file.fileno())
        if like is not None:
            shutil.copymode(like, part)
        os.replace(part, path)
    except OSError:
        if part is not None:
            with contextlib.suppress(OSError):
                os.unlink(part)
        return False
    return True


def load(path: Path, key: str) -> dict[str, memoryview] | None:
    """The arrays of a file, mapped; None unless it is whole and of this key."""
    try:
        with path.open("rb") as file:
            if file.read(len(_MAGIC)) != _MAGIC:
                return None
            size = int.from_bytes(file.read(8), "big")
            known = file.read(16)
            if size > 1 << 24 or len(header := file.read(size)) != size:
                return None
            if _digest(header).digest() != known:
                return None
            said = json.loads(header)
            if (said["format"], said["order"], said["key"]) != (FORMAT, sys.byteorder, key):
                return None
            begin = file.tell() + len(_padding(file.tell()))
            file.seek(begin)
            digest, left = _digest(), said["size"]
            while chunk := file.read(min(_CHUNK, left)):
                digest.update(chunk)
                left -= len(chunk)
            if left or digest.hexdigest() != said["digest"]:
                return None
            whole = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    except (OSError, ValueError):
        return None
    return {
        name: whole[begin + at : begin + at + length]
        for name, (at, length) in said["spans"].items()
    }


def _digest(data: bytes = b"") -> hashlib.blake2b:
    return hashlib.blake2b(data, digest_size=16)


def _padding(size: int) -> bytes:
    return b"\0" * (-size % _ALIGN)
