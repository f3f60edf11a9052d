"""The chain: what is hashed, and how. Everything that a verifier must know stands here.

A record is one canonical JSON text; its hash is the SHA-256 of exactly that text, which holds the hash of
the record before it. Content stands apart: a record holds SHA-256(salt + content), with a salt of its own
for each content, so that a short text cannot be guessed from its digest once it and its salt are erased.
"""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from dialogue.codec import Json
from dialogue.compact import compact

# intent, outcome: a turn, before and after it ran; feedback: what somebody thinks of a turn; denied: access
# that was refused; the others say what was done with the ledger itself.
Kind: TypeAlias = Literal["intent", "outcome", "feedback", "read", "erasure", "archive", "denied"]
FORMAT = 2
SALT = 16


@dataclass(frozen=True, slots=True)
class Content:
    """A content and its salt."""

    digest: str
    salt: bytes
    data: bytes


@dataclass(frozen=True, slots=True)
class Link:
    """One record of a session's chain: facts in clear in `body`, contents by digest in `parts`."""

    session_id: str
    number: int
    kind: Kind
    turn_id: str
    at: str
    body: Mapping[str, Json]
    parts: Mapping[str, str]
    previous: str
    text: str
    hash: str


@dataclass(frozen=True, slots=True)
class Head:
    """The end of a session's chain."""

    number: int = 0
    hash: str = ""


def canonical(value: Json | Mapping[str, Json]) -> str:
    """Canonical JSON: sorted keys, no blanks, as UTF-8 says it.

    >>> canonical({"b": 1, "a": "问"})
    '{"a":"问","b":1}'
    """
    return compact(value, ordered=True)


def sha256(data: bytes) -> str:
    """The digest in hexadecimal."""
    return hashlib.sha256(data).hexdigest()


def salted(data: bytes) -> Content:
    """A content with a new salt."""
    salt = secrets.token_bytes(SALT)
    return Content(sha256(salt + data), salt, data)


def link(
    head: Head,
    session_id: str,
    kind: Kind,
    turn_id: str,
    at: str,
    body: Mapping[str, Json],
    parts: Mapping[str, str],
) -> Link:
    """The record that follows a head."""
    made = Link(session_id, head.number + 1, kind, turn_id, at, body, parts, head.hash, "", "")
    text = canonical(told(made))
    return replace(made, text=text, hash=sha256(text.encode()))


def told(link: Link) -> dict[str, Json]:
    """What the text of a record says."""
    return {
        "v": FORMAT,
        "session": link.session_id,
        "number": link.number,
        "kind": link.kind,
        "turn": link.turn_id,
        "at": link.at,
        "body": dict(link.body),
        "parts": dict(link.parts),
        "previous": link.previous,
    }


def parse(text: str, record_hash: str) -> Link:
    """A record as it stands in the table. Raises `ValueError` for what is no record."""
    data = json.loads(text)
    try:
        return Link(
            data["session"],
            data["number"],
            data["kind"],
            data["turn"],
            data["at"],
            data["body"],
            data["parts"],
            data["previous"],
            text,
            record_hash,
        )
    except (KeyError, TypeError) as error:
        raise ValueError(f"no record: {error}") from error
