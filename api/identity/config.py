"""How users are known: what the service's settings fill in."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from api.identity.errors import IdentityError
from api.identity.keys import key_file

LONGEST = 8192  # bytes of a credential
SHORTEST = 32  # bytes of a secret: as many as HS256 puts out (RFC 7518, 3.2)


@dataclass(frozen=True, slots=True)
class TokenConfig:
    """Which tokens are taken. `issuer` and `audience` are checked where they are given.

    Raises `IdentityError` for a secret that is too short, and for a key that does not go with the algorithm.
    """

    algorithm: Literal["HS256", "RS256"]
    secret: str = field(default="", repr=False)
    jwks: Path | None = None
    issuer: str = ""
    audience: str = ""

    def __post_init__(self) -> None:
        if self.algorithm == "HS256":
            if self.jwks is not None:
                raise IdentityError("HS256 goes with a secret, not with a JWKS file")
            if len(self.secret.encode()) < SHORTEST:
                raise IdentityError(
                    f"the secret of HS256 needs {SHORTEST} bytes or more, it has "
                    f"{len(self.secret.encode())}: make one with `openssl rand -base64 48`"
                )
        elif self.algorithm == "RS256":
            if self.secret or self.jwks is None:
                raise IdentityError("RS256 goes with a JWKS file, and with no secret")
        else:
            raise IdentityError(f"tokens are signed by HS256 or RS256, not by {self.algorithm}")


@dataclass(frozen=True, slots=True)
class IdentityConfig:
    """How users are known: a key file (it need not be there), tokens; `bound` is where the service listens."""

    bound: str = "127.0.0.1"
    keys: Path | None = None
    tokens: TokenConfig | None = None

    @property
    def open(self) -> bool:
        """Whether nothing says who users are: no tokens, and no key file."""
        return self.tokens is None and (self.keys is None or not key_file(self.keys).present())
