"""A key file, and keys to sign tokens with."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from joserfc import jwt
from joserfc.jwk import OctKey, RSAKey

from api.identity.keys import KeyFile

NOW = 1_800_000_000.0  # 2027-01-15 08:00 UTC
SECRET = "a shared secret of more than 32 bytes"


@pytest.fixture
def kept(tmp_path: Path) -> KeyFile:
    return KeyFile(tmp_path / "keys.json")


@pytest.fixture(scope="session")
def rsa() -> RSAKey:
    return RSAKey.generate_key(2048, parameters={"kid": "first"})


@pytest.fixture(scope="session")
def second_rsa() -> RSAKey:
    return RSAKey.generate_key(2048, parameters={"kid": "second"})


def jwks(path: Path, *keys: RSAKey) -> Path:
    path.write_text(json.dumps({"keys": [key.as_dict() for key in keys]}), encoding="utf-8")
    return path


def token(
    key: OctKey | RSAKey | None = None, alg: str = "HS256", kid: str = "", /, **claims: object
) -> str:
    """A token of ann's that ends in an hour, with other claims, and without those that are None."""
    told = {"sub": "ann", "exp": int(NOW) + 3600, "scope": "user", **claims}
    header = {"alg": alg, **({"kid": kid} if kid else {})}
    return jwt.encode(
        header,
        {name: value for name, value in told.items() if value is not None},
        key or OctKey.import_key(SECRET),
        algorithms=[alg],
    )
