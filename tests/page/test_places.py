"""The places around the conversation: the first screen, the list of sessions, the catalogue."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Page, expect

from tests.page.conftest import Seen


def side(page: Page) -> Any:
    """The list of sessions; on a phone it is opened first."""
    menu = page.get_by_role("button", name="会话列表")
    if menu.is_visible() and not page.locator(".side.open").count():
        menu.click()
    return page.get_by_role("navigation", name="会话列表")


def pick(page: Page, title: str, action: str) -> None:
    """Do something with a session by its menu."""
    side(page).get_by_role("button", name=f"“{title}”的更多操作").click()
    page.get_by_role("menuitem", name=action).click()


def visit(seen: Seen, place: str) -> Page:
    """A place that has no composer."""
    seen.page.goto(f"{seen.url}/#/{place}")
    seen.page.locator("main:not([aria-busy=true])").wait_for()
    return seen.page


def wide(page: Page) -> int:
    """By how much the page is wider than its window."""
    return int(page.evaluate("document.documentElement.scrollWidth - innerWidth"))


def test_the_first_screen_has_questions_of_the_layer_that_are_answered(seen: Seen) -> None:
    page = seen.open()
    examples = page.locator(".examples button")
    expect(examples.first).to_have_text("上月应收是多少")
    assert examples.count() == 6
    assert "可以问“园区经营”的 31 个指标" in page.locator(".welcome").inner_text()
    assert (wide(page), page.locator(".scroller").evaluate("box => box.scrollTop")) == (0, 0)
    examples.first.click()
    entry = page.locator(".entry[data-status=done]")
    entry.wait_for()
    assert "应收" in entry.inner_text()
    assert page.locator(".welcome").count() == 0


def test_the_first_screen_in_english(seen: Seen) -> None:
    page = seen.open()
    page.get_by_role("button", name="English").click()
    first = page.locator(".examples button").first
    expect(first).to_have_text("Receivable last month")
    assert "31 metrics of “Park management”: bills" in page.locator(".welcome").inner_text()
    assert wide(page) == 0


def test_a_session_is_renamed_searched_and_stays_after_a_reload(seen: Seen, size: str) -> None:
    page = seen.open()
    seen.ask({"desktop": "滨江8月的实收", "phone": "滨江8月的实收是多少"}[size])
    old = page.locator(".head .title").inner_text()
    new = f"张江 {size} 的会话"
    pick(page, old, "重命名")
    name = page.get_by_role("textbox", name="会话名称")
    expect(name).to_be_focused()
    name.fill("不要这个")
    name.press("Escape")
    expect(side(page).get_by_role("link", name=old)).to_have_count(1)
    pick(page, old, "重命名")
    name.fill(new)
    name.press("Enter")
    link = side(page).get_by_role("link", name=new)
    expect(link).to_have_attribute("aria-current", "page")
    assert page.locator(".head .title").text_content() == new
    page.reload()
    expect(side(page).get_by_role("link", name=new)).to_be_visible()
    search = side(page).get_by_role("searchbox", name="搜索会话标题")
    search.fill(f"{size} 的")
    expect(page.locator(".session")).to_have_count(1)
    search.fill("没有这种标题")
    expect(page.locator(".side-empty")).to_have_text("没有标题里带“没有这种标题”的会话。")
    page.get_by_role("button", name="清空").click()
    expect(side(page).get_by_role("link", name=new)).to_be_visible()
    assert wide(page) == 0


def test_a_session_is_taken_off_the_list(seen: Seen, size: str) -> None:
    page = seen.open()
    seen.ask("收缴率怎么算" if size == "phone" else "欠费怎么算")
    title = page.locator(".head .title").inner_text()
    pick(page, title, "删除")
    dialog = page.get_by_role("dialog", name="删除这个会话？")
    assert "仍留在审计记录里" in dialog.inner_text()
    dialog.press("Escape")
    expect(dialog).to_have_count(0)
    expect(side(page).get_by_role("link", name=title)).to_be_visible()
    pick(page, title, "删除")
    dialog.get_by_role("button", name="删除").click()
    expect(page.locator(".session", has_text=title)).to_have_count(0)
    assert page.evaluate("location.hash") == "#/"
    expect(page.locator(".welcome")).to_have_count(1)
    page.reload()
    page.locator(".examples").wait_for()
    expect(page.locator(".session", has_text=title)).to_have_count(0)


def test_the_drawer_takes_the_focus_and_gives_it_back(seen: Seen, size: str) -> None:
    page = seen.open()
    nav = page.locator("nav.side")
    if size == "desktop":
        assert nav.get_attribute("inert") is None
        return
    assert nav.get_attribute("inert") is not None
    menu = page.get_by_role("button", name="会话列表")
    menu.click()
    expect(nav.get_by_role("button", name="关闭")).to_be_focused()
    assert page.locator(".middle").get_attribute("inert") is not None
    page.keyboard.press("Escape")
    expect(menu).to_be_focused()
    assert nav.get_attribute("inert") is not None
    menu.click()
    nav.get_by_role("link", name="指标目录").click()
    expect(page.locator(".head .title")).to_have_text("指标目录")
    assert nav.get_attribute("inert") is not None


def test_the_catalogue_is_searched_and_a_metric_asks(seen: Seen) -> None:
    page = visit(seen, "catalogue")
    expect(page.get_by_role("tab", name="指标 31")).to_have_attribute("aria-selected", "true")
    assert wide(page) == 0
    page.get_by_role("searchbox", name="搜索指标、维度、说明").fill("收款率")
    expect(page.locator(".metric")).to_have_count(1)
    assert "收缴率 = 实收 ÷ 应收" in page.locator(".metric").inner_text()
    page.get_by_role("searchbox", name="搜索指标、维度、说明").fill("没有这个指标")
    expect(page.locator(".nothing")).to_contain_text("没有找到“没有这个指标”")
    page.get_by_role("searchbox", name="搜索指标、维度、说明").fill("收款率")
    page.get_by_role("button", name="上月各园区收缴率").click()
    composer = page.locator("#composer")
    expect(composer).to_have_value("上月各园区收缴率")
    expect(composer).to_be_focused()
    page.keyboard.press("Enter")
    entry = page.locator(".entry[data-status=done]")
    entry.wait_for()
    assert "各园区 收缴率，共 6 行" in entry.inner_text()


def test_a_dimension_shows_its_values(seen: Seen) -> None:
    page = visit(seen, "catalogue/dimensions")
    parks = page.locator(".dimension").first
    parks.get_by_role("button", name="查看取值").click()
    expect(parks.locator(".values li")).to_have_count(6)
    parks.get_by_role("searchbox", name="搜索园区").fill("张江")
    expect(parks.locator(".values li")).to_have_text(["张江科技园"])
    fees = page.locator(".dimension", has_text="费用类型")
    assert "电费" in fees.inner_text()
    page.get_by_role("tab", name="维度 19").press("ArrowLeft")
    expect(page.get_by_role("tab", name="指标 31")).to_be_focused()
    assert page.evaluate("location.hash") == "#/catalogue"
    assert wide(page) == 0


def test_every_question_of_the_catalogue_is_understood(seen: Seen, size: str) -> None:
    if size == "phone":
        return
    page = visit(seen, "catalogue")
    page.locator(".metric").first.wait_for()
    asked = page.locator(".questions button").all_inner_texts()
    assert len(asked) == 62
    ended = page.evaluate(
        """async (asked) => {
            const post = async (path, body) => (await fetch(path, {method: "POST", body: JSON.stringify(body),
                headers: {"Content-Type": "application/json"}})).json();
            const ended = {};
            for (const question of asked.slice(0, 24)) {
                const { session_id } = await post("/v1/sessions", {});
                ended[question] = (await post(`/v1/sessions/${session_id}/turns`, { question })).outcome;
                await fetch(`/v1/sessions/${session_id}`, {method: "DELETE"});
            }
            return ended;
        }""",
        asked,
    )
    wrong = {text: how for text, how in ended.items() if how not in ("answer", "explain")}
    assert wrong == {}
