"""Open mode: without keys and tokens, whoever sits at this machine may ask everything, and nobody else.

A request must come from this machine (bound there, from there) and mean it: the Host header is a loopback name,
else a page elsewhere has bound its own name to 127.0.0.1 (DNS rebinding); a page that sends it is from here too;
and no proxy brought it, since behind one everybody looks local.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from ipaddress import IPv6Address, ip_address
from typing import TypeAlias

from api.identity.errors import Unauthenticated
from api.identity.principal import OPEN, Principal

Pairs: TypeAlias = Sequence[tuple[str, str]]  # headers, names in lower case

_HOST = r"(\[[0-9A-Fa-f:.]+\]|[^\s:\[\]@/\\]+)(?::[0-9]{1,5})?"
_PROXY = frozenset({"forwarded", "via", "x-real-ip"})


@lru_cache(maxsize=256)
def loopback(host: str) -> bool:
    """Whether a name or address is this machine's own, and nothing else.

    >>> [loopback(host) for host in ("127.0.0.1", "localhost", "[::1]", "0.0.0.0", "localhost.example.com")]
    [True, True, True, False, False]
    """
    bare = host.removeprefix("[").removesuffix("]")
    if bare.lower() == "localhost":
        return True
    try:
        address = ip_address(bare)
    except ValueError:
        return False
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return (mapped or address).is_loopback


def open_principal(headers: Pairs, peer: str | None, bound: str) -> Principal:
    """`OPEN`, for a request of this machine. Raises `Unauthenticated` for any other."""
    if not loopback(bound):
        raise Unauthenticated(
            "open-bound",
            "this service knows no users yet and is open to the network: it answers nobody until it has keys",
        )
    if peer is None or not loopback(peer):
        raise Unauthenticated("open-peer", "without keys, only this machine is answered")
    if any(name in _PROXY or name.startswith("x-forwarded-") for name, _ in headers):
        raise Unauthenticated(
            "open-proxy", "behind a proxy users must be known: make keys, `wenshu keys add`"
        )
    hosts = [value for name, value in headers if name == "host"]
    if len(hosts) != 1 or not _here(_HOST, hosts[0]):
        raise Unauthenticated(
            "open-host", "without keys, this service answers to localhost and 127.0.0.1 only"
        )
    if not all(_here(f"https?://{_HOST}", value) for name, value in headers if name == "origin"):
        raise Unauthenticated("open-origin", "without keys, pages of other sites are not answered")
    return OPEN


def _here(form: str, text: str) -> bool:
    match = re.fullmatch(form, text)
    return match is not None and loopback(match[1])
