"""From a request's headers to who asks: API key, token, or open mode."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Protocol

from api.clock import epoch
from api.identity.config import LONGEST, IdentityConfig, TokenConfig
from api.identity.errors import IdentityError, Unauthenticated
from api.identity.keys import PREFIX, key_file
from api.identity.open_mode import Pairs, loopback, open_principal
from api.identity.principal import Principal

if TYPE_CHECKING:
    from api.identity.tokens import Tokens

HOST = "x-wenshu-host"  # the origin of the page that the chat is put into, as the browser told it
_BEARER = re.compile(r"bearer ([A-Za-z0-9._~+/=-]+)", re.IGNORECASE | re.ASCII)


class Headers(Protocol):
    """The headers of a request; a name that was sent twice is there twice, as Starlette gives it."""

    def items(self) -> Iterable[tuple[str, str]]: ...


def authenticate(
    headers: Headers,
    peer: str | None,
    config: IdentityConfig,
    clock: Callable[[], float] = epoch,
) -> Principal:
    """Who asks. `peer` is the address at the other end of the connection, without its port.

    A credential stands in the Authorization header as `Bearer …`, never in a URL. Raises `Unauthenticated`.
    """
    pairs = [(name.lower(), value) for name, value in headers.items()]
    credential = _credential(pairs)
    if credential is not None and credential.startswith(PREFIX):
        if config.keys is None:
            raise Unauthenticated("key-unknown", "API keys are not taken here")
        origin, host = _sent(pairs, "origin"), _sent(pairs, HOST)
        return key_file(config.keys).principal(credential, origin, clock(), host)
    if credential is not None and config.tokens is not None:
        return _tokens(config.tokens).principal(credential, clock())
    # Programs that want some key put any word there: open mode passes over it, but never over what may be a token.
    if credential is not None and (credential.count(".") == 2 or not config.open):
        raise Unauthenticated("tokens-not-taken", "only API keys are taken here: wenshu_…")
    if not config.open:
        raise Unauthenticated("credentials-missing", "say who asks: Authorization: Bearer …")
    return open_principal(pairs, peer, config.bound)


def _tokens(config: TokenConfig) -> Tokens:
    """Imported only where tokens are taken: cryptography takes half a second of a cold start."""
    from api.identity.tokens import tokens

    return tokens(config)


def _sent(headers: Pairs, wanted: str) -> str | None:
    """A header's value; where it was sent twice, both, which is no origin."""
    return ", ".join(value for name, value in headers if name == wanted) or None


def _credential(headers: Pairs) -> str | None:
    given = [value for name, value in headers if name == "authorization"]
    if not given:
        return None
    if len(given) > 1:
        raise Unauthenticated("credentials-malformed", "there is more than one Authorization")
    if len(given[0]) > LONGEST + len("Bearer "):
        raise Unauthenticated("credentials-oversize", f"a credential has {LONGEST} bytes at most")
    match = _BEARER.fullmatch(given[0])
    if match is None:
        raise Unauthenticated("credentials-malformed", "Authorization is not of the form Bearer …")
    return match[1]


def at_start(config: IdentityConfig, clock: Callable[[], float] = epoch) -> str:
    """How users are known, to be told when the service starts.

    Raises `IdentityError` where it must not start: open to the network without users, a file that is broken.
    """
    if config.open:
        if not loopback(config.bound):
            raise IdentityError(
                f"the service would listen on {config.bound} without knowing its users: make a key with "
                "`wenshu keys add NAME`, or configure tokens, or listen on 127.0.0.1"
            )
        return (
            f"open mode: no keys, no tokens. Whoever uses this machine may ask {config.bound} "
            "everything; `wenshu keys add NAME` ends that"
        )
    told = []
    if config.keys is not None and key_file(config.keys).present():
        keys = key_file(config.keys).keys().values()
        active = sum(key.state(clock()) == "active" for key in keys)
        told.append(f"API keys, {active} active in {config.keys}")
    if config.tokens is not None:
        _tokens(config.tokens).key()
        told.append(f"tokens signed by {config.tokens.algorithm}")
    return f"users are known by {' and by '.join(told)}"
