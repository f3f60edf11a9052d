"""`wenshu feedback …`, as somebody who marks turns and collects them meets it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from api.feedback_json import mark_of
from api.request_json import RequestError
from dialogue.feedback import Mark
from tests.api.test_audit import home, ledger, run

__all__ = ["home", "ledger"]


def turns(ledger: Path) -> list[str]:
    import sqlite3

    with sqlite3.connect(ledger) as connection:
        found = connection.execute("SELECT turn_id FROM records WHERE kind = 'outcome'")
        ids = [str(name) for (name,) in found]
    connection.close()
    return sorted(ids)


def test_mark_list_export(home: Path, ledger: Path, tmp_path: Path) -> None:
    first, second = turns(ledger)
    what = ("--down", "--code", "wrong-time", "--reason", "应该是九月", "--who", "li")
    done = run(home, "feedback", second, *what, "--ledger", ledger)
    assert (done.returncode, done.stdout) == (0, f"turn {second}: thumb down wrong-time\n")
    done = run(home, "feedback", "give", first, "--up", "--json", "--ledger", ledger)
    told = json.loads(done.stdout)
    assert (told["turn_id"], told["thumb"], told["code"]) == (first, "up", "")
    lines = run(home, "feedback", "list", "--json", "--ledger", ledger).stdout.splitlines()
    listed = {found["turn_id"]: found for found in map(json.loads, lines)}
    assert listed[second].items() >= {
        "who": "li", "thumb": "down", "code": "wrong-time", "reason": "应该是九月", "question": "临港呢",
    }.items()  # fmt: skip
    assert listed[first]["thumb"] == "up"
    assert "down  li" in run(home, "feedback", "list", "--ledger", ledger).stdout
    out = tmp_path / "wrong.yaml"
    done = run(home, "feedback", "export", "--out", out, "--json", "--ledger", ledger)
    told = json.loads(done.stdout)
    (gap,) = told["gaps"]
    assert (told["dialogues"], told["turns"], told["left_out"]) == (1, 2, [])
    assert (gap["turn"], gap["turn_id"], gap["question"]) == (2, second, "临港呢")
    there = run(home, "feedback", "export", "--out", out, "--ledger", ledger)
    assert (there.returncode, "is there already" in there.stderr) == (2, True)
    unfilled = run(home, "eval", out, "--ledger", tmp_path / "other.sqlite")
    assert unfilled.returncode == 2
    assert "dialogues.0.turns.1.expect" in unfilled.stderr
    out.write_text(out.read_text("utf-8").replace("expect:  #", "expect: answer  #"), "utf-8")
    filled = run(home, "eval", out, "--json", "-", "--ledger", tmp_path / "other.sqlite")
    assert json.loads(filled.stdout)["scores"]["turn_accuracy"] == 1.0
    log = run(home, "audit", "log", "--ledger", ledger).stdout
    assert "feedback li  thumb down wrong-time" in log
    assert "feedback export" in log
    assert "应该是九月" not in log
    assert run(home, "audit", "verify", "--ledger", ledger).returncode == 0
    assert run(home, "replay", "--all", "--ledger", ledger).stdout == "2 turns: 2 the same\n"
    bundle = run(home, "audit", "export", second, tmp_path / "b.zip", "--ledger", ledger)
    assert bundle.returncode == 0, bundle.stderr


def test_usage(home: Path, ledger: Path, tmp_path: Path) -> None:
    (turn, _) = turns(ledger)
    for args, says in (
        ((turn,), "say either --down or --up"),
        ((turn, "--down", "--up"), "say either --down or --up"),
        ((turn, "--down", "--code", "bad"), "'bad' is no code; one of wrong-result"),
        (("nothing", "--down"), "there is no one finished turn nothing in this ledger"),
    ):
        done = run(home, "feedback", *args, "--ledger", ledger)
        assert (done.returncode, done.stdout) == (2, "")
        assert says in done.stderr
    none = run(home, "feedback", "export", "--out", tmp_path / "x.yaml", "--ledger", ledger)
    assert (none.returncode, none.stderr) == (1, "no turn here has a thumb down\n")
    assert not (tmp_path / "x.yaml").exists()


def test_a_mark_from_json() -> None:
    assert mark_of({"thumb": "down", "reason": "x"}) == Mark("down", "", "x")
    for data, says in (
        (None, "feedback: an object with thumb: up or down"),
        ({"reason": "x"}, "feedback: an object with thumb: up or down"),
        ({"thumb": 1}, "feedback.thumb: a text"),
        ({"thumb": "up", "text": "x"}, "feedback.text: unknown; there are thumb, code, reason"),
        ({"thumb": "up", "code": "other"}, "feedback: a thumb up has no code of what was wrong"),
    ):
        with pytest.raises(RequestError) as refused:
            mark_of(data)
        assert str(refused.value).startswith(says)
