"""A real Chromium on the page of a real service.

Debian's browser is used (`apt-get install chromium`), or the one that WENSHU_CHROMIUM names; without one these
tests are skipped, but never where CI is set.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, sync_playwright

from tests.http.served import Served, serving

FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage",
]  # fmt: skip
SIZES = {"desktop": {"width": 1280, "height": 800}, "phone": {"width": 360, "height": 740}}


@pytest.fixture(scope="package")  # no longer: its event loop would stand in the way of other tests
def browser() -> Iterator[Browser]:
    place = os.environ.get("WENSHU_CHROMIUM") or shutil.which("chromium")
    if place is None:
        assert not os.environ.get("CI"), "CI needs chromium"
        pytest.skip("needs Debian's chromium: apt-get install chromium")
    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=place, args=FLAGS)
        yield found
        found.close()


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory, park_database: Path) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("page"), park_database) as found:
        yield found


@pytest.fixture(params=SIZES)
def size(request: pytest.FixtureRequest) -> str:
    return str(request.param)


class Seen:
    """A page that is watched: what it logged, and what it asked of others than the service."""

    def __init__(self, context: BrowserContext, url: str) -> None:
        self.context, self.url = context, url
        self.faults: list[str] = []
        self.page = context.new_page()
        self.page.set_default_timeout(15_000)
        self.page.on("console", self._logged)
        self.page.on("pageerror", lambda error: self.faults.append(str(error)))
        self.page.on("request", lambda asked: self._asked(asked.url))

    def _logged(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.faults.append(message.text)

    def _asked(self, url: str) -> None:
        if not url.startswith((self.url, "blob:", "data:")):
            self.faults.append(f"asked elsewhere: {url}")

    def open(self, place: str = "") -> Page:
        """The page, ready to be asked."""
        self.page.goto(f"{self.url}/{place}")
        self.page.get_by_role("textbox").wait_for()
        return self.page

    def ask(self, text: str) -> Any:
        """Ask, and wait for the turn to end; gives its entry."""
        page = self.page
        count = page.locator(".entry").count()
        page.locator("#composer").fill(text)
        page.keyboard.press("Enter")
        entry = page.locator(".entry").nth(count)
        entry.and_(page.locator("[data-status=done]")).wait_for()
        return entry


@pytest.fixture
def seen(browser: Browser, served: Served, size: str) -> Iterator[Seen]:
    """The page in Chinese, on a desktop and on a phone; nothing may be logged as an error."""
    phone = size == "phone"
    context = browser.new_context(
        viewport=SIZES[size],
        locale="zh-CN",
        has_touch=phone,
        is_mobile=phone,
        accept_downloads=True,
    )
    found = Seen(context, served.url)
    yield found
    faults = found.faults
    context.close()
    assert faults == []
