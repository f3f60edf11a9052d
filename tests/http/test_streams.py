"""A turn as a stream: numbered events, taken up where it was cut, ended once, whatever happens."""

from __future__ import annotations

import time
from typing import Any

import httpx

from tests.http.served import Served, ask, events

STREAM = {"Accept": "text/event-stream"}


def stream(client: httpx.Client, session: str, body: dict[str, Any]) -> list[tuple[int, str, Any]]:
    with client.stream("POST", f"/v1/sessions/{session}/turns", json=body, headers=STREAM) as got:
        assert got.headers["content-type"].startswith("text/event-stream")
        assert got.headers["cache-control"] == "no-cache"
        return list(events(got.iter_lines()))


def test_events_of_an_answer(served: Served, client: httpx.Client) -> None:
    found = stream(client, served.session(client), {"question": "8月各园区应收"})
    assert [name for _, name, _ in found] == ["reading", "slots", "sql", "rows", "text", "turn"]
    assert [number for number, _, _ in found] == [1, 2, 3, 4, 5, 6]
    told = {name: data for _, name, data in found}
    turn = told["turn"]
    assert told["slots"] == turn["slots"]
    assert told["sql"]["sql"] == turn["sql"]
    drawn = {"chart": None, "labels": {}}  # told with the turn, when it is known what was asked
    assert {**told["rows"], **drawn} == {**turn["result"], **drawn}
    assert told["text"]["text"] == turn["text"]
    assert client.get(f"/v1/turns/{turn['turn_id']}").json() == turn


def test_events_of_a_question_back(served: Served, client: httpx.Client) -> None:
    found = stream(client, served.session(client), {"question": "收费情况怎么样"})
    assert [name for _, name, _ in found] == ["reading", "clarify", "text", "turn"]
    assert found[1][2]["options"] == found[-1][2]["clarification"]["options"]


def test_two_questions_are_told_one_after_the_other(served: Served, client: httpx.Client) -> None:
    question = {"question": "8月电费应收多少，另外空置房源有几套？"}
    names = [name for _, name, _ in stream(client, served.session(client), question)]
    assert names == ["reading", "slots", "sql", "rows"] * 2 + ["text", "text", "turn"]


def test_a_stream_is_taken_up_where_it_was_cut(served: Served, client: httpx.Client) -> None:
    whole = stream(client, served.session(client), {"question": "8月各园区应收"})
    place = f"/v1/turns/{whole[-1][2]['turn_id']}/events"
    with client.stream("GET", place, headers={"Last-Event-ID": "3"}) as got:
        assert list(events(got.iter_lines())) == whole[3:]
    with client.stream("GET", place) as got:
        assert list(events(got.iter_lines())) == whole
    served.service.turns._running.clear()  # long ago: only the last is left
    with client.stream("GET", place) as got:
        ((_, name, turn),) = events(got.iter_lines())
    assert (name, turn["turn_id"]) == ("turn", whole[-1][2]["turn_id"])


def test_values_do_not_break_a_line(served: Served, client: httpx.Client) -> None:
    question = {"question": "8月应收\r\nevent: turn\ndata: {}\n\n\u2028\u2029\u0085"}
    found = stream(client, served.session(client), question)
    assert [name for _, name, _ in found].count("turn") == 1
    assert found[-1][2]["question"] == question["question"]


def slow(served: Served, seconds: float) -> Any:
    """Make queries slow: a real one, that the engine works at."""
    heavy = "SELECT count(*) FROM range(100000000) a, range(1000) b"
    inner = served.service.live._current.opened.world.warehouse
    run = inner.run

    def slowly(sql: str, **given: Any) -> Any:
        inner.run = run  # type: ignore[method-assign]
        return run(heavy, **given)

    inner.run = slowly  # type: ignore[method-assign]
    return run


def test_a_client_that_goes_away_ends_the_query_and_the_turn_is_recorded(
    served: Served, client: httpx.Client
) -> None:
    session = served.session(client)
    ask(client, session, "8月张江的应收")
    slow(served, 60)
    with client.stream(
        "POST", f"/v1/sessions/{session}/turns", json={"question": "临港呢"}, headers=STREAM
    ) as got:
        turn_id = got.headers["location"].split("/")[3]
        for _, name, _ in events(got.iter_lines()):
            if name == "sql":
                break
    until = time.monotonic() + 15
    while served.service.turns.active and time.monotonic() < until:
        time.sleep(0.05)
    turn = client.get(f"/v1/turns/{turn_id}").json()
    assert (turn["outcome"], turn["seq"]) == ("error", 2)
    assert turn["record_hash"]
    (again,) = ask(client, session, "临港呢")  # the state stayed as it was
    assert again["slots"]["metrics"] == ["receivable_amount"]
    assert again["slots"]["filters"] == {"park_id": ["P002"]}


def test_a_turn_is_cancelled_and_another_one_is_refused_meanwhile(
    served: Served, client: httpx.Client
) -> None:
    session = served.session(client)
    slow(served, 60)
    place = f"/v1/sessions/{session}/turns"
    with client.stream("POST", place, json={"question": "8月应收"}, headers=STREAM) as got:
        turn_id = got.headers["location"].split("/")[3]
        with served.client() as other:
            busy = other.post(place, json={"question": "临港呢"})
            assert (busy.status_code, busy.json()["code"]) == (409, "busy")
            assert int(busy.headers["retry-after"]) >= 1
            assert other.post(f"/v1/turns/{turn_id}/cancel").status_code == 202
        last = list(events(got.iter_lines()))[-1]
    assert last[1] == "turn"
    assert last[2]["outcome"] == "error"


def test_what_a_switch_let_go_is_taken_back_on_a_stream(
    served: Served, client: httpx.Client
) -> None:
    session = served.session(client)
    ask(client, session, "8月张江的应收", "空置房源数")
    found = stream(client, session, {"keep": True})
    assert found[0][2]["edits"][-1]["value"] == ["2026-08-01", "2026-09-01"]
    assert found[-1][2]["slots"]["filters"] == {"park_id": ["P001"]}


def test_nothing_follows_the_last_event(served: Served, client: httpx.Client) -> None:
    """An EventSource that has the last event stops at 204; one that asks for more than there was ends too."""
    whole = stream(client, served.session(client), {"question": "你好"})
    place = f"/v1/turns/{whole[-1][2]['turn_id']}/events"
    for last in (whole[-1][0], 999, 10**19):
        assert client.get(place, headers={"Last-Event-ID": str(last)}).status_code == 204
    for last in ("-1", "x", "0"):  # no number of an event: from the beginning
        with client.stream("GET", place, headers={"Last-Event-ID": last}) as got:
            assert list(events(got.iter_lines())) == whole
