"""Replay: the right verdict on a changed row, an edited metric, a new policy, another reader, compiler, engine."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from itertools import count
from pathlib import Path

import duckdb
import pytest

from api.clock import FrozenClock
from dialogue import answer
from dialogue.engine import Moment
from dialogue.impact import Prospect
from dialogue.ledger import Ledger
from dialogue.ledger.erasing import Which, erase, targets
from dialogue.record import record_of
from dialogue.replay import Replayer, Verdict, over
from dialogue.session import Sessions
from dialogue.turn import Request
from dialogue.world import World, statements
from nl2sql.compiler import Compiled, Question
from nl2sql.reading import Reading, RuleReader
from nl2sql.reading.tokens import Seen, everything
from nl2sql.warehouse import DuckDBWarehouse, parquet, unparquet
from semantic_layer.load import load
from semantic_layer.protocols import LOCAL, Rows, User

MOMENT = Moment(datetime(2026, 9, 28), datetime(2026, 11, 29, 10))
VERSIONS = (("wenshu", "0.9"), ("sqlglot", "30"))
SAID = (
    "8月张江的收缴率",
    "临港呢",
    "1号楼的出租率",
    "张江",
    "今年欠费最多的3家租户",
    "它们的应收",
    "收缴率是怎么算的",
    "利润率呢",
    "撤销",
    "8月电费应收多少，另外空置房源有几套？",
)
PARK = Path("fixtures/park/layer")


class Tape:
    """A ledger in a file: record in one world, replay in another."""

    def __init__(self, file: Path) -> None:
        self.ledger = Ledger.at(file, FrozenClock(MOMENT.now))

    def record(self, world: World, *said: str, user: User = LOCAL, keep: bool = False) -> None:
        numbers = count()
        sessions = Sessions(
            world,
            self.ledger,
            lambda: f"id-{next(numbers):04}",
            VERSIONS,
            parquet if keep else None,
        )
        session = sessions.open()
        for text in said:
            sessions.take(session, Request(text), user, MOMENT)

    def replay(
        self, world: World, versions: tuple[tuple[str, str], ...] = VERSIONS
    ) -> list[Verdict]:
        replayer = Replayer(world, versions, self.ledger.layer_text, unparquet)
        return [replayer.verdict(record_of(entry)) for entry in self.ledger.entries()]


@pytest.fixture
def tape(tmp_path: Path) -> Tape:
    return Tape(tmp_path / "ledger.sqlite")


Edited = Callable[[str, str, str], World]


@pytest.fixture
def edited(world: World, tmp_path: Path) -> Edited:
    """The world under a layer of which one file reads otherwise."""

    def edit(file: str, old: str, new: str) -> World:
        folder = tmp_path / "layer"
        if not folder.exists():
            shutil.copytree(PARK, folder)
        text = (folder / file).read_text("utf-8")
        assert old in text
        (folder / file).write_text(text.replace(old, new), "utf-8")
        return over(load(folder), world.warehouse)

    return edit


Changed = Callable[[str], World]


@pytest.fixture
def changed(world: World, park_database: Path, tmp_path: Path) -> Changed:
    """The world over a copy of the data in which a statement changed something."""

    def change(sql: str) -> World:
        file = tmp_path / "changed.duckdb"
        file.write_bytes(park_database.read_bytes())
        with duckdb.connect(str(file)) as connection:
            connection.execute(sql)
        return over(world.layer, DuckDBWarehouse(file))

    return change


PAID_MORE = (
    "update fact_payment set amount = amount + 1 where bill_id in "
    "(select bill_id from fact_bill where park_id = 'P001' and bill_month = date '2026-08-01')"
)


def test_every_turn_is_the_same(world: World, tape: Tape) -> None:
    tape.record(world, *SAID)
    verdicts = tape.replay(world)
    assert len(verdicts) == len(SAID)
    assert [
        (item.question, item.findings, item.changed) for item in verdicts if not item.same
    ] == []
    assert {item.changed for item in verdicts} == {()}


def test_a_fault_comes_out_the_same(
    world: World, tape: Tape, monkeypatch: pytest.MonkeyPatch
) -> None:
    def raising(*given: object) -> object:
        raise KeyError("陈小明")

    monkeypatch.setattr(answer, "prepare", raising)
    tape.record(world, "8月张江的收缴率", "what was the collection rate in August")
    with tape.ledger.store.snapshot() as run:
        (gone,) = targets(run, Which(turn="id-0001", containing="陈小明"))
    assert gone.part == "faults"  # erased as all else of a turn
    chinese, english = [record_of(entry) for entry in tape.ledger.entries()]
    assert chinese.steps is not None
    assert english.steps is not None
    (code,) = {fault.code for one in (chinese, english) for fault in one.faults or ()}
    assert chinese.steps[0].text == f"服务内部出错，没有给出结果。请把故障码 {code} 告诉管理员。"
    assert english.steps[0].text == (
        "Something went wrong inside the service; nothing was answered. "
        f"Please give the administrator the fault code {code}."
    )
    assert [verdict.findings for verdict in tape.replay(world)] == [(), ()]


def test_a_value_that_has_one_parent_keeps_it(world: World, tape: Tape) -> None:
    """That other values of its level have several is bound with the turn (17号楼 is in one park, 1号楼 in many)."""
    tape.record(world, "17号楼空置率多少", "1号楼呢", "张江")
    verdicts = tape.replay(world)
    assert [item.causes for item in verdicts] == [(), (), ()]
    first = record_of(next(tape.ledger.entries()))
    assert "building.park_id = 'P001'" in (first.steps or ())[0].sql


def test_a_changed_row_is_told_by_control_totals(
    world: World, tape: Tape, changed: Changed
) -> None:
    tape.record(world, "8月张江的实收", "8月临港的实收")
    today = changed(PAID_MORE)
    zhangjiang, lingang = tape.replay(today)
    assert zhangjiang.causes == ("data",)
    assert zhangjiang.same_statement
    assert [item.name for item in zhangjiang.changed] == ["data"]
    ((shown,),) = (item.differences for item in zhangjiang.findings)
    (line, *_) = shown.lines
    assert shown.what == "rows"
    assert line.startswith("sum of received_amount: ")
    before, after = line.partition(": ")[2].partition(";")[0].split(" → ")
    assert float(after) > float(before)
    assert lingang.same
    assert [item.name for item in lingang.changed] == ["data"]


def test_a_changed_row_is_told_by_the_cell_where_rows_are_kept(
    world: World, tape: Tape, changed: Changed
) -> None:
    tape.record(world, "8月各园区的实收", keep=True)
    (verdict,) = tape.replay(changed(PAID_MORE))
    assert verdict.causes == ("data",)
    ((shown,),) = (item.differences for item in verdict.findings)
    (line,) = shown.lines
    assert line.startswith("P001, 张江科技园: received_amount ")


def test_rows_that_are_gone_are_told(world: World, tape: Tape, changed: Changed) -> None:
    tape.record(world, "今年各工单状态的工单数", keep=True)
    table = "fact_work_order"
    (verdict,) = tape.replay(changed(f"update {table} set status = 'DONE' where status = 'OPEN'"))
    assert verdict.causes == ("data",)
    (shown,) = verdict.findings[0].differences
    assert shown.lines[0] == "rows: 4 → 3"
    assert [line[:11] for line in shown.lines if line.startswith("OPEN")] == ["OPEN: gone:"]


def test_a_renamed_value_is_named(world: World, tape: Tape, changed: Changed) -> None:
    tape.record(world, "8月华芯科技有限公司的应收")
    today = changed("update dim_tenant set tenant_name = '别的公司' where tenant_id = 'T00001'")
    (verdict,) = tape.replay(today)
    assert verdict.causes == ("values",)
    assert verdict.findings[0].differences[0].then == "answer"
    assert verdict.same_statement


def test_an_edited_metric_is_named(world: World, tape: Tape, edited: Edited) -> None:
    tape.record(world, "8月张江的收缴率", "8月张江的应收", "收缴率是怎么算的")
    today = edited(
        "bill.yaml",
        "formula: received_amount / receivable_amount",
        "formula: received_amount / (receivable_amount + 1)",
    )
    rate, amount, explained = tape.replay(today)
    assert rate.causes == ("definition",)
    assert [item.what for item in rate.findings[0].differences] == ["sql", "rows"]
    lines = rate.findings[0].differences[0].lines
    assert lines[:2] == ("--- then", "+++ now")
    assert any(line.startswith("+") and "+ 1" in line for line in lines)
    assert rate.findings[0].differences[1].lines[0].startswith("the row: collection_rate 0.")
    assert amount.same
    assert [item.name for item in amount.changed] == ["definition"]
    assert explained.causes == ("definition",)
    assert [item.what for item in explained.findings[0].differences] == ["words"]


def test_an_edited_document_is_named(world: World, tape: Tape, edited: Edited) -> None:
    tape.record(world, "8月收缴率", "这个数怎么来的", "收缴率怎么算", "空置率怎么算")
    today = edited("documents/billing.md", "先分别求和再相除", "先相除再取平均")
    number, came_from, rate, vacancy = tape.replay(today)
    assert number.same
    assert vacancy.same
    for explained in (came_from, rate):
        assert explained.causes == ("definition",)
        (words,) = explained.findings[0].differences
        assert words.what == "words"
        assert "先分别求和再相除" in words.then
        assert "先相除再取平均" in words.now
    prospect = Prospect(world, today.layer)
    found = [prospect.impact(record_of(entry)) for entry in tape.ledger.entries()]
    assert [item and item.kinds for item in found] == [(), ("words",), ("words",), ()]


def test_documents_that_are_gone_today_are_shown_again(
    world: World, tape: Tape, tmp_path: Path
) -> None:
    folder = tmp_path / "layer"
    shutil.copytree(PARK, folder)
    document = "---\ntitle: 新办法\nabout: order_count\n---\n一户一单。"
    (folder / "documents" / "new.md").write_text(document, "utf-8")
    tape.record(over(load(folder), world.warehouse), "工单数怎么算")
    (verdict,) = tape.replay(world)
    assert verdict.same_statement  # as it was, from the text that the ledger keeps of the layer
    assert verdict.causes == ("definition",)
    assert "一户一单。" in verdict.findings[0].differences[0].then


def test_a_word_that_means_something_else_is_the_definition(
    world: World, tape: Tape, edited: Edited
) -> None:
    tape.record(world, "8月张江的收缴率")
    words = "zh: [收缴率, 收款率, 回款率]"
    (verdict,) = tape.replay(edited("bill.yaml", words, "zh: [进账比例]"))
    assert verdict.causes == ("definition",)
    assert verdict.findings[0].differences[0].what == "outcome"


def test_a_new_policy_is_named(world: World, tape: Tape, edited: Edited) -> None:
    user = User("li", (("park_id", ("P001",)), ("fee", ("ELEC",))))
    tape.record(world, "8月各园区的应收", user=user)
    rule = "policies:\n  - {attribute: fee, dimension: fee_type}\n"
    today = edited("layer.yaml", "policies:\n", rule)
    (verdict,) = tape.replay(today)
    assert verdict.causes == ("policy",)
    (finding,) = verdict.findings
    sql, rows = finding.differences
    assert (sql.what, rows.what) == ("sql", "rows")
    assert "+    AND fact_bill.fee_type = 'ELEC'" in sql.lines
    assert rows.lines[0] == "rows: 1 → 0"  # there is no fee of that name
    assert verdict.same_statement


class OlderReader(RuleReader):
    """A reader that did not hear groups yet."""

    def read(self, text: str, seen: Seen = everything) -> Reading:
        found = super().read(text, seen)
        return replace(
            found, edits=tuple(item for item in found.edits if item.slot != "dimensions")
        )


def test_an_older_reader_is_named(world: World, tape: Tape) -> None:
    older = replace(world, reader=OlderReader(world.layer, world.values))
    tape.record(older, "8月各园区的应收", "8月张江的应收")
    grouped, single = tape.replay(world, (("wenshu", "1.0"), ("sqlglot", "30")))
    assert grouped.causes == ("reader",)
    assert [(item.name, item.then, item.now) for item in grouped.changed] == [
        ("wenshu", "0.9", "1.0")
    ]
    assert grouped.findings[0].differences[0].lines == ("dimensions: – → ['park_id']",)
    assert not grouped.same_statement
    assert single.same


def test_an_older_compiler_is_named(
    world: World, tape: Tape, monkeypatch: pytest.MonkeyPatch
) -> None:
    def older(question: Question, dialect: str) -> Compiled:
        made = build(question, dialect)
        return replace(
            made, sql=made.sql.replace("CAST('2026-08-01' AS DATE)", "DATE '2026-08-01'")
        )

    build = answer.build
    with monkeypatch.context() as patched:
        patched.setattr(answer, "build", older)
        before = replace(world, compiled=statements())  # a process of its own
        tape.record(before, "8月张江的应收", "各园区的租户数")
    dated, plain = tape.replay(world)
    assert dated.causes == ("compiler",)
    assert not dated.same_statement
    lines = dated.findings[0].differences[0].lines
    assert [line.strip("-+ ") for line in lines if line[:2] in ("- ", "+ ")] != []
    assert plain.same


class OlderEngine:
    """DuckDB as it was: it divided with fewer digits."""

    engine = "duckdb 1.0"

    def __init__(self, inner: DuckDBWarehouse) -> None:
        self.inner, self.dialect, self.data_version = inner, inner.dialect, inner.data_version

    def run(self, sql: str, *, limit: int | None = None, halt: object = None) -> Rows:
        found = self.inner.run(sql, limit=limit)
        return Rows(
            found.columns,
            tuple(
                tuple(round(cell, 4) if isinstance(cell, float) else cell for cell in row)
                for row in found.rows
            ),
        )


def test_a_newer_engine_is_named(world: World, tape: Tape) -> None:
    assert isinstance(world.warehouse, DuckDBWarehouse)
    older = replace(world, warehouse=OlderEngine(world.warehouse), _extents={})
    tape.record(older, "8月张江的收缴率", "8月张江的应收")
    rate, amount = tape.replay(world)
    assert rate.causes == ("engine",)
    assert [(item.name, item.then) for item in rate.changed] == [("engine", "duckdb 1.0")]
    assert amount.same


def test_what_was_erased_is_told(world: World, tape: Tape) -> None:
    tape.record(world, "8月张江的应收", "临港呢")
    which = Which(containing="临港呢")
    with tape.ledger.store.snapshot() as run:
        gone = targets(run, which)
    erase(tape.ledger, gone, "officer", "asked to", which)
    first, second = tape.replay(world)
    assert first.same
    assert second.causes == ("erased",)
    assert [item.what for item in second.findings[0].differences] == ["request", "steps"]


def test_data_that_came_later_do_not_move_a_period(
    world: World, tape: Tape, changed: Changed
) -> None:
    """From when the data go is bound with the turn: a first bill of 2019 is the data's doing."""
    tape.record(world, "2019年张江的应收")
    today = changed(
        "insert into fact_bill select * replace ('B-OLD' as bill_id, date '2019-03-01' as bill_month) "
        "from fact_bill where park_id = 'P001' limit 1"
    )
    (verdict,) = tape.replay(today)
    assert verdict.causes == ("values",)
    assert verdict.findings[0].differences[0].then == "decline (before-data)"
    assert verdict.findings[0].differences[0].now == "answer"


def test_what_a_new_layer_would_change(world: World, tape: Tape, edited: Edited) -> None:
    tape.record(world, "8月张江的收缴率", "8月张江的应收", "收缴率是怎么算的")
    new = edited(
        "bill.yaml",
        "formula: received_amount / receivable_amount",
        "formula: received_amount / (receivable_amount + 1)",
    )
    prospect = Prospect(world, new.layer)
    found = [prospect.impact(record_of(entry)) for entry in tape.ledger.entries()]
    assert [item and item.kinds for item in found] == [("sql", "numbers"), (), ("words",)]
    rate = found[0]
    assert rate is not None
    assert rate.metrics == ("collection_rate",)
    assert rate.differences[1].lines[0].startswith("the row: collection_rate 0.")


def test_a_metric_that_would_be_gone_is_told(
    world: World, tape: Tape, edited: Edited, tmp_path: Path
) -> None:
    shutil.copytree(PARK, tmp_path / "layer", ignore=shutil.ignore_patterns("documents"))
    tape.record(world, "8月张江的逾期金额", "临港呢")
    text = (PARK / "bill.yaml").read_text("utf-8")
    start = text.index("  overdue_amount:")
    end = text.index("\n  ", start + 3)
    while text[end + 3] == " ":
        end = text.index("\n  ", end + 3)
    new = edited("bill.yaml", text[start : end + 1], "")
    prospect = Prospect(world, new.layer)
    found = [prospect.impact(record_of(entry)) for entry in tape.ledger.entries()]
    assert [item and item.kinds[0] for item in found] == ["outcome", "outcome"]
