"""Links to a turn: shown to whoever may see it, asked again under the viewer's own policy by everybody else."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.http.people import People, people
from tests.http.served import Served, ask, serving
from tests.page.conftest import SIZES, Seen

As = Callable[[str], Seen]
GONE = "00000000-0000-0000-0000-000000000000"


@pytest.fixture(scope="module")
def guarded(
    tmp_path_factory: pytest.TempPathFactory, park_database: Path
) -> Iterator[tuple[Served, People]]:
    """A service with keys: ann sees Zhangjiang, bob Lingang, an auditor what was recorded."""
    home = tmp_path_factory.mktemp("links")
    database = Path(shutil.copy(park_database, home / "park.duckdb"))
    keys = people(home)
    with serving(home, database) as found:
        yield found, keys


@pytest.fixture
def seen_as(browser: Browser, guarded: tuple[Served, People], size: str) -> Iterator[As]:
    """The page as somebody sees it, signed in. An answer of 404, which the browser itself logs, is no fault."""
    served, keys = guarded
    watched: list[Seen] = []
    with ExitStack() as stack:

        def opened(who: str) -> Seen:
            phone = size == "phone"
            context = browser.new_context(
                viewport=SIZES[size], locale="zh-CN", has_touch=phone, is_mobile=phone
            )
            stack.callback(context.close)
            context.grant_permissions(["clipboard-read", "clipboard-write"])
            context.add_init_script(f"sessionStorage.setItem('wenshu.key', '{keys[who]}')")
            watched.append(Seen(context, served.url))
            return watched[-1]

        yield opened
    faults = [fault for seen in watched for fault in seen.faults if "404" not in fault]
    assert faults == []


def copied(seen: Seen) -> str:
    """The link of the last turn, by its button."""
    tools = seen.page.locator(".turn-tools").last
    if tools.locator(".more summary").is_visible():
        tools.locator(".more summary").click()
    tools.get_by_role("button", name="复制链接").click()
    expect(seen.page.locator(".notice")).to_contain_text("已复制")
    return str(seen.page.evaluate("navigator.clipboard.readText()"))


def followed(seen: Seen, link: str) -> Page:
    seen.page.goto(link)
    return seen.page


def last_turn(served: Served, key: str) -> dict[str, Any]:
    """The last turn of the newest session of somebody."""
    with served.client(key) as client:
        (newest, *_) = client.get("/v1/sessions").json()["sessions"]
        return dict(client.get(f"/v1/sessions/{newest['session_id']}").json()["history"][-1])


def test_a_colleague_asks_under_a_policy_of_their_own(
    guarded: tuple[Served, People], seen_as: As
) -> None:
    served, keys = guarded
    ann = seen_as("ann")
    ann.open()
    assert "21,545,139.31" in ann.ask("8月的应收").inner_text()
    link = copied(ann)
    assert link.startswith(f"{served.url}/#/t/")
    bob = seen_as("bob")
    page = followed(bob, link)
    note = page.locator(".brought")
    expect(note).to_contain_text("这是同事分享的问题，已按您自己的权限重新查询")
    expect(note.locator(".other")).to_have_count(0)
    text = page.locator(".entry").inner_text()
    assert "9,914,600.46" in text
    assert "21,545,139.31" not in text
    assert "2026年8月 · 应收" in page.locator(".said").inner_text()
    turn = last_turn(served, keys["bob"])
    assert turn["edits"] == last_turn(served, keys["ann"])["edits"]
    assert page.url == f"{served.url}/#/s/{turn['session_id']}"
    page.reload()  # it is a session like any other
    expect(page.locator(".entry")).to_have_count(1)


def test_what_a_policy_hides_is_declined_like_any_question(
    guarded: tuple[Served, People], seen_as: As
) -> None:
    served, keys = guarded
    ann = seen_as("ann")
    ann.open()
    ann.ask("8月张江的应收")
    page = followed(seen_as("bob"), copied(ann))
    expect(page.locator(".entry .answer")).to_have_class("answer decline")
    text = page.locator(".conversation").inner_text()
    assert "21,545,139.31" not in text
    assert "张江" not in text
    turn = last_turn(served, keys["bob"])
    assert (turn["outcome"], turn["reason"]) == ("decline", "not-permitted")


def test_ones_own_link_shows_the_turn_as_it_was(
    guarded: tuple[Served, People], seen_as: As
) -> None:
    ann = seen_as("ann")
    ann.open()
    ann.ask("8月的应收")
    ann.ask("按费用类型")
    words = ann.page.locator(".entry .words").last.inner_text()
    link = copied(ann)
    page = followed(ann, link)
    expect(page.locator(".linked-head")).to_contain_text("按当时的样子显示")
    assert page.locator(".entry .words").inner_text() == words
    page.get_by_role("button", name="在会话中查看").click()
    expect(page.locator(".entry")).to_have_count(2)
    expect(page.locator(".entry.aimed .words")).to_have_text(words)
    page.go_back()
    page.get_by_role("button", name="重新查询").click()
    expect(page.locator(".brought")).to_contain_text("与原来的问题相同")
    assert page.locator(".entry .words").inner_text() == words


def test_an_auditor_sees_it_and_may_not_ask(guarded: tuple[Served, People], seen_as: As) -> None:
    served, keys = guarded
    with served.client(keys["ann"]) as client:
        (turn,) = ask(client, served.session(client), "8月的应收")
    auditor = seen_as("auditor of all")
    page = followed(auditor, f"{served.url}/#/t/{turn['turn_id']}")
    expect(page.locator(".entry .words")).to_contain_text("21,545,139.31")
    page.locator(".entry .origin").click()
    page.get_by_role("button", name="重放核对").click()
    expect(page.locator(".verdict.good")).to_be_visible()
    page.keyboard.press("Escape")
    page.get_by_role("button", name="重新查询").click()
    expect(page.get_by_role("alert")).to_contain_text("您的权限不能做这件事")
    auditor.faults[:] = [fault for fault in auditor.faults if "403" not in fault]


def test_a_link_that_leads_nowhere_says_so(guarded: tuple[Served, People], seen_as: As) -> None:
    served, _ = guarded
    bob = seen_as("bob")
    for broken in ("", "?e=W10", "?e=%%%", "?e=bm90IGpzb24"):
        page = followed(bob, f"{served.url}/#/t/{GONE}{broken}")
        expect(page.locator(".linked .bad")).to_contain_text("不存在，或不属于您")
    page = followed(bob, f"{served.url}/#/t/{GONE}?e=W3sic2xvdCI6ImhhdCJ9XQ")  # of no slot
    expect(page.locator(".entry .bad")).to_be_visible()
    bob.faults[:] = [fault for fault in bob.faults if "422" not in fault]


def test_what_is_understood_otherwise_is_told(guarded: tuple[Served, People], seen_as: As) -> None:
    served, _ = guarded
    page = followed(seen_as("bob"), f"{served.url}/#/t/{GONE}?q=8月应收")
    expect(page.locator(".brought .other")).to_contain_text("与链接里的不完全相同")


def test_groups_that_are_counted_are_passed_on(seen_as: As) -> None:
    ann = seen_as("ann")
    ann.open()
    ann.ask("8月欠费5万以上的租户有几家")
    page = followed(seen_as("bob"), copied(ann))
    expect(page.locator(".brought")).to_contain_text("同事分享")
    expect(page.locator(".entry .words")).to_contain_text("租户个数")
    expect(page.locator(".brought .other")).to_have_count(0)


def test_a_deep_link_is_scrolled_to_after_a_reload(seen: Seen) -> None:
    page = seen.open()
    for question in ("8月张江的应收", "临港呢", "按费用类型", "7月呢", "只看租金"):
        seen.ask(question)
    second = page.locator(".entry").nth(1)
    name = second.get_attribute("id")
    assert name is not None
    place = page.url
    page.goto(f"{place}/t/{name.removeprefix('turn-')}")
    page.reload()
    aimed = page.locator(".entry.aimed")
    expect(aimed).to_have_attribute("id", name)
    expect(aimed).to_be_in_viewport()
    page.wait_for_timeout(300)  # answers grow while they are drawn
    box, frame = aimed.bounding_box(), page.locator(".scroller").bounding_box()
    assert box is not None
    assert frame is not None
    assert frame["y"] - 1 <= box["y"] <= frame["y"] + frame["height"] / 2
