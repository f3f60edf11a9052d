"""A conversation over HTTP: the same turns as anywhere, and what is done with them later."""

from __future__ import annotations

import io
import threading
import zipfile

import httpx
import pytest

from api.commands.demo import CHAIN
from api.http.bodies import TurnOut
from tests.http.served import Served, ask


def test_the_chain(served: Served, client: httpx.Client) -> None:
    turns = ask(client, served.session(client), *CHAIN)
    assert [turn["outcome"] for turn in turns] == ["answer"] * 5 + ["explain"]
    assert turns[0]["slots"]["filters"] == {"park_id": ["P001"]}
    assert turns[2]["slots"]["filters"] == {"park_id": ["P001"], "building_no": ["1号楼"]}
    assert turns[3]["slots"]["metrics"] == ["vacant_count", "vacant_area"]
    assert turns[4]["switch"]["rule"] == "object"
    assert [turn["seq"] for turn in turns] == [1, 2, 3, 4, 5, 6]
    for turn in turns:
        assert set(turn) == set(TurnOut.model_fields)
        TurnOut.model_validate(turn)
        assert turn["record_hash"]
        assert turn["degraded"] == []


def test_a_question_back_is_answered_by_a_click(served: Served, client: httpx.Client) -> None:
    session = served.session(client)
    (asked,) = ask(client, session, "收费情况怎么样")
    assert asked["outcome"] == "clarify"
    options = [item["id"] for item in asked["clarification"]["options"]]
    assert "received_amount" in options
    (answer,) = ask(client, session, {"choose": "received_amount"})
    assert (answer["outcome"], answer["slots"]["metrics"]) == ("answer", ["received_amount"])


def test_what_a_question_back_did_not_list_is_searched_and_chosen(
    served: Served, client: httpx.Client
) -> None:
    session = served.session(client)
    (asked,) = ask(client, session, "科技的欠费")
    told = asked["clarification"]
    assert (len(told["options"]), told["several"]) == (7, True)
    path = f"/v1/turns/{asked['turn_id']}/options"
    whole = client.get(path, params={"limit": 200}).json()
    ids = [item["id"] for item in whole["options"]]
    assert whole["options"][:7] == told["options"]
    assert len(ids) == len(set(ids)) == 7 + told["more"]
    assert whole["more"] is False
    some = client.get(path, params={"q": "智元", "limit": 1}).json()
    assert ("智元" in some["options"][0]["label"], some["more"]) == (True, True)
    wanted = whole["options"][9]
    (answer,) = ask(client, session, {"choose": wanted["id"]})
    tenant = wanted["id"].partition(":")[2]
    assert answer["slots"]["filters"] == {"tenant_id": [tenant]}
    none = client.get(f"/v1/turns/{answer['turn_id']}/options").json()
    assert none == {"options": [], "more": False}


def test_whether_several_can_be_chosen_is_told(served: Served, client: httpx.Client) -> None:
    session = served.session(client)
    parks, metrics = ask(client, session, "1号楼的空置面积", "收费情况怎么样")
    assert (parks["clarification"]["several"], metrics["clarification"]["several"]) == (True, True)
    (both,) = ask(client, session, {"choose": ["receivable_amount", "received_amount"]})
    assert both["slots"]["metrics"] == ["receivable_amount", "received_amount"]


def test_chips_undo_and_keep(served: Served, client: httpx.Client) -> None:
    session = served.session(client)
    edit = [{"slot": "filters", "value": {"park_id": ["P002"]}}]
    first, other, back = ask(client, session, "8月张江的应收", {"edit": edit}, {"undo": True})
    assert other["slots"]["filters"] == {"park_id": ["P002"]}
    assert back["slots"] == first["slots"]
    switched, kept = ask(client, session, "空置房源数", {"keep": True})
    assert switched["switch"]["dropped"]
    assert kept["slots"]["filters"] == {"park_id": ["P001"]}


def test_a_turn_is_shown_again_replayed_and_exported(served: Served, client: httpx.Client) -> None:
    session = served.session(client)
    (turn,) = ask(client, session, "8月各园区应收")
    place = f"/v1/turns/{turn['turn_id']}"
    assert client.get(place).json() == turn
    served.service.turns._running.clear()  # as after a restart: from the ledger
    again = client.get(place).json()
    assert {**again, "timings_ms": 0} == {**turn, "timings_ms": 0}
    verdict = client.post(f"{place}/replay").json()
    assert (verdict["verdict"], verdict["findings"]) == (["same"], [])
    bundle = client.get(f"{place}/export")
    assert bundle.headers["content-type"] == "application/zip"
    names = {
        name.partition("/")[2] for name in zipfile.ZipFile(io.BytesIO(bundle.content)).namelist()
    }
    assert {"index.html", "turns.json", "chain.json", "verify.py", "SHA256SUMS"} <= names
    assert client.get("/v1/turns/none").json()["code"] == "not-found"


def test_sessions_are_listed_found_renamed_and_deleted(
    served: Served, client: httpx.Client
) -> None:
    one, two = served.session(client), served.session(client)
    turns = ask(client, one, "8月张江的应收", "临港呢")
    ask(client, two, "空置房源数")
    listed = client.get("/v1/sessions", params={"limit": 200}).json()["sessions"]
    titles = {item["session_id"]: (item["title"], item["turns"]) for item in listed}
    assert titles[one] == ("8月张江的应收", 2)
    assert titles[two] == ("空置房源数", 1)
    named = client.patch(f"/v1/sessions/{two}", json={"title": "50%_空置"})
    assert named.json()["title"] == "50%_空置"
    found = client.get("/v1/sessions", params={"q": "%_"}).json()["sessions"]
    assert [item["session_id"] for item in found] == [two]
    whole = client.get(f"/v1/sessions/{one}").json()
    assert whole["history"] == turns
    assert whole["marks"] == {}
    assert client.delete(f"/v1/sessions/{one}").status_code == 204
    assert client.get(f"/v1/sessions/{one}").status_code == 404
    assert client.post(f"/v1/sessions/{one}/turns", json={"question": "临港呢"}).status_code == 404


def test_pages_of_sessions(served: Served, client: httpx.Client) -> None:
    for _ in range(5):
        served.session(client)
    whole = client.get("/v1/sessions", params={"limit": 200}).json()
    assert whole["next"] is None
    page = client.get("/v1/sessions", params={"limit": 2}).json()
    assert page["sessions"] == whole["sessions"][:2]
    found, page = list(page["sessions"]), page
    while page["next"] is not None:  # most were begun in the same second: none is passed over
        page = client.get("/v1/sessions", params={"limit": 2, "before": page["next"]}).json()
        found += page["sessions"]
    assert found == whole["sessions"]


def test_an_idempotency_key_stands_for_one_turn(served: Served, client: httpx.Client) -> None:
    session = served.session(client)
    place, key = f"/v1/sessions/{session}/turns", {"Idempotency-Key": "k-1"}
    first = client.post(place, json={"question": "8月张江的应收"}, headers=key).json()
    assert client.post(place, json={"question": "8月张江的应收"}, headers=key).json() == first
    served.service.turns._marked.clear()  # as another process, or after a restart
    again = client.post(place, json={"question": "8月张江的应收"}, headers=key).json()
    assert (again["turn_id"], again["seq"]) == (first["turn_id"], 1)
    other = client.post(place, json={"question": "临港呢"}, headers=key)
    assert (other.status_code, other.json()["code"]) == (422, "key-reused")
    second = client.post(place, json={"question": "临港呢"}, headers={"Idempotency-Key": "k-2"})
    assert second.json()["seq"] == 2


def test_the_same_key_at_the_same_time_waits(served: Served, client: httpx.Client) -> None:
    session = served.session(client)
    found: list[dict[str, object]] = []

    def send() -> None:
        with served.client() as own:
            answer = own.post(
                f"/v1/sessions/{session}/turns",
                json={"question": "8月各园区应收"},
                headers={"Idempotency-Key": "both"},
            )
            found.append(answer.json())

    threads = [threading.Thread(target=send) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({str(item.get("turn_id")) for item in found}) == 1, found


@pytest.mark.parametrize(
    ("body", "where"),
    [
        ({}, ""),
        ({"question": "a", "undo": True}, ""),
        ({"question": 5}, "question"),
        ({"undo": False}, "undo"),
        ({"edit": [{"slot": "nothing"}]}, "edit[0].slot"),
        ({"edit": [{"slot": "time", "value": ["yesterday", "today"]}]}, "edit[0].value"),
        ({"question": "x" * 20_001}, "question"),
        ({"question": "8月应收", "web_search": True}, "web_search"),
    ],
)
def test_a_request_that_is_none_is_told_where(
    served: Served, client: httpx.Client, body: dict[str, object], where: str
) -> None:
    session = served.session(client)
    answer = client.post(f"/v1/sessions/{session}/turns", json=body)
    assert answer.status_code == 422
    assert answer.headers["content-type"] == "application/problem+json"
    told = answer.json()
    assert told["code"] == "bad-request"
    assert where in told.get("where", "")


def test_a_search_that_is_off_changes_nothing(served: Served, client: httpx.Client) -> None:
    body = {"question": "8月张江的应收", "web_search": False}
    answer = client.post(f"/v1/sessions/{served.session(client)}/turns", json=body).json()
    assert answer["result"]["rows"] == [["21545139.31"]]


def test_bodies_that_are_broken_or_too_large(served: Served, client: httpx.Client) -> None:
    place = f"/v1/sessions/{served.session(client)}/turns"
    headers = {"Content-Type": "application/json"}
    assert client.post(place, content=b"{", headers=headers).json()["code"] == "bad-json"
    large = b'{"question": "' + b"x" * 70_000 + b'"}'
    assert client.post(place, content=large, headers=headers).status_code == 413
    streamed = client.post(place, content=iter([large[:40_000], large[40_000:]]), headers=headers)
    assert streamed.status_code == 413


def test_catalogue_and_values(client: httpx.Client) -> None:
    found = client.get("/v1/catalogue").json()
    formulas = {item["id"]: item["formula"] for item in found["metrics"]}
    assert formulas["collection_rate"] == "实收 ÷ 应收"
    assert formulas["receivable_amount"] is None
    labels = {item["id"]: item["label"] for item in found["metrics"]}
    assert labels["collection_rate"] == "收缴率"
    assert found["examples"][0].endswith("应收是多少")
    assert {"user", "analyst"} <= set(found["scopes"])
    assert {"park_id", "building_no"} <= {item["id"] for item in found["dimensions"]}
    parks = client.get("/v1/values", params={"dimension": "park_id", "q": "江"}).json()
    assert {"value": "P001", "label": "张江科技园"} in parks["values"]
    assert client.get("/v1/values", params={"dimension": "none"}).status_code == 404


def test_operations(client: httpx.Client) -> None:
    assert client.get("/healthz").json() == {"status": "ok"}
    ready = client.get("/readyz").json()
    assert (ready["status"], ready["ledger"], ready["memory"]) == ("ready", "ok", "ok")
    text = client.get("/metrics").text
    assert 'wenshu_turns_total{outcome="answer"}' in text
