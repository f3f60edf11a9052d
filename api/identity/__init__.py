"""Who asks, and what they may: plain functions over headers, for HTTP, MCP and tests alike."""

from api.identity.authenticate import Headers, at_start, authenticate
from api.identity.config import IdentityConfig, TokenConfig
from api.identity.errors import Code, Denied, Forbidden, Hidden, IdentityError, Unauthenticated
from api.identity.principal import OPEN, SCOPES, Principal, Scope

__all__ = [
    "OPEN",
    "SCOPES",
    "Code",
    "Denied",
    "Forbidden",
    "Headers",
    "Hidden",
    "IdentityConfig",
    "IdentityError",
    "Principal",
    "Scope",
    "TokenConfig",
    "Unauthenticated",
    "at_start",
    "authenticate",
]
