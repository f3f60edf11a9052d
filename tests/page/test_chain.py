"""The conversation of the README, on the page."""

from __future__ import annotations

from tests.page.conftest import Seen


def test_a_number_is_asked_and_followed_up(seen: Seen) -> None:
    seen.open()
    first = seen.ask("8月张江的应收")
    assert "21,545,139.31 元" in first.inner_text()
    second = seen.ask("临港呢")
    assert "9,914,600.46 元" in second.inner_text()


def test_an_explanation_has_its_statement_with_it(seen: Seen) -> None:
    seen.open()
    seen.ask("8月张江的应收")
    told = seen.ask("这个数怎么来的")
    assert "执行的查询见下" in told.inner_text()
    told.get_by_text("SQL", exact=True).click()
    assert (
        "SUM(fact_bill.receivable_amount) AS receivable_amount" in told.locator(".sql").inner_text()
    )
