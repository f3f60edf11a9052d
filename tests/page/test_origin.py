"""Where a number comes from: the panel, replay, the bundle, marks."""

from __future__ import annotations

import io
import shutil
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest
from playwright.sync_api import Browser, Locator, expect

from tests.http.served import Served, ask, serving
from tests.page.conftest import SIZES, Seen

FIRST, SECOND = "8月张江的应收", "临港的收缴率呢"


def taken(seen: Seen) -> dict[str, Any]:
    """The turn that was taken last, as the service gives it."""
    found = seen.page.locator(".entry").last.get_attribute("id")
    assert found is not None
    answer = seen.context.request.get(f"{seen.url}/v1/turns/{found.removeprefix('turn-')}")
    return dict(answer.json())


def opened(seen: Seen, entry: Locator) -> Locator:
    """The panel of a turn."""
    entry.get_by_role("button", name="这个数怎么来的").click()
    return seen.page.locator(".panel")


def test_the_panel_tells_the_turn(seen: Seen) -> None:
    page = seen.open()
    seen.ask(FIRST)
    entry = seen.ask(SECOND)
    turn = taken(seen)
    panel = opened(seen, entry)
    expect(panel).to_be_focused()
    text = panel.inner_text()
    assert turn["completed_question"] in text
    assert "收缴率 = 实收 ÷ 应收（先求和再相除）" in text
    assert panel.locator("pre.sql").inner_text() == turn["sql"]
    assert panel.locator(".sql-keyword").first.inner_text() == "WITH"
    assert panel.locator(".saying mark").all_inner_texts() == ["收缴率", "8月", "临港"]
    assert panel.locator(".from").all_inner_texts() == ["本轮说的", "沿用第 1 轮", "本轮说的"]
    facts = panel.locator(".facts")
    assert "1 行" in facts.filter(has_text="结果行数").inner_text()
    assert turn["fresh_to"] in facts.filter(has_text="结果行数").inner_text()
    panel.get_by_text("记录编号与版本").click()
    ids = [one.get_attribute("title") for one in panel.locator(".facts code").all()]
    assert ids == [
        turn[name] for name in ("turn_id", "record_hash", "semantic_hash", "data_version")
    ]
    wide = panel.evaluate("box => box.scrollWidth - box.clientWidth")
    assert wide == 0
    page.keyboard.press("Escape")
    expect(panel).to_have_count(0)
    expect(entry.get_by_role("button", name="这个数怎么来的")).to_be_focused()


def test_a_turn_is_replayed_and_exported(seen: Seen) -> None:
    page = seen.open()
    entry = seen.ask(FIRST)
    panel = opened(seen, entry)
    panel.get_by_role("button", name="重放核对").click()
    expect(panel.locator(".verdict.good")).to_have_text("与当时完全一致")
    with page.expect_download() as download:
        panel.get_by_role("button", name="下载凭证包").click()
    turn = taken(seen)
    assert download.value.suggested_filename == f"wenshu-{turn['turn_id']}.zip"
    files = zipfile.ZipFile(io.BytesIO(Path(download.value.path()).read_bytes()))
    names = {Path(name).name for name in files.namelist()}
    assert {"index.html", "verify.py", "turns.json", "SHA256SUMS"} <= names
    whole = next(name for name in files.namelist() if name.endswith("index.html"))
    assert "21,545,139.31" in files.read(whole).decode()


def test_the_row_of_tools_copies_and_undoes(seen: Seen) -> None:
    seen.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = seen.open()
    first = seen.ask(FIRST)
    seen.ask("临港呢")
    entry = page.locator(".entry").last
    narrow = page.viewport_size == SIZES["phone"]

    def tool(entry: Locator, name: str) -> Locator:
        if narrow and not entry.locator(".more[open]").count():
            entry.get_by_label("更多").click()
        return entry.get_by_role("button", name=name)

    tool(entry, "复制文字").click()
    told = page.evaluate("navigator.clipboard.readText()")
    assert (
        told
        == "2026年8月 临港智造园 应收：9,914,600.46 元（约 991.46 万元）。数据截至 2026-09-01。"
    )
    assert tool(first, "撤销这一轮").count() == 0
    heights = entry.locator(".turn-tools").evaluate(
        "row => [...row.querySelectorAll('button, summary')].map((one) => one.offsetHeight).filter(Boolean)"
    )
    assert min(heights) >= 36
    assert entry.locator(".turn-tools").evaluate("row => row.offsetHeight") < 60  # one line
    tool(entry, "撤销这一轮").click()
    undone = page.locator(".entry").nth(2)
    expect(undone.locator(".words")).to_contain_text("21,545,139.31")


@pytest.fixture(scope="module")
def changed(
    tmp_path_factory: pytest.TempPathFactory, park_database: Path
) -> Iterator[tuple[Served, dict[str, Any]]]:
    """A service whose data were changed after a turn was taken."""
    place = tmp_path_factory.mktemp("changed")
    database = Path(shutil.copy(park_database, place / "park.duckdb"))
    with serving(place / "home", database) as before, before.client() as client:
        (turn,) = ask(client, before.session(client), FIRST)
    with duckdb.connect(str(database)) as data:
        data.execute(
            "UPDATE fact_bill SET receivable_amount = receivable_amount + 1 "
            "WHERE bill_id = (SELECT min(bill_id) FROM fact_bill "
            "WHERE park_id = 'P001' AND bill_month = DATE '2026-08-01')"
        )
    with serving(place / "home", database) as after:
        yield after, turn


@pytest.mark.parametrize(("locale", "told"), [
    ("zh-CN", ["与当时不一致", "数据变了", "合计 应收：21,545,139.31", "合计 应收：21,545,140.31", "应收：21,545,139.31 → 21,545,140.31", "数据版本"]),
    ("en", ["Not as it was then", "The data changed", "totals receivable: 21,545,139.31", "totals receivable: 21,545,140.31", "Data"]),
])  # fmt: skip
def test_data_that_changed_are_named(
    browser: Browser,
    changed: tuple[Served, dict[str, Any]],
    size: str,
    locale: str,
    told: list[str],
) -> None:
    served, turn = changed
    context = browser.new_context(viewport=SIZES[size], locale=locale)
    seen = Seen(context, served.url)
    page = seen.open(f"#/s/{turn['session_id']}/t/{turn['turn_id']}")
    page.locator(".entry .origin").click()
    panel = page.locator(".panel")
    panel.locator(".replay > button").click()
    found = panel.locator(".found")
    expect(found).to_have_attribute("data-verdict", "data")
    found.locator("details summary").click()
    text = found.inner_text()
    assert [words for words in told if words not in text] == []
    assert panel.locator(".is-bad").count() == 1  # by the rules of then; those of today add nothing
    assert found.evaluate("box => box.scrollWidth - box.clientWidth") == 0
    context.close()
    assert seen.faults == []


def test_marks_are_given_and_changed(seen: Seen, served: Served) -> None:
    page = seen.open()
    entry = seen.ask(FIRST)
    turn = taken(seen)
    up, down = (
        entry.get_by_role("button", name="答得对"),
        entry.get_by_role("button", name="答得不对"),
    )
    up.click()
    expect(up).to_have_attribute("aria-pressed", "true")
    down.click()
    form = entry.get_by_role("form", name="哪里不对？")
    page.keyboard.press("Escape")
    expect(form).to_have_count(0)
    expect(down).to_be_focused()
    down.click()
    form.get_by_text("时间不对").click()
    form.get_by_label("说明（可不填）").fill("应该是9月")
    form.get_by_role("button", name="提交").click()
    expect(down).to_have_attribute("aria-pressed", "true")
    expect(up).to_have_attribute("aria-pressed", "false")
    given = marks_of(served, turn["turn_id"])
    assert given == [("up", "", ""), ("down", "wrong-time", "应该是9月")]
    page.reload()
    down = page.locator(".entry").get_by_role("button", name="答得不对")
    expect(down).to_have_attribute("aria-pressed", "true")


def marks_of(served: Served, turn_id: str) -> list[tuple[str, str, str]]:
    """The marks on a turn, in the order they were given."""
    from dialogue.feedback.marks import feedback_of
    from dialogue.ledger import Selection

    found = map(feedback_of, served.service.ledger.remarks(Selection(turn=turn_id)))
    return [(one.mark.thumb, one.mark.code, one.mark.reason) for one in found]


def test_every_cause_and_every_reason_has_words(seen: Seen) -> None:
    from typing import get_args

    from dialogue.feedback import CODES
    from dialogue.replay import Cause

    page = seen.open()
    words = page.evaluate("import('/page/words/panel.js').then((found) => found.default)")
    wanted = [f"feedback.{code}" for code in CODES]
    wanted += [f"cause.{cause}{part}" for cause in get_args(Cause) for part in ("", ".what")]
    assert [name for name in wanted if name not in words] == []
    assert [name for name, pair in words.items() if len(pair) != 2 or not all(pair)] == []
    offered = page.evaluate("import('/page/views/feedback.js').then((found) => found.CODES)")
    assert sorted(offered) == sorted(CODES)


DRAW = """async (verdict) => {
  const { html, render } = await import('/page/lib/view.js');
  const { Verdict } = await import('/page/views/replay.js');
  const box = document.createElement('div');
  box.id = 'drawn';
  document.querySelector('.column').append(box);
  render(html`<${Verdict} verdict=${verdict} />`, box);
}"""


def test_causes_are_told_as_then_and_as_today(seen: Seen) -> None:
    page = seen.open()
    rows = {
        "what": "rows",
        "then": "1 rows; totals collection_rate 0.95",
        "now": "0 rows",
        "lines": ["rows: 1 → 0", "the row: collection_rate 0.957 → 0.956"],
    }
    lines = ["--- then", "+++ now", "@@ -1 +1 @@", "-a", "+b"]
    sql = {"what": "sql", "then": "", "now": "", "lines": lines}
    causes = ("definition", "policy", "engine")
    findings = [{"cause": cause, "differences": [rows, sql]} for cause in causes]
    page.evaluate(DRAW, {"verdict": [*causes], "findings": findings, "changed": {}})
    found = page.locator("#drawn .found")
    assert found.locator("h4").all_inner_texts() == ["口径变了", "权限规则变了", "数据库引擎不同"]
    then, today = (text.strip() for text in found.locator(".facts.two dd").all_inner_texts())
    assert (then, today) == ("数据库引擎不同", "口径变了、权限规则变了")
    assert found.locator(".diff").first.inner_text().split() == ["-a", "+b"]
    told = found.locator(".finding").first.inner_text()
    assert "1 行 · 合计 收缴率：0.95" in told
    assert "结果：收缴率 0.957 → 0.956" in told


def test_what_the_service_refuses_is_told(seen: Seen) -> None:
    page = seen.open()
    entry = seen.ask(FIRST)
    opened(seen, entry)
    page.evaluate(
        """import('/page/lib/store.js').then(({ panel }) => {
        panel.value = { kind: 'origin', turn: { ...panel.value.turn, turn_id: 'gone' } }; })"""
    )
    page.get_by_role("button", name="重放核对").click()
    expect(page.locator(".verdict.bad")).to_have_text("找不到，或不属于您。")
    assert [fault for fault in seen.faults if "404" not in fault] == []
    seen.faults.clear()  # the browser itself logs an answer of 404
