"""A topic switch names what it dropped, and gives it back."""

from __future__ import annotations

from tests.page.conftest import Seen
from tests.page.reading import next_turn, said, slots


def test_one_of_what_was_dropped_is_kept(seen: Seen) -> None:
    page = seen.open()
    seen.ask("8月张江的应收")
    entry = seen.ask("今年的工单数")
    assert entry.locator(".switch-line").inner_text() == "换了话题"
    assert entry.locator(".switch s").all_inner_texts() == ["张江科技园", "2026年8月"]
    assert slots(page)["filters"] == {}
    with next_turn(page) as kept:
        entry.get_by_role("button", name="张江科技园 沿用").click()
    assert said(kept) == "沿用 张江科技园"
    assert slots(page)["filters"] == {"park_id": ["P001"]}
    assert slots(page)["time"] == ["2026-01-01", "2027-01-01"]
    assert entry.locator(".switch button").count() == 0  # it is no longer the newest
    assert entry.locator(".switch s").count() == 2


def test_all_of_it_is_kept(seen: Seen) -> None:
    page = seen.open()
    seen.ask("8月张江的应收")
    entry = seen.ask("工单数")
    with next_turn(page) as kept:
        entry.get_by_role("button", name="全部沿用").click()
    assert said(kept) == "沿用"
    assert slots(page)["metrics"] == ["order_count"]
    assert slots(page)["filters"] == {"park_id": ["P001"]}
    assert slots(page)["time"] == ["2026-08-01", "2026-09-01"]


def test_a_topic_that_is_only_left_can_be_taken_up_again(seen: Seen) -> None:
    page = seen.open()
    seen.ask("8月张江的应收")
    entry = seen.ask("换个话题")
    assert entry.locator(".switch s").all_inner_texts() == ["张江科技园", "2026年8月"]
    with next_turn(page):
        entry.get_by_role("button", name="全部沿用").click()
    assert slots(page)["filters"] == {"park_id": ["P001"]}


def test_where_nothing_was_dropped_there_is_only_a_line(seen: Seen) -> None:
    seen.open()
    seen.ask("各园区的工单数")
    entry = seen.ask("各行业的租户数")
    assert entry.locator(".switch").count() == 1
    assert entry.locator(".switch-dropped").count() == 0
