"""`wenshu keys …`: make, list, revoke."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from api.clock import epoch
from api.identity.errors import IdentityError
from api.identity.keys import ApiKey, KeyFile, Wanted
from api.identity.principal import SCOPES, Attributes, Scope
from api.settings import keys_file


@dataclass(frozen=True, slots=True)
class Asked:
    """A key as the command line asks for it."""

    name: str
    scopes: tuple[str, ...]
    attributes: tuple[str, ...]
    user: str
    tenant: str
    expires: str | None
    origins: tuple[str, ...]
    all_data: bool


def add(file: Path | None, asked: Asked, as_json: bool) -> int:
    """Make a key and print its text. 2 for what no key can be."""
    path = keys_file(file)
    try:
        wanted = Wanted(
            asked.name,
            tuple(_scope(word) for word in asked.scopes),
            asked.user,
            asked.tenant,
            _attributes(asked.attributes),
            asked.all_data,
            asked.origins,
            _instant(asked.expires),
        )
        made, text = KeyFile(path).add(wanted, epoch())
    except IdentityError as error:
        return _refused(error)
    if as_json:
        print(json.dumps({"key": text, **_told(made)}, ensure_ascii=False))
        return 0
    print(text)
    print(f"key {made.id}, kept in {path} by its digest: it is not shown again", file=sys.stderr)
    if not made.attributes and not made.everything:
        print(
            "it has no attributes: where a row policy applies it sees nothing "
            "(--attribute NAME=VALUE, or --all-data)",
            file=sys.stderr,
        )
    return 0


def show(file: Path | None, as_json: bool) -> int:
    """List the keys. 2 for a broken file."""
    path = keys_file(file)
    try:
        kept = KeyFile(path)
        keys = kept.keys() if kept.present() else {}
    except IdentityError as error:
        return _refused(error)
    if not keys and not as_json:
        print(f"there are no keys in {path}", file=sys.stderr)
    for key in keys.values():
        if as_json:
            print(json.dumps(_told(key), ensure_ascii=False))
            continue
        sees = "all data" if key.everything else " ".join(map(_attribute, key.attributes.items()))
        until = f"until {key.expires.isoformat()}" if key.expires else "without end"
        print(
            f"{key.id}  {key.state(epoch()):7}  {key.name}  {key.tenant}/{key.user}  "
            f"{','.join(key.scopes)}  {sees or 'no attributes'}  {until}"
            + "".join(f"  {origin}" for origin in key.origins)
        )
    return 0


def revoke(file: Path | None, key_id: str, as_json: bool) -> int:
    """Revoke a key. 2 when there is none of that id."""
    try:
        found = KeyFile(keys_file(file)).revoke(key_id, epoch())
    except IdentityError as error:
        return _refused(error)
    at = found.revoked.isoformat() if found.revoked else ""
    if as_json:
        print(json.dumps(_told(found), ensure_ascii=False))
    else:
        print(f"key {found.id} ({found.name}) is revoked since {at}")
    return 0


def _told(key: ApiKey) -> dict[str, object]:
    found: dict[str, object] = key.model_dump(mode="json", exclude={"digest"})
    return {**found, "state": key.state(epoch())}


def _attribute(item: tuple[str, tuple[str, ...]]) -> str:
    return f"{item[0]}={','.join(item[1])}"


def _scope(word: str) -> Scope:
    for scope in SCOPES:
        if scope == word:
            return scope
    raise IdentityError(f"there is no scope {word!r}: it is one of {', '.join(SCOPES)}")


def _attributes(given: tuple[str, ...]) -> Attributes:
    """`park_id=P001,P002`; the same name twice adds up."""
    found: dict[str, tuple[str, ...]] = {}
    for text in given:
        name, _, values = text.partition("=")
        listed = tuple(values.split(","))
        if not name or not all(listed):
            raise IdentityError(
                f"an attribute is written NAME=VALUE,VALUE (park_id=P001,P002), not {text!r}"
            )
        found[name] = (*found.get(name, ()), *listed)
    return tuple(found.items())


def _instant(given: str | None) -> datetime | None:
    if given is None:
        return None
    try:
        found = datetime.fromisoformat(given)
    except ValueError:
        raise IdentityError(
            f"an end is written 2027-01-01 or 2027-01-01T18:00:00+08:00, not {given!r}"
        ) from None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def _refused(error: IdentityError) -> int:
    print(error, file=sys.stderr)
    return 2
