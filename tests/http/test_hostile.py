"""Hostile names in the data, and results kept for all: nobody sees what is another's, and no name does anything."""

from __future__ import annotations

import html
import io
import json
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.http.hostile import hostile_park
from tests.http.people import people
from tests.http.served import Served, ask, events, serving

STREAM = {"Accept": "text/event-stream"}
QUESTIONS = ("8月各租户应收", "列出租户", "有多少租户", "8月应收最高的3个租户", "空置房源数", "各园区空置房源数",
             "8月各租户的应收同比", "2号楼的空置房源")  # fmt: skip


@dataclass(frozen=True)
class Two:
    """Two users, each with the right to one park, and the hostile names in each."""

    served: Served
    ann: httpx.Client
    bob: httpx.Client
    names: dict[str, dict[str, str]]

    @property
    def hers(self) -> dict[str, str]:
        return self.names["P001"]

    @property
    def his(self) -> dict[str, str]:
        return self.names["P002"]


@pytest.fixture(scope="module")
def two(park_database: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Two]:
    folder = tmp_path_factory.mktemp("hostile")
    database, names = hostile_park(park_database, folder)
    keys = people(folder / "home")
    with (
        serving(folder / "home", database, cache_mb=32, ledger_rows=True) as served,
        served.client(keys["ann"]) as ann,
        served.client(keys["bob"]) as bob,
    ):
        yield Two(served, ann, bob, names)


def texts(found: Any) -> Iterator[str]:
    """Every text in JSON."""
    if isinstance(found, dict):
        for value in found.values():
            yield from texts(value)
    elif isinstance(found, list):
        for value in found:
            yield from texts(value)
    elif isinstance(found, str):
        yield found


def foreign(found: Any, others: dict[str, str]) -> list[str]:
    """What of another's tenants is told: names and ids."""
    told = list(texts(found))
    return [
        part
        for part in (*others, *others.values())
        if any(part == text or (len(part) > 8 and part in text) for text in told)
    ]


def test_each_sees_own_rows_only_by_every_door(two: Two) -> None:
    """The same questions in turns, so that each finds what was kept for the other."""
    for _ in range(2):
        found = {}
        for name, client, others in (("ann", two.ann, two.his), ("bob", two.bob, two.hers)):
            session = two.served.session(client)
            turns = ask(client, session, *QUESTIONS)
            assert [turn["outcome"] for turn in turns] == ["answer"] * len(QUESTIONS), turns
            history = client.get(f"/v1/sessions/{session}").json()
            shown = [client.get(f"/v1/turns/{turn['turn_id']}").json() for turn in turns]
            again = [client.post(f"/v1/turns/{turn['turn_id']}/replay").json() for turn in turns]
            assert [item["verdict"] for item in again] == [["same"]] * len(turns)
            for door in (turns, history, shown, again, client.get("/v1/catalogue").json()):
                assert foreign(door, others) == []
            bundle = client.get(f"/v1/turns/{turns[0]['turn_id']}/export").content
            archive = zipfile.ZipFile(io.BytesIO(bundle))
            for file in archive.namelist():
                text = html.unescape(archive.read(file).decode("utf-8", "replace"))
                assert [part for part in (*others, *others.values()) if part in text] == [], file
            found[name] = turns
        for hers, his in zip(found["ann"], found["bob"], strict=True):
            assert hers["sql"] != his["sql"]
            assert hers["result"]["rows"] != his["result"]["rows"]
            assert hers["text"] != his["text"]
        kept = two.served.service.measures.text().decode()
    hits = next(line for line in kept.splitlines() if 'from="cache"' in line and "_total" in line)
    assert float(hits.split()[-1]) > 0, "results were kept"


def test_candidates_are_ones_own(two: Two) -> None:
    """A name that two tenants share but for its end, one in each park."""
    for client, own, others in ((two.ann, two.hers, two.his), (two.bob, two.his, two.hers)):
        for tenant, name in own.items():
            part = "".join(char for char in name[:12] if char.isprintable()).split(" ")[0][:8]
            found = client.get(
                "/v1/values", params={"dimension": "tenant_id", "q": part, "limit": 200}
            ).json()
            values = {item["value"]: item["label"] for item in found["values"]}
            assert values.get(tenant, name) == name
            assert not set(values) & set(others)
        whole = client.get("/v1/values", params={"dimension": "tenant_id", "limit": 200}).json()
        assert foreign(whole, others) == []
        parks = client.get("/v1/values", params={"dimension": "park_id"}).json()["values"]
        assert len(parks) == 1


def test_what_is_hidden_is_told_like_what_is_not_there(two: Two) -> None:
    """By a name, by a key, by a click, by an edit."""
    session = two.served.session(two.ann)
    hidden = next(iter(two.his))
    for wanted, absent in (("P002", "P999"), (hidden, "T99999")):
        dimension = "park_id" if wanted.startswith("P") else "tenant_id"
        told = []
        for value in (wanted, absent):
            edit = [{"slot": "metrics", "value": ["receivable_amount"]},
                    {"slot": "filters", "value": {dimension: [value]}}]  # fmt: skip
            (turn,) = ask(two.ann, session, {"edit": edit})
            told.append([turn["outcome"], turn["reason"], turn["text"].replace(value, "…")])
            assert turn["result"] is None or turn["result"]["rows"] in ([], [[None]])
        assert told[0] == told[1]


def test_names_go_through_a_stream_whole(two: Two) -> None:
    session = two.served.session(two.ann)
    for tenant, name in two.hers.items():
        edit = [{"slot": "metrics", "value": ["receivable_amount"]},
                {"slot": "filters", "value": {"tenant_id": [tenant]}},
                {"slot": "dimensions", "value": ["tenant_id"]}]  # fmt: skip
        place = f"/v1/sessions/{session}/turns"
        with two.ann.stream("POST", place, json={"edit": edit}, headers=STREAM) as got:
            raw = b"".join(got.iter_bytes()).decode()
        found = list(events(iter(raw.split("\n"))))
        assert [event for _, event, _ in found].count("turn") == 1
        assert [number for number, _, _ in found] == list(range(1, len(found) + 1))
        assert raw.count("\nevent: ") + raw.startswith("event: ") == len(found)
        assert not set("\r\u2028\u2029\u0085") & set(raw)
        turn = found[-1][2]
        assert turn["outcome"] == "answer"
        assert name in turn["result"]["rows"][0]
        assert turn["slots"]["filters"] == {"tenant_id": [tenant]}


def test_a_name_in_a_question_is_a_name(two: Two) -> None:
    """Instructions among the data change nothing: whoever asks about them gets at most the one row."""
    session = two.served.session(two.ann)
    for tenant, name in two.hers.items():
        (turn,) = ask(two.ann, session, f"租户“{name}”8月的应收")
        assert turn["outcome"] in ("answer", "decline", "clarify", "chat"), turn["reason"]
        if turn["outcome"] == "answer":
            assert turn["slots"]["filters"].get("tenant_id") in ([tenant], None)
        assert foreign(turn, two.his) == []


def test_the_page_of_a_bundle_runs_nothing(two: Two) -> None:
    session = two.served.session(two.ann)
    (turn,) = ask(two.ann, session, "8月各租户应收")
    bundle = two.ann.get(f"/v1/turns/{turn['turn_id']}/export")
    archive = zipfile.ZipFile(io.BytesIO(bundle.content))
    page = next(name for name in archive.namelist() if name.endswith("index.html"))
    text = archive.read(page).decode()
    assert "alert(document.cookie)" in text
    assert "<script>alert" not in text
    assert "<img src=x" not in text
    for name in archive.namelist():
        assert ".." not in name
        assert not name.startswith("/")


def test_the_answer_is_json_that_no_browser_takes_for_a_page(two: Two) -> None:
    answer = two.ann.get("/v1/values", params={"dimension": "tenant_id", "q": "script"})
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert json.loads(answer.text)["values"]
