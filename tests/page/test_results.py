"""The rows of an answer on the page: figures, a table that sorts, a drawing, files."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path
from typing import Any

import pytest

from tests.page.conftest import Seen

FORTY = """async () => {
  const { render, html } = await import("/page/lib/view.js");
  const { Result } = await import("/page/views/result.js");
  const columns = [{ id: "name", label: "租户", kind: "attribute", unit: null, format: null }];
  for (let at = 0; at < 39; at += 1) columns.push({ id: `m${at}`, label: `指标${at}`, kind: "metric", unit: "元", format: "number" });
  const rows = Array.from({ length: 1000 }, (_, row) => [`有限公司${row}`, ...Array.from({ length: 39 }, (_, at) => String(row * at) + ".50")]);
  const result = { columns, rows, row_count: 5000, truncated: true, chart: null, labels: {} };
  const turn = { lang: "zh", turn_id: "x", record_hash: "y", completed_question: "四十列", chips: [], fresh_to: null, result };
  const box = document.createElement("div");
  document.querySelector(".column").replaceChildren(box);
  render(html`<${Result} turn=${turn} />`, box);
}"""


def column(entry: Any, index: int) -> list[str]:
    return [
        str(text) for text in entry.locator(f"tbody tr > :nth-child({index})").all_inner_texts()
    ]


def fits(seen: Seen) -> None:
    """Nothing is wider than the screen."""
    assert seen.page.evaluate(
        "document.documentElement.scrollWidth <= innerWidth && document.querySelector('.scroller').scrollWidth <= innerWidth"
    )


def test_a_number_is_large_with_its_unit_and_comparison(seen: Seen) -> None:
    seen.open()
    entry = seen.ask("8月张江的应收同比")
    figure = entry.locator(".figure")
    assert figure.locator(".large").inner_text() == "21,545,139.31 元"
    assert figure.locator(".way").inner_text() == "▼ 减少 0.9%（194,840.25 元）"
    assert "去年同期 2025年8月 21,739,979.56 元" in figure.inner_text()
    assert entry.locator(".figures .notes").inner_text() == "数据截至 2026-09-01"
    three = seen.ask("应收、实收和收缴率")
    assert three.locator(".figure dt").all_inner_texts() == ["应收", "实收", "收缴率"]
    assert "个百分点（" in three.locator(".figure").nth(2).inner_text()
    fits(seen)


def test_a_table_has_labels_and_sorts(seen: Seen) -> None:
    seen.open()
    entry = seen.ask("8月各费用类型应收和收缴率，含合计")
    entry.get_by_role("tab", name="表格").click()
    assert entry.locator("thead th").all_inner_texts() == ["费用类型", "应收 元", "收缴率"]
    before = column(entry, 1)
    assert before[-1] == "合计"
    assert set(before) == {"租金", "物业费", "电费", "水费", "停车费", "合计"}
    amounts = column(entry, 2)
    assert all(re.fullmatch(r"[\d,]+\.\d\d", text) for text in amounts)
    head = entry.get_by_role("columnheader", name="应收")
    for way, order in (("descending", -1), ("ascending", 1)):
        head.get_by_role("button").click()
        assert head.get_attribute("aria-sort") == way
        *body, total = column(entry, 2)
        numbers = [float(text.replace(",", "")) for text in body]
        assert numbers == sorted(numbers, key=lambda number: order * number)
        assert total == amounts[-1]  # the total stays last
    head.get_by_role("button").click()
    assert head.get_attribute("aria-sort") is None
    assert column(entry, 1) == before


def test_a_chart_is_drawn_switched_and_read(seen: Seen) -> None:
    seen.open()
    entry = seen.ask("今年各月各园区应收")
    picture = entry.get_by_role("img", name="折线图：应收，9 组")
    picture.and_(entry.locator("[data-state=done]")).wait_for()
    drawing = picture.locator("svg")
    assert "张江科技园" in (drawing.text_content() or "")
    assert "* 2026-09 不满一个周期" in entry.locator("figcaption").inner_text()
    box = picture.bounding_box()
    assert box is not None
    picture.scroll_into_view_if_needed()
    tap = picture.tap if seen.page.evaluate("navigator.maxTouchPoints > 0") else picture.click
    tap(position={"x": box["width"] - 18, "y": box["height"] - 60})
    drawing.get_by_text("20,912,159.76 元", exact=False).first.wait_for()
    entry.get_by_role("button", name="堆叠").click()
    entry.get_by_role("img", name="堆叠图").wait_for()
    fits(seen)


def test_a_drawing_takes_the_colours_of_the_theme(seen: Seen) -> None:
    seen.open()
    entry = seen.ask("8月各园区应收")
    entry.locator("[data-state=done]").wait_for()
    light = entry.locator("svg path[fill='#0f766e']")
    assert light.count() == 6
    seen.page.evaluate(
        "import('/page/lib/store.js').then((store) => { store.theme.value = 'dark'; })"
    )
    entry.locator("svg path[fill='#2dbfb0']").first.wait_for()
    assert light.count() == 0


def test_long_results_are_shown_in_steps_and_saved_whole(seen: Seen, tmp_path: Path) -> None:
    seen.open()
    entry = seen.ask("列出8月的工单")
    assert entry.locator("tbody tr").count() == 100
    assert "共 2,756 行，显示前 1,000 行" in entry.inner_text()
    first = entry.locator("tbody tr").nth(1).locator("th, td").all_inner_texts()
    assert first[0] == "W202608-P001-01116"
    assert first[-1] == "2026-08-01 07:31:22"
    entry.get_by_role("button", name="再显示 100 行").click()
    assert entry.locator("tbody tr").count() == 200
    with seen.page.expect_download() as waited:
        entry.get_by_role("button", name="下载 CSV").click()
    assert waited.value.suggested_filename == "问数 2026年8月 · 工单.csv"
    waited.value.save_as(tmp_path / "rows.csv")
    text = (tmp_path / "rows.csv").read_bytes()[3:].decode()
    assert len(list(csv.reader(io.StringIO(text, newline="")))) == 2757
    with seen.page.expect_download() as waited:
        entry.get_by_role("button", name="下载 Excel").click()
    assert waited.value.suggested_filename == "问数 2026年8月 · 工单.xlsx"
    fits(seen)


@pytest.mark.parametrize("allowed", [True, False], ids=["clipboard", "fallback"])
def test_rows_are_copied_as_they_are_pasted(seen: Seen, allowed: bool) -> None:
    if allowed:
        seen.context.grant_permissions(["clipboard-read", "clipboard-write"])
    else:
        seen.context.add_init_script(
            "Object.defineProperty(navigator, 'clipboard', { value: undefined });"
            "document.addEventListener('copy', () => { window.copied = document.activeElement.value; });"
        )
    seen.open()
    entry = seen.ask("8月各费用类型应收")
    entry.get_by_role("button", name="复制表格").click()
    seen.page.get_by_text("已复制 5 行").wait_for()
    got = seen.page.evaluate("navigator.clipboard ? navigator.clipboard.readText() : window.copied")
    lines = [line.split("\t") for line in got.replace("\r", "").split("\n")]
    assert lines[0] == ["费用类型", "应收 (元)"]
    assert ["停车费", "638990.00"] in lines


def test_a_text_is_shown_as_it_is(seen: Seen) -> None:
    """Only the T of a moment is one: an identifier keeps its letters."""
    seen.open()
    entry = seen.ask("列出8月的账单")
    assert column(entry, 1)[0] == "B202608-C000002-ELECTRICITY"


def test_forty_columns_stay_usable(seen: Seen) -> None:
    page = seen.open()
    page.evaluate(FORTY)
    box = page.locator(".tbox")
    page.locator(".tbox.wide-table").wait_for()
    fits(seen)
    box.evaluate("box => box.scrollTo(2000, 800)")
    corner = box.bounding_box()
    head = box.locator("thead th").first.bounding_box()
    name = box.locator("tbody tr").nth(30).locator("th").bounding_box()
    assert corner is not None
    assert head is not None
    assert name is not None
    assert abs(head["x"] - corner["x"]) < 2  # head and names stay where they are
    assert abs(head["y"] - corner["y"]) < 2
    assert abs(name["x"] - corner["x"]) < 2
    assert name["width"] <= corner["width"] * 0.6
    took = page.evaluate("""async () => {
      const start = performance.now();
      document.querySelectorAll('.tbox thead button')[5].click();
      await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
      return performance.now() - start;
    }""")
    assert took < 1500
    assert box.locator("tbody tr").first.locator("td").nth(4).inner_text() == "3,996.5"


def test_what_cannot_be_compared_is_said(seen: Seen) -> None:
    page = seen.open()
    text = page.evaluate("""async () => {
      const { render, html } = await import("/page/lib/view.js");
      const { Result } = await import("/page/views/result.js");
      const column = (id, kind, format = "number") => ({ id, label: "应收", kind, unit: "元", format });
      const columns = [column("a", "metric"), column("a__base", "base"), column("a__diff", "diff"), column("a__change", "change", "percent")];
      const result = { columns, rows: [["5", null, null, null]], row_count: 1, truncated: false, chart: null, labels: {} };
      const box = document.createElement("div");
      render(html`<${Result} turn=${{ lang: "zh", chips: [], result }} />`, box);
      return box.textContent;
    }""")
    assert "无法计算" in text
    assert "▲" not in text


def test_numbers_lose_no_digit(seen: Seen) -> None:
    """As `dialogue.words.number` tells them, whose figures stand in the text above."""
    page = seen.open()
    given = [
        "21545139.31",
        "123456789012345678901.555",
        0.8878824445995223,
        "-0.004",
        1e-7,
        None,
        7,
        "1448119.70",
    ]
    got = page.evaluate(
        "async (given) => { const { number } = await import('/page/lib/format.js'); return given.map((one) => number(one)); }",
        given,
    )
    assert got == ["21,545,139.31", "123,456,789,012,345,678,901.56", "0.89", "0", "0", "—", "7", "1,448,119.7"]  # fmt: skip
