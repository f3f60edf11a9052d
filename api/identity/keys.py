"""API keys: one JSON file that holds digests, never a secret.

A key is `wenshu_<id>_<secret>`. The secret is 256 random bits, so a plain SHA-256 of it is enough: slow, salted
digests are for what people choose, which can be guessed; 2^256 secrets cannot, and no two keys share one.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import re
import secrets
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Annotated, Literal

from pydantic import (
    AfterValidator,
    AwareDatetime,
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    model_validator,
)

from api.identity.errors import IdentityError, Unauthenticated
from api.identity.principal import TENANT, Attributes, Principal, Scope, attributes, name
from api.identity.watched import Watched

PREFIX = "wenshu_"
_KEY = re.compile(r"wenshu_([0-9a-f]{8})_([A-Za-z0-9_-]{43})")
_ORIGIN = re.compile(r"https?://([a-z0-9-]+(\.[a-z0-9-]+)*|\[[0-9a-f:]+\])(:[0-9]{1,5})?")
_NOBODY = "0" * 64  # compared with where there is no such id, so that both take the same time


def _origin(text: str) -> str:
    if _ORIGIN.fullmatch(text) is None:
        raise ValueError(f"an origin is written https://host or https://host:port, not {text!r}")
    return text


Name = Annotated[str, AfterValidator(name)]
Origin = Annotated[str, AfterValidator(_origin)]
State = Literal["active", "expired", "revoked"]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class ApiKey(_Part):
    """A key as it stands in the file."""

    id: Annotated[str, Field(pattern="^[0-9a-f]{8}$")]
    name: Name
    digest: Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
    scopes: Annotated[tuple[Scope, ...], Field(min_length=1)]
    user: Name
    tenant: Name = TENANT
    attributes: dict[Name, tuple[Name, ...]] = {}
    everything: bool = False
    origins: tuple[Origin, ...] = ()
    created: AwareDatetime
    expires: AwareDatetime | None = None
    revoked: AwareDatetime | None = None

    @model_validator(mode="after")
    def _embedded(self) -> ApiKey:
        """Whoever reads the source of the page around the chat has its key: it is good for that alone."""
        if self.embeds and len(self.scopes) > 1:
            raise ValueError("a key of the scope embed has no other scope: make another key")
        if self.embeds and not self.origins:
            raise ValueError(
                "a key of the scope embed needs the sites whose pages the chat is put into: "
                "--origin https://portal.example"
            )
        return self

    @property
    def embeds(self) -> bool:
        """Whether it is for pages that the chat is put into."""
        return "embed" in self.scopes

    def state(self, now: float) -> State:
        """What it is at an instant, in seconds since 1970."""
        if self.revoked is not None:
            return "revoked"
        if self.expires is not None and self.expires.timestamp() <= now:
            return "expired"
        return "active"

    @property
    def principal(self) -> Principal:
        """Who asks with it."""
        return Principal(
            self.user,
            self.tenant,
            frozenset(self.scopes),
            attributes(self.attributes),
            self.everything,
            self.origins,
            "key",
            self.id,
        )


class _File(_Part):
    """The whole file."""

    wenshu_keys: Literal[1] = 1
    keys: tuple[ApiKey, ...] = ()


@dataclass(frozen=True, slots=True)
class Wanted:
    """A key that is to be made. Raises `IdentityError` from `KeyFile.add` for what no key can be."""

    name: str
    scopes: tuple[Scope, ...] = ("user",)
    user: str = ""  # the key's name without it
    tenant: str = TENANT
    attributes: Attributes = field(default=())
    everything: bool = False
    origins: tuple[str, ...] = ()
    expires: datetime | None = None


class KeyFile:
    """The keys of one file. What another process writes is seen at the next look."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._watched = Watched(path, "the key file", _read)

    def present(self) -> bool:
        """Whether keys are kept here: the file is there, or once was."""
        return self._watched.present()

    def keys(self) -> Mapping[str, ApiKey]:
        """All keys by id, in the order they were made. Raises `IdentityError` for a broken file."""
        return self._watched.value()

    def origins(self, now: float, *, embedding: bool = False) -> frozenset[str]:
        """The sites that keys in force are for; with `embedding`, those whose pages the chat may be put into."""
        try:
            keys = self.keys().values() if self.present() else ()
        except IdentityError:
            return frozenset()
        return frozenset(
            origin
            for key in keys
            if key.state(now) == "active" and (key.embeds or not embedding)
            for origin in key.origins
        )

    def principal(
        self, credential: str, origin: str | None, now: float, host: str | None = None
    ) -> Principal:
        """Who asks with a key, from a page of `origin` if from any. Raises `Unauthenticated`.

        The chat within another page is a page of the service: there it is `host`, the page around it, that has to
        be one of the key's.
        """
        match = _KEY.fullmatch(credential)
        if match is None:
            raise Unauthenticated("credentials-malformed", "the API key is not whole")
        found = self._found(match[1])
        known = hmac.compare_digest(digest(match[2]), _NOBODY if found is None else found.digest)
        if found is None or not known:
            how = "none" if found is None else f"key {found.id}"
            raise Unauthenticated("key-unknown", "there is no such API key", "", how)
        principal = found.principal
        who, how = principal.user.id, principal.told
        state = found.state(now)
        if state == "revoked":
            raise Unauthenticated("key-revoked", "the API key was revoked", who, how)
        if state == "expired":
            raise Unauthenticated("key-expired", "the API key has expired", who, how)
        elsewhere = origin is not None and origin not in found.origins
        if host not in found.origins if found.embeds else found.origins and elsewhere:
            raise Unauthenticated("key-origin", "the API key is for pages elsewhere", who, how)
        return principal

    def _found(self, key_id: str) -> ApiKey | None:
        if not self.present():
            return None
        try:
            return self.keys().get(key_id)
        except IdentityError as error:
            self._watched.log(error)
            raise Unauthenticated(
                "keys-unreadable", "API keys cannot be checked now; the service's log says why"
            ) from error

    def add(self, wanted: Wanted, now: float) -> tuple[ApiKey, str]:
        """Make a key; gives it, and its text, which is kept nowhere. Raises `IdentityError`."""
        if wanted.everything and wanted.attributes:
            raise IdentityError(
                "a key that sees all data has no attributes to limit it: leave one of them out"
            )
        secret = secrets.token_urlsafe(32)
        with _locked(self.path):
            keys = self._fresh()
            made = _make(wanted, secret, now, frozenset(keys))
            if made.state(now) == "expired":
                raise IdentityError(f"the key would have expired already, at {made.expires}")
            _write(self.path, _File(keys=(*keys.values(), made)))
        return made, f"{PREFIX}{made.id}_{secret}"

    def revoke(self, key_id: str, now: float) -> ApiKey:
        """Revoke a key for good; one that was revoked before keeps that time. Raises `IdentityError`."""
        with _locked(self.path):
            keys = self._fresh()
            if key_id not in keys:
                raise IdentityError(
                    f"there is no key {key_id!r} in {self.path}: `wenshu keys list` shows the ids"
                )
            if keys[key_id].revoked is None:
                revoked = {"revoked": _instant(now)}
                keys[key_id] = keys[key_id].model_copy(update=revoked)
                _write(self.path, _File(keys=tuple(keys.values())))
        return keys[key_id]

    def _fresh(self) -> dict[str, ApiKey]:
        return dict(self.keys()) if os.path.lexists(self.path) else {}


@cache
def key_file(path: Path) -> KeyFile:
    """The one watch over a file in this process."""
    return KeyFile(path)


def digest(secret: str) -> str:
    """What the file holds of a secret."""
    return hashlib.sha256(secret.encode()).hexdigest()


def _make(wanted: Wanted, secret: str, now: float, taken: frozenset[str]) -> ApiKey:
    key_id = secrets.token_hex(4)
    while key_id in taken:
        key_id = secrets.token_hex(4)
    try:
        return ApiKey(
            id=key_id,
            name=wanted.name,
            digest=digest(secret),
            scopes=tuple(dict.fromkeys(wanted.scopes)),
            user=wanted.user or wanted.name,
            tenant=wanted.tenant,
            attributes=dict(wanted.attributes),
            everything=wanted.everything,
            origins=tuple(dict.fromkeys(wanted.origins)),
            created=_instant(now),
            expires=wanted.expires,
        )
    except ValidationError as error:
        raise IdentityError(f"there can be no such key: {_told(error)}") from None


def _instant(now: float) -> datetime:
    return datetime.fromtimestamp(int(now), UTC)


def _read(data: bytes) -> dict[str, ApiKey]:
    try:
        found = _File.model_validate_json(data)
    except ValidationError as error:
        raise ValueError(_told(error)) from None
    keys = {key.id: key for key in found.keys}
    if len(keys) != len(found.keys):
        raise ValueError("two keys have the same id")
    return keys


def _told(error: ValidationError) -> str:
    """The first fault and where it is, without the value that is at fault: it may be a secret."""
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    where = ".".join(map(str, first["loc"]))
    what = first["msg"].removeprefix("Value error, ")
    return f"{where}: {what}" if where else what


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """One writer at a time, over all processes; readers need not wait, a file appears whole."""
    import fcntl

    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(path.with_name(f"{path.name}.lock"), os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise IdentityError(f"{path} cannot be written: {error.strerror}") from error
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def _write(path: Path, content: _File) -> None:
    """Put the file there whole, or leave what was; only its owner may read it."""
    place = Path(os.path.realpath(path))  # a link stays a link
    part: str | None = None
    try:
        handle, part = tempfile.mkstemp(prefix=f".{place.name}.", dir=place.parent)  # mode 0600
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(content.model_dump_json(indent=1) + "\n")
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, place)
    except OSError as error:
        if part is not None:
            with suppress(OSError):
                os.unlink(part)
        raise IdentityError(f"{path} cannot be written: {error.strerror}") from error
