"""Where conversations are held: claimed once, gone on with once, forgotten with their session."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from dialogue.conversations import KEPT, Conversations, Place, key_of
from dialogue.directory import Directory

NOW = 1_800_000_000.0


@pytest.fixture
def directory(tmp_path: Path) -> Iterator[Directory]:
    found = Directory(f"sqlite:///{tmp_path / 'sessions.sqlite'}")
    yield found
    found.close()


def test_a_key_is_of_one_user_and_of_what_was_said_in_order() -> None:
    keys = {
        key_of("ann", ["a", "b"]), key_of("bob", ["a", "b"]), key_of("ann", ["b", "a"]),
        key_of("ann", ["ab"]), key_of("ann", ["a"]), key_of("anna", ["b"]), key_of("ann", ["a\x00b"]),
    }  # fmt: skip
    assert len(keys) == 7
    assert {len(key) for key in keys} == {64}


def test_a_conversation_is_claimed_once(directory: Directory) -> None:
    known = Conversations(directory)
    mine, theirs = Place("s1", 0), Place("s2", 0)
    assert known.find("k", NOW) is None
    assert known.claim("k", mine, NOW, NOW - 300) == mine
    assert known.claim("k", theirs, NOW + 1, NOW - 299) == mine
    assert known.find("k", NOW - 300) == mine
    later = NOW + 301  # long ago: no repetition any more
    assert known.find("k", later - 300) is None
    assert known.claim("k", theirs, later, later - 300) == theirs


def test_a_conversation_is_gone_on_with_once(directory: Directory) -> None:
    known = Conversations(directory)
    known.claim("k", Place("s1", 0), NOW, NOW)
    assert known.go_on("none", "k2") is None
    assert known.go_on("k", "k2") == "s1"
    assert known.go_on("k", "k3") is None


def test_old_conversations_and_those_of_deleted_sessions_are_forgotten(
    directory: Directory,
) -> None:
    known = Conversations(directory)
    for session in ("s1", "s2", "s3"):
        directory.open(session, "ann", datetime.fromtimestamp(NOW, UTC))
        known.claim(session, Place(session, 0), NOW, NOW)
    directory.delete("s1")
    directory.untitle("s2")
    assert [known.find(name, NOW) for name in ("s1", "s2", "s3")] == [None, None, Place("s3", 0)]
    known.claim("new", Place("s4", 0), NOW + KEPT + 1, NOW)
    assert known.find("s3", 0) is None
