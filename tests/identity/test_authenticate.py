"""From headers to a principal: one credential in one header, and open mode for this machine alone."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.datastructures import Headers

from api.identity import (
    OPEN,
    Code,
    IdentityConfig,
    IdentityError,
    TokenConfig,
    Unauthenticated,
    at_start,
    authenticate,
)
from api.identity.keys import KeyFile, Wanted
from tests.identity.conftest import NOW, SECRET, token

HERE = {"Host": "127.0.0.1:8000"}
TOKENS = TokenConfig("HS256", SECRET)


def code(config: IdentityConfig, headers: dict[str, str], peer: str | None = "127.0.0.1") -> str:
    """The code of a refusal, or how the principal is known."""
    try:
        return authenticate(headers, peer, config, lambda: NOW).how
    except Unauthenticated as error:
        return error.code


@pytest.fixture
def config(kept: KeyFile) -> IdentityConfig:
    return IdentityConfig("0.0.0.0", kept.path, TOKENS)


def bearer(text: str) -> dict[str, str]:
    return {"authorization": f"Bearer {text}"}


def test_keys_and_tokens_are_told_apart(kept: KeyFile, config: IdentityConfig) -> None:
    made, key = kept.add(Wanted("ann", user="安妮"), NOW)
    found = authenticate(bearer(key), "203.0.113.9", config, lambda: NOW)
    assert (found.id, found.how, found.key_id) == ("安妮", "key", made.id)
    found = authenticate(bearer(token()), None, config, lambda: NOW)
    assert (found.id, found.how, found.key_id) == ("ann", "jwt", "")
    assert code(config, {"AUTHORIZATION": f"bEARER {key}"}) == "key"
    assert code(config, {}) == "credentials-missing"
    assert code(config, bearer("sk-anything")) == "token-invalid"


def test_without_tokens_only_keys_and_without_keys_only_tokens(kept: KeyFile) -> None:
    _, key = kept.add(Wanted("ann"), NOW)
    keys, tokens = IdentityConfig(keys=kept.path), IdentityConfig(tokens=TOKENS)
    assert code(keys, bearer(token())) == "tokens-not-taken"
    assert code(keys, bearer("sk-anything")) == "tokens-not-taken"
    assert code(tokens, bearer(key)) == "key-unknown"
    for known in (keys, tokens):  # from this machine too
        assert code(known, HERE) == "credentials-missing"


@pytest.mark.parametrize(
    "value",
    [
        "",
        "Bearer",
        "Bearer ",
        "Bearer  x.y.z",
        "Basic YW5uOng=",
        "x.y.z",
        "Bearer x.y.z, Bearer x.y.z",
        "Bearer x.y.z\r\nX-Admin: 1",
        "Bearer x.y.z\n",
        "Bearer x.y.z\x00",
        "Bearer\tx.y.z",
        "Bearer x.y.z ",
        "Bearer 安妮",
        "Bearer x.é.z",
        "ＢＥＡＲＥＲ x.y.z",
        "Bearer\u00a0x.y.z",
    ],
)
def test_what_is_no_credential(config: IdentityConfig, value: str) -> None:
    assert code(config, {"Authorization": value}) == "credentials-malformed"
    assert code(IdentityConfig(), {**HERE, "Authorization": value}) == "credentials-malformed"


def test_oversize(config: IdentityConfig) -> None:
    assert code(config, bearer("a" * 8193)) == "credentials-oversize"
    assert code(config, {"Authorization": "é" * 9000}) == "credentials-oversize"


def test_two_credentials_are_none(kept: KeyFile, config: IdentityConfig) -> None:
    _, key = kept.add(Wanted("ann"), NOW)
    sent = (b"authorization", f"Bearer {key}".encode())
    one, twice = Headers(raw=[sent]), Headers(raw=[sent, sent])
    assert authenticate(one, None, config, lambda: NOW).id == "ann"
    with pytest.raises(Unauthenticated, match="more than one Authorization"):
        authenticate(twice, None, config, lambda: NOW)


def test_a_key_of_one_site_from_a_page_of_another(kept: KeyFile, config: IdentityConfig) -> None:
    _, key = kept.add(Wanted("page", origins=("https://a.example.com",)), NOW)
    assert code(config, {**bearer(key), "Origin": "https://a.example.com"}) == "key"
    assert code(config, {**bearer(key), "Origin": "https://b.example.com"}) == "key-origin"
    twice = Headers(
        raw=[
            (b"authorization", f"Bearer {key}".encode()),
            (b"origin", b"https://a.example.com"),
            (b"origin", b"https://b.example.com"),
        ]
    )
    with pytest.raises(Unauthenticated, match="for pages elsewhere"):
        authenticate(twice, None, config, lambda: NOW)


@pytest.mark.parametrize("bound", ["127.0.0.1", "127.8.8.8", "localhost", "::1"])
@pytest.mark.parametrize("peer", ["127.0.0.1", "::1", "::ffff:127.0.0.1"])
@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:8000", "127.0.0.1:1", "[::1]:8000"])
def test_open_mode_is_for_this_machine(bound: str, peer: str, host: str) -> None:
    assert authenticate({"host": host}, peer, IdentityConfig(bound)) is OPEN


@pytest.mark.parametrize("bound", ["0.0.0.0", "::", "", "192.168.1.5", "localhost.example.com"])
def test_open_mode_is_refused_where_the_network_listens(bound: str) -> None:
    assert code(IdentityConfig(bound), HERE) == "open-bound"


@pytest.mark.parametrize("peer", ["192.168.1.5", "::ffff:192.168.1.5", "testclient", "", None])
def test_open_mode_is_refused_to_others(peer: str | None) -> None:
    assert code(IdentityConfig(), HERE, peer) == "open-peer"


@pytest.mark.parametrize(
    "host",
    [
        "evil.example.com",
        "127.0.0.1.evil.example.com",
        "localhost.evil.example.com:8000",
        "localhost@evil.example.com",
        "evil.example.com/localhost",
        "127.1",
        "2130706433",
        "0.0.0.0:8000",
        "192.168.1.5",
        "localhost:8000\r\nX: y",
        "localhost:",
        "",
        "１２７.0.0.1",
    ],
)
def test_open_mode_is_refused_under_another_name(host: str) -> None:
    assert code(IdentityConfig(), {"Host": host}) == "open-host"


def test_open_mode_needs_one_host() -> None:
    assert code(IdentityConfig(), {}) == "open-host"
    twice = Headers(raw=[(b"host", b"localhost"), (b"host", b"localhost")])
    with pytest.raises(Unauthenticated, match="answers to localhost"):
        authenticate(twice, "127.0.0.1", IdentityConfig())


@pytest.mark.parametrize(
    ("origin", "how"),
    [
        ("http://localhost:5173", "open"),
        ("http://127.0.0.1:8000", "open"),
        ("https://evil.example.com", "open-origin"),
        ("http://localhost.evil.example.com", "open-origin"),
        ("http://localhost@evil.example.com", "open-origin"),
        ("null", "open-origin"),
        ("file://", "open-origin"),
    ],
)
def test_pages_of_other_sites_are_not_answered_in_open_mode(origin: str, how: str) -> None:
    assert code(IdentityConfig(), {**HERE, "Origin": origin}) == how


@pytest.mark.parametrize(
    "name", ["Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Real-IP", "Via"]
)
def test_behind_a_proxy_nobody_is_local(name: str) -> None:
    assert code(IdentityConfig(), {**HERE, name: "127.0.0.1"}) == "open-proxy"


@pytest.mark.parametrize(
    ("credential", "how"),
    [
        ("sk-none", "open"),  # clients that insist on some key
        ("EMPTY", "open"),
        ("wenshu_0a1b2c3d_" + "a" * 43, "key-unknown"),
        ("a.b.c", "tokens-not-taken"),
    ],
)
def test_open_mode_passes_over_any_word_but_not_over_what_limits(
    kept: KeyFile, credential: str, how: str
) -> None:
    for config in (IdentityConfig(), IdentityConfig(keys=kept.path)):
        assert code(config, {**HERE, **bearer(credential)}) == how


def test_the_first_key_ends_open_mode_and_nothing_brings_it_back(kept: KeyFile) -> None:
    config = IdentityConfig(keys=kept.path)
    assert code(config, HERE) == "open"
    made, key = kept.add(Wanted("ann"), NOW)
    assert code(config, HERE) == "credentials-missing"
    kept.revoke(made.id, NOW)
    assert code(config, HERE) == "credentials-missing"
    kept.path.write_text("{", encoding="utf-8")
    assert (code(config, HERE), code(config, bearer(key))) == (
        "credentials-missing",
        "keys-unreadable",
    )
    kept.path.unlink()
    assert (code(config, HERE), code(config, bearer(key))) == (
        "credentials-missing",
        "keys-unreadable",
    )


def test_what_is_said_at_start(kept: KeyFile, tmp_path: Path) -> None:
    config = IdentityConfig(keys=kept.path)
    assert at_start(config).startswith("open mode: no keys, no tokens.")
    with pytest.raises(IdentityError, match=r"listen on 0\.0\.0\.0 without knowing its users"):
        at_start(IdentityConfig("0.0.0.0", kept.path))
    made, _ = kept.add(Wanted("ann"), NOW)
    kept.add(Wanted("bob"), NOW)
    kept.revoke(made.id, NOW)
    both = IdentityConfig("0.0.0.0", kept.path, TOKENS)
    assert at_start(both, lambda: NOW) == (
        f"users are known by API keys, 1 active in {kept.path} and by tokens signed by HS256"
    )
    kept.path.write_text("{", encoding="utf-8")
    with pytest.raises(IdentityError, match="is broken"):
        at_start(both)
    with pytest.raises(IdentityError, match=r"the JWKS file .* cannot be read"):
        at_start(IdentityConfig("0.0.0.0", None, TokenConfig("RS256", jwks=tmp_path / "none")))


@given(
    st.dictionaries(
        st.sampled_from(["authorization", "Authorization", "host", "origin", "cookie"]),
        st.text() | st.text().map("Bearer {}".format),
    )
)
def test_whatever_is_sent_is_refused_in_one_family(headers: dict[str, str]) -> None:
    assert code(IdentityConfig(tokens=TOKENS), headers) in get_args(Code)
    assert code(IdentityConfig(), headers, "203.0.113.9") in get_args(Code)


def test_every_code_is_documented() -> None:
    page = (Path(__file__).parents[2] / "docs" / "identity.md").read_text("utf-8")
    page = page.partition("## Denied access")[2]
    assert re.findall(r"^\| `([a-z-]+)` \|", page, flags=re.M) == list(get_args(Code))
