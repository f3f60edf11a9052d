"""Who asks, and what they may: the same for HTTP, MCP and tests."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from api.identity.errors import Forbidden, Hidden
from semantic_layer.protocols import LOCAL, User

Scope: TypeAlias = Literal["user", "analyst", "auditor", "admin", "embed"]
How: TypeAlias = Literal["open", "key", "jwt"]
Attributes: TypeAlias = tuple[tuple[str, tuple[str, ...]], ...]

SCOPES: tuple[Scope, ...] = get_args(Scope)
TENANT = "default"  # of a key or a token that names none
LONGEST = 200  # characters of a name

# What holding a scope gives besides itself.
_GIVES: Mapping[Scope, frozenset[Scope]] = {
    "user": frozenset({"embed"}),
    "analyst": frozenset({"user", "embed"}),
    "auditor": frozenset(),
    "admin": frozenset(SCOPES),
    "embed": frozenset(),
}


@dataclass(frozen=True, slots=True)
class Principal:
    """Who asks.

    Scopes: `user` takes turns in sessions of its own; `analyst` does that, and runs evaluations and impact;
    `auditor` reads any turn of its tenant, replays, exports and verifies, but takes no turns unless it is a
    user too; `admin` does all of these, and keeps the keys; `embed` is for the visitors of a page that the chat
    is put into: they share a key, so each has only the sessions whose ids it knows. None of them widens which
    rows are seen: that is `attributes` (for the row policies) and `everything` (no policy applies).

    `origins` are the only sites whose pages may ask with the key; none: it does not matter which page asks.
    """

    id: str
    tenant: str
    scopes: frozenset[Scope]
    attributes: Attributes
    everything: bool
    origins: tuple[str, ...] = ()
    how: How = "key"
    key_id: str = ""

    @property
    def user(self) -> User:
        """The user below: its id begins with the tenant, so that the same name in two tenants never meets."""
        if self.how == "open":
            return LOCAL
        return User(f"{_prefix(self.tenant)}{self.id}", self.attributes, self.everything)

    @property
    def told(self) -> str:
        """By what it is known, for the audit: `key ID`, `jwt`, `open`."""
        return f"key {self.key_id}" if self.key_id else self.how

    def may(self, scope: Scope) -> bool:
        """Whether it holds a scope, or one that gives it."""
        return any(scope == held or scope in _GIVES[held] for held in self.scopes)

    def require(self, scope: Scope) -> None:
        """Raises `Forbidden` where it may not."""
        if not self.may(scope):
            wanted = "user, or embed" if scope == "embed" else scope
            raise Forbidden(
                "scope-missing", f"this needs the scope {wanted}", self.user.id, self.told
            )

    def require_named(self) -> None:
        """Raises `Forbidden` for a visitor of a page that the chat is put into."""
        if self.scopes == {"embed"}:
            told = "this is not for the visitors of other pages"
            raise Forbidden("scope-missing", told, self.user.id, self.told)

    def owns(self, owner: str) -> bool:
        """Whether something recorded of a user (by the user's id) is its own."""
        return owner == self.user.id

    def reads(self, owner: str) -> bool:
        """Whether it may look at what is recorded of a user: its own, or as an auditor that of its tenant."""
        return self.owns(owner) or (self.may("auditor") and self._is_over(owner))

    def _is_over(self, owner: str) -> bool:
        return self.how == "open" or owner.startswith(_prefix(self.tenant))

    def require_own(self, owner: str, *, to_read: bool = False) -> None:
        """Raises `Hidden` where something is not its own; with `to_read`, where it may not even look."""
        if not (self.reads(owner) if to_read else self.owns(owner)):
            raise Hidden("not-owner", "there is no such thing", self.user.id, self.told)


OPEN = Principal("local", "", frozenset({"admin"}), (), True, (), "open")
"""Whoever asks in open mode: everything is allowed and seen. It is the user of the command line."""


def _prefix(tenant: str) -> str:
    """What the ids of a tenant's users begin with, and no other tenant's.

    >>> _prefix("acme"), _prefix("a/b")
    ('acme/', 'a%2Fb/')
    """
    return tenant.replace("%", "%25").replace("/", "%2F") + "/"


def tenant_of(owner: str) -> str:
    """The tenant of a user by the user's id; none of who asks in open mode.

    >>> tenant_of("acme/ann"), tenant_of("a%2Fb/ann"), tenant_of("local")
    ('acme', 'a/b', '')
    """
    tenant, slash, _ = owner.partition("/")
    return tenant.replace("%2F", "/").replace("%25", "%") if slash else ""


def name(text: str) -> str:
    """A name of a user, a tenant, an attribute, or an attribute's value, as it is.

    Raises `ValueError` for what could be taken for another one, or spoil a log: nothing, more than 200
    characters, blanks around it, characters that are not seen.
    """
    if not text or len(text) > LONGEST or text != text.strip() or not text.isprintable():
        raise ValueError(
            f"a name has 1 to {LONGEST} visible characters and no blanks around it, not {text[:LONGEST]!r}"
        )
    return text


def attributes(found: Mapping[str, Iterable[str]]) -> Attributes:
    """Attributes in order of their names. Raises `ValueError` for what is no name."""
    return tuple(
        (name(key), tuple(name(value) for value in values)) for key, values in sorted(found.items())
    )
