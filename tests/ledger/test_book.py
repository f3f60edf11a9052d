"""A chain a session: what is appended, refused, found again, in SQLite and PostgreSQL alike."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from dialogue.ledger import Conflict, Ledger, Selection
from dialogue.ledger.chain import Link
from dialogue.ledger.verifying import verify
from tests.ledger.conftest import Hands, Open, turn


def chain(ledger: Ledger, session: str) -> list[Link]:
    return [
        link
        for entry in ledger.entries(Selection(session=session))
        for link in (entry.intent, entry.outcome)
        if link is not None
    ]


def test_each_record_is_hashed_whole_and_holds_the_hash_before_it(opened: Open) -> None:
    ledger = opened()
    turn(ledger, "s", "t1")
    turn(ledger, "s", "t2", state="{} t1")
    links = chain(ledger, "s")
    assert [(link.number, link.kind) for link in links] == [
        (1, "intent"),
        (2, "outcome"),
        (3, "intent"),
        (4, "outcome"),
    ]
    previous = ""
    for link in links:
        assert hashlib.sha256(link.text.encode()).hexdigest() == link.hash
        told = json.loads(link.text)
        assert told["previous"] == previous
        assert (told["session"], told["number"], told["at"]) == (
            "s",
            link.number,
            "2026-11-29T10:00:00",
        )
        previous = link.hash


def test_contents_stand_apart_by_salted_digests(opened: Open) -> None:
    ledger = opened()
    turn(ledger, "s", "t1", "张江的应收")
    turn(ledger, "s", "t2", "张江的应收")
    first, second = ledger.entries()
    assert first.part("request") == second.part("request") == "张江的应收"
    assert first.digest("request") != second.digest("request")  # a salt each
    assert "张江" not in first.intent.text
    with ledger.store.snapshot() as run:
        for digest, salt, data in run("SELECT digest, salt, data FROM contents"):
            assert hashlib.sha256(bytes(salt) + bytes(data)).hexdigest() == digest  # type: ignore[call-overload]


def test_the_state_that_a_turn_begins_with_is_kept_once(opened: Open) -> None:
    ledger = opened()
    turn(ledger, "s", "t1")
    turn(ledger, "s", "t2", state="{} t1")
    first, second = ledger.entries()
    assert first.digest("after") == second.digest("before")
    again = opened()
    assert again.standing("s").state == "{} t1 t2"
    assert again.standing("unknown").state is None
    turn(again, "s", "t3", state="{} t1 t2")
    assert list(again.entries())[2].digest("before") == second.digest("after")


def test_turns_are_found_by_id_session_and_time(opened: Open, clock: Hands) -> None:
    ledger = opened()
    for session, name in (("s1", "aa1"), ("s1", "aa2"), ("s2", "b1")):
        turn(ledger, session, name)
        clock.later(hours=1)

    def found(**how: str) -> list[str]:
        return [entry.intent.turn_id for entry in ledger.entries(Selection(**how))]

    assert found() == ["aa1", "aa2", "b1"]
    assert found(turn="aa") == ["aa1", "aa2"]
    assert found(turn="b") == ["b1"]
    assert found(session="s1") == ["aa1", "aa2"]
    assert found(since="2026-11-29T11", until="2026-11-29T12") == ["aa2"]
    assert found(session="s1", since="2026-11-29T12") == []
    assert ledger.newest() == "b1"


def test_an_interrupted_turn_has_no_outcome(opened: Open) -> None:
    ledger = opened()
    at = "2026-11-29T10:00:00"
    ledger.append("s", "intent", "t1", at, {"seq": 1}, {"before": "{}"})
    again = opened()
    assert again.standing("s").state is None
    turn(again, "s", "t2")
    first, second = again.entries()
    assert (first.intent.turn_id, first.outcome) == ("t1", None)
    assert second.outcome is not None
    assert second.intent.previous == first.intent.hash


def test_two_writers_of_one_session_are_never_both_right(opened: Open) -> None:
    here, there = opened(), opened()
    turn(here, "s", "t1")
    there.standing("s")
    turn(here, "s", "t2")
    with pytest.raises(Conflict, match="session s went on elsewhere"):
        turn(there, "s", "t3")
    there.standing("s")
    turn(there, "s", "t4")  # read anew
    assert [entry.intent.turn_id for entry in here.entries()] == ["t1", "t2", "t4"]


def test_sessions_of_many_threads_and_two_processes_are_all_recorded(opened: Open) -> None:
    ledgers = [opened(seal_every=0), opened(seal_every=0)]

    def take(number: int) -> None:
        for index in range(5):
            turn(ledgers[number % 2], f"s{number:02}", f"t{number:02}-{index}")

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(take, range(16)))
    found = [entry.intent.turn_id for entry in ledgers[0].entries()]
    assert found == [f"t{number:02}-{index}" for number in range(16) for index in range(5)]
    newest = ledgers[0].seals.seal()
    assert newest is not None
    with ledgers[0].store.snapshot() as run:
        assert list(run("SELECT session_id FROM open_heads")) == []


def test_processes_write_at_the_same_time(url: str, opened: Open) -> None:
    command = [sys.executable, "-m", "tests.ledger.writer", url]
    writers = [
        subprocess.Popen([*command, name], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for name in ("left", "right")
    ]  # both may find the database empty, and one of them makes it a ledger
    for writer in writers:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "ready\n"
    for writer in writers:
        assert writer.stdin is not None
        writer.stdin.write("go\n")
        writer.stdin.flush()
    assert [writer.wait(60) for writer in writers] == [0, 0]
    ledger = opened()
    found = sorted(entry.intent.turn_id for entry in ledger.entries())
    assert found == [f"{name}-{number:03}" for name in ("left", "right") for number in range(40)]
    report = verify(ledger.store)
    assert report.faults == []
    assert report.checkpoints > 5


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE records SET record = 'x'",
        "DELETE FROM records",
        "UPDATE contents SET data = salt",
        "DELETE FROM contents",
        "UPDATE layers SET text = 'x'",
        "DELETE FROM layers",
        "UPDATE checkpoints SET record = 'x'",
        "DELETE FROM checkpoints",
    ],
)
def test_nothing_is_changed_or_taken_away(opened: Open, change: str) -> None:
    ledger = opened()
    ledger.layer("h", "text")
    ledger.layer("h", "text")
    turn(ledger, "s", "t1")
    with pytest.raises(Exception, match="the ledger only grows"), ledger.store.transaction() as run:
        list(run(change))
    assert ledger.layer_text("h") == "text"
    (entry,) = ledger.entries()
    assert entry.part("steps") == "问"


def test_heads_are_sealed_every_so_often(opened: Open, clock: Hands) -> None:
    ledger = opened(seal_every=300)
    turn(ledger, "s1", "t1")
    first = ledger.seals.last()  # the first record of a ledger is sealed at once
    assert first is not None
    assert [head[:2] for head in first.heads] == [("s1", 1)]
    turn(ledger, "s2", "t2")
    assert ledger.seals.last() == first
    clock.later(seconds=300)
    last = turn(ledger, "s2", "t3")
    second = ledger.seals.last()
    assert second is not None
    assert (second.number, second.previous) == (2, first.hash)
    assert [head[:2] for head in second.heads] == [("s1", 2), ("s2", 3)]
    third = ledger.seals.seal()
    assert third is not None
    assert third.heads == (("s2", 4, last),)
    assert ledger.seals.seal() == third  # nothing went on since
    assert str(third) == f"3:{third.hash}"
