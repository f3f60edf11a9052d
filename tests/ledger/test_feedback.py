"""Feedback stands in the chain of its turn's session, and puts no turn off."""

from __future__ import annotations

from pathlib import Path

import pytest

from dialogue.feedback import Feedback, Mark, MarkError, counted, give
from dialogue.ledger import Conflict, Ledger, Selection, UnknownTurn
from dialogue.ledger.archiving import archive, backup
from dialogue.ledger.erasing import Which, erase, targets
from dialogue.ledger.proof import proof
from dialogue.ledger.stores import SQLiteReader
from dialogue.ledger.verifying import verify
from tests.ledger.conftest import Hands, Open, turn

WRONG = Mark("down", "wrong-time", "应该是陈小明的九月")


def talk(ledger: Ledger) -> None:
    turn(ledger, "s1", "t1", "8月的租金")
    turn(ledger, "s1", "t2", "临港呢", "{} t1")
    turn(ledger, "s2", "t3", "合同数")


def told(found: list[Feedback]) -> list[tuple[str, str | None, str]]:
    return [(one.turn_id, one.who, one.mark.thumb) for one in found]


def test_the_last_of_a_user_on_a_turn_counts(opened: Open, clock: Hands) -> None:
    ledger = opened()
    talk(ledger)
    made = give(ledger, "t2", WRONG, "li")
    assert (made.session_id, made.number, made.kind, made.turn_id) == ("s1", 5, "feedback", "t2")
    assert made.body == {"thumb": "down", "code": "wrong-time"}
    assert "陈小明" not in made.text  # who and why are content
    assert '"li"' not in made.text
    clock.later(seconds=1)
    give(ledger, "t3", Mark("down"), "li")
    clock.later(seconds=1)
    give(ledger, "t2", Mark("down", "other"), "wang")
    clock.later(seconds=1)
    give(ledger, "t2", Mark("up"), "li")
    found = counted(ledger)
    assert told(found) == [("t3", "li", "down"), ("t2", "wang", "down"), ("t2", "li", "up")]
    assert found[0] == Feedback("t3", "s2", 3, "2026-11-29T10:00:01", Mark("down"), "li")
    assert told(counted(ledger, Selection(session="s2"))) == [("t3", "li", "down")]
    report = verify(ledger.store)
    assert (report.faults, report.records, report.turns, report.interrupted) == ([], 10, 3, [])


def test_a_turn_that_is_unknown_or_unfinished_is_an_error(opened: Open) -> None:
    ledger = opened()
    talk(ledger)
    ledger.append("s2", "intent", "t4", "2026-11-29T10:00:00", {"seq": 2}, {"request": "x"})
    for name in ("t4", "t9", ""):
        with pytest.raises(UnknownTurn, match=f"there is no one finished turn {name} in this ledg"):
            give(ledger, name, WRONG, "li")
    with pytest.raises(UnknownTurn):  # t1, t2 and t3 begin so
        ledger.finished("t")
    assert ledger.finished("t1") == "t1"
    assert counted(ledger) == []


@pytest.mark.parametrize(
    ("thumb", "code", "reason", "says"),
    [
        ("sideways", "", "", "a thumb is up or down, not 'sideways'"),
        ("up", "wrong-time", "", "a thumb up has no code of what was wrong"),
        ("down", "bad", "", "'bad' is no code; one of wrong-result, wrong-object"),
        ("down", "", "x" * 2001, "a reason has at most 2000 characters, not 2001"),
    ],
)
def test_what_no_mark_can_say(thumb: str, code: str, reason: str, says: str) -> None:
    with pytest.raises(MarkError, match=says):
        Mark(thumb, code, reason)  # type: ignore[arg-type]


def test_it_comes_between_and_puts_no_turn_off(opened: Open) -> None:
    """Another process marks a turn while this one takes the next; a turn taken there is a conflict still."""
    here, there = opened(), opened()
    talk(here)
    here.append("s1", "intent", "t4", "2026-11-29T10:00:00", {"seq": 3}, {"before": "{} t1 t2"})
    give(there, "t1", WRONG, "li")
    give(there, "t1", Mark("up"), "li")
    parts = {"steps": "x", "after": "{} t1 t2 t4"}
    made = here.append("s1", "outcome", "t4", "2026-11-29T10:00:00", {"outcome": "answer"}, parts)
    assert made.number == 8
    give(there, "t4", Mark("up"), "li")
    assert here.append("s1", "intent", "t5", "", {"seq": 4}, {"before": "{} t1 t2 t4"}).number == 10
    report = verify(here.store)
    assert (report.faults, report.interrupted) == ([], ["t5"])
    turn(there, "s2", "t6")  # a turn that this process does not know
    give(here, "t3", Mark("up"), "li")
    with pytest.raises(Conflict):
        turn(here, "s2", "t7")
    assert verify(here.store).holds


def test_it_is_erased_with_its_turn_its_user_and_by_its_text(opened: Open) -> None:
    ledger = opened()
    talk(ledger)
    give(ledger, "t1", WRONG, "li")
    give(ledger, "t3", Mark("down", "", "陈小明说的"), "wang")
    give(ledger, "t3", Mark("down"), "li")

    def goes(which: Which) -> list[tuple[str, int]]:
        with ledger.store.snapshot() as run:
            found = targets(run, which)
        return [(i.link.session_id, i.link.number) for i in found if i.part == "feedback"]

    assert goes(Which(turn="t1")) == [("s1", 5)]
    assert goes(Which(session="s2")) == [("s2", 3), ("s2", 4)]
    assert goes(Which(user="li")) == [("s1", 5), ("s2", 4)]
    assert goes(Which(user="li", session="s1")) == [("s1", 5)]
    assert goes(Which(containing="陈小明")) == [("s1", 5), ("s2", 3)]
    with ledger.store.snapshot() as run:
        gone = targets(run, Which(containing="陈小明"))
    erase(ledger, gone, "officer", "asked to", Which(containing="陈小明"))
    assert told(counted(ledger)) == [("t3", "li", "down")]  # what was erased does not count
    report = verify(ledger.store)
    assert (report.faults, report.erased) == ([], 2)


def test_it_is_archived_backed_up_and_proven_with_its_session(tmp_path: Path, clock: Hands) -> None:
    ledger = Ledger.at(tmp_path / "ledger.sqlite", clock)
    talk(ledger)
    made = give(ledger, "t1", WRONG, "li")
    proven = proof(ledger, "s1", ["t1"])
    assert [link.kind for link in proven.records][-1] == "feedback"  # the chain is whole
    assert made.parts["feedback"] not in [item.digest for item in proven.contents]
    copy, old = tmp_path / "copy.sqlite", tmp_path / "old.sqlite"
    backup(ledger, copy, "officer")
    assert told(counted(Ledger.at(copy, clock))) == [("t1", "li", "down")]
    clock.later(days=2)
    archive(ledger, "2026-11-30", old, "officer")
    assert counted(ledger) == []
    assert [one.link.turn_id for one in ledger.remarks(archive=SQLiteReader(old))] == ["t1"]
    with pytest.raises(UnknownTurn):
        give(ledger, "t1", WRONG, "li")
    assert verify(ledger.store, archives=[SQLiteReader(old)]).faults == []


def test_feedback_on_a_turn_that_is_not_there_is_found(opened: Open) -> None:
    ledger = opened()
    talk(ledger)
    ledger.append("s1", "feedback", "t9", "", {"thumb": "up", "code": ""}, {"feedback": "{}"})
    assert [str(fault) for fault in verify(ledger.store).faults] == [
        "record 5 of session s1 (feedback of turn t9): no such turn has ended before it"
    ]
