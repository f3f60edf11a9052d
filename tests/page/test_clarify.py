"""A question back, and each way to answer it."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.page.conftest import Seen
from tests.page.reading import next_turn, said, slots, turn

WHERE = "1号楼的空置面积"


def test_a_click(seen: Seen) -> None:
    page = seen.open()
    asked = seen.ask(WHERE)
    assert asked.locator(".question").inner_text() == "“1号楼”在哪个园区？"
    options = asked.locator(".option")
    assert options.all_inner_texts()[:2] == ["1\n张江科技园", "2\n临港智造园"]
    with next_turn(page) as entry:
        options.nth(1).click()
    assert said(entry) == "临港智造园"
    assert slots(page)["filters"] == {"park_id": ["P002"], "building_no": ["1号楼"]}
    assert entry.locator(".chip.from-clarified").inner_text().strip() == "临港智造园"
    assert asked.locator("button.option, .replies").count() == 0  # it was answered
    assert asked.locator(".options.past li").count() == 6


@pytest.mark.parametrize(
    ("text", "parks"),
    [
        ("2", ["P002"]),
        ("第二个", ["P002"]),
        ("滨江", ["P004"]),
        ("张江和临港", ["P001", "P002"]),
        ("都要", ["P001", "P002", "P003", "P004", "P005", "P006"]),
        ("随便", ["P001"]),
    ],
)
def test_a_reply_in_words(seen: Seen, text: str, parks: list[str]) -> None:
    page = seen.open()
    seen.ask(WHERE)
    seen.ask(text)
    assert slots(page)["filters"] == {"park_id": parks, "building_no": ["1号楼"]}


def test_all_some_and_the_default_by_buttons(seen: Seen) -> None:
    page = seen.open()
    asked = seen.ask("收费情况怎么样")
    with next_turn(page) as entry:
        asked.get_by_role("button", name="都要").click()
    assert said(entry) == "都要"
    assert slots(page)["metrics"] == ["receivable_amount", "received_amount", "collection_rate"]
    page.get_by_role("button", name="新会话").first.click()
    asked = seen.ask(WHERE)
    asked.get_by_role("button", name="选几个").click()
    asked.get_by_label("张江科技园").check()
    asked.get_by_label("滨江数字园").check()
    with next_turn(page) as entry:
        asked.get_by_role("button", name="就这些（2）").click()
    assert said(entry) == "张江科技园、滨江数字园"
    assert slots(page)["filters"]["park_id"] == ["P001", "P004"]
    page.get_by_role("button", name="新会话").first.click()
    asked = seen.ask(WHERE)
    with next_turn(page) as entry:
        asked.get_by_role("button", name="按默认").click()
    assert slots(page)["filters"]["park_id"] == ["P001"]


def test_a_digit_picks_while_nothing_is_typed(seen: Seen) -> None:
    page = seen.open()
    seen.ask(WHERE)
    page.locator("#composer").fill("")
    page.keyboard.type("3")  # in the composer it is the beginning of what is typed
    assert page.locator("#composer").input_value() == "3"
    page.locator("#composer").fill("")
    page.locator(".option").first.focus()
    with next_turn(page):
        page.keyboard.press("3")
    assert slots(page)["filters"]["park_id"] == ["P003"]


def test_a_new_question_instead(seen: Seen) -> None:
    page = seen.open()
    asked = seen.ask(WHERE)
    seen.ask("8月的应收")
    assert (turn(page)["outcome"], slots(page)["filters"]) == ("answer", {})
    assert asked.locator("button.option").count() == 0


def test_talk_leaves_the_question_open(seen: Seen) -> None:
    page = seen.open()
    asked = seen.ask(WHERE)
    seen.ask("谢谢")
    seen.ask("咕噜咕噜")
    assert turn(page)["reason"] == "unread"
    with next_turn(page):
        asked.locator(".option").nth(3).click()
    assert slots(page)["filters"]["park_id"] == ["P004"]


def test_candidates_that_are_not_listed_are_searched(seen: Seen) -> None:
    page = seen.open()
    asked = seen.ask("科技的欠费")
    asked.get_by_role("button", name="还有 44 个，搜索…").click()
    box = asked.get_by_role("searchbox", name="在全部候选中搜索")
    expect(box).to_be_focused()
    box.fill("没有这一家")
    expect(asked.get_by_text("没有符合的")).to_be_visible()
    box.fill("智元金融科技有限")
    found = asked.locator(".found .option")
    expect(found).to_have_count(1)
    with next_turn(page) as entry:
        found.click()
    assert said(entry) == "租户：智元金融科技有限公司"
    assert slots(page)["filters"] == {"tenant_id": ["T00142"]}
