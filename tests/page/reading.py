"""What a page knows of a turn, and waiting for the next one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from playwright.sync_api import Locator, Page

NEWEST = "async () => (await import('/page/lib/store.js')).newest.value"


def turn(page: Page) -> dict[str, Any]:
    """The newest turn, as the service gave it."""
    found: dict[str, Any] = page.evaluate(NEWEST)
    return found


def slots(page: Page) -> dict[str, Any]:
    """The slots of the newest turn."""
    found: dict[str, Any] = turn(page)["slots"]
    return found


@contextmanager
def next_turn(page: Page) -> Iterator[Locator]:
    """The entry that what is done within brings; it has ended when this is left."""
    count = page.locator(".entry").count()
    entry = page.locator(".entry").nth(count)
    yield entry
    entry.and_(page.locator("[data-status=done]")).wait_for()


def said(entry: Locator) -> str:
    """What a turn shows as said by the user."""
    return entry.locator(".said p").inner_text()


def chip(page: Page, words: str) -> Locator:
    """The chip of the newest turn that holds some words."""
    return page.locator(".entry").last.locator(".chip").filter(has_text=words)


def shown(page: Page) -> list[str]:
    """The chips of the newest turn, as they are read."""
    chips = page.locator(".entry").last.locator(".chip-main > span:not(.sr)")
    return chips.all_inner_texts()


def open_chip(page: Page, words: str) -> Locator:
    """The editor of a chip."""
    chip(page, words).locator("button.chip-main").click()
    return page.get_by_role("dialog")


def add(page: Page, kind: str) -> Locator:
    """The editor of what `+` adds, by the beginning of its name."""
    page.get_by_role("button", name="添加", exact=True).click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name=kind).first.click()
    return dialog


def apply(dialog: Locator, name: str = "应用") -> None:
    """Apply what an editor holds."""
    dialog.locator(".editor-apply").get_by_role("button", name=name).last.click()
