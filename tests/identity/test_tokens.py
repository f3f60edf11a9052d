"""Tokens: signed as configured and not otherwise, with claims that fit."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from joserfc.errors import SecurityWarning
from joserfc.jwk import OctKey, RSAKey

from api.identity import IdentityError, Principal, TokenConfig, Unauthenticated
from api.identity.tokens import Tokens
from tests.identity.conftest import NOW, SECRET, jwks, token

SHARED = Tokens(TokenConfig("HS256", SECRET))


def refused(checked: Tokens, text: str, now: float = NOW) -> str:
    with pytest.raises(Unauthenticated) as caught:
        checked.principal(text, now)
    return f"{caught.value.code} {caught.value.who}".strip()


def part(value: object) -> str:
    data = value if isinstance(value, bytes) else json.dumps(value).encode()
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def signed_by_hand(payload: bytes, secret: bytes = SECRET.encode(), **header: str) -> str:
    """What no library would sign."""
    told = f"{part({'alg': 'HS256', **header})}.{part(payload)}"
    return f"{told}.{part(hmac.new(secret, told.encode(), hashlib.sha256).digest())}"


def test_claims_give_a_principal() -> None:
    claims = {
        "scope": "openid user profile",
        "scopes": ["auditor", "root", 7],
        "tenant": "租户",
        "attributes": {"park_id": ["P001", "P002"], "city": "上海"},
    }
    assert SHARED.principal(token(**claims), NOW) == Principal(
        "ann",
        "租户",
        frozenset({"user", "auditor"}),
        (("city", ("上海",)), ("park_id", ("P001", "P002"))),
        False,
        (),
        "jwt",
    )


def test_a_token_that_says_little_may_little() -> None:
    found = SHARED.principal(token(scope=None, everything=True), NOW)
    assert (found.scopes, found.attributes, found.everything) == (frozenset(), (), False)
    assert found.user.id == "default/ann"


@pytest.mark.parametrize(
    ("claims", "code"),
    [
        ({"exp": int(NOW) - 59}, ""),
        ({"exp": int(NOW) - 60}, "token-expired default/ann"),
        ({"exp": None}, "token-claims default/ann"),
        ({"exp": "2027-02-01"}, "token-claims default/ann"),
        ({"exp": True}, "token-claims default/ann"),
        ({"exp": float("nan")}, "token-claims default/ann"),
        ({"exp": float("inf")}, "token-claims default/ann"),
        ({"nbf": int(NOW) + 60}, ""),
        ({"nbf": int(NOW) + 61}, "token-claims default/ann"),
        ({"iat": int(NOW) + 61}, "token-claims default/ann"),
        ({"sub": None}, "token-claims"),
        ({"sub": ""}, "token-claims"),
        ({"sub": 7}, "token-claims"),
        ({"sub": "an\nn"}, "token-claims"),
        ({"tenant": ""}, "token-claims"),
        ({"tenant": ["acme"]}, "token-claims"),
        ({"scope": ["user"]}, "token-claims"),
        ({"scopes": "user"}, "token-claims"),
        ({"attributes": ["P001"]}, "token-claims"),
        ({"attributes": {"park_id": 1}}, "token-claims"),
        ({"attributes": {"park_id": ["P001", None]}}, "token-claims"),
        ({"attributes": {"park_id": [""]}}, "token-claims"),
        ({"attributes": None, "iss": "anyone", "aud": "anything"}, ""),
    ],
)
def test_claims(claims: dict[str, object], code: str) -> None:
    text = token(**claims)
    if code:
        assert refused(SHARED, text) == code
    else:
        assert SHARED.principal(text, NOW).id == "ann"


@pytest.mark.parametrize(
    ("claims", "code"),
    [
        ({"iss": "https://id.example.com", "aud": "wenshu"}, ""),
        ({"iss": "https://id.example.com", "aud": ["other", "wenshu"]}, ""),
        ({"iss": "https://id.example.com", "aud": ["other"]}, "token-claims default/ann"),
        ({"iss": "https://id.example.com"}, "token-claims default/ann"),
        ({"iss": "https://evil.example.com", "aud": "wenshu"}, "token-claims default/ann"),
        ({"iss": ["https://id.example.com"], "aud": "wenshu"}, "token-claims default/ann"),
        ({"aud": "wenshu"}, "token-claims default/ann"),
    ],
)
def test_issuer_and_audience_where_they_are_configured(
    claims: dict[str, object], code: str
) -> None:
    checked = Tokens(
        TokenConfig("HS256", SECRET, issuer="https://id.example.com", audience="wenshu")
    )
    if code:
        assert refused(checked, token(**claims)) == code
    else:
        assert checked.principal(token(**claims), NOW).id == "ann"


def test_a_tampered_token_is_refused() -> None:
    text = token(scope="user")
    header, claims, signature = text.split(".")
    told = json.loads(base64.urlsafe_b64decode(claims + "=="))
    more = part({**told, "scope": "admin"})
    for forged in (
        f"{header}.{more}.{signature}",
        f"{header}.{claims}.{signature[:-2]}",
        f"{header}.{claims}.",
        f"{header}.{claims}",
        f"{header}..{signature}",
        f"{text}.{signature}",
        token(OctKey.import_key("another secret of more than 32 bytes!")),
    ):
        assert refused(SHARED, forged) == "token-invalid"


@pytest.mark.parametrize("alg", ["none", "None", "NONE", "nOnE", ""])
def test_no_signature_is_none(alg: str) -> None:
    claims = part({"sub": "ann", "exp": int(NOW) + 60})
    for signature in ("", part(b"x")):
        text = f"{part({'alg': alg})}.{claims}.{signature}"
        assert refused(SHARED, text) == "token-invalid"


def test_the_algorithm_is_the_configured_one(rsa: RSAKey, tmp_path: Path) -> None:
    signed = Tokens(TokenConfig("RS256", jwks=jwks(tmp_path / "jwks.json", rsa)))
    assert signed.principal(token(rsa, "RS256"), NOW).id == "ann"
    for public in (rsa.as_pem(private=False), rsa.as_der(private=False)):
        claims = json.dumps({"sub": "ann", "exp": int(NOW) + 60}).encode()
        forged = signed_by_hand(claims, public, kid="first")
        assert refused(signed, forged) == "token-invalid"
    for other in ("RS384", "RS512", "PS256"):
        assert refused(signed, token(rsa, other, "first")) == "token-invalid"
    assert refused(SHARED, token(rsa, "RS256")) == "token-invalid"
    for other in ("HS384", "HS512"):
        assert refused(SHARED, token(None, other)) == "token-invalid"


def test_a_key_in_the_header_is_not_believed(
    rsa: RSAKey, second_rsa: RSAKey, tmp_path: Path
) -> None:
    from joserfc import jwt

    signed = Tokens(TokenConfig("RS256", jwks=jwks(tmp_path / "jwks.json", rsa)))
    header = {"alg": "RS256", "kid": "first", "jwk": second_rsa.as_dict()}
    forged = jwt.encode(header, {"sub": "ann", "exp": int(NOW) + 60}, second_rsa)
    assert refused(signed, forged) == "token-invalid"
    header = {"alg": "RS256", "kid": "first", "jku": "https://evil.example.com/jwks"}
    assert refused(signed, jwt.encode(header, {"sub": "a", "exp": NOW + 60}, second_rsa)) == (
        "token-invalid"
    )


def test_headers_that_are_not_known_are_passed_over_unless_critical(
    rsa: RSAKey, tmp_path: Path
) -> None:
    signed = Tokens(TokenConfig("RS256", jwks=jwks(tmp_path / "jwks.json", rsa)))
    claims = part({"sub": "ann", "exp": int(NOW) + 60})

    def text(**header: object) -> str:
        from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
        from cryptography.hazmat.primitives.hashes import SHA256

        told = f"{part({'alg': 'RS256', 'kid': 'first', **header})}.{claims}"
        key = rsa.private_key
        assert key is not None
        return f"{told}.{part(key.sign(told.encode(), PKCS1v15(), SHA256()))}"

    assert signed.principal(text(x5c=["a" * 1500]), NOW).id == "ann"
    assert signed.principal(text(nonce="x"), NOW).id == "ann"
    assert refused(signed, text(nonce="x", crit=["nonce"])) == "token-invalid"
    assert refused(signed, text(b64=False)) == "token-invalid"


def test_keys_are_rotated_while_the_service_runs(
    rsa: RSAKey, second_rsa: RSAKey, tmp_path: Path
) -> None:
    file = jwks(tmp_path / "jwks.json", rsa)
    signed = Tokens(TokenConfig("RS256", jwks=file))
    old, new = token(rsa, "RS256", "first"), token(second_rsa, "RS256", "second")
    assert signed.principal(old, NOW).id == "ann"
    assert refused(signed, new) == "token-invalid"
    jwks(file, rsa, second_rsa)
    assert signed.principal(old, NOW).id == signed.principal(new, NOW).id == "ann"
    assert refused(signed, token(rsa, "RS256")) == "token-invalid"  # which of both is not said
    assert refused(signed, token(rsa, "RS256", "second")) == "token-invalid"
    jwks(file, second_rsa)
    assert refused(signed, old) == "token-invalid"
    assert signed.principal(new, NOW).id == "ann"


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("", "no JWKS|Expecting value"),
        ("[]", "no JWKS"),
        ("{}", "no JWKS: 'keys'"),
        ('{"keys": []}', "no JWKS"),
        (
            '{"keys": [{"kty": "oct", "k": "YWJjZGVmZ2hpamtsbW5vcHFyc3R1dnd4eXo"}]}',
            "no RSA key of 2048",
        ),
        ('{"keys": [{"kty": "new", "x": "y"}]}', "no JWKS"),
        ("[" * 100_000, "no JWKS"),
    ],
)
def test_a_broken_jwks_says_so_and_lets_nobody_in(
    rsa: RSAKey, tmp_path: Path, content: str, says: str
) -> None:
    file = jwks(tmp_path / "jwks.json", rsa)
    signed = Tokens(TokenConfig("RS256", jwks=file))
    text = token(rsa, "RS256")
    assert signed.principal(text, NOW).id == "ann"
    file.write_text(content, encoding="utf-8")
    assert refused(signed, text) == "token-keys-unreadable"
    with pytest.raises(IdentityError, match=f"the JWKS file .* is broken: .*({says})"):
        signed.key()
    file.unlink()
    with pytest.raises(IdentityError, match="cannot be read: No such file"):
        signed.key()


def test_keys_that_are_short_or_for_something_else_are_left_out(
    rsa: RSAKey, tmp_path: Path
) -> None:
    with pytest.warns(SecurityWarning, match="2048"):
        short = RSAKey.generate_key(1024, parameters={"kid": "short"})
    file = tmp_path / "jwks.json"
    listed = [{**rsa.as_dict(), "use": "enc"}, short.as_dict(), {**rsa.as_dict(), "alg": "RS512"}]
    file.write_text(json.dumps({"keys": listed}), encoding="utf-8")
    signed = Tokens(TokenConfig("RS256", jwks=file))
    with pytest.raises(IdentityError, match="no RSA key of 2048 bits"):
        signed.key()
    assert refused(signed, token(rsa, "RS256", "first")) == "token-keys-unreadable"


def test_a_token_of_8_kb_and_no_more() -> None:
    assert SHARED.principal(token(note="x" * 5000), NOW).id == "ann"
    assert refused(SHARED, token(note="x" * 6500)) == "credentials-oversize"


@given(st.text(alphabet=st.characters(max_codepoint=127)) | st.binary().map(part))
@example(f"{part(b'[' * 3000)}.{part({})}.x")
@example(f"{part([])}.{part({})}.x")
@example(f"{part(['alg'])}.{part({})}.x")
@example(f"{part({'alg': ['HS256']})}.{part({})}.x")
@example(f"{part({'alg': {}})}.{part({})}.x")
@example(f"{part(7)}.{part({})}.x")
@example("...")
@example("\x00.\x00.\x00")
def test_whatever_is_sent_is_refused_in_one_way(text: str) -> None:
    for shape in (text, f"{part({'alg': 'HS256'})}.{text}.{text}", f"{text}.{text}.{text}"):
        assert refused(SHARED, shape) == (
            "token-invalid" if len(shape) <= 8192 else "credentials-oversize"
        )


def test_half_a_character_is_no_name() -> None:
    payload = b'{"sub": "\\ud800", "exp": 1800000060}'
    assert refused(SHARED, signed_by_hand(payload)) == "token-claims"


@pytest.mark.parametrize("payload", [b"[]", b"null", b'"ann"', b"[" * 3000, b"\xff", b"1" * 5000])
def test_signed_nonsense_is_refused_too(payload: bytes) -> None:
    assert refused(SHARED, signed_by_hand(payload)) == "token-invalid"


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: TokenConfig("HS256"), "needs 32 bytes or more, it has 0"),
        (lambda: TokenConfig("HS256", "x" * 31), "needs 32 bytes or more, it has 31"),
        (lambda: TokenConfig("HS256", "x" * 32, Path("jwks.json")), "not with a JWKS file"),
        (lambda: TokenConfig("RS256"), "goes with a JWKS file"),
        (lambda: TokenConfig("RS256", SECRET, Path("jwks.json")), "and with no secret"),
        (lambda: TokenConfig("none"), "by HS256 or RS256, not by none"),  # type: ignore[arg-type]
    ],
)
def test_what_cannot_be_configured(make: object, says: str) -> None:
    with pytest.raises(IdentityError, match=says):
        make()  # type: ignore[operator]


def test_a_public_key_is_no_secret(rsa: RSAKey) -> None:
    checked = Tokens(TokenConfig("HS256", rsa.as_pem(private=False).decode()))
    with pytest.raises(IdentityError, match="is a public key, which is no secret"):
        checked.key()
    assert refused(checked, token()) == "token-keys-unreadable"


def test_a_secret_is_not_shown() -> None:
    assert SECRET not in repr(TokenConfig("HS256", SECRET))
