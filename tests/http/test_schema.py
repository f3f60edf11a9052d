"""The OpenAPI document: complete, and kept to, whatever is sent. WENSHU_EXAMPLES=1000 sends much more."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from typing import Any

import jsonschema
import pytest
import schemathesis
from schemathesis.config import SchemathesisConfig
from schemathesis.engine import events, from_schema

from tests.http.people import People
from tests.http.served import Served, ask

EXAMPLES = os.environ.get("WENSHU_EXAMPLES")
CHECKS = (
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_schema_conformance",
    "response_headers_conformance",
    "negative_data_rejection",
    "missing_required_header",
    "unsupported_method",
    "allow_header_conformance",
    "ignored_auth",
)
REFUSED = ["400", "404", "405", "413", "422"]


@pytest.fixture(scope="module")
def document(guarded: tuple[Served, People]) -> dict[str, Any]:
    with guarded[0].client() as client:
        found: dict[str, Any] = client.get("/openapi.json").json()
    return found


FACES = ("/v1/chat/", "/v1/models")  # of another protocol, whose errors have its own shape


def operations(document: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for path, verbs in document["paths"].items():
        if path.startswith(FACES):
            continue
        for verb, operation in verbs.items():
            yield f"{verb.upper()} {path}", operation


def examples(media: dict[str, Any]) -> list[Any]:
    if "example" in media:
        return [media["example"]]
    return [item["value"] for item in media.get("examples", {}).values()]


def valid(document: dict[str, Any], schema: dict[str, Any], value: object) -> None:
    whole = {**schema, "components": document["components"]}
    jsonschema.Draft202012Validator(whole).validate(value)


def test_every_operation_is_described(document: dict[str, Any]) -> None:
    found = list(operations(document))
    ids = [operation["operationId"] for _, operation in found]
    assert len(ids) == len(set(ids))
    for name, operation in found:
        assert len(operation["summary"]) > 10, name
        assert len(operation["description"]) >= len(operation["summary"]), name
        for parameter in operation.get("parameters", ()):
            assert parameter["schema"], name


def test_every_body_and_answer_has_an_example_that_is_one(document: dict[str, Any]) -> None:
    for name, operation in operations(document):
        contents = [operation.get("requestBody", {}).get("content", {})]
        contents += [answer.get("content", {}) for answer in operation["responses"].values()]
        for content in contents:
            for kind, media in content.items():
                found = examples(media)
                assert found, f"{name}: {kind} has no example (api/http/examples.yaml)"
                for value in found if "json" in kind else ():
                    valid(document, media["schema"], value)


def test_every_problem_has_one_shape(document: dict[str, Any]) -> None:
    for name, operation in operations(document):
        for status, answer in operation["responses"].items():
            if int(status) >= 400:
                (kind,) = answer["content"]
                assert kind == "application/problem+json", name
                schema = answer["content"][kind]["schema"]
                assert schema == {"$ref": "#/components/schemas/Problem"}
                for value in examples(answer["content"][kind]):
                    assert value["status"] == int(status)
        if "security" in operation:
            assert {"401", "403", "429"} <= set(operation["responses"]), name
    assert "HTTPValidationError" not in document["components"]["schemas"]


def test_a_real_answer_is_as_described(
    guarded: tuple[Served, People], document: dict[str, Any]
) -> None:
    served, keys = guarded
    schema = {"$ref": "#/components/schemas/TurnOut"}
    with served.client(keys["ann"]) as client:
        session = served.session(client)
        turns = ask(client, session, "8月应收同比", "收费情况怎么样", "天气如何", {"undo": True},
                    "8月电费应收多少，另外空置房源有几套？")  # fmt: skip
        for turn in turns:
            valid(document, schema, turn)
        whole = client.get(f"/v1/sessions/{session}").json()
        valid(document, {"$ref": "#/components/schemas/SessionTurns"}, whole)
        verdict = client.post(f"/v1/turns/{turns[0]['turn_id']}/replay").json()
        valid(document, {"$ref": "#/components/schemas/VerdictOut"}, verdict)
        catalogue = client.get("/v1/catalogue", params={"lang": "en"}).json()
        valid(document, {"$ref": "#/components/schemas/CatalogueOut"}, catalogue)


def config(key: str) -> SchemathesisConfig:
    """Seeded; right and wrong data, other verbs, no key; ids that answers gave are used again."""
    return SchemathesisConfig.from_dict(
        {
            "seed": 20261130,
            "max-time": 600 if EXAMPLES else 140,
            "continue-on-failure": True,
            "generation": {
                "max-examples": int(EXAMPLES or 8),
                "mode": "all",
                "deterministic": EXAMPLES is None,
                "no-shrink": EXAMPLES is None,
                "database": "none",
            },
            "phases": {"stateful": {"enabled": True, "max-steps": 4}},
            "checks": {
                "enabled": False,
                **{name: {"enabled": True} for name in CHECKS},
                "negative_data_rejection": {"enabled": True, "expected-statuses": REFUSED},
            },
            "headers": {"Authorization": f"Bearer {key}"},
        }
    )


def failures(found: events.ScenarioFinished) -> Iterator[str]:
    recorder = found.recorder
    for case_id, checks in recorder.checks.items():
        for check in checks:
            if check.failure_info is not None:
                case = recorder.cases[case_id].value
                yield f"{case.method} {case.formatted_path}: {check.failure_info.failure}"


def test_whatever_is_sent_the_document_is_kept_to(
    guarded: tuple[Served, People], document: dict[str, Any]
) -> None:
    served, keys = guarded
    taken: Counter[str] = Counter()  # by operation: answers that are no refusal
    with served.client(keys["ann"]) as client:
        (turn,) = ask(client, served.session(client), "8月应收")
        rows = client.get(f"/v1/turns/{turn['turn_id']}/rows")
        taken["GET /v1/turns/{turn_id}/rows"] += rows.status_code == 200  # few questions have rows
    schema = schemathesis.openapi.from_url(
        f"{served.url}/openapi.json", config=config(keys["analyst"])
    )
    wrong: list[str] = []
    sent = 0
    for event in from_schema(schema).execute():
        if isinstance(event, events.ScenarioFinished):
            wrong += failures(event)
            for case_id, exchange in event.recorder.interactions.items():
                sent += 1
                if exchange.response is not None and exchange.response.status_code < 300:
                    taken[event.recorder.cases[case_id].value.operation.label] += 1
        if isinstance(event, events.NonFatalError | events.FatalError):
            wrong.append(str(event.info))
    assert sorted(set(wrong)) == []
    assert sent > 300
    missed = {name for name, _ in operations(document)} - set(+taken)
    assert missed == set(), "never answered: what was sent was refused each time"
