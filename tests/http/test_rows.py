"""All rows of an answer as a file: what stands in it, and who is given none."""

from __future__ import annotations

import csv
import io
import zipfile
from datetime import date, datetime
from decimal import Decimal
from urllib.parse import unquote
from xml.etree import ElementTree

import httpx
import pytest

from api.sheets import Head, Table, csv_file, excel
from api.sheets.table import Value
from api.sheets.words import catalogue
from tests.http.people import People
from tests.http.served import Served, ask

XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"


def lines(data: bytes) -> list[list[str]]:
    assert data.startswith(b"\xef\xbb\xbf")
    return list(csv.reader(io.StringIO(data[3:].decode(), newline="")))


def cells(data: bytes, sheet: int) -> dict[str, tuple[str, str]]:
    """The cells of a sheet: their type and text."""
    with zipfile.ZipFile(io.BytesIO(data)) as book:
        tree = ElementTree.fromstring(book.read(f"xl/worksheets/sheet{sheet}.xml"))
    assert tree.find(f".//{MAIN}f") is None  # no formula, whatever the texts say
    return {
        str(cell.get("r")): (cell.get("t", "n"), "".join(cell.itertext()))
        for cell in tree.iter(f"{MAIN}c")
    }


def rows(client: httpx.Client, turn: str, **query: str | int) -> httpx.Response:
    return client.get(f"/v1/turns/{turn}/rows", params=query)


def test_all_rows_with_labels_and_exact_numbers(served: Served, client: httpx.Client) -> None:
    (turn,) = ask(client, served.session(client), "列出8月的工单")
    assert (len(turn["result"]["rows"]), turn["result"]["row_count"]) == (1000, 2756)
    answer = rows(client, turn["turn_id"])
    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    heads, *body = lines(answer.content)
    assert heads == ["工单号", "园区", "楼栋", "类别", "优先级", "工单状态", "创建时间"]
    assert len(body) == 2756
    first = ["W900012", "张江科技园", "未知", "维修", "普通", "待处理", "2026-08-01 00:00:00"]
    assert body[0] == first
    assert answer.content.count(b"\r\n") == 2757


def test_the_name_of_the_file_tells_the_question(served: Served, client: httpx.Client) -> None:
    (turn,) = ask(client, served.session(client), "8月各费用类型应收")
    told = rows(client, turn["turn_id"], format="xlsx").headers["content-disposition"]
    plain, named = told.removeprefix("attachment; ").split("; ")
    assert plain == f'filename="wenshu-{turn["turn_id"]}.xlsx"'
    assert unquote(named) == "filename*=UTF-8''问数 2026年8月 · 各费用类型 · 应收.xlsx"


def test_a_workbook_holds_numbers_and_how_it_came_to_be(
    served: Served, client: httpx.Client
) -> None:
    session = served.session(client)
    _, turn = ask(client, session, "8月各费用类型应收、收缴率", "张江的呢")
    answer = rows(client, turn["turn_id"], format="xlsx")
    assert answer.headers["content-type"] == XLSX
    data = cells(answer.content, 1)
    assert [data[f"{name}1"][1] for name in "ABC"] == ["费用类型", "应收 (元)", "收缴率"]
    by_name = {data[f"A{n}"][1]: (data[f"B{n}"], data[f"C{n}"]) for n in range(2, 7)}
    wanted = {row[0]: row[1:] for row in turn["result"]["rows"]}
    (kind, amount), (_, rate) = by_name["电费"]
    assert kind == "n"
    assert Decimal(amount).quantize(Decimal("0.01")) == Decimal(wanted["ELECTRICITY"][0])
    assert float(rate) == pytest.approx(wanted["ELECTRICITY"][1])
    told = cells(answer.content, 2)
    facts = [(told[f"A{n}"][1], told[f"B{n}"][1]) for n in range(1, len(told) // 2 + 1)]
    assert ("问题", "张江的呢") in facts
    assert ("补全后的问题", turn["completed_question"]) in facts
    assert ("条件", "各费用类型 (沿用第 1 轮)") in facts
    assert ("条件", "张江科技园") in facts
    assert ("查询语句", turn["sql"]) in facts
    assert ("记录的哈希", turn["record_hash"]) in facts
    assert ("轮次编号", turn["turn_id"]) in facts


def test_the_others_are_named_and_the_language_is_the_turns(
    served: Served, client: httpx.Client
) -> None:
    (turn,) = ask(
        client, served.session(client), "receivable by park in August, top 3, group the rest"
    )
    heads, *body = lines(rows(client, turn["turn_id"]).content)
    assert heads == ["park", "receivable (CNY)"]
    assert [row[0] for row in body][-1] == "others"
    assert body[-1][1] == turn["result"]["rows"][-1][-1]


def test_a_message_with_two_questions_has_two_files(served: Served, client: httpx.Client) -> None:
    (turn,) = ask(client, served.session(client), "8月各园区应收；8月各园区实收")
    assert len(turn["parts"]) == 2
    one, other = (lines(rows(client, turn["turn_id"], part=part).content) for part in (0, 1))
    assert one[0][-1] == "应收 (元)"
    assert other[0][-1] == "实收 (元)"
    assert other[1][-1] == turn["parts"][1]["result"]["rows"][0][-1]
    beyond = rows(client, turn["turn_id"], part=2)
    assert (beyond.status_code, beyond.json()["code"]) == (404, "not-found")


def test_a_turn_without_rows_has_none(served: Served, client: httpx.Client) -> None:
    (turn,) = ask(client, served.session(client), "你好")
    answer = rows(client, turn["turn_id"])
    assert (answer.status_code, answer.json()["code"]) == (404, "not-found")
    wrong = rows(client, turn["turn_id"], format="pdf")
    assert (wrong.status_code, wrong.json()["code"]) == (422, "bad-request")


def test_rows_that_may_not_be_seen_any_more_are_refused(
    guarded: tuple[Served, People],
) -> None:
    served, keys = guarded
    with served.client(keys["ann"]) as ann:
        (turn,) = ask(ann, served.session(ann), "8月各费用类型应收")
        assert rows(ann, turn["turn_id"]).status_code == 200
    for who in ("ann moved", "bob", "auditor"):
        with served.client(keys[who]) as other:
            answer = rows(other, turn["turn_id"])
            assert (answer.status_code, answer.json()["code"]) == (404, "not-found"), who
    with served.client(keys["auditor of all"]) as auditor:
        assert rows(auditor, turn["turn_id"]).status_code == 200


def made(*row: Value) -> Table:
    heads = tuple(Head(str(value)[:9], "attribute") for value in row)
    return Table(heads, iter([row]), 1)


RUN = ("=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1")


def test_no_text_is_run_by_a_spreadsheet() -> None:
    written = lines(csv_file(made(*RUN, "a=1", Decimal("-5.10"), -3, -0.5)))[1]
    assert written == [*(f"'{text}" for text in RUN), "a=1", "-5.10", "-3", "-0.5"]
    data = cells(excel(made(*RUN, "https://a.b", "12"), (), ("a", "b"), None), 1)
    assert [data[f"{name}2"][0] for name in "ABCDEFGH"] == ["inlineStr"] * 8
    assert data["A2"][1] == "=1+1"


def test_cells_stay_what_they_are() -> None:
    row = (
        None,
        1e-7,
        float("nan"),
        'a,"b"\nc',
        date(2026, 8, 1),
        datetime(2026, 8, 1, 7, 31, 22),
        10**17,
    )
    written = lines(csv_file(made(*row)))[1]
    assert written == ["", "0.0000001", "", "a,\"b\"\nc", "2026-08-01", "2026-08-01 07:31:22", "1" + "0" * 17]  # fmt: skip
    data = cells(excel(made(*row, "x" * 40_000), (), ("a", "b"), None), 1)
    assert "A2" not in data
    assert "C2" not in data
    assert data["E2"] == ("n", "46235")
    assert data["G2"] == ("inlineStr", "1" + "0" * 17)  # as a number it would lose its last digits
    assert len(data["H2"][1]) == 32_767


def test_the_words_are_the_same_in_every_language() -> None:
    assert list(catalogue("zh")) == list(catalogue("en"))


def test_a_recorded_turn_is_drawn_and_labelled_as_it_was(guarded: tuple[Served, People]) -> None:
    served, keys = guarded
    with served.client(keys["analyst"]) as analyst:
        (turn,) = ask(analyst, served.session(analyst), "8月各费用类型应收")
    assert turn["result"]["chart"]["kind"] == "bars"
    assert turn["result"]["labels"]["fee_type"]["RENT"] == "租金"
    with served.client(keys["auditor of all"]) as auditor:  # read from the ledger
        again = auditor.get(f"/v1/turns/{turn['turn_id']}").json()
    assert again["result"] == turn["result"]
