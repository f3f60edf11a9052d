"""Denied access in the ledger: seen in the log, bounded in number, and never a credential."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from pathlib import Path

import pytest

from api.clock import FrozenClock
from api.commands.books import log
from api.identity import Code, IdentityConfig, Unauthenticated, authenticate
from api.identity.denials import MOST, Denials
from api.identity.keys import KeyFile, Wanted
from dialogue.ledger import Ledger
from dialogue.ledger.verifying import verify
from tests.identity.conftest import NOW

ROUTE = "POST /v1/sessions/{id}/turns"


class Hands:
    instant = 0.0

    def __call__(self) -> float:
        return self.instant


@pytest.fixture
def hands() -> Hands:
    return Hands()


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    made = Ledger.at(tmp_path / "ledger.sqlite", FrozenClock(datetime(2026, 11, 30, 10)))
    yield made
    made.close()


def denied(code: Code = "key-expired", who: str = "acme/ann") -> Unauthenticated:
    return Unauthenticated(code, "the API key has expired", who, "key 0a1b2c3d")


def told(ledger: Ledger) -> list[tuple[object, ...]]:
    return [
        (link.body["who"], what["route"], what["reason"], what["left_out"])
        for link in ledger.notes()
        if isinstance(what := link.body["what"], dict)
    ]


def test_a_denied_access_is_in_the_log(
    ledger: Ledger, kept: KeyFile, capsys: pytest.CaptureFixture[str]
) -> None:
    made, key = kept.add(Wanted("ann", tenant="acme"), NOW)
    kept.revoke(made.id, NOW)
    config = IdentityConfig("0.0.0.0", kept.path)
    denials = Denials(ledger)
    for text in (key, "sk-guessed"):
        with pytest.raises(Unauthenticated) as caught:
            authenticate({"Authorization": f"Bearer {text}"}, None, config, lambda: NOW)
        denials.note(caught.value, ROUTE)
    log(ledger, as_json=False)
    lines = capsys.readouterr().out.splitlines()
    assert sorted(lines) == [
        f"2026-11-30T10:00:00  denied   acme/ann  key {made.id}  "
        f'{{"left_out": 0, "reason": "key-revoked", "route": "{ROUTE}"}}',
        "2026-11-30T10:00:00  denied   unknown  none  "
        f'{{"left_out": 0, "reason": "tokens-not-taken", "route": "{ROUTE}"}}',
    ]
    log(ledger, as_json=True)
    printed = capsys.readouterr().out
    assert {json.loads(line)["kind"] for line in printed.splitlines()} == {"denied"}
    content = Path(ledger.store.url.removeprefix("sqlite:///")).read_bytes()
    assert key.encode() not in content
    assert b"sk-guessed" not in content
    assert verify(ledger.store).holds


def test_the_same_is_recorded_once_a_minute_with_what_was_left_out(
    ledger: Ledger, hands: Hands
) -> None:
    denials = Denials(ledger, hands)
    for _ in range(1000):
        denials.note(denied(), ROUTE)
    denials.note(denied("key-revoked"), ROUTE)
    denials.note(denied(), "GET /v1/sessions")
    denials.note(denied(who="acme/bob"), ROUTE)
    assert sorted(told(ledger)) == [
        ("acme/ann", "GET /v1/sessions", "key-expired", 0),
        ("acme/ann", ROUTE, "key-expired", 0),
        ("acme/ann", ROUTE, "key-revoked", 0),
        ("acme/bob", ROUTE, "key-expired", 0),
    ]
    hands.instant = 59.9
    denials.note(denied(), ROUTE)
    assert len(told(ledger)) == 4
    hands.instant = 60
    denials.note(denied(), ROUTE)
    assert len(told(ledger)) == 5
    assert ("acme/ann", ROUTE, "key-expired", 1000) in told(ledger)
    denials.close()  # nothing was left out since
    assert len(told(ledger)) == 5


def test_what_was_left_out_is_told_with_others_or_at_the_end(ledger: Ledger, hands: Hands) -> None:
    denials = Denials(ledger, hands)
    for _ in range(10):
        denials.note(denied(), ROUTE)
    hands.instant = 60
    denials.note(denied(who="acme/bob"), ROUTE)
    counts = {
        who: [row[3] for row in told(ledger) if row[0] == who] for who in ("acme/ann", "acme/bob")
    }
    assert {who: sorted(found, key=str) for who, found in counts.items()} == {
        "acme/ann": [0, 8],
        "acme/bob": [0],
    }
    for _ in range(5):
        denials.note(denied(), ROUTE)
    denials.close()
    assert ("acme/ann", ROUTE, "key-expired", 4) in told(ledger)
    records = told(ledger)
    whole = sum(1 + int(str(row[3])) for row in records if row[0] == "acme/ann")
    assert whole == 15


def test_however_many_kinds_a_minute_has_its_bound(ledger: Ledger, hands: Hands) -> None:
    denials = Denials(ledger, hands)
    for number in range(3 * MOST):
        denials.note(denied(who=f"acme/{number}"), ROUTE)
    assert len(told(ledger)) == MOST + 1
    denials.close()
    records = told(ledger)
    assert len(records) == MOST + 2
    assert sum(1 + int(str(row[3])) for row in records) == 3 * MOST
    assert sorted(row[3:] for row in records if row[0] == "many") == [(0,), (2 * MOST - 2,)]


def test_a_route_is_made_fit_to_be_seen(ledger: Ledger) -> None:
    Denials(ledger).note(denied(), "GET /\r\n\x1b[2J\ud800" + "x" * 500)
    ((_, route, _, _),) = told(ledger)
    assert route == "GET /???[2J?" + "x" * 88


def test_a_ledger_that_fails_does_not_open_the_door(
    ledger: Ledger, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError("no space left on device")

    monkeypatch.setattr(ledger, "note", full)
    Denials(ledger).note(denied(), ROUTE)
    assert "a denied access was not recorded" in caplog.text


def test_from_many_threads(ledger: Ledger, hands: Hands) -> None:
    denials = Denials(ledger, hands)
    with ThreadPoolExecutor(8) as pool:
        for _ in range(400):
            pool.submit(denials.note, denied(), ROUTE)
    denials.close()
    assert sum(1 + int(str(row[3])) for row in told(ledger)) == 400
    assert len(told(ledger)) == 2
