"""What identity refuses: few kinds, each with a code that the audit and the problem details share."""

from __future__ import annotations

from typing import Literal, TypeAlias

# docs/identity.md says what each means; a test holds the two together.
Code: TypeAlias = Literal[
    "credentials-missing",
    "credentials-malformed",
    "credentials-oversize",
    "key-unknown",
    "key-expired",
    "key-revoked",
    "key-origin",
    "keys-unreadable",
    "token-invalid",
    "token-expired",
    "token-claims",
    "token-keys-unreadable",
    "tokens-not-taken",
    "open-bound",
    "open-peer",
    "open-host",
    "open-proxy",
    "open-origin",
    "scope-missing",
    "not-owner",
]


class IdentityError(Exception):
    """Identity is not set up in a way that works: a broken file, a short secret. For the operator."""


class Denied(Exception):
    """A request that may not be served.

    `code` says why, `detail` says it in words that hold nothing of the credential; `who` is the user as far as
    that is known for certain, `how` by what (`key ID`, `jwt`, `open`, `none`).
    """

    def __init__(self, code: Code, detail: str, who: str = "", how: str = "none") -> None:
        super().__init__(detail)
        self.code, self.detail, self.who, self.how = code, detail, who, how


class Unauthenticated(Denied):
    """It is not known who asks (401)."""


class Forbidden(Denied):
    """It is known who asks, and they may not (403)."""


class Hidden(Denied):
    """What is asked for is somebody else's, and whether it exists is not told (404)."""
