"""Question sets and marks over HTTP."""

from __future__ import annotations

import time

import httpx

from tests.http.served import Served, ask

SET = """
set: small
semantic_layer: park
clock: 2026-09-28
timezone: Asia/Shanghai
dialogues:
  - id: one
    lang: zh
    tags: [first]
    turns:
      - ask: 8月应收
        expect: answer
        sql: select sum(receivable_amount) as receivable_amount from fact_bill where false
      - ask: 你好
        expect: chat
"""


def test_a_set_is_run(served: Served, client: httpx.Client) -> None:
    begun = client.post("/v1/evaluations", json={"sets": [SET]})
    assert begun.status_code == 202, begun.text
    place = f"/v1/evaluations/{begun.json()['evaluation_id']}"
    until = time.monotonic() + 120
    while (run := client.get(place).json())["status"] == "running" and time.monotonic() < until:
        time.sleep(0.2)
    assert (run["status"], run["turns"], run["done"]) == ("done", 2, 2), run
    (report,) = run["reports"]
    assert report["set"] == "small"
    assert [turn["ok"] for turn in report["turns"]] == [False, True]
    (wrong,) = run["failures"]
    assert (wrong["dialogue"], wrong["question"], wrong["tags"]) == ("one", "8月应收", ["first"])
    assert (wrong["code"], wrong["silent"]) == ("wrong-value", True)
    assert wrong["gold"] == {"columns": ["receivable_amount"], "rows": [[None]], "count": 1}
    assert wrong["got"]["rows"] == [["59823081.64"]]
    assert "8月应收" in client.get(f"{place}/page").text
    listed = client.get("/v1/evaluations").json()["evaluations"]
    assert listed[0]["evaluation_id"] == run["evaluation_id"]
    assert (listed[0]["reports"], listed[0]["failures"]) == ([], [])


def test_what_is_no_set_is_told(client: httpx.Client) -> None:
    for text in ("set: [", "set: a", "a: &x 1\nb: *x"):
        told = client.post("/v1/evaluations", json={"sets": [text]})
        assert (told.status_code, told.json()["where"]) == (422, "sets"), told.text
    assert client.get("/v1/evaluations/none").status_code == 404


def test_a_turn_is_marked_and_the_session_goes_on(served: Served, client: httpx.Client) -> None:
    session = served.session(client)
    (turn,) = ask(client, session, "8月张江的应收")
    place = f"/v1/turns/{turn['turn_id']}/feedback"
    made = client.post(place, json={"thumb": "down", "code": "wrong-time", "reason": "应该是9月"})
    assert made.status_code == 201, made.text
    assert made.json()["thumb"] == "down"
    assert client.post(place, json={"thumb": "down", "code": "none"}).status_code == 422
    assert client.post("/v1/turns/none/feedback", json={"thumb": "up"}).status_code == 404
    (again,) = ask(client, session, "临港呢")
    assert (again["seq"], again["slots"]["filters"]) == (2, {"park_id": ["P002"]})
    told = client.get(f"/v1/sessions/{session}").json()["marks"]
    assert told == {turn["turn_id"]: {"thumb": "down", "code": "wrong-time", "reason": "应该是9月"}}
