"""How a turn was understood, and changing it by hand: every kind of chip, each way."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.http.people import people
from tests.http.served import serving
from tests.page.conftest import SIZES, Seen
from tests.page.reading import add, apply, chip, next_turn, open_chip, said, shown, slots, turn


def test_values_are_added_removed_excluded_and_let_go(seen: Seen) -> None:
    page = seen.open()
    seen.ask("8月张江的应收")
    assert shown(page) == ["应收", "张江科技园", "2026年8月"]
    dialog = open_chip(page, "张江科技园")
    dialog.get_by_label("临港智造园").check()
    with next_turn(page) as entry:
        apply(dialog)
    assert said(entry) == "园区：张江科技园、临港智造园"
    assert slots(page)["filters"] == {"park_id": ["P001", "P002"]}
    assert chip(page, "临港智造园").locator("button.chip-main").get_attribute("aria-label") == (
        "园区：张江科技园、临港智造园，手动改的"
    )
    dialog = open_chip(page, "张江科技园")
    dialog.get_by_label("张江科技园").uncheck()
    with next_turn(page):
        apply(dialog)
    assert slots(page)["filters"] == {"park_id": ["P002"]}
    dialog = open_chip(page, "临港智造园")
    dialog.get_by_role("radio", name="不含").check()
    with next_turn(page) as entry:
        apply(dialog)
    assert said(entry) == "园区：不含临港智造园"
    assert slots(page)["filters"] == {"park_id": {"not": ["P002"]}}
    assert "不含临港智造园" in shown(page)
    with next_turn(page) as entry:
        page.get_by_role("button", name="去掉 不含临港智造园").click()
    assert said(entry) == "去掉 不含临港智造园"
    assert slots(page)["filters"] == {}
    assert shown(page) == ["应收", "2026年8月"]


def test_values_are_searched_as_one_types(seen: Seen) -> None:
    page = seen.open()
    seen.ask("8月的欠费")
    dialog = add(page, "筛选")
    dialog.get_by_role("searchbox").fill("租户")
    dialog.get_by_role("button", name="租户", exact=True).click()
    expect(dialog.get_by_text("还有更多，继续输入以缩小范围")).to_be_visible()
    dialog.get_by_role("searchbox").fill("智元金融科技有限")
    found = dialog.get_by_label("智元金融科技有限公司")
    expect(dialog.locator("label.pick")).to_have_count(1)
    found.check()
    with next_turn(page) as entry:
        apply(dialog)
    assert said(entry) == "租户：智元金融科技有限公司"
    assert slots(page)["filters"] == {"tenant_id": ["T00142"]}


def test_a_name_in_part_a_missing_value_and_an_enum(seen: Seen) -> None:
    page = seen.open()
    seen.ask("8月各园区的欠费")
    dialog = add(page, "筛选")
    dialog.get_by_role("button", name="园区", exact=True).click()
    dialog.get_by_role("radio", name="名称含").check()
    dialog.get_by_role("textbox").fill("港")
    with next_turn(page) as entry:
        apply(dialog)
    assert said(entry) == "园区：名称含“港”"
    assert slots(page)["filters"] == {"park_id": {"contains": "港"}}
    dialog = add(page, "筛选")
    dialog.get_by_role("button", name="费用类型").click()
    dialog.get_by_label("租金").check()
    dialog.get_by_label("物业费").check()
    with next_turn(page):
        apply(dialog)
    assert slots(page)["filters"] == {
        "park_id": {"contains": "港"},
        "fee_type": ["RENT", "PROPERTY"],
    }
    dialog = open_chip(page, "租金")
    dialog.get_by_role("radio", name="没有值").check()
    with next_turn(page):
        apply(dialog)
    assert slots(page)["filters"]["fee_type"] == {"null": True}


def test_metrics_are_replaced_and_added(seen: Seen) -> None:
    page = seen.open()
    seen.ask("8月张江的应收")
    dialog = open_chip(page, "应收")
    dialog.get_by_role("searchbox").fill("回款")
    dialog.get_by_label("实收", exact=True).check()
    dialog.get_by_role("searchbox").fill("")
    dialog.get_by_label("应收", exact=True).uncheck()
    with next_turn(page) as entry:
        apply(dialog)
    assert said(entry) == "指标：实收"
    assert slots(page)["metrics"] == ["received_amount"]
    dialog = add(page, "指标")
    with next_turn(page) as entry:
        dialog.get_by_role("button", name="欠费", exact=True).click()
    assert said(entry) == "再加上 欠费"
    assert slots(page)["metrics"] == ["received_amount", "outstanding_amount"]
    assert shown(page)[0] == "实收、欠费"


def test_dimensions_are_added_and_removed(seen: Seen) -> None:
    page = seen.open()
    seen.ask("8月的应收")
    dialog = add(page, "维度")
    with next_turn(page) as entry:
        dialog.get_by_role("button", name="园区", exact=True).click()
    assert said(entry) == "再加上 园区"
    assert slots(page)["dimensions"] == ["park_id"]
    dialog = open_chip(page, "各园区")
    dialog.get_by_label("费用类型").check()
    with next_turn(page) as entry:
        apply(dialog)
    assert said(entry) == "按 园区、费用类型 看"
    assert slots(page)["dimensions"] == ["park_id", "fee_type"]
    with next_turn(page):
        page.get_by_role("button", name="去掉 各园区、费用类型").click()
    assert slots(page)["dimensions"] == []


def test_time_by_a_usual_period_by_words_and_by_days(seen: Seen) -> None:
    page = seen.open()
    seen.ask("8月张江的应收")
    assert chip(page, "2026年8月").locator(".days").inner_text() == "8月1日–8月31日"
    dialog = open_chip(page, "2026年8月")
    with next_turn(page) as entry:
        dialog.get_by_role("button", name="去年").click()
    assert said(entry) == "时间：去年"
    assert slots(page)["time"] == ["2025-01-01", "2026-01-01"]
    assert chip(page, "2025年").locator(".days").inner_text() == "2025年1月1日–2025年12月31日"
    dialog = open_chip(page, "2025年")
    dialog.get_by_label("用话说").fill("6月到7月")
    with next_turn(page):
        dialog.get_by_role("button", name="应用").first.click()
    assert slots(page)["time"] == ["2026-06-01", "2026-08-01"]
    dialog = open_chip(page, "2026-06-01")
    dialog.get_by_label("从").fill("2026-03-05")
    dialog.get_by_label("到（含）").fill("2026-04-09")
    with next_turn(page) as entry:
        apply(dialog)
    assert said(entry) == "时间：2026-03-05 到 2026-04-09"
    assert slots(page)["time"] == ["2026-03-05", "2026-04-10"]
    dialog = open_chip(page, "2026-03-05")
    with next_turn(page):
        dialog.get_by_role("button", name="恢复默认时间").click()
    assert slots(page)["time"] == ["2026-01-01", "2026-09-29"]


def test_words_that_are_no_time_are_refused_in_words(seen: Seen) -> None:
    page = seen.open()
    seen.ask("8月张江的应收")
    dialog = open_chip(page, "2026年8月")
    dialog.get_by_label("用话说").fill("很久以前那会儿")
    with next_turn(page) as entry:
        dialog.get_by_role("button", name="应用").first.click()
    assert turn(page)["outcome"] == "decline"
    assert "时间不认识“很久以前那会儿”" in entry.inner_text()
    seen.ask("谢谢")
    first = page.locator(".entry").first  # its chips still hold, and can be changed
    with next_turn(page):
        first.get_by_role("button", name="去掉 张江科技园").click()
    assert (slots(page)["filters"], slots(page)["time"]) == ({}, ["2026-08-01", "2026-09-01"])
    assert first.locator(".chips button").count() == 0


def test_a_topic_that_was_left_has_no_chips_to_change(seen: Seen) -> None:
    page = seen.open()
    first = seen.ask("8月张江的应收")
    seen.ask("换个话题")
    assert first.locator(".chips button").count() == 0
    seen.ask("8月的应收是多少？今年的工单数呢？")
    entry = page.locator(".entry").last
    assert [entry.locator(".chips").nth(part).locator("button.chip-main").count() for part in (0, 1)] == [0, 2]  # fmt: skip


def test_compared_and_by_month_and_not(seen: Seen) -> None:
    page = seen.open()
    seen.ask("今年上半年张江的应收")
    dialog = add(page, "对比")
    with next_turn(page) as entry:
        dialog.get_by_role("button", name="同比").click()
    assert said(entry) == "对比：同比（去年同期）"
    assert slots(page)["comparison"] == "yoy"
    dialog = add(page, "时间粒度")
    with next_turn(page):
        dialog.get_by_role("button", name="按月").click()
    assert slots(page)["grain"] == "month"
    dialog = open_chip(page, "去年同期")
    with next_turn(page) as entry:
        dialog.get_by_role("button", name="不对比").click()
    assert said(entry) == "不对比"
    assert (slots(page)["comparison"], slots(page)["grain"]) == (None, "month")
    page.get_by_role("button", name="添加", exact=True).click()
    with next_turn(page):
        page.get_by_role("dialog").get_by_role("button", name="累计").click()
    assert slots(page)["running"] is True
    assert "累计" in shown(page)


def test_the_order_is_turned_and_the_ranks_changed(seen: Seen) -> None:
    page = seen.open()
    seen.ask("8月各园区前3的应收")
    assert shown(page) == ["应收", "各园区", "2026年8月", "应收 从高到低", "第 1–3 名"]
    dialog = open_chip(page, "从高到低")
    dialog.get_by_role("radio", name="从低到高").check()
    with next_turn(page) as entry:
        apply(dialog)
    assert said(entry) == "按应收从低到高"
    assert slots(page)["order"] == ["receivable_amount asc"]
    dialog = open_chip(page, "名")
    dialog.get_by_label("前几名").fill("2")
    with next_turn(page) as entry:
        apply(dialog)
    assert said(entry) == "前 2 名"
    assert (slots(page)["limit"], slots(page)["order"]) == (2, ["receivable_amount asc"])
    with next_turn(page):
        chip(page, "名").get_by_role("button", name="去掉").click()
    assert slots(page)["limit"] is None


def test_conditions_on_a_metric_and_on_single_rows(seen: Seen) -> None:
    page = seen.open()
    seen.ask("8月各园区的收缴率")
    dialog = add(page, "条件")
    dialog.get_by_label("怎样比较").select_option("lt")
    dialog.get_by_label("数值").fill("82.5")
    with next_turn(page) as entry:
        apply(dialog)
    assert said(entry) == "收缴率 < 82.5%"
    assert slots(page)["having"] == {"collection_rate": {"lt": "0.825"}}
    dialog = open_chip(page, "82.5%")
    assert dialog.get_by_label("数值").input_value() == "82.5"
    dialog.get_by_label("怎样比较").select_option("between")
    dialog.get_by_label("下限").fill("80")
    dialog.get_by_label("上限").fill("90")
    with next_turn(page):
        apply(dialog)
    assert slots(page)["having"] == {"collection_rate": {"gte": "0.8", "lte": "0.9"}}
    dialog = add(page, "筛选")
    dialog.get_by_role("button", name="单笔应收").click()
    dialog.get_by_label("怎样比较").select_option("gt")
    dialog.get_by_label("数值").fill("50,000")
    with next_turn(page) as entry:
        apply(dialog)
    assert said(entry) == "单笔应收 > 50,000元"
    assert slots(page)["filters"] == {"bill_amount": {"gt": "50000"}}
    dialog = add(page, "筛选")
    dialog.get_by_role("button", name="到期日").click()
    dialog.get_by_label("从").fill("2026-08-10")
    dialog.get_by_label("到（含）").fill("2026-09-05")
    with next_turn(page):
        apply(dialog)
    assert slots(page)["filters"]["due_date"] == {"during": ["2026-08-10", "2026-09-06"]}


def test_an_origin_leads_to_its_turn(seen: Seen, size: str) -> None:
    page = seen.open()
    seen.ask("8月张江的应收")
    first = turn(page)["turn_id"]
    for text in ("临港呢", "滨江呢", "前海呢"):
        seen.ask(text)
    carried = chip(page, "2026年8月")
    assert carried.locator("button.chip-main").get_attribute("aria-label") == (
        "时间：2026年8月，8月1日–8月31日，沿用第 1 轮"
    )
    if size == "phone":
        carried.locator("button.chip-main").click()
        page.get_by_role("dialog").get_by_role("button", name="沿用第 1 轮").click()
    else:
        carried.get_by_role("button", name="沿用第 1 轮", exact=True).click()
    expect(page.locator(f"#turn-{first}")).to_be_in_viewport()
    older = page.locator(".entry").first
    assert older.locator(".chips button").count() == 0
    assert older.locator(".chip").count() == 3


def test_an_editor_takes_the_keyboard_and_gives_it_back(seen: Seen) -> None:
    page = seen.open()
    seen.ask("8月张江的应收")
    main = chip(page, "张江科技园").locator("button.chip-main")
    main.focus()
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog", name="修改：园区")
    expect(dialog).to_be_visible()
    for _ in range(24):
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement === document.body || document.activeElement.closest('dialog') !== null")  # fmt: skip
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    expect(main).to_be_focused()
    assert fits(page)


def test_an_assumption_is_told_and_flipped(seen: Seen) -> None:
    page = seen.open()
    seen.ask("各园区的应收")
    assert page.locator(".assumed-what").all_inner_texts() == ["默认：2026-01-01–2026-09-28"]
    assert chip(page, "2026-01-01").get_by_role("button", name="去掉").count() == 0
    with next_turn(page) as entry:
        page.locator(".assumed").get_by_role("button", name="上个月").click()
    assert said(entry) == "上个月"
    assert slots(page)["time"] == ["2026-08-01", "2026-09-01"]
    assert page.locator(".assumed").count() == 0


def test_in_english(seen: Seen) -> None:
    page = seen.open()
    page.get_by_role("button", name="English").click()
    seen.ask("receivable of Zhangjiang in August")
    assert shown(page) == ["receivable", "Zhangjiang", "2026-08"]
    assert chip(page, "2026-08").locator(".days").inner_text() == "1 Aug–31 Aug"
    dialog = open_chip(page, "2026-08")
    with next_turn(page) as entry:
        dialog.get_by_role("button", name="this quarter").click()
    assert said(entry) == "Time: this quarter"
    assert slots(page)["time"] == ["2026-07-01", "2026-10-01"]
    dialog = open_chip(page, "Zhangjiang")
    dialog.get_by_role("radio", name="Without").check()
    with next_turn(page) as entry:
        apply(dialog, "Apply")
    assert said(entry) == "park: without Zhangjiang"
    assert slots(page)["filters"] == {"park_id": {"not": ["P001"]}}


@pytest.mark.parametrize("size", ["desktop"], indirect=True)
def test_numbers_are_exact_as_they_were_typed(seen: Seen) -> None:
    page = seen.open()
    edits = "import('/page/lib/edits.js')"
    shifted = page.evaluate(
        f"async (all) => {{ const e = await {edits}; return all.map(([text, by]) => e.shifted(text, by)); }}",
        [
            ["90", -2],
            ["82.5", -2],
            ["0.07", -2],
            ["-5", -2],
            ["0.825", 2],
            ["1", 2],
            ["0.12345", 2],
        ],
    )
    assert shifted == ["0.9", "0.825", "0.0007", "-0.05", "82.5", "100", "12.345"]
    typed = page.evaluate(
        f"async (all) => {{ const e = await {edits}; return all.map(e.number); }}",
        ["50,000", "９０%", "+3.50", "1e9", "", "abc", "1.2.3"],
    )
    assert typed == ["50000", "90", "3.50", None, None, None, None]
    bounds = page.evaluate(
        f"async () => {{ const e = await {edits}; return [e.boundsTo('between', '9', '3'), "
        "e.boundsTo('gt', '', ''), e.boundsTo('between', '3', '9'), e.daysTo('2026-02-28', '2028-02-28'), e.daysTo('', '')]; }"
    )
    assert bounds == [None, None, {"gte": "3", "lte": "9"}, ["2026-02-28", "2028-02-29"], None]


@pytest.fixture(scope="module")
def limited(
    browser: Browser, tmp_path_factory: pytest.TempPathFactory, park_database: Path
) -> Iterator[Seen]:
    """The page of someone who may see 张江科技园 alone."""
    home = tmp_path_factory.mktemp("limited")
    keys = people(home)
    with serving(home, park_database) as found:
        context = browser.new_context(viewport=SIZES["desktop"], locale="zh-CN")
        context.add_init_script(f"sessionStorage.setItem('wenshu.key', '{keys['ann']}')")
        yield Seen(context, found.url)
        context.close()


def test_what_permissions_limit_is_locked(limited: Seen) -> None:
    page = limited.open()
    limited.ask("8月的应收")
    locked = page.locator(".chip.from-policy")
    assert locked.inner_text().split() == ["园区", "权限限定"]
    assert locked.locator("button").count() == 0
    page.get_by_role("button", name="添加", exact=True).click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="筛选").click()
    assert dialog.get_by_role("button", name="园区", exact=True).count() == 0
    dialog.get_by_role("button", name="费用类型").click()
    dialog.get_by_label("租金").check()
    with next_turn(page):
        apply(dialog)
    assert slots(page)["filters"] == {"fee_type": ["RENT"]}
    assert limited.faults == []


def fits(page: Page) -> bool:
    """Whether nothing is wider than the window."""
    found: bool = page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    return found
