"""What is erased from the ledger does not stay in the list of sessions."""

from __future__ import annotations

from pathlib import Path

from api.clock import SystemClock
from api.commands.books import erase
from dialogue.ledger import Ledger
from dialogue.ledger.erasing import Which
from tests.http.served import ask, serving


def test_the_title_of_an_erased_session_goes(http_database: Path, tmp_path: Path) -> None:
    with serving(tmp_path, http_database) as served, served.client() as client:
        one, two = served.session(client), served.session(client)
        ask(client, one, "8月张江的应收")
        ask(client, two, "8月临港的应收")
    ledger = Ledger.at(tmp_path / "ledger.sqlite", SystemClock("UTC"))
    assert erase(ledger, Which(session=one), "asked to", None, "ann", True, True) == 0
    ledger.close()
    with serving(tmp_path, http_database) as served, served.client() as client:
        listed = client.get("/v1/sessions").json()["sessions"]
        titles = {item["session_id"]: item["title"] for item in listed}
    assert titles == {one: "", two: "8月临港的应收"}
