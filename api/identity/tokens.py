"""JSON Web Tokens of an identity provider: HS256 with a shared secret, or RS256 with a JWKS file.

The algorithm is fixed by the configuration and never taken from a token, so that nobody signs with the public
key as if it were a secret, or not at all.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Mapping
from functools import cache

from joserfc import jwt
from joserfc.errors import ClaimError, ExpiredTokenError, JoseError, SecurityWarning
from joserfc.jwk import Key, KeySet, OctKey, RSAKey
from joserfc.jws import JWSRegistry

from api.identity.config import LONGEST, TokenConfig
from api.identity.errors import IdentityError, Unauthenticated
from api.identity.principal import SCOPES, TENANT, Attributes, Principal, Scope, attributes, name
from api.identity.watched import Watched

LEEWAY = 60  # seconds that two clocks may differ
RSA_BITS = 2048


class Tokens:
    """Checks tokens."""

    def __init__(self, config: TokenConfig) -> None:
        self.config = config
        self._registry = _Registry(algorithms=[config.algorithm], strict_check_header=False)
        self._watched = (
            None if config.jwks is None else Watched(config.jwks, "the JWKS file", _read)
        )
        self._shared = None if self._watched else _shared(config.secret)

    def key(self) -> Key | KeySet:
        """What tokens are checked with. Raises `IdentityError` for a broken JWKS file, or a public secret."""
        if self._watched is not None:
            return self._watched.value()
        if self._shared is None:
            raise IdentityError("the secret of HS256 is a public key, which is no secret")
        return self._shared

    def principal(self, token: str, now: float) -> Principal:
        """Who asks with a token, at an instant in seconds since 1970. Raises `Unauthenticated`."""
        claims = self._claims(token)
        who = ""
        try:
            found = _principal(claims)
            who = found.user.id  # the signature holds: that much is known
            self._expected(int(now)).validate(dict(claims))
        except ExpiredTokenError as error:
            raise Unauthenticated("token-expired", "the token has expired", who, "jwt") from error
        except (ClaimError, ValueError) as error:
            told = error.description if isinstance(error, ClaimError) else str(error)
            raise Unauthenticated(
                "token-claims", f"the token's claims do not fit: {told}", who, "jwt"
            ) from error
        return found

    def _claims(self, token: str) -> Mapping[str, object]:
        if len(token) > LONGEST:
            raise Unauthenticated("credentials-oversize", f"a token has {LONGEST} bytes at most")
        try:
            key = self.key()
        except IdentityError as error:
            if self._watched is not None:
                self._watched.log(error)
            raise Unauthenticated(
                "token-keys-unreadable", "tokens cannot be checked now; the service's log says why"
            ) from error
        try:
            return jwt.decode(token, key, registry=self._registry).claims
        except Exception as error:  # a stranger's bytes in a foreign parser: whatever it trips over
            raise Unauthenticated("token-invalid", "the token is not valid here") from error

    def _expected(self, now: int) -> jwt.JWTClaimsRegistry:
        wanted = {"iss": self.config.issuer, "aud": self.config.audience}
        named: dict[str, jwt.ClaimsOption] = {
            claim: {"essential": True, "value": value} for claim, value in wanted.items() if value
        }
        return jwt.JWTClaimsRegistry(
            now, LEEWAY, exp={"essential": True}, sub={"essential": True}, **named
        )


@cache
def tokens(config: TokenConfig) -> Tokens:
    """The one check by a configuration in this process."""
    return Tokens(config)


class _Registry(JWSRegistry):
    """Headers may hold a certificate chain; the token as a whole is limited."""

    max_header_length = LONGEST


def _shared(secret: str) -> OctKey | None:
    """The shared key; None where the secret is a public key or a certificate."""
    try:
        return OctKey.import_key(secret)
    except ValueError:
        return None


def _read(data: bytes) -> KeySet:
    """The RSA keys of a JWKS that check signatures; others in it are for somebody else."""
    try:
        listed = json.loads(data)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SecurityWarning)  # short keys are left out below
            found = KeySet.import_key_set(listed)
    except (JoseError, KeyError, TypeError, RecursionError) as error:
        raise ValueError(f"no JWKS: {error}") from error
    kept: list[Key] = [
        key
        for key in found
        if isinstance(key, RSAKey)
        and key.get("use") in (None, "sig")
        and key.get("alg") in (None, "RS256")
        and key.raw_value.key_size >= RSA_BITS
    ]
    if not kept:
        raise ValueError(f"no RSA key of {RSA_BITS} bits or more for RS256 is in it")
    return KeySet(kept)


def _principal(claims: Mapping[str, object]) -> Principal:
    tenant = claims.get("tenant", TENANT)
    subject = claims.get("sub")
    if not isinstance(tenant, str) or not isinstance(subject, str):
        raise ValueError("'sub' is a string, and so is 'tenant'")
    return Principal(
        name(subject), name(tenant), _scopes(claims), _attributes(claims), False, (), "jwt"
    )


def _scopes(claims: Mapping[str, object]) -> frozenset[Scope]:
    """`scope` as words, `scopes` as a list; those of other services are passed over, and `embed`: it is for keys,
    which have origins."""
    words, listed = claims.get("scope", ""), claims.get("scopes", [])
    if not isinstance(words, str) or not isinstance(listed, list):
        raise ValueError("'scope' is a string of words, 'scopes' a list")
    named = [*words.split(), *listed]
    return frozenset(scope for scope in SCOPES if scope in named and scope != "embed")


def _attributes(claims: Mapping[str, object]) -> Attributes:
    found = claims.get("attributes", {})
    if not isinstance(found, dict):
        raise ValueError("'attributes' is an object")
    values = {key: [value] if isinstance(value, str) else value for key, value in found.items()}
    for key, value in values.items():
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise ValueError(f"the attribute {key!r} is a string or a list of strings")
    return attributes(values)
