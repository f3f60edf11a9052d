"""Every route and verb, asked with no key, a bad key, a wrong scope, and by others: refused on every one.

The table is of the application's own routes: a route that is not in it fails, so none can be forgotten.
"""

from __future__ import annotations

import json
import uuid
from dataclasses import dataclass
from typing import Any

import httpx
import pytest
from fastapi.routing import iter_route_contexts

from api.commands.books import log
from tests.http.people import People
from tests.http.served import Served, ask

OPEN = frozenset({("GET", "/healthz"), ("HEAD", "/healthz"), ("GET", "/readyz"), ("HEAD", "/readyz"),
                  ("GET", "/"), ("HEAD", "/"), ("GET", "/embed"), ("HEAD", "/embed"),
                  ("GET", "/embed.js"), ("HEAD", "/embed.js"), ("GET", "/metrics"), ("GET", "/openapi.json"), ("HEAD", "/openapi.json")})  # fmt: skip
VERBS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE")
ASK = {"question": "8月应收"}
PORTAL = {"X-Wenshu-Host": "https://portal.example"}  # the page around, for visitors
SMALL = """
set: small
clock: 2026-09-28
dialogues:
  - {id: one, lang: zh, turns: [{ask: 你好, expect: chat}]}
"""


@dataclass(frozen=True)
class Route:
    """A route of the service: what scope it needs (any key's, where empty), a body and query that are right,
    whether auditors of the owner's tenant may look, and whether visitors of other pages may ask it."""

    scope: str = "user"
    body: Any = None
    query: str = ""
    read: bool = False
    embed: bool = False


ROUTES = {
    ("POST", "/v1/sessions"): Route(body={}, embed=True),
    ("GET", "/v1/sessions"): Route(),
    ("GET", "/v1/sessions/{session_id}"): Route("", read=True, embed=True),
    ("PATCH", "/v1/sessions/{session_id}"): Route(body={"title": "mine"}),
    ("DELETE", "/v1/sessions/{session_id}"): Route(),
    ("POST", "/v1/sessions/{session_id}/turns"): Route(body=ASK, embed=True),
    ("GET", "/v1/turns/{turn_id}"): Route("", read=True, embed=True),
    ("GET", "/v1/turns/{turn_id}/events"): Route(read=True, embed=True),
    ("GET", "/v1/turns/{turn_id}/options"): Route(embed=True),
    ("POST", "/v1/turns/{turn_id}/cancel"): Route(embed=True),
    ("POST", "/v1/turns/{turn_id}/replay"): Route("", read=True),
    ("GET", "/v1/turns/{turn_id}/export"): Route("", read=True),
    ("GET", "/v1/turns/{turn_id}/rows"): Route("", read=True, embed=True),
    ("POST", "/v1/turns/{turn_id}/feedback"): Route(body={"thumb": "down"}, embed=True),
    ("POST", "/v1/evaluations"): Route("analyst", body={"sets": ["set: none"]}),
    ("GET", "/v1/evaluations"): Route("analyst"),
    ("GET", "/v1/evaluations/{evaluation_id}"): Route("analyst"),
    ("GET", "/v1/evaluations/{evaluation_id}/page"): Route("analyst"),
    ("POST", "/v1/evaluations/{evaluation_id}/cancel"): Route("analyst"),
    ("GET", "/v1/catalogue"): Route("", embed=True),
    ("GET", "/v1/values"): Route(query="?dimension=park_id", embed=True),
}
OWNED = [key for key, found in ROUTES.items() if "{" in key[1] and found.scope != "analyst"]
RUNS = [key for key, found in ROUTES.items() if "{" in key[1] and found.scope == "analyst"]
# Faces of other protocols, which tell refusals in their own shapes.
FACES = {
    ("POST", "/v1/chat/completions"): {"messages": [{"role": "user", "content": "8月应收"}]},
    ("GET", "/v1/models"): None,
    ("GET", "/v1/models/{model}"): None,
    ("POST", "/mcp"): {"jsonrpc": "2.0", "id": 1, "method": "tools/list"},
}


def names(keys: object) -> list[str]:
    return [f"{verb} {path}" for verb, path in keys]  # type: ignore[attr-defined]


@dataclass(frozen=True)
class Theirs:
    """A session and a turn of ann, and the service they are in."""

    served: Served
    keys: People
    session: str
    turn: str

    def send(self, key: tuple[str, str], who: str = "", other: bool = False) -> httpx.Response:
        """Ask a route for ann's things, or for such as are not there."""
        verb, path = key
        found = ROUTES[key]
        session, turn = (str(uuid.uuid4()),) * 2 if other else (self.session, self.turn)
        place = path.format(session_id=session, turn_id=turn, evaluation_id=turn) + found.query
        with self.served.client(self.keys[who] if who else "", **PORTAL) as client:
            return client.request(verb, place, json=found.body)


@pytest.fixture(scope="module")
def theirs(guarded: tuple[Served, People]) -> Theirs:
    served, keys = guarded
    with served.client(keys["ann"]) as ann:
        session = served.session(ann)
        (turn,) = ask(ann, session, "8月各园区应收")
    return Theirs(served, keys, session, turn["turn_id"])


def refused(answer: httpx.Response, status: int, code: str) -> dict[str, Any]:
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    told: dict[str, Any] = answer.json()
    assert (told["code"], told["status"]) == (code, status)
    assert told["type"] == f"about:blank#{code}"
    assert told["request_id"] == answer.headers["x-request-id"]
    return told


def same(answer: httpx.Response) -> str:
    """An answer without what is never the same twice."""
    kept = {
        name: value
        for name, value in answer.headers.items()
        if name not in ("x-request-id", "date", "content-length")
    }
    body = {**answer.json(), "request_id": ""}
    return json.dumps([answer.status_code, kept, body], sort_keys=True)


def test_no_route_is_missing_in_the_table(guarded: tuple[Served, People]) -> None:
    app = guarded[0].app
    found = {
        (verb, str(route.path))
        for route in iter_route_contexts(app.routes)
        for verb in route.methods or ()
    }
    wanted = set(ROUTES) | set(FACES) - {("POST", "/mcp")}  # mounted whole
    assert found - OPEN == wanted, "add the route, and its scope, to ROUTES"


@pytest.mark.parametrize("key", FACES, ids=names(FACES))
def test_the_other_faces_serve_nobody_either(theirs: Theirs, key: tuple[str, str]) -> None:
    place = key[1].format(model="wenshu")
    for who, status in (
        ("", 401),
        ("expired", 401),
        ("unknown", 401),
        ("auditor of all", 403),
        ("visitor", 403),
    ):
        with theirs.served.client(theirs.keys[who] if who else "", **PORTAL) as client:
            answer = client.request(key[0], place, json=FACES[key])
        assert answer.status_code == status, f"{who}: {answer.text}"


@pytest.mark.parametrize("key", RUNS, ids=names(RUNS))
def test_evaluations_are_their_analysts_alone(theirs: Theirs, key: tuple[str, str]) -> None:
    with theirs.served.client(theirs.keys["analyst"]) as client:
        runs = client.get("/v1/evaluations").json()["evaluations"]
        if not runs:
            begun = client.post("/v1/evaluations", json={"sets": [SMALL]})
            assert begun.status_code == 202, begun.text
            runs = [begun.json()]
    place = key[1].format(evaluation_id=runs[0]["evaluation_id"])
    with theirs.served.client(theirs.keys["other analyst"]) as client:
        other = client.request(key[0], place)
        absent = client.request(key[0], key[1].format(evaluation_id=uuid.uuid4()))
    refused(other, 404, "not-found")
    assert same(other) == same(absent)
    for who in ("ann", "auditor"):
        with theirs.served.client(theirs.keys[who]) as client:
            refused(client.request(key[0], place), 403, "forbidden")


def test_an_analyst_of_some_rows_runs_no_gold(theirs: Theirs) -> None:
    with theirs.served.client(theirs.keys["analyst of P001"]) as client:
        answer = client.post("/v1/evaluations", json={"sets": [SMALL]})
    refused(answer, 403, "forbidden")


@pytest.mark.parametrize("who", ["", "expired", "revoked", "unknown"])
@pytest.mark.parametrize("key", ROUTES, ids=names(ROUTES))
def test_nobody_is_served(theirs: Theirs, key: tuple[str, str], who: str) -> None:
    answer = theirs.send(key, who)
    refused(answer, 401, "unauthenticated")
    assert answer.headers["www-authenticate"] == "Bearer"


@pytest.mark.parametrize("key", ROUTES, ids=names(ROUTES))
def test_a_wrong_scope_is_refused(theirs: Theirs, key: tuple[str, str]) -> None:
    """An auditor looks, and takes no turns; that holds for what is not there too."""
    if ROUTES[key].scope:
        refused(theirs.send(key, "auditor of all"), 403, "forbidden")
        refused(theirs.send(key, "auditor of all", other=True), 403, "forbidden")


@pytest.mark.parametrize("key", ROUTES, ids=names(ROUTES))
def test_a_visitor_asks_and_does_nothing_else(theirs: Theirs, key: tuple[str, str]) -> None:
    """In a session of its own, whose id it knows, from a page that its key is for."""
    served, (verb, path) = theirs.served, key
    with served.client(theirs.keys["visitor"], **PORTAL) as client:
        session = served.session(client)
        (turn,) = ask(client, session, "8月各园区应收")
        ids = {"session_id": session, "turn_id": turn["turn_id"], "evaluation_id": session}
        place = path.format(**ids) + ROUTES[key].query
        answer = client.request(verb, place, json=ROUTES[key].body)
        if ROUTES[key].embed:
            assert answer.is_success, answer.text
        else:
            refused(answer, 403, "forbidden")
    with served.client(theirs.keys["visitor"], Origin="https://portal.example") as client:
        refused(client.request(verb, place, json=ROUTES[key].body), 401, "unauthenticated")


@pytest.mark.parametrize("key", [key for key in OWNED if ROUTES[key].embed], ids=str)
def test_what_is_somebody_elses_is_not_there_for_a_visitor(
    theirs: Theirs, key: tuple[str, str]
) -> None:
    other, absent = theirs.send(key, "visitor"), theirs.send(key, "visitor", other=True)
    refused(other, 404, "not-found")
    assert same(other) == same(absent)


@pytest.mark.parametrize("who", ["bob", "cat", "ann elsewhere", "nobody", "analyst"])
@pytest.mark.parametrize("key", OWNED, ids=names(OWNED))
def test_what_is_somebody_elses_is_not_there(
    theirs: Theirs, key: tuple[str, str], who: str
) -> None:
    other, absent = theirs.send(key, who), theirs.send(key, who, other=True)
    refused(other, 404, "not-found")
    assert same(other) == same(absent)


@pytest.mark.parametrize("key", OWNED, ids=names(OWNED))
def test_an_auditor_reads_in_its_tenant_alone(theirs: Theirs, key: tuple[str, str]) -> None:
    if ROUTES[key].scope:
        return
    answer = theirs.send(key, "auditor of all")
    assert answer.status_code == 200, answer.text
    elsewhere = theirs.send(key, "auditor elsewhere")
    refused(elsewhere, 404, "not-found")
    assert same(elsewhere) == same(theirs.send(key, "auditor elsewhere", other=True))


def test_nothing_of_it_changed_what_is_anns(theirs: Theirs) -> None:
    with theirs.served.client(theirs.keys["ann"]) as ann:
        found = ann.get(f"/v1/sessions/{theirs.session}").json()
    assert (found["title"], found["turns"]) == ("8月各园区应收", 1)
    assert [turn["turn_id"] for turn in found["history"]] == [theirs.turn]


def test_lists_hold_ones_own_alone(theirs: Theirs) -> None:
    for who in ("bob", "cat", "ann elsewhere", "analyst"):
        answer = theirs.send(("GET", "/v1/sessions"), who)
        assert theirs.session not in answer.text


@pytest.mark.parametrize("path", sorted({path for _, path in ROUTES}))
def test_other_verbs_are_told_which_there_are(theirs: Theirs, path: str) -> None:
    taken = {verb for verb, known in ROUTES if known == path}
    place = path.format(session_id=theirs.session, turn_id=theirs.turn, evaluation_id=theirs.turn)
    with theirs.served.client(theirs.keys["ann"]) as ann:
        for verb in VERBS:
            if verb in taken:
                continue
            answer = ann.request(verb, place)
            assert answer.status_code == 405, f"{verb} {path}"
            assert {item.strip() for item in answer.headers["allow"].split(",")} == taken
            if verb != "HEAD":
                refused(answer, 405, "method-not-allowed")


def test_what_was_denied_is_in_the_log(theirs: Theirs, capsys: pytest.CaptureFixture[str]) -> None:
    """By user, route and reason, never with a credential or an id."""
    service = theirs.served.service
    service.denials._windows.clear()  # a minute later: the tests above filled it
    for who in ("", "expired", "bob", "auditor of all"):
        theirs.send(("DELETE", "/v1/sessions/{session_id}"), who)
    assert log(service.ledger, True) == 0
    told = [
        (line["who"], line["what"]["route"], line["what"]["reason"])
        for line in map(json.loads, capsys.readouterr().out.splitlines())
        if line["kind"] == "denied"
    ]
    route = "DELETE /v1/sessions/{session_id}"
    for who, reason in (
        ("unknown", "credentials-missing"),
        ("acme/ann", "key-expired"),
        ("acme/bob", "not-owner"),
        ("acme/auditor of all", "scope-missing"),
    ):
        assert (who, route, reason) in told
    text = json.dumps(told)
    assert theirs.session not in text
    assert not any(key in text for key in theirs.keys.keys.values())


def test_an_auditors_looking_is_recorded(
    theirs: Theirs, capsys: pytest.CaptureFixture[str]
) -> None:
    theirs.send(("GET", "/v1/turns/{turn_id}"), "auditor of all")
    log(theirs.served.service.ledger, True)
    assert "acme/auditor of all" in capsys.readouterr().out


def test_health_is_asked_with_head_too(guarded: tuple[Served, People]) -> None:
    with guarded[0].client() as client:
        for place in ("/healthz", "/readyz"):
            answer = client.head(place)
            assert (answer.status_code, answer.content) == (200, b"")
