"""Rights that change: what a user could see yesterday is not shown today, by whatever door it is asked for."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest

from tests.http.people import People
from tests.http.served import Served, ask

QUESTION = {"question": "8月各园区应收"}
KEY = {"Idempotency-Key": "once"}
STREAM = {"Accept": "text/event-stream"}


class Before:
    """What ann asked while she saw Zhangjiang (P001), and ann today, who sees Lingang (P002) alone."""

    def __init__(self, served: Served, keys: People) -> None:
        self.then, self.now = served.client(keys["ann"]), served.client(keys["ann moved"])
        self.session = served.session(self.then)
        place = f"/v1/sessions/{self.session}/turns"
        self.turn = self.then.post(place, json=QUESTION, headers=KEY).json()
        (self.asked,) = ask(self.then, self.session, "张江2号楼和1号楼的空置房源")
        (row,) = self.turn["result"]["rows"]
        assert "张江科技园" in row
        self.amount = row[-1]
        self.place = f"/v1/turns/{self.turn['turn_id']}"

    def tells_nothing(self, text: str) -> None:
        """No figure, value or statement of the rows that are seen no more."""
        assert self.turn["text"] not in text
        for part in (str(self.amount), "张江科技园", "P001", "SELECT"):
            assert part not in text, part


@pytest.fixture
def before(guarded: tuple[Served, People]) -> Iterator[Before]:
    found = Before(*guarded)
    yield found
    found.then.close()
    found.now.close()


def kept_or_recorded(served: Served, kept: bool) -> None:
    if not kept:  # as in another process, or after a restart
        turns = served.service.turns
        turns._running.clear()
        turns._marked.clear()


@pytest.mark.parametrize("kept", [True, False], ids=["kept", "recorded"])
def test_a_turn_is_shown_without_the_rows_of_then(
    guarded: tuple[Served, People], before: Before, kept: bool
) -> None:
    kept_or_recorded(guarded[0], kept)
    answer = before.now.get(before.place)
    assert answer.status_code == 200
    before.tells_nothing(answer.text)
    turn = answer.json()
    assert (turn["outcome"], turn["result"], turn["slots"], turn["sql"]) == ("answer",) + (
        None,
    ) * 3
    assert turn["degraded"] == ["rows-hidden"]
    assert turn["text"] == "这一轮所用的数据现在不在您的权限之内，不再显示。"
    assert turn["record_hash"] == before.turn["record_hash"]
    again = before.then.get(
        before.place
    ).json()  # nor is what was made for the one kept for the other
    assert again["result"] == before.turn["result"]
    assert again["text"] == before.turn["text"]


@pytest.mark.parametrize("kept", [True, False], ids=["kept", "recorded"])
def test_events_are_not_told_again(
    guarded: tuple[Served, People], before: Before, kept: bool
) -> None:
    kept_or_recorded(guarded[0], kept)
    told = before.now.get(f"{before.place}/events")
    assert told.text.count("event: turn") == 1
    before.tells_nothing(told.text)


@pytest.mark.parametrize("kept", [True, False], ids=["kept", "recorded"])
@pytest.mark.parametrize("headers", [{}, STREAM], ids=["whole", "streamed"])
def test_a_repeated_request_does_not_tell_the_answer_of_then(
    guarded: tuple[Served, People], before: Before, kept: bool, headers: dict[str, str]
) -> None:
    kept_or_recorded(guarded[0], kept)
    place = f"/v1/sessions/{before.session}/turns"
    answer = before.now.post(place, json=QUESTION, headers={**KEY, **headers})
    assert answer.status_code == 200
    assert before.turn["turn_id"] in answer.text
    before.tells_nothing(answer.text)


def test_history_is_told_by_the_rights_of_today(
    guarded: tuple[Served, People], before: Before
) -> None:
    place = f"/v1/sessions/{before.session}"
    whole = before.then.get(place).json()["history"]
    assert whole == [before.turn, before.asked]
    for _ in range(2):  # held in memory, then rebuilt
        answer = before.now.get(place)
        before.tells_nothing(answer.text.replace(before.asked["question"], ""))
        assert [turn["result"] for turn in answer.json()["history"]] == [None, None]
        guarded[0].service.sessions.forget(before.session, "acme")
    ask(before.now, before.session, "8月各园区应收")
    first, second, third = before.now.get(place).json()["history"]
    assert (first["result"], second["result"]) == (None, None)
    assert ["P002" in row for row in third["result"]["rows"]] == [True]
    assert before.then.get(place).json()["history"][2]["result"] is None


def test_the_bundle_and_the_verdict_tell_no_rows(before: Before) -> None:
    bundle = before.now.get(f"{before.place}/export")
    assert (bundle.status_code, bundle.json()["code"]) == (404, "not-found")
    assert before.then.get(f"{before.place}/export").status_code == 200
    verdict = before.now.post(f"{before.place}/replay")
    assert verdict.status_code == 200
    before.tells_nothing(verdict.text)


def test_an_auditor_sees_the_rows_that_its_own_rights_allow(
    guarded: tuple[Served, People], before: Before
) -> None:
    served, keys = guarded
    with served.client(keys["auditor"]) as some, served.client(keys["auditor of all"]) as every:
        for _ in range(2):  # whichever comes first, nothing is kept for the other
            before.tells_nothing(some.get(before.place).text)
            assert every.get(before.place).json()["result"] == before.turn["result"]
        before.tells_nothing(some.post(f"{before.place}/replay").text)
        assert some.get(f"{before.place}/export").status_code == 404
        assert every.get(f"{before.place}/export").status_code == 200


def test_a_turn_in_flight_is_no_way_around(guarded: tuple[Served, People], before: Before) -> None:
    served, _ = guarded
    running = served.service.turns.find(before.turn["turn_id"])
    assert running is not None
    running.policy = None  # not begun yet: then it is the policy of who asked that counts
    before.tells_nothing(before.now.get(f"{before.place}/events").text)
    ended = httpx.Response(200, text=before.then.get(f"{before.place}/events").text)
    assert before.turn["text"] in ended.text
