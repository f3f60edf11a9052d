"""Both languages: every word of the page has two, every word that is used is there, and the page changes between them."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from api.page.preloads import STATIC
from tests.page.conftest import Seen

CHINESE = re.compile(r"[\u3400-\u9fff]")
ENTRY = re.compile(
    r'^\s*"([^"]+)":\s*\[\s*"((?:[^"\\]|\\.)*)"\s*,\s*"((?:[^"\\]|\\.)*)"\s*\],?\s*$'
)
USED = re.compile(r'\b(?:t|known)\(\s*"([^"]+)"')
MADE = re.compile(r"\b(?:t|known)\(\s*`([^`$]*)\$\{")  # `problem.${code}`: some key begins so
CHOSEN = re.compile(r'\bt\(\s*[^"`()]*\?\s*"([^"]+)"\s*:\s*"([^"]+)"')


def words() -> Iterator[tuple[str, str, str, str]]:
    """Every entry: its file, key, Chinese, English."""
    for path in sorted((STATIC / "words").glob("*.js")):
        for line in path.read_text("utf-8").splitlines():
            if not line.strip() or line.startswith(("//", "export default", "}")):
                continue
            found = ENTRY.match(line)
            assert found, f"{path.name}: one entry a line, both languages: {line.strip()}"
            yield path.name, found[1], found[2], found[3]


def test_every_word_has_both_languages_and_is_there_once() -> None:
    seen: dict[str, str] = {}
    for file, key, chinese, english in words():
        assert key not in seen, f"{key} is in {seen.get(key)} and {file}"
        seen[key] = file
        assert chinese, key
        assert english, key
        if key != "language":  # which names the other one
            assert not CHINESE.search(english), key
        facts = [sorted(set(re.findall(r"\{(\w+)\}", text))) for text in (chinese, english)]
        assert facts[0] == facts[1], f"{key} has other facts in English"
    assert len(seen) > 60


def test_every_word_that_is_used_is_there() -> None:
    known = {key for _, key, _, _ in words()}
    for path in sorted(STATIC.rglob("*.js")):
        if "vendor" in path.parts or "words" in path.parts:
            continue
        text = path.read_text("utf-8")
        chosen = {key for pair in CHOSEN.findall(text) for key in pair}
        assert {*USED.findall(text), *chosen} - known == set(), path.name
        for begun in MADE.findall(text):
            assert any(key.startswith(begun) for key in known), f"{path.name}: {begun}…"


def test_no_view_has_words_in_one_language_alone() -> None:
    """What is no text but a form of numbers and days may stand in code: both languages side by side."""
    for path in sorted([*(STATIC / "views").glob("*.js"), *(STATIC / "lib").glob("*.js")]):
        code = re.sub(r"/\*.*?\*/|(?<!:)//[^\n]*", "", path.read_text("utf-8"), flags=re.DOTALL)
        alone = [
            line for line in code.splitlines() if CHINESE.search(line) and '"zh" ?' not in line
        ]
        assert alone == [], path.name


FRAME = """() => {
  const said = [];
  const seen = (node) => {
    if (node.nodeType === Node.TEXT_NODE) said.push(node.data);
    if (node.nodeType !== Node.ELEMENT_NODE || node.closest('noscript, script, .entry, .side li, .welcome, [data-own]')) return;
    for (const name of ['aria-label', 'title', 'placeholder', 'alt']) said.push(node.getAttribute(name) ?? '');
    node.childNodes.forEach(seen);
  };
  seen(document.body);
  return said.map((text) => text.trim()).filter(Boolean);
}"""


def test_the_page_changes_its_language(seen: Seen) -> None:
    """All of the frame; what was asked and answered stays as it was."""
    page = seen.open()
    assert page.locator("html").get_attribute("lang") == "zh-CN"
    first = seen.ask("8月张江的应收")
    page.get_by_role("button", name="English").click()
    page.wait_for_function("() => document.documentElement.lang === 'en'")
    assert page.get_by_role("textbox", name="Ask a question").get_attribute("placeholder")
    told = page.evaluate(FRAME)
    assert "Conversation" in told
    mine = {"中文", "8月张江的应收"}  # the way back, and the title that the user's question gave
    assert [text for text in told if CHINESE.search(text) and text not in mine] == []
    assert "应收：21,545,139.31 元" in first.inner_text()
    assert "receivable" in seen.ask("receivable of Lingang in August").inner_text().lower()
    page.reload()
    page.get_by_role("textbox").wait_for()
    assert page.locator("html").get_attribute("lang") == "en"  # it is remembered
    page.get_by_role("button", name="中文").click()
    page.wait_for_function("() => document.documentElement.lang === 'zh-CN'")
    assert "输入框" in page.locator(".skip").inner_text()


@pytest.mark.parametrize(("locale", "lang"), [("zh-TW", "zh-CN"), ("fr-FR", "en")])
def test_the_browser_says_which_language_at_first(seen: Seen, locale: str, lang: str) -> None:
    browser = seen.context.browser
    assert browser is not None
    context = browser.new_context(locale=locale)
    page = context.new_page()
    page.goto(seen.url)
    assert page.locator("html").get_attribute("lang") == lang
    context.close()
