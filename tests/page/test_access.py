"""For everybody: axe finds nothing serious in any state of the page, and the keyboard reaches everything."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.http.people import people
from tests.http.served import Served, serving
from tests.http.test_streams import slow
from tests.page.conftest import SIZES, Seen

AXE = Path(__file__).parent / "vendor" / "axe.min.js"
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
RUN = """async (rules) => (await axe.run(document, {runOnly: {type: 'tag', values: rules}, resultTypes: ['violations']}))
  .violations.filter((one) => ['serious', 'critical'].includes(one.impact))
  .map((one) => `${one.id}: ${one.nodes.map((node) => node.target.join(' ') + ' ' + (node.any[0]?.message ?? '')).join(' | ')}`)"""

SCHEMES: dict[str, Literal["light", "dark"]] = {"light": "light", "dark": "dark"}


def ask(seen: Seen, text: str) -> None:
    seen.ask(text)


def stopped(seen: Seen, served: Served) -> None:
    """A turn that ends as an error."""
    slow(served, 60)
    seen.page.locator("#composer").fill("上海呢")
    seen.page.keyboard.press("Enter")
    seen.page.get_by_role("button", name="停止").click()
    expect(seen.page.locator(".answer.error")).to_be_visible()


def place(name: str) -> Callable[[Seen, Served], None]:
    def go(seen: Seen, served: Served) -> None:
        seen.page.evaluate(f"location.hash = '#/{name}'")
        seen.page.wait_for_timeout(300)

    return go


def pressed(css: str) -> Callable[[Seen, Served], None]:
    """Open what a button opens, look again, and close it: where there is such a button."""

    def press(seen: Seen, served: Served) -> None:
        button = seen.page.locator(css).last
        if button.count() and button.is_visible():
            button.click()
            seen.page.wait_for_timeout(300)

    return press


def escape(seen: Seen, served: Served) -> None:
    seen.page.keyboard.press("Escape")
    seen.page.wait_for_timeout(150)


# What is looked at, one after the other in one page; after each step that has a name.
STATES: list[tuple[str, Callable[[Seen, Served], None]]] = [
    ("first screen", lambda seen, served: None),
    ("answer", lambda seen, served: ask(seen, "8月张江的应收")),
    ("table", lambda seen, served: ask(seen, "8月各园区应收和实收")),
    ("chip", pressed(".entry .chip button, .entry button.chip")),
    ("", escape),
    ("origin", pressed(".entry button:has-text('怎么来的')")),
    ("", escape),
    ("switch", lambda seen, served: ask(seen, "算了，看看空置房源数")),
    ("decline", lambda seen, served: ask(seen, "天气如何")),
    ("clarification", lambda seen, served: ask(seen, "收费情况怎么样")),
    ("error", stopped),
    ("side", pressed(".head .menu")),
    ("", escape),
    ("catalogue", place("catalogue")),
    ("evaluations", place("evaluations")),
]


@pytest.fixture
def looked(
    browser: Browser, served: Served, size: str, request: pytest.FixtureRequest
) -> Iterator[Seen]:
    """The page where axe may be put in, in one of both schemes."""
    phone = size == "phone"
    context = browser.new_context(
        viewport=SIZES[size],
        locale="zh-CN",
        color_scheme=SCHEMES[request.param],
        has_touch=phone,
        is_mobile=phone,
        bypass_csp=True,
        reduced_motion="reduce",  # a colour in the middle of a change is nobody's choice
    )
    yield Seen(context, served.url)
    context.close()


def serious(page: Page) -> list[str]:
    if not page.evaluate("() => 'axe' in window"):
        page.add_script_tag(path=AXE)
    found = page.evaluate(RUN, RULES)
    assert isinstance(found, list)
    return found


@pytest.mark.parametrize("looked", SCHEMES, indirect=True)
def test_axe_finds_nothing_serious(looked: Seen, served: Served) -> None:
    looked.open()
    found = {}
    for name, step in STATES:
        step(looked, served)
        if name and (faults := serious(looked.page)):
            found[name] = faults
    assert found == {}


@pytest.mark.parametrize("scheme", SCHEMES)
def test_axe_finds_nothing_serious_where_a_key_is_asked_for(
    browser: Browser, tmp_path: Path, park_database: Path, scheme: str
) -> None:
    keys = people(tmp_path)
    with serving(tmp_path, park_database) as served:
        context = browser.new_context(locale="zh-CN", color_scheme=SCHEMES[scheme], bypass_csp=True)
        page = context.new_page()
        page.goto(served.url)
        dialog = page.get_by_role("dialog")
        dialog.wait_for()
        assert serious(page) == []
        expect(dialog.get_by_label("密钥")).to_be_focused()
        dialog.get_by_label("密钥").fill(keys["unknown"])
        page.keyboard.press("Enter")
        expect(dialog).to_contain_text("密钥不对")
        assert serious(page) == []
        context.close()


FOCUSED = """() => {
  const one = document.activeElement, look = getComputedStyle(one);
  return [one.id || one.getAttribute('aria-label') || one.textContent.trim(),
    look.outlineStyle !== 'none' && parseFloat(look.outlineWidth) >= 1 || look.boxShadow !== 'none'];
}"""


def test_the_keyboard_reaches_everything(seen: Seen) -> None:
    """In the order in which it is read, the focus seen everywhere; the first stop leads to the question."""
    page = seen.open()
    seen.ask("8月张江的应收")
    page.locator(".skip").focus()
    assert page.locator(".skip").bounding_box()["y"] >= 0  # type: ignore[index]
    page.keyboard.press("Enter")
    expect(page.locator("#composer")).to_be_focused()
    page.keyboard.type("临港呢")
    page.locator(".skip").focus()
    order: list[str] = []
    for _ in range(80):
        page.keyboard.press("Tab")
        name, visible = page.evaluate(FOCUSED)
        assert visible, f"the focus is not seen on {name}"
        order.append(name)
        if name == "发送":
            break
    steps = ["新会话", "English", re.compile("外观"), "同比", "composer", "发送"]
    at = 0
    for step in steps:
        at = next(n for n in range(at, len(order)) if re.search(step, order[n])) + 1
    page.keyboard.press("Enter")
    expect(page.locator(".entry[data-status=done]")).to_have_count(2)


def test_what_is_pressed_is_large_enough(seen: Seen, size: str) -> None:
    """36 pixels where a finger presses, 24 for a mouse (WCAG 2.5.8)."""
    page = seen.open()
    seen.ask("8月张江的应收")
    small = page.evaluate(
        """(least) => [...document.querySelectorAll('button, summary, select, input:not([type=hidden])')]
          .map((one) => [one, one.getBoundingClientRect()]).filter(([, box]) => box.width > 1 && (box.height < least || box.width < least))
          .map(([one, box]) => `${one.className} ${one.textContent.trim()} ${Math.round(box.width)}x${Math.round(box.height)}`)""",
        36 if size == "phone" else 24,
    )
    assert small == []


def test_nothing_moves_for_who_wants_that(browser: Browser, served: Served) -> None:
    context = browser.new_context(reduced_motion="reduce", locale="zh-CN")
    page = context.new_page()
    page.goto(served.url)
    page.locator("#composer").wait_for()
    page.evaluate(
        "() => document.body.append(Object.assign(document.createElement('div'), {className: 'skeleton'}))"
    )
    moving = page.evaluate(
        """() => [...document.querySelectorAll('*')].filter((one) => {
          const look = getComputedStyle(one); return look.animationName !== 'none' || look.transitionDuration !== '0s' && look.transitionProperty !== 'none';
        }).length"""
    )
    assert moving == 0
    context.close()
