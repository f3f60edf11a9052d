"""What is erased is gone from every byte of the file; the chain stays, and says who took it away."""

from __future__ import annotations

from pathlib import Path

import pytest

from api.commands import books
from dialogue.ledger import Conflict, Ledger, LedgerError, Selection
from dialogue.ledger.archiving import archive
from dialogue.ledger.erasing import Erasures, Target, Which, erase, targets
from dialogue.ledger.stores import SQLiteReader, SQLiteStore
from dialogue.ledger.verifying import verify
from tests.ledger.conftest import Hands, Open, turn


def talk(ledger: Ledger) -> None:
    turn(ledger, "s1", "t1", "陈小明的租金")
    turn(ledger, "s1", "t2", "临港呢", "{} t1")
    turn(ledger, "s2", "t3", "陈小明的合同")


def found(ledger: Ledger, which: Which) -> list[Target]:
    with ledger.store.snapshot() as run:
        return targets(run, which)


def named(targets: list[Target]) -> list[tuple[str, int, str]]:
    return [(item.link.session_id, item.link.number, item.part) for item in targets]


def test_what_goes_with_a_turn_a_session_a_text(opened: Open) -> None:
    ledger = opened()
    talk(ledger)
    assert named(found(ledger, Which(turn="t1"))) == [
        ("s1", 1, "asker"),
        ("s1", 1, "request"),
        ("s1", 2, "after"),  # with which the next turn began, too
        ("s1", 2, "steps"),
        ("s1", 4, "after"),
    ]
    assert len(found(ledger, Which(session="s2"))) == 5
    assert named(found(ledger, Which(containing="陈小明"))) == [
        ("s1", 1, "request"),
        ("s1", 2, "steps"),
        ("s2", 1, "request"),
        ("s2", 2, "steps"),
    ]
    assert named(found(ledger, Which(session="s2", containing="陈小明"))) == [
        ("s2", 1, "request"),
        ("s2", 2, "steps"),
    ]
    with pytest.raises(LedgerError, match="say what to erase"):
        found(ledger, Which())


def test_an_erasure_is_a_record_and_the_chain_holds(opened: Open) -> None:
    ledger = opened()
    talk(ledger)
    which = Which(containing="陈小明")
    gone = found(ledger, which)
    made = erase(ledger, gone, "auditor", "asked to by the person", which)
    assert (made.kind, made.at) == ("erasure", "2026-11-29T10:00:00")
    assert made.body["who"] == "auditor"
    assert made.body["why"] == "asked to by the person"
    assert made.body["what"] == {"containing": "a text"}
    assert "陈小明" not in made.text
    assert found(ledger, which) == []
    first, second, third = ledger.entries()
    assert (first.part("request"), first.erased) == (None, ("request", "steps"))
    assert (second.part("request"), second.erased) == ("临港呢", ())
    assert third.erased == ("request", "steps")
    report = verify(ledger.store)
    assert (report.faults, report.erased) == ([], 4)


def test_nothing_of_it_is_left_in_the_file(tmp_path: Path, clock: Hands) -> None:
    file = tmp_path / "ledger.sqlite"
    ledger = Ledger.at(file, clock)
    talk(ledger)
    which = Which(containing="陈小明")
    erase(ledger, found(ledger, which), "auditor", "why", which)
    text = "陈小明".encode()
    assert all(text not in path.read_bytes() for path in tmp_path.iterdir())
    turn(ledger, "s1", "t4", "苏州呢", "{} t1 t2")  # a session goes on
    ledger.close()
    assert verify(SQLiteReader(file)).faults == []


def test_a_session_goes_on_anew_when_its_state_was_erased(opened: Open) -> None:
    ledger = opened()
    talk(ledger)
    which = Which(session="s1")
    erase(ledger, found(ledger, which), "auditor", "why", which)
    assert ledger.standing("s1").state is None
    turn(ledger, "s1", "t4")
    assert verify(ledger.store).faults == []


def test_a_content_that_is_gone_without_an_erasure_is_told(opened: Open) -> None:
    ledger = opened()
    talk(ledger)
    gone = found(ledger, Which(session="s2"))[0]
    with ledger.store.transaction() as run:
        run(
            "INSERT INTO erasures (digest, by_session, by_number) VALUES (:d, 's2', 1)",
            d=gone.digest,
        )
        run("DELETE FROM contents WHERE digest = :d", d=gone.digest)
    assert [str(fault) for fault in verify(ledger.store).faults] == [
        f"record 1 of session s2: should be the erasure of content {gone.digest}, and is not"
    ]


def test_contents_in_an_archive_are_erased_too(tmp_path: Path, clock: Hands) -> None:
    ledger = Ledger.at(tmp_path / "ledger.sqlite", clock)
    talk(ledger)
    clock.later(days=2)
    file = tmp_path / "old.sqlite"
    archive(ledger, "2026-11-30", file, "auditor")
    store, which = SQLiteStore(file), Which(containing="陈小明")
    with store.snapshot() as run:
        gone = targets(run, which)
    assert len(gone) == 4
    erasures = Erasures(ledger)
    assert erasures.look() == frozenset()
    erase(ledger, gone, "auditor", "why", which, store)
    store.close()
    assert erasures.look() == {"s1", "s2"}
    assert "陈小明".encode() not in file.read_bytes()
    alone = verify(SQLiteReader(file))
    assert alone.faults == []
    assert "4 contents were erased by records that stand in the ledger itself" in alone.notes
    together = verify(ledger.store, archives=[SQLiteReader(file)])
    assert together.faults == []
    assert [e.erased for e in ledger.entries(Selection(session="s1"))] == []


def test_an_erasing_that_was_broken_off_is_done_again(tmp_path: Path, clock: Hands) -> None:
    """Recorded in the ledger, not yet done in the archive."""
    ledger = Ledger.at(tmp_path / "ledger.sqlite", clock)
    talk(ledger)
    clock.later(days=2)
    file = tmp_path / "old.sqlite"
    archive(ledger, "2026-11-30", file, "auditor")
    store, which = SQLiteStore(file), Which(session="s2")
    with store.snapshot() as run:
        gone = targets(run, which)
    erase(ledger, gone, "auditor", "why", which)
    with store.snapshot() as run:
        assert targets(run, which) == gone
    erase(ledger, gone, "auditor", "why", which, store)
    with store.snapshot() as run:
        assert targets(run, which) == []
    store.close()
    assert verify(ledger.store, archives=[SQLiteReader(file)]).faults == []


def test_erasures_are_told_once_each_to_whoever_looks(opened: Open) -> None:
    ledger, other = opened(), opened()
    talk(ledger)
    erasures, late = Erasures(ledger), Erasures(ledger)
    assert erasures.look() == frozenset()
    for which in (Which(turn="t2"), Which(session="s2")):
        erase(other, found(other, which), "auditor", "why", which)
        assert erasures.look() == {"s1" if which.turn else "s2"}
        assert erasures.look() == frozenset()
    assert late.look() == {"s1", "s2"}


def test_no_turn_stands_on_an_erased_state(opened: Open) -> None:
    ledger, other = opened(), opened()
    talk(ledger)
    at, body = ledger.clock.now().isoformat(), {"seq": 3}
    parts = {"request": "问", "asker": "{}", "before": "{} t1 t2"}
    ledger.append("s1", "intent", "t4", at, body, parts)
    which = Which(turn="t2")
    erase(other, found(other, which), "auditor", "why", which)
    ended = {"steps": "问", "after": "{} t1 t2 t4"}
    held = ledger.tip("s1")
    assert held is not None
    with pytest.raises(Conflict):  # it was begun before, and would carry what is erased
        ledger.append("s1", "outcome", "t4", at, {"outcome": "answer"}, ended)
    ledger.resume("s1", held)
    with pytest.raises(Conflict):  # nor does the next one begin with it, remembered as it is
        ledger.append("s1", "intent", "t5", at, body, parts)
    assert ledger.standing("s1").state is None
    turn(ledger, "s1", "t5")
    assert verify(ledger.store).faults == []
    assert other.count(Selection(session="s1")) == 4  # t4 was interrupted


def test_what_came_while_it_was_thought_over_goes_too(
    opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger = opened()
    talk(ledger)
    asked = []

    def agreed(count: int) -> bool:
        asked.append(count)
        if len(asked) == 1:
            turn(ledger, "s2", "t4", "呢", "{} t3")
        return True

    monkeypatch.setattr(books, "_agreed", agreed)
    assert books.erase(ledger, Which(session="s2"), "why", None, "ann", False, True) == 0
    assert asked == [5, 9]
    assert found(ledger, Which(session="s2")) == []
