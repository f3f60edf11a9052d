"""The chat within another site's page: put there by one tag, let in by its key, and by nobody else."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, FrameLocator, Page, Request, expect

from api.identity.keys import KeyFile, Wanted
from tests.http.people import NOW, at
from tests.http.served import Served, ask, serving
from tests.page.conftest import SIZES
from tests.page.guests import Site, site

ANSWER = "21,545,139.31 元"  # of 8月张江的应收


@dataclass(frozen=True)
class Portal:
    """A site that the chat may be put into, one that it may not, the service, and the key."""

    served: Served
    keys: KeyFile
    site: Site
    foreign: Site
    key: str

    def tag(self, more: str = "", key: str = "") -> str:
        """The tag that puts it there."""
        return f'<script src="{self.served.url}/embed.js" data-key="{key or self.key}" {more} async></script>'


@pytest.fixture(scope="module")
def portal(tmp_path_factory: pytest.TempPathFactory, park_database: Path) -> Iterator[Portal]:
    home = tmp_path_factory.mktemp("portal")
    keys = KeyFile(home / "keys.json")
    with site() as own, site() as foreign:
        wanted = Wanted("portal", ("embed",), attributes=at("P001"), origins=(own.origin,))
        _, key = keys.add(wanted, NOW)
        with serving(home, park_database) as served:
            yield Portal(served, keys, own, foreign, key)


@dataclass
class Guest:
    """A browser's tab on a page around the chat, and what it asked for."""

    context: BrowserContext
    page: Page
    asked: list[Request] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)

    @property
    def chat(self) -> FrameLocator:
        """What is within the frame."""
        return self.page.frame_locator("iframe")

    def ask(self, text: str) -> str:
        """Ask in the frame; gives what the turn shows at its end."""
        count = self.chat.locator(".entry").count()
        self.chat.locator("#composer").fill(text)
        self.chat.locator("#composer").press("Enter")
        entry = self.chat.locator(".entry").nth(count)
        entry.and_(self.chat.locator("[data-status=done]")).wait_for()
        return entry.inner_text()


@pytest.fixture
def guest(browser: Browser, size: str) -> Iterator[Guest]:
    phone = size == "phone"
    context = browser.new_context(
        viewport=SIZES[size], locale="zh-CN", has_touch=phone, is_mobile=phone
    )
    page = context.new_page()
    page.set_default_timeout(15_000)
    found = Guest(context, page)
    page.on("request", lambda asked: found.asked.append(asked))
    page.on(
        "console",
        lambda told: found.faults.append(told.text) if told.type in ("error", "warning") else None,
    )
    page.on("pageerror", lambda error: found.faults.append(str(error)))
    yield found
    context.close()


def test_a_button_opens_the_chat_and_it_answers(portal: Portal, guest: Guest) -> None:
    page = guest.page
    tag = portal.tag('data-title="园区问数"')
    page.goto(portal.site.put("/", f"<h1>门户</h1>{tag}"))
    button = page.get_by_role("button", name="园区问数")
    expect(button).to_have_attribute("aria-expanded", "false")
    assert page.locator("iframe").count() == 0  # nothing is loaded before it is wanted
    button.click()
    expect(guest.chat.get_by_role("heading", name="园区问数")).to_be_visible()
    expect(guest.chat.locator("#composer")).to_be_focused()
    assert ANSWER in guest.ask("8月张江的应收")
    page.reload()  # the talk goes on
    page.get_by_role("button", name="园区问数").click()
    expect(guest.chat.locator(".entry")).to_have_count(1)
    assert ANSWER in guest.chat.locator(".entry").inner_text()
    assert "P001" not in guest.ask("那这个月呢")
    guest.chat.get_by_role("button", name="新会话").click()
    expect(guest.chat.locator(".entry")).to_have_count(0)
    guest.chat.locator("#composer").press("Escape")
    expect(page.locator("iframe")).to_be_hidden()
    expect(page.get_by_role("button", name="园区问数")).to_be_focused()
    assert guest.faults == []
    kept_secret(portal, guest)


def kept_secret(portal: Portal, guest: Guest) -> None:
    """The key went to the service in a header, and nowhere else; no list of sessions was asked for."""
    own = [asked for asked in guest.asked if "/v1/" in asked.url]
    assert own
    for asked in own:
        assert asked.headers["authorization"] == f"Bearer {portal.key}"
        assert asked.headers["x-wenshu-host"] == portal.site.origin
        assert not (asked.method == "GET" and asked.url.endswith("/v1/sessions"))
    secret = portal.key[16:]  # after wenshu_ and the id
    assert not any(secret in asked.url for asked in guest.asked)
    assert not any(
        "authorization" in asked.headers for asked in guest.asked if "/v1/" not in asked.url
    )
    assert not any(secret in frame.url for frame in guest.page.frames)
    around = guest.page.evaluate(
        "() => { const page = document.documentElement.cloneNode(true); page.querySelectorAll('script').forEach((one) => one.remove());"
        " const drawn = [...document.querySelectorAll('[data-wenshu]')].map((one) => one.shadowRoot.innerHTML);"
        " return [page.outerHTML, ...drawn, JSON.stringify({...localStorage}), JSON.stringify({...sessionStorage})].join() }"
    )
    assert "<iframe" in around
    assert secret not in around


def test_it_stands_in_a_place_of_the_page(portal: Portal, guest: Guest) -> None:
    body = '<div id="here" data-wide></div>' + portal.tag(
        'data-target="#here" data-lang="en" data-theme="dark" data-color="#ffd400"'
    )
    guest.page.goto(portal.site.put("/inline", body))
    chat = guest.chat
    expect(chat.get_by_role("heading", name="Wenshu")).to_be_visible()
    assert chat.locator("html").get_attribute("lang") == "en"
    assert chat.locator("html").get_attribute("data-theme") == "dark"
    assert chat.get_by_role("button", name="Hide").count() == 0
    assert "21,545,139.31" in guest.ask("receivable of Zhangjiang in August 2026")
    chat.locator("#composer").fill("and Lingang?")
    look = chat.get_by_role("button", name="Send").evaluate(
        "(one) => [getComputedStyle(one).backgroundColor, getComputedStyle(one).color]"
    )
    assert look == ["rgb(255, 212, 0)", "rgb(6, 18, 15)"]  # dark on yellow
    assert (
        guest.page.locator("iframe").evaluate("(one) => one.getBoundingClientRect().height") >= 400
    )
    assert guest.faults == []


def test_a_page_of_another_site_is_refused_by_the_browser(portal: Portal, guest: Guest) -> None:
    guest.page.goto(portal.foreign.put("/", portal.tag()))
    with guest.page.expect_console_message(lambda told: "frame-ancestors" in told.text):
        guest.page.get_by_role("button", name="问数").click()
    assert not any("/v1/" in asked.url for asked in guest.asked)


def test_what_a_frame_that_nobody_framed_does(portal: Portal, guest: Guest) -> None:
    """Opened by itself it has nobody to get a key from, and asks nothing."""
    guest.page.goto(f"{portal.served.url}/embed")
    guest.page.evaluate(
        "postMessage({wenshu: 'begin', key: 'wenshu_x'}, '*')"
    )  # its parent is itself
    guest.page.wait_for_timeout(200)
    assert not any("/v1/" in asked.url for asked in guest.asked)
    assert guest.page.locator("#app").inner_html() == ""


def test_a_key_that_is_revoked_says_so_and_lets_nobody_frame_the_chat(
    portal: Portal, guest: Guest
) -> None:
    wanted = Wanted("short", ("embed",), attributes=at("P001"), origins=(portal.foreign.origin,))
    made, key = portal.keys.add(wanted, NOW)
    assert portal.foreign.origin in framed_by(portal)
    guest.page.goto(portal.foreign.put("/short", portal.tag(key=key)))
    guest.page.get_by_role("button", name="问数").click()
    assert ANSWER in guest.ask("8月张江的应收")
    portal.keys.revoke(made.id, NOW)
    guest.chat.locator("#composer").fill("临港呢")
    guest.chat.locator("#composer").press("Enter")
    expect(guest.chat.get_by_role("alert")).to_contain_text("此处的问数暂时无法使用")
    assert portal.foreign.origin not in framed_by(portal)


def framed_by(portal: Portal) -> str:
    with portal.served.client() as client:
        answer = client.get("/embed")
    assert "x-frame-options" not in answer.headers
    policy = dict(
        part.strip().split(" ", 1) for part in answer.headers["content-security-policy"].split(";")
    )
    return policy["frame-ancestors"]


def test_who_may_frame_what(portal: Portal, served: Served) -> None:
    assert framed_by(portal) == portal.site.origin
    with portal.served.client() as client:
        page = client.get("/")
    assert "frame-ancestors 'none'" in page.headers["content-security-policy"]
    assert page.headers["x-frame-options"] == "DENY"
    with served.client() as client:  # open mode: there are no keys
        assert "frame-ancestors 'none'" in client.get("/embed").headers["content-security-policy"]


def test_nothing_is_offered_that_the_key_may_not_do(portal: Portal, guest: Guest) -> None:
    """No list, no catalogue, no link to a turn, no replay, no bundle; where a number came from is told."""
    guest.page.goto(portal.site.put("/offered", portal.tag('data-target="body"')))
    expect(guest.chat.get_by_role("link")).to_have_count(0)
    guest.ask("8月张江的应收")
    origin = guest.chat.get_by_role("button", name="怎么来的")
    if origin.count():
        origin.click()
        expect(guest.chat.get_by_text("SUM(").first).to_be_attached()
    expect(guest.chat.get_by_role("link")).to_have_count(0)
    refused = re.compile("链接|重放|重算|证明|导出|下载证|会话列表")
    assert guest.chat.get_by_role("button", name=refused).all_inner_texts() == []
    assert guest.faults == []


@pytest.mark.parametrize("host", ["foreign", "", "null", "both"])
def test_the_service_asks_which_page_is_around(portal: Portal, host: str) -> None:
    sent = {
        "foreign": portal.foreign.origin,
        "both": f"{portal.site.origin}, {portal.foreign.origin}",
    }.get(host, host)
    headers = {"X-Wenshu-Host": sent} if sent else {}
    with portal.served.client(portal.key, **headers) as client:
        answer = client.post("/v1/sessions")
    assert (answer.status_code, answer.json()["detail"]) == (
        401,
        "the API key is for pages elsewhere",
    )


def test_visitors_share_a_key_and_not_their_sessions(portal: Portal) -> None:
    with portal.served.client(portal.key, **{"X-Wenshu-Host": portal.site.origin}) as client:
        session = portal.served.session(client)
        (turn,) = ask(client, session, "8月张江的应收")
        assert ANSWER in turn["text"]
        assert client.get(f"/v1/sessions/{session}").json()["turns"] == 1  # whoever knows its id
        listed = client.get("/v1/sessions")
        assert (listed.status_code, listed.json()["code"]) == (403, "forbidden")
