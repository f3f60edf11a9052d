"""Evaluations on the page: a set is run, its scores and its failure are shown."""

from __future__ import annotations

import json
import re
from pathlib import Path

from playwright.sync_api import expect

from api.evaluating.wording import words
from tests.page.conftest import Seen

ROOT = Path(__file__).parents[2]
SET = """
set: small
clock: 2026-09-28
timezone: Asia/Shanghai
dialogues:
  - id: wrong
    lang: zh
    tags: [money]
    turns:
      - ask: 8月应收
        expect: answer
        sql: select 1.5 as receivable_amount
  - id: right
    lang: zh
    tags: [talk]
    turns:
      - ask: 你好
        expect: chat
"""


def test_a_set_is_run_and_its_failure_shown(seen: Seen, size: str) -> None:
    page = seen.page
    page.goto(f"{seen.url}/#/evaluations")
    start = page.get_by_role("button", name="开始评测")
    expect(start).to_be_disabled()
    chooser = page.locator("input[type=file]")
    chooser.set_input_files(
        [{"name": "small.yaml", "mimeType": "text/yaml", "buffer": SET.encode()}]
    )
    expect(page.locator(".pick")).to_have_text("small.yaml")
    start.click()
    expect(page.locator(".run-head .tag")).to_have_text("已完成", timeout=60_000)
    assert (
        "2 段对话，2 轮：1 轮符合预期，1 轮不符合，其中 1 轮悄悄答错。"
        in page.locator("main").inner_text()
    )
    values = page.locator(".score-value").all_inner_texts()
    assert [value.replace("\u00a0", " ") for value in values] == ["50 %", "50 %", "100 %", "0 %"]
    failure = page.locator(".failure")
    expect(failure).to_have_count(1)
    assert failure.locator(".reason").inner_text() == "数值不对"
    failure.locator("summary").first.click()
    assert "1.5" in failure.locator(".sides section").first.inner_text()
    assert "59,823,081.64 元" in failure.locator(".sides .got").inner_text()
    page.get_by_role("combobox", name="标签").select_option("money")
    expect(page.locator(".filters [role=status]")).to_have_text("显示 1 / 1")
    page.get_by_text("按标签", exact=True).click()
    assert "money" in page.locator(".report").inner_text()
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") == 0
    with page.expect_download() as got:
        page.get_by_role("button", name="下载完整报告（HTML）").click()
    assert "<!doctype html>" in Path(got.value.path()).read_text("utf-8")
    page.get_by_role("link", name="全部评测").click()
    expect(page.locator(".runs li").first).to_contain_text("2 轮")


def test_the_page_has_the_words_of_reports() -> None:
    """Reasons and scores are told alike on the page and in reports."""
    text = (ROOT / "api/page/static/words/places.js").read_text("utf-8")
    told = {
        match[1]: [json.loads(match[2]), json.loads(match[3])]
        for match in re.finditer(r'^  "((?:code|score)\.[\w-]+)": \[(".*"), (".*")\],$', text, re.M)
    }
    zh, en = words("zh"), words("en")
    wanted = {key: [zh[key], en[key]] for key in zh if key.startswith(("code.", "score."))}
    assert told == wanted
