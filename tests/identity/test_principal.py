"""What scopes give, and whose is whose."""

from __future__ import annotations

import pytest

from api.identity import OPEN, SCOPES, Forbidden, Hidden, Principal, Scope
from api.identity.principal import name
from semantic_layer.protocols import LOCAL, User

ATTRIBUTES = (("park_id", ("P001",)),)


def ann(*scopes: Scope, tenant: str = "acme") -> Principal:
    return Principal("ann", tenant, frozenset(scopes), ATTRIBUTES, False, (), "key", "0a1b2c3d")


@pytest.mark.parametrize(
    ("held", "may"),
    [
        ((), []),
        (("user",), ["user", "embed"]),
        (("embed",), ["embed"]),
        (("analyst",), ["user", "analyst", "embed"]),
        (("auditor",), ["auditor"]),
        (("auditor", "user"), ["user", "auditor", "embed"]),
        (("admin",), ["user", "analyst", "auditor", "admin", "embed"]),
    ],
)
def test_what_a_scope_gives(held: tuple[Scope, ...], may: list[Scope]) -> None:
    assert [scope for scope in SCOPES if ann(*held).may(scope)] == may


def test_a_scope_that_is_missing_is_forbidden_and_says_to_whom() -> None:
    with pytest.raises(Forbidden, match="this needs the scope analyst") as caught:
        ann("user").require("analyst")
    assert (caught.value.code, caught.value.who, caught.value.how) == (
        "scope-missing",
        "acme/ann",
        "key 0a1b2c3d",
    )


def test_a_visitor_of_another_page_is_nobody_by_name() -> None:
    with pytest.raises(Forbidden, match="not for the visitors of other pages"):
        ann("embed").require_named()
    for scopes in ((), ("user",), ("auditor",), ("admin",)):
        ann(*scopes).require_named()
    with pytest.raises(Forbidden, match="this needs the scope user, or embed"):
        ann("auditor").require("embed")


def test_the_user_below_has_the_attributes_and_the_tenant_in_its_id() -> None:
    assert ann("user").user == User("acme/ann", ATTRIBUTES, False)
    assert OPEN.user == LOCAL
    assert all(OPEN.may(scope) for scope in SCOPES)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("acme", "ann"), ("other", "ann")),
        (("a", "b/c"), ("a/b", "c")),
        (("a%2Fb", "c"), ("a/b", "c")),
        (("default", "local"), ("", "local")),
    ],
)
def test_two_tenants_never_meet(one: tuple[str, str], other: tuple[str, str]) -> None:
    ids = {Principal(who, tenant, frozenset(), (), False).user.id for tenant, who in (one, other)}
    assert len(ids) == 2
    assert LOCAL.id not in ids


def test_a_session_is_its_users_and_an_auditor_looks_at_those_of_its_tenant() -> None:
    own, same, foreign = "acme/ann", "acme/bob", "acme2/bob"
    owners = (own, same, foreign, "local")
    assert [ann("user").reads(owner) for owner in owners] == [True, False, False, False]
    assert [ann("auditor").reads(owner) for owner in owners] == [True, True, False, False]
    assert [ann("auditor").owns(owner) for owner in owners] == [True, False, False, False]
    assert [OPEN.reads(owner) for owner in owners] == [True] * 4
    ann("auditor").require_own(same, to_read=True)
    with pytest.raises(Hidden) as caught:
        ann("auditor").require_own(same)
    assert (caught.value.code, caught.value.who) == ("not-owner", "acme/ann")


@pytest.mark.parametrize(
    "text",
    ["", " ann", "ann ", "an\nn", "an\x00n", "an\u202en", "an\u200bn", "\ud800", "a" * 201],
)
def test_what_is_no_name(text: str) -> None:
    with pytest.raises(ValueError, match="a name has 1 to 200 visible characters"):
        name(text)


def test_names_of_any_language_stay_as_they_are() -> None:
    assert [name(text) for text in ("安妮", "Ann Müller", "a/b", "e\u0301")] == [
        "安妮",
        "Ann Müller",
        "a/b",
        "e\u0301",
    ]
