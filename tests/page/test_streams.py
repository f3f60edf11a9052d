"""What can go wrong between the page and the service, and how it is told: cuts, stops, refusals, reloads, keys."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.http.people import People, people
from tests.http.served import Served, serving
from tests.http.test_streams import slow
from tests.page.conftest import Seen
from tests.page.cutting import cutting

ANSWER = "21,545,139.31 元"  # of 8月张江的应收


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A page whose faults are expected: browsers log each request that fails."""
    context = browser.new_context(locale="zh-CN", viewport={"width": 1280, "height": 800})
    found = context.new_page()
    found.set_default_timeout(15_000)
    yield found
    context.close()


@pytest.fixture(scope="module")
def guarded(
    tmp_path_factory: pytest.TempPathFactory, park_database: Path
) -> Iterator[tuple[Served, People]]:
    """A service that knows its users, who may ask forty times a minute."""
    home = tmp_path_factory.mktemp("guarded-page")
    keys = people(home)
    with serving(home, park_database, rate="40/minute") as found:
        yield found, keys


def send(page: Page, text: str) -> None:
    page.locator("#composer").fill(text)
    page.locator("#composer").press("Enter")


@pytest.mark.parametrize("after", [0, 2, 5])
def test_a_stream_that_is_cut_is_taken_up_and_the_turn_is_taken_once(
    page: Page, served: Served, after: int
) -> None:
    with cutting(served.url, after) as way:
        asked: list[tuple[str, str, str]] = []
        page.on(
            "request",
            lambda one: asked.append((one.method, one.url, one.headers.get("last-event-id", ""))),
        )
        page.goto(way.url)
        send(page, "8月张江的应收")
        expect(page.locator(".entry[data-status=done]")).to_contain_text(ANSWER)
        assert way.cut == 1
        session = page.url.rpartition("/")[2]
    posts = [url for method, url, _ in asked if method == "POST" and url.endswith("/turns")]
    resumed = [last for _, url, last in asked if url.endswith("/events")]
    assert (len(posts), len(resumed)) == (1, 1)
    assert int(resumed[0] or 0) <= after  # the last that the browser gave on before it saw the end
    assert bool(resumed[0]) == bool(after)
    with served.client() as client:
        found = client.get(f"/v1/sessions/{session}").json()
    assert [turn["question"] for turn in found["history"]] == ["8月张江的应收"]


def test_a_turn_that_runs_is_stopped_and_the_talk_goes_on(seen: Seen, served: Served) -> None:
    page = seen.open()
    seen.ask("8月张江的应收")
    slow(served, 60)
    send(page, "临港呢")
    page.get_by_role("button", name="停止").click()
    last = page.locator(".entry").last
    expect(last).to_have_attribute("data-status", "done")
    expect(last.locator(".answer.error")).to_be_visible()
    expect(page.get_by_role("button", name="停止")).to_have_count(0)
    assert "9,914,600.46 元" in seen.ask("临港呢").inner_text()


def test_without_a_network_it_says_so_and_tries_again(page: Page, served: Served) -> None:
    page.goto(served.url)
    page.locator("#composer").wait_for()
    page.context.set_offline(True)
    send(page, "8月张江的应收")
    failed = page.get_by_role("alert")
    expect(failed).to_contain_text("连不上服务，请检查网络后再试")
    page.context.set_offline(False)
    failed.get_by_role("button", name="再试一次").click()
    expect(page.locator(".entry[data-status=done]")).to_contain_text(ANSWER)
    page.context.set_offline(True)  # within a session it goes on by itself
    send(page, "临港呢")
    expect(page.locator(".entry").last).to_contain_text("次续接")
    page.context.set_offline(False)
    expect(page.locator(".entry[data-status=done]").last).to_contain_text("9,914,600.46 元")
    expect(page.locator(".entry")).to_have_count(2)


def test_another_tab_is_told_that_a_turn_runs(page: Page, served: Served) -> None:
    page.goto(served.url)
    send(page, "8月张江的应收")
    expect(page.locator(".entry[data-status=done]")).to_have_count(1)
    other = page.context.new_page()
    other.goto(page.url)
    expect(other.locator(".entry")).to_have_count(1)
    slow(served, 60)
    send(page, "临港呢")
    expect(page.get_by_role("button", name="停止")).to_be_visible()
    expect(page.locator(".entry").last).to_contain_text("正在查询数据")
    send(other, "上海呢")
    expect(other.get_by_role("alert")).to_contain_text("上一轮还在进行，请稍候")
    page.get_by_role("button", name="停止").click()
    expect(page.locator(".entry[data-status=done]")).to_have_count(2)


def test_a_conversation_is_there_again_after_a_reload(seen: Seen) -> None:
    page = seen.open()
    seen.ask("8月张江的应收")
    seen.ask("临港呢")
    before = [text.strip() for text in page.locator(".entry .said").all_inner_texts()]
    page.reload()
    expect(page.locator(".entry")).to_have_count(2)
    assert [text.strip() for text in page.locator(".entry .said").all_inner_texts()] == before
    assert "9,914,600.46 元" in page.locator(".entry").last.inner_text()
    assert "2026年7月 临港智造园" in seen.ask("7月呢").inner_text()


def test_a_key_is_asked_for_and_kept_in_this_tab_alone(
    page: Page, guarded: tuple[Served, People]
) -> None:
    served, keys = guarded
    urls: list[str] = []
    page.on("request", lambda one: urls.append(one.url))
    page.goto(served.url)
    dialog = page.get_by_role("dialog", name="请输入访问密钥")
    dialog.get_by_label("密钥").fill(keys["unknown"])
    dialog.get_by_role("button", name="进入").click()
    expect(dialog).to_contain_text("密钥不对，或已过期")
    dialog.get_by_label("密钥").fill(keys["ann"])
    dialog.get_by_role("button", name="进入").click()
    expect(dialog).to_have_count(0)
    send(page, "8月张江的应收")
    expect(page.locator(".entry[data-status=done]")).to_contain_text(ANSWER)
    page.reload()
    expect(page.locator(".entry")).to_have_count(1)
    secret = keys["ann"][16:]
    assert not any(secret in url for url in [*urls, page.url])
    kept = page.evaluate(
        "() => [JSON.stringify({...localStorage}), document.cookie, document.documentElement.outerHTML]"
    )
    assert not any(secret in text for text in kept)
    other = page.context.new_page()  # another tab has to be told
    other.goto(served.url)
    expect(other.get_by_role("dialog", name="请输入访问密钥")).to_be_visible()
    page.get_by_role("button", name="退出").click()
    expect(page.get_by_role("dialog", name="请输入访问密钥")).to_be_visible()


def test_who_asks_too_often_is_told_how_long_to_wait(
    page: Page, guarded: tuple[Served, People]
) -> None:
    served, keys = guarded
    page.add_init_script(f"sessionStorage.setItem('wenshu.key', {json.dumps(keys['bob'])})")
    page.goto(served.url)
    send(page, "8月应收")
    expect(page.locator(".entry[data-status=done]")).to_have_count(1)
    with served.client(keys["bob"]) as client:
        answers = [client.get("/v1/catalogue").status_code for _ in range(41)]
    assert answers[-1] == 429
    send(page, "7月呢")
    told = page.get_by_role("alert")
    expect(told).to_contain_text("问得太快了，请")
    assert 0 < int("".join(letter for letter in told.inner_text() if letter.isdigit())[:2]) <= 61
